/* How the blocks of a build tell the host how it went, so that nothing is copied back. */
#ifndef BI_HASH_CUDA_TELL_CUH
#define BI_HASH_CUDA_TELL_CUH

#include <string.h>

#include "hash/cuda/bucketed.cuh"

enum { FEW_BLOCKS = 16 /* of a build in one launch, at most: a warp sums up what they have */ };
enum { MOST_REPORTS = 128 /* blocks that tell the host, at most */ };

/* What the blocks tell the host, in words that are not 0 once they are there: the number of buckets; whether keys
 * repeat, which is there before the counts; counts, which add up, of one block or of all. */
enum { TOLD_BUCKETS, TOLD_REPEATS, TOLD_COUNTS };
enum { TOLD_RESEEDED = 24 /* below: reads beyond the first, of all keys */, TOLD_FAILED = 35, TOLD_BLOCKS = 46 };
enum { TOLD_COUNT_BITS = 11 };
enum { TOLD_WORDS = TOLD_COUNTS + MOST_REPORTS };
static_assert(TOLD_WORDS * 8 <= BI_PINNED_BYTES, "a word of each block");
static constexpr unsigned long long TOLD = 1ull << 63;

/* Tells the host: a block's counts; with tiles, the last block to come here, those of all. Thread 0 calls it. */
template <bool TILED, class A>
static __device__ void tell_host(const A &a, unsigned long long counts, bool repeats, uint32_t buckets)
{
    if (repeats) bi_notify_host(&a.told[TOLD_REPEATS], TOLD);
    __threadfence_system(); /* before the host's memory is written to, for which it would wait */
    if (blockIdx.x == gridDim.x - 1) bi_notify_host(&a.told[TOLD_BUCKETS], TOLD | buckets);
    if constexpr (!TILED) {
        bi_notify_host(&a.told[TOLD_COUNTS + blockIdx.x], TOLD | counts);
    } else {
        counts += 1ull << TOLD_BLOCKS;
        counts += atomicAdd(a.done, counts);
        if (counts >> TOLD_BLOCKS < gridDim.x) return;
        __threadfence_system(); /* what others have told and written is there before */
        bi_notify_host(&a.told[TOLD_COUNTS], TOLD | counts);
    }
}

/* The words that are told are 0 until then. */
static inline void begin_outcome(const bosc_ctx *ctx, struct bi_hash_outcome *outcome, uint32_t reports)
{
    outcome->reports = reports;
    outcome->stream = ctx->stream;
    memset(outcome->words, 0, (TOLD_COUNTS + reports) * sizeof(unsigned long long));
}

#endif
