/* CUB's sorts and scans in the emulator: the CPU's, whose memory is the emulated device's. */
#include <boscage/context.h>

#include "core/cuda/cub.h"
#include "core/cuda/simt.cuh"
#include "emulator.hpp"

extern "C" const struct bi_core_ops bi_core_cpu;

/* Replays have a context of their own: what the scratch of the recorded one holds is the graph's. */
template <class F> static void replay(const F &work)
{
    bosc_ctx_opts opts = {};
    bosc_ctx *cpu = nullptr;
    opts.size = sizeof opts;
    opts.backend = BOSC_BACKEND_CPU;
    opts.threads = 1;
    if (bosc_ctx_create(&opts, &cpu) != BOSC_OK || work(cpu) != BOSC_OK) abort();
    bosc_ctx_free(cpu);
}

/* Works once what the stream has to do is done; while the stream records, in each replay. */
template <class F> static bosc_status collective(bosc_ctx *ctx, const F &work)
{
    const cudaStream_t stream = (cudaStream_t)ctx->stream;
    cudaStreamCaptureStatus status;
    (void)cudaStreamIsCapturing(stream, &status);
    if (status == cudaStreamCaptureStatusNone) {
        (void)cudaStreamSynchronize(stream);
        return work(ctx);
    }
    emulator::queue(stream, [work] { replay(work); });
    return BOSC_OK;
}

bosc_status bi_cub_sort_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *out, int first_bit,
                             int last_bit)
{
    return collective(
        ctx, [=](bosc_ctx *on) { return bi_core_cpu.sort_keys(on, dtype, keys, n, out, first_bit, last_bit); });
}

bosc_status bi_cub_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size, const void *values,
                              int64_t n, void *keys_out, void *values_out, int first_bit, int last_bit)
{
    if (value_size == 0) return bi_cub_sort_keys(ctx, dtype, keys, n, keys_out, first_bit, last_bit);
    return collective(ctx, [=](bosc_ctx *on) {
        return bi_core_cpu.sort_pairs(on, dtype, keys, value_size, values, n, keys_out, values_out, first_bit,
                                      last_bit);
    });
}

bosc_status bi_cub_scan(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in, int64_t n,
                        void *out)
{
    return collective(ctx, [=](bosc_ctx *on) { return bi_core_cpu.scan(on, op, kind, dtype, in, n, out); });
}
