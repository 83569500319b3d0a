/* CUB's sorts and scans in the emulator: the CPU's, whose memory is the emulated device's. */
#include "core/cuda/cub.h"
#include "core/cuda/simt.cuh"

extern "C" const struct bi_core_ops bi_core_cpu;

/* What the stream has to do comes before. */
static void wait(bosc_ctx *ctx) { (void)cudaStreamSynchronize((cudaStream_t)ctx->stream); }

bosc_status bi_cub_sort_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *out, int first_bit,
                             int last_bit)
{
    wait(ctx);
    return bi_core_cpu.sort_keys(ctx, dtype, keys, n, out, first_bit, last_bit);
}

bosc_status bi_cub_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size, const void *values,
                              int64_t n, void *keys_out, void *values_out, int first_bit, int last_bit)
{
    wait(ctx);
    if (value_size == 0) return bi_core_cpu.sort_keys(ctx, dtype, keys, n, keys_out, first_bit, last_bit);
    return bi_core_cpu.sort_pairs(ctx, dtype, keys, value_size, values, n, keys_out, values_out, first_bit, last_bit);
}

bosc_status bi_cub_scan(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in, int64_t n,
                        void *out)
{
    wait(ctx);
    return bi_core_cpu.scan(ctx, op, kind, dtype, in, n, out);
}
