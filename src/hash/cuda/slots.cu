/* The layouts that find a key by places, on CUDA. */
#include "core/cuda/steps.cuh"
#include "core/cuda/warp.cuh"
#include "hash/steps/hybrid_lane_group.h"
#include "hash/steps/perfect_lane_group.h"
#include "hash/steps/slots.h"

#define BI_STEP BI_STEP_CUDA
#include "hash/steps/slots.def"
#undef BI_STEP

enum { PERFECT_THREADS = 32, HYBRID_THREADS = 192, FIND_THREADS = 256 };

static __global__ void __launch_bounds__(PERFECT_THREADS) fill_perfect(const bi_hash_placing f)
{
    BI_SHARED(bi_perfect_work, work);
    bi_perfect_run(&f, blockIdx.x, &work);
}

static __global__ void __launch_bounds__(HYBRID_THREADS) fill_hybrid(const bi_hash_placing f)
{
    BI_SHARED(bi_hybrid_work, work);
    bi_hybrid_run(&f, blockIdx.x, &work);
}

static bosc_status cuda_fill(bosc_ctx *ctx, const bi_hash_placing *f)
{
    if (f->view.layout == BOSC_HASH_FKS) return cuda_step_places_fks(ctx, f->view.runs, f);
    if (f->view.layout == BOSC_HASH_HYBRID) return BI_RUN(ctx, fill_hybrid, f->view.runs, HYBRID_THREADS, 0, *f);
    return BI_RUN(ctx, fill_perfect, f->view.runs, PERFECT_THREADS, 0, *f);
}

/* BITS and LAYOUT are known to the compiler, so that a look-up has no branch that others have not. */
template <int BITS, bosc_hash_layout LAYOUT>
static __global__ void __launch_bounds__(FIND_THREADS) find_places(bi_hash_places_find a, int64_t m)
{
    const int64_t q = blockIdx.x * (int64_t)FIND_THREADS + threadIdx.x;
    a.view.key_bits = BITS;
    a.view.layout = LAYOUT;
    if (q < m) bi_hash_places_answer(&a, q, bosc_hash_places_look_up(&a.view, bosc_hash_load(a.queries, q, BITS)));
}

/* A grid has at most 2^31 - 1 blocks. */
template <int BITS, bosc_hash_layout LAYOUT>
static bosc_status run_find(bosc_ctx *ctx, const bi_hash_places_find *a, int64_t m)
{
    const int64_t most = (int64_t)INT32_MAX * FIND_THREADS;
    for (int64_t from = 0; from < m; from += most) {
        bi_hash_places_find part = *a;
        const int64_t count = m - from < most ? m - from : most;
        part.queries = (const char *)a->queries + from * (BITS / 8);
        if (a->values) part.values = (char *)a->values + from * a->view.value_size;
        if (a->found) part.found = a->found + from;
        BI_TRY(BI_RUN(ctx, (find_places<BITS, LAYOUT>), (unsigned)bi_div_up(count, FIND_THREADS), FIND_THREADS, 0, part,
                      count));
    }
    return BOSC_OK;
}

template <int BITS> static bosc_status find_of(bosc_ctx *ctx, const bi_hash_places_find *a, int64_t m)
{
    if (a->view.layout == BOSC_HASH_PERFECT) return run_find<BITS, BOSC_HASH_PERFECT>(ctx, a, m);
    if (a->view.layout == BOSC_HASH_HYBRID) return run_find<BITS, BOSC_HASH_HYBRID>(ctx, a, m);
    return run_find<BITS, BOSC_HASH_FKS>(ctx, a, m);
}

static bosc_status cuda_find(bosc_ctx *ctx, const bi_hash_places_find *a, int64_t m)
{
    return a->view.key_bits == 32   ? find_of<32>(ctx, a, m)
           : a->view.key_bits == 64 ? find_of<64>(ctx, a, m)
                                    : find_of<128>(ctx, a, m);
}

extern "C" const bi_hash_places_ops bi_hash_places_ops_cuda = {cuda_step_places_bins,
                                                           cuda_step_places_sizes,
                                                           cuda_step_places_rows,
                                                           cuda_step_places_taken,
                                                           cuda_step_places_pairs,
                                                           cuda_step_places_lengths,
                                                           cuda_step_places_disorder,
                                                           cuda_fill,
                                                           cuda_find};
