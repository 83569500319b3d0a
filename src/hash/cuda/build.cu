/* The fused build on CUDA as the room's table has it: launches by type (build_kernels.cuh), and reading the result that
 * the blocks publish. */
#include "hash/cuda/notify_host.cuh"
#include "hash/cuda/order_tiles.cuh"

/* True if the blocks have written the number of buckets and all `reports` words of counts. */
static bool all_published(const unsigned long long *host_words, uint32_t reports)
{
    bool all = __atomic_load_n(&host_words[HOST_BUCKETS], __ATOMIC_ACQUIRE) != 0;
    for (uint32_t r = 0; r < reports; r++) all &= __atomic_load_n(&host_words[HOST_COUNTS + r], __ATOMIC_ACQUIRE) != 0;
    return all;
}

/* Adds up the published words. *outcome: UNFINISHED if a partition was left out for lack of room. */
static void sum_host_words(const unsigned long long *host_words, uint32_t reports, struct bi_hash_report *found,
                           enum bi_hash_outcome *outcome)
{
    enum { MASK = (1 << COUNT_FIELD_BITS) - 1 };
    uint64_t counts = 0;
    for (uint32_t r = 0; r < reports; r++) counts += host_words[HOST_COUNTS + r] & ~HOST_VALID;
    *found = {};
    found->repeats = host_words[HOST_REPEATS] != 0;
    found->buckets = (uint32_t)host_words[HOST_BUCKETS];
    found->reseeded = (uint32_t)(counts >> RESEEDED_SHIFT) & MASK;
    found->extra_probes = counts & ((1u << RESEEDED_SHIFT) - 1);
    *outcome = found->repeats || (counts >> FAILED_SHIFT & MASK) == 0 ? BI_HASH_BUILT : BI_HASH_UNFINISHED;
}

bosc_status bi_hash_launch_build_cuda(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values,
                                      int64_t n, struct bi_hash_completion *completion, enum bi_hash_outcome *outcome)
{
    const struct bi_hash_shape *s = &h->shape;
    const bool rows = values && s->value_bytes != 4 && s->value_bytes != 8; /* the payload is row numbers */
    const int32_t payload_bytes = !values ? 0 : s->value_bytes == 8 ? 8 : 4;
    *outcome = BI_HASH_UNFINISHED;
    if (h->opts.layout == BOSC_HASH_ORDERED)
        return bi_hash_launch_ordered_cuda(ctx, h, keys, values, n, completion, outcome);
    if (n == 0 || s->partition_bits > BI_HASH_TILED_BITS) return BOSC_OK;
    const auto run_typed = [&](auto k, auto p) {
        return bi_hash_launch_fused<decltype(k), decltype(p)>(ctx, h, keys, values, rows, n, completion, outcome);
    };
    BI_RETURN_WITH_SCRATCH(ctx, bi_hash_with_types(s->key_bits, payload_bytes, run_typed));
}

bosc_status bi_hash_await_build_cuda(bosc_ctx *ctx, const struct bi_hash_completion *completion,
                                     struct bi_hash_report *found, enum bi_hash_outcome *outcome)
{
    const unsigned long long *host_words = (const unsigned long long *)completion->words;
    if (completion->stream != ctx->stream &&
        !all_published(host_words, completion->reports)) /* that stream may be gone */
        BI_CUDA_TRY(ctx, cudaDeviceSynchronize());
    BI_TRY(bi_cuda_await(ctx, &host_words[HOST_BUCKETS], 1));
    BI_TRY(bi_cuda_await(ctx, &host_words[HOST_COUNTS], completion->reports));
    sum_host_words(host_words, completion->reports, found, outcome);
    return BOSC_OK;
}

bosc_status bi_hash_build_cuda(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values, int64_t n,
                               struct bi_hash_report *found, enum bi_hash_outcome *outcome)
{
    struct bi_hash_completion completion = {ctx->pinned, ctx->stream, 0};
    BI_TRY(bi_hash_launch_build_cuda(ctx, h, keys, values, n, &completion, outcome));
    return *outcome == BI_HASH_PENDING ? bi_hash_await_build_cuda(ctx, &completion, found, outcome) : BOSC_OK;
}

bosc_status bi_hash_open_completion_cuda(bosc_ctx *ctx, struct bi_hash_completion *completion)
{
    if (!bi_fault(BI_FAULT_ALLOC) && cudaMallocHost(&completion->words, HOST_WORDS * 8) == cudaSuccess) return BOSC_OK;
    (void)cudaGetLastError();
    completion->words = NULL;
    return bi_fail(ctx, BOSC_ERR_NOMEM, "out of page-locked memory: %d bytes were refused", HOST_WORDS * 8);
}

void bi_hash_close_completion_cuda(const bosc_hash *h)
{
    (void)cudaSetDevice(h->memory.device);
    if (h->pending.state != BI_HASH_IDLE) (void)cudaDeviceSynchronize();
    (void)cudaFreeHost(h->pending.completion.words);
}

/* Returns the bytes of the tiles, their segments, and a word for each partition; five allocations, aligned to 256. */
size_t bi_hash_build_bytes_cuda(const struct bi_hash_shape *s, int64_t n)
{
    if (s->partition_bits > BI_HASH_TILED_BITS) return 0;
    const int32_t payload = s->value_bytes == 0 ? 0 : s->value_bytes == 8 ? 8 : 4;
    const size_t tiles = bi_hash_tile_count(s, payload, n), partitions = (size_t)1 << s->partition_bits;
    return (size_t)n * (size_t)(s->key_bytes + payload) + (tiles + 1) * partitions * 4 + 5 * 256;
}
