/* Radix partition as the room's table has it (partition_kernels.cuh): scratch, types, starts of partitions. */
#include "hash/cuda/partition_kernels.cuh"

/* Instances are in partition_32.cu, partition_64.cu and partition_128.cu. */
#define ELSEWHERE(K, P)                                                                                               \
    extern template bosc_status bi_hash_partition_pairs<K, P>(bosc_ctx *, const struct bi_hash_shape *, const void *, \
                                                              const void *, int64_t, struct bi_hash_lists *)
ELSEWHERE(uint32_t, bi_hash_no_value);
ELSEWHERE(uint32_t, uint32_t);
ELSEWHERE(uint32_t, uint64_t);
ELSEWHERE(uint64_t, bi_hash_no_value);
ELSEWHERE(uint64_t, uint32_t);
ELSEWHERE(uint64_t, uint64_t);
ELSEWHERE(bosc_hash_word, bi_hash_no_value);
ELSEWHERE(bosc_hash_word, uint32_t);
ELSEWHERE(bosc_hash_word, uint64_t);
#undef ELSEWHERE

template <class K>
static bosc_status find_starts(bosc_ctx *ctx, const struct bi_hash_shape *s, const struct bi_hash_lists *lists)
{
    const unsigned blocks = (unsigned)bi_div_up(((int64_t)1 << s->partition_bits) + 1, 8);
    return BI_RUN(ctx, bi_hash_partition_starts<K>, blocks, 256, 0, (const K *)lists->hashes, (uint32_t)lists->n,
                  s->partition_bits, (uint32_t *)lists->starts);
}

static int32_t payload_of(const struct bi_hash_shape *s, bool valued)
{
    return !valued ? 0 : s->value_bytes == 8 ? 8 : 4;
}

bosc_status bi_hash_partition_cuda(bosc_ctx *ctx, const struct bi_hash_shape *s, const void *keys, const void *values,
                                   int64_t n, struct bi_hash_lists *lists)
{
    void *hashes, *payload, *starts;
    const bool rows = values && s->value_bytes != 4 && s->value_bytes != 8;
    *lists = {};
    lists->n = n;
    lists->payload_bytes = payload_of(s, values != NULL);
    if (rows) lists->values = values;
    BI_TRY(bi_scratch(ctx, (size_t)n * (size_t)s->key_bytes, &hashes));
    BI_TRY(bi_scratch(ctx, (size_t)n * (size_t)lists->payload_bytes, &payload));
    BI_TRY(bi_scratch(ctx, (((size_t)1 << s->partition_bits) + 1) * 4, &starts));
    lists->hashes = hashes;
    lists->payload = payload;
    lists->starts = (const uint32_t *)starts;
    const auto run_typed = [&](auto k, auto p) {
        return bi_hash_partition_pairs<decltype(k), decltype(p)>(ctx, s, keys, rows ? NULL : values, n, lists);
    };
    if (n > 0) BI_TRY_WITH_SCRATCH(ctx, bi_hash_with_types(s->key_bits, lists->payload_bytes, run_typed));
    if (n > 0 && is_one_pass(s)) return BOSC_OK;
    if (s->key_bits == 32) return find_starts<uint32_t>(ctx, s, lists);
    if (s->key_bits == 64) return find_starts<uint64_t>(ctx, s, lists);
    return find_starts<bosc_hash_word>(ctx, s, lists);
}

/* Returns the bytes of the lists, twice if there are several passes, of the zeroed scratch, and of the starts. */
size_t bi_hash_partition_bytes_cuda(const bosc_ctx *ctx, const struct bi_hash_shape *s, int64_t n)
{
    const int32_t payload = payload_of(s, s->value_bytes > 0);
    const split_digits digits = digits_of(s->partition_bits, s->key_bits == 32 ? 32 : 64);
    return (digits.passes > 1 ? 2 : 1) * (size_t)n * (size_t)(s->key_bytes + payload) +
           zeros_of(max(s->key_bytes, payload), digits, n, is_small(ctx, s->key_bytes, payload)) +
           (((size_t)1 << s->partition_bits) + 1) * 4 + 6 * 256;
}
