/* Merges of two arrays, with or without values. */
#include "core/cuda/collectives.cuh"
#include "core/cuda/merge.cuh"

struct merge_call {
    enum bi_key_kind kind;
    const void *a, *a_values;
    int64_t na;
    const void *b, *b_values;
    int64_t nb;
    void *out, *values_out;
};

template <class K, class V> static bosc_status launch_merge(bosc_ctx *ctx, const struct merge_call *c)
{
    bi_merge_pair<K, V> pair = {(const K *)c->a, (const K *)c->b, (const V *)c->a_values, (const V *)c->b_values, c->na,
                                c->nb,           (K *)c->out,     (V *)c->values_out};
    void *splits;
    BI_TRY(bi_scratch(ctx, (size_t)bi_div_up(c->na + c->nb, BI_MERGE_TILE) * sizeof(int64_t), &splits));
    return bi_run_merge(ctx, pair, c->kind, bi_no_tie<V>(), (int64_t *)splits);
}

bosc_status bi_cuda_merge_pairs(bosc_ctx *ctx, bosc_dtype dtype, size_t value_size, const void *a_keys,
                                const void *a_values, int64_t na, const void *b_keys, const void *b_values, int64_t nb,
                                void *keys_out, void *values_out)
{
    if (na + nb == 0) return BOSC_OK;
    struct merge_call call = {bi_key_kind_of(dtype), a_keys, a_values, na, b_keys, b_values, nb, keys_out, values_out};
    struct bi_mark mark = bi_arena_mark(ctx);
    bool key_64bit = bosc_dtype_size(dtype) == 8, value_64bit = value_size == 8;
    bosc_status status = key_64bit ? (value_64bit ? launch_merge<uint64_t, uint64_t>(ctx, &call)
                                                  : launch_merge<uint64_t, uint32_t>(ctx, &call))
                                   : (value_64bit ? launch_merge<uint32_t, uint64_t>(ctx, &call)
                                                  : launch_merge<uint32_t, uint32_t>(ctx, &call));
    bi_arena_rewind(ctx, mark);
    return status;
}
