/* Publishes the result of a build from its blocks to page-locked host memory, so that nothing is copied back. */
#ifndef BI_HASH_CUDA_NOTIFY_HOST_CUH
#define BI_HASH_CUDA_NOTIFY_HOST_CUH

#include <string.h>

#include "hash/cuda/bucketed.cuh"

enum { MAX_REPORTS = 128 /* limit of the blocks that each publish a word */ };

/* Host words, 0 until they are published: the number of buckets; a flag that keys repeat, published before the
 * counts; counts, which add up, one word a block or one of all. */
enum { HOST_BUCKETS, HOST_REPEATS, HOST_COUNTS };
/* Fields of a word of counts, from its low bits: extra probes, summed over all keys; partitions with a seed other than
 * 0; failed partitions; blocks that have arrived. */
enum { RESEEDED_SHIFT = 24, FAILED_SHIFT = 35, BLOCKS_SHIFT = 46 };
enum { COUNT_FIELD_BITS = 11 /* of each field but the first: more than the partitions of a fused build */ };
enum { HOST_WORDS = HOST_COUNTS + MAX_REPORTS };
static_assert(HOST_WORDS * 8 <= BI_PINNED_BYTES, "a word of each block");
/* Set in every published word, which is thus not 0. */
static constexpr unsigned long long HOST_VALID = 1ull << 63;

/* Publishes a block's counts; with TILED the last block to arrive publishes those of all. `buckets`: of the
 * table, read from the last block only. Thread 0 calls it. */
template <bool TILED, class A>
static __device__ void notify_host(const A &a, unsigned long long counts, bool repeats, uint32_t buckets)
{
    if (repeats) bi_notify_host(&a.host_words[HOST_REPEATS], HOST_VALID);
    /* Makes the flag and the table visible first; placed before the other stores, as it would wait for them too. */
    __threadfence_system();
    if (blockIdx.x == gridDim.x - 1) bi_notify_host(&a.host_words[HOST_BUCKETS], HOST_VALID | buckets);
    if constexpr (!TILED) {
        bi_notify_host(&a.host_words[HOST_COUNTS + blockIdx.x], HOST_VALID | counts);
    } else {
        counts += 1ull << BLOCKS_SHIFT;
        counts += atomicAdd(a.done, counts);
        if (counts >> BLOCKS_SHIFT < gridDim.x) return;
        /* Makes the words and buckets of all other blocks visible before the counts. */
        __threadfence_system();
        bi_notify_host(&a.host_words[HOST_COUNTS], HOST_VALID | counts);
    }
}

/* Zeroes the host words before a launch. */
static inline void clear_host_words(const bosc_ctx *ctx, struct bi_hash_completion *completion, uint32_t reports)
{
    completion->reports = reports;
    completion->stream = ctx->stream;
    memset(completion->words, 0, (HOST_COUNTS + reports) * sizeof(unsigned long long));
}

#endif
