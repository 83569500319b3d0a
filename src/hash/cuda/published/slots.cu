/* The slots layouts on CUDA: the threads of a block fill a run. */
#include "hash/cuda/bucketed.cuh"
#include "hash/slots.h"
#include "core/cuda/warp.cuh"
#include "hash/steps/hybrid_lane_group.h"
#include "hash/steps/perfect_lane_group.h"
#include "hash/steps/steps.h"

enum { PERFECT_THREADS = 32, HYBRID_THREADS = 192, FIND_THREADS = 256 };

/* PERFECT: a warp fills a run (steps/perfect_lane_group.h). */
static __global__ void __launch_bounds__(PERFECT_THREADS) bi_hash_fill_perfect(const bi_hash_slots_fill f)
{
    BI_SHARED(bi_hash_perfect_work, work);
    bi_hash_perfect_run(&f, blockIdx.x, &work);
}

/* HYBRID: a block fills a run (steps/hybrid_lane_group.h). */
static __global__ void __launch_bounds__(HYBRID_THREADS) bi_hash_fill_hybrid(const bi_hash_slots_fill f)
{
    BI_SHARED(bi_hash_hybrid_work, work);
    bi_hash_hybrid_run(&f, blockIdx.x, &work);
}

bosc_status bi_hash_fill_slots_cuda(bosc_ctx *ctx, const bi_hash_slots_fill *f)
{
    if (f->view.layout == BOSC_HASH_FKS) return ctx->ops->hash->steps->slots_fks(ctx, f->view.runs, f);
    if (f->view.layout == BOSC_HASH_HYBRID)
        return BI_RUN(ctx, bi_hash_fill_hybrid, f->view.runs, HYBRID_THREADS, 0, *f);
    return BI_RUN(ctx, bi_hash_fill_perfect, f->view.runs, PERFECT_THREADS, 0, *f);
}

/* Answers queries, a thread each. BITS and LAYOUT are constants for the compiler, so that a look-up branches on the
 * keys only. */
template <int BITS, bosc_hash_layout LAYOUT>
static __global__ void __launch_bounds__(FIND_THREADS) bi_hash_find_slots(bi_hash_slots_find a, int64_t query_count)
{
    const int64_t q = blockIdx.x * (int64_t)FIND_THREADS + threadIdx.x;
    a.view.key_bits = BITS;
    a.view.layout = LAYOUT;
    if (q < query_count)
        bi_hash_slots_answer(&a, q, bosc_hash_slots_look_up(&a.view, bosc_hash_word_at(a.queries, q, BITS)));
}

/* Launches the look-ups in chunks, as a grid has at most 2^31 - 1 blocks. */
template <int BITS, bosc_hash_layout LAYOUT>
static bosc_status launch_chunks(bosc_ctx *ctx, const bi_hash_slots_find *a, int64_t query_count)
{
    const int64_t max_queries = (int64_t)INT32_MAX * FIND_THREADS;
    for (int64_t from = 0; from < query_count; from += max_queries) {
        bi_hash_slots_find chunk = *a;
        const int64_t count = query_count - from < max_queries ? query_count - from : max_queries;
        chunk.queries = (const char *)a->queries + from * (BITS / 8);
        if (a->values) chunk.values = (char *)a->values + from * a->view.value_size;
        if (a->found) chunk.found = a->found + from;
        BI_TRY(BI_RUN(ctx, (bi_hash_find_slots<BITS, LAYOUT>), (unsigned)bi_div_up(count, FIND_THREADS), FIND_THREADS,
                      0, chunk, count));
    }
    return BOSC_OK;
}

template <int BITS> static bosc_status find_by_layout(bosc_ctx *ctx, const bi_hash_slots_find *a, int64_t query_count)
{
    if (a->view.layout == BOSC_HASH_PERFECT) return launch_chunks<BITS, BOSC_HASH_PERFECT>(ctx, a, query_count);
    if (a->view.layout == BOSC_HASH_HYBRID) return launch_chunks<BITS, BOSC_HASH_HYBRID>(ctx, a, query_count);
    if (a->view.layout == BOSC_HASH_CUCKOO) return launch_chunks<BITS, BOSC_HASH_CUCKOO>(ctx, a, query_count);
    if (a->view.layout == BOSC_HASH_CHAINED) return launch_chunks<BITS, BOSC_HASH_CHAINED>(ctx, a, query_count);
    if (a->view.layout == BOSC_HASH_ORDERED) return launch_chunks<BITS, BOSC_HASH_ORDERED>(ctx, a, query_count);
    return launch_chunks<BITS, BOSC_HASH_FKS>(ctx, a, query_count);
}

bosc_status bi_hash_find_slots_cuda(bosc_ctx *ctx, const bi_hash_slots_find *a, int64_t query_count)
{
    enum bi_hash_find_outcome outcome = BI_HASH_FIND_UNSUPPORTED;
    if (a->view.layout == BOSC_HASH_ORDERED) BI_TRY(bi_hash_find_ordered_cuda(ctx, a, query_count, &outcome));
    if (outcome == BI_HASH_FIND_LAUNCHED) return BOSC_OK;
    return a->view.key_bits == 32   ? find_by_layout<32>(ctx, a, query_count)
           : a->view.key_bits == 64 ? find_by_layout<64>(ctx, a, query_count)
                                    : find_by_layout<128>(ctx, a, query_count);
}
