/* Lists a forest's edges, ascending, from marks by edge id. */
#include "forest/cuda/msf.cuh"

enum { THREADS = 256, MARKS_PER_THREAD = 16, TILE = THREADS * MARKS_PER_THREAD };

/* Bit k of the result is mark 16 * thread + k. Marks are bytes of 0 or 1, padded to whole tiles. */
static __device__ __forceinline__ unsigned marks_of(const uint8_t *marks, uint32_t thread)
{
    uint4 v = reinterpret_cast<const uint4 *>(marks)[thread];
    unsigned words[4] = {v.x, v.y, v.z, v.w}, bits = 0;
    for (int k = 0; k < 4; k++) {
        unsigned w = words[k]; /* bytes of 0 or 1 */
        /* bits 0, 8, 16 and 24 become bits 0 to 3 */
        bits |= ((w | w >> 7 | w >> 14 | w >> 21) & 15u) << (4 * k);
    }
    return bits;
}

/* Counts the marks of each tile: by thread, warp, then block. */
static __global__ void __launch_bounds__(THREADS) bi_msf_count_marks(const uint8_t *marks, uint32_t *counts)
{
    struct count_shared {
        uint32_t warp[THREADS / 32];
    };
    BI_SHARED(count_shared, sh);
    unsigned own = (unsigned)__popc(marks_of(marks, blockIdx.x * THREADS + threadIdx.x));
    unsigned sum = bi_warp_sum(own);
    if (threadIdx.x % 32 == 0) sh.warp[threadIdx.x / 32] = sum;
    __syncthreads(); /* all warps have counted */
    if (threadIdx.x > 0) return;
    for (int w = 1; w < THREADS / 32; w++) sum += sh.warp[w];
    counts[blockIdx.x] = sum;
}

/* Writes the marked ids of a tile, and their keys. The ids pass through shared memory, so that writes coalesce. */
template <class K>
static __global__ void __launch_bounds__(THREADS)
    bi_msf_write_marked(const uint8_t *marks, const uint32_t *offsets, const K *keys_by_id, uint32_t *ids, K *keys)
{
    struct list_shared {
        uint32_t warp[THREADS / 32], ids[TILE];
    };
    BI_SHARED(list_shared, sh);
    unsigned bits = marks_of(marks, blockIdx.x * THREADS + threadIdx.x);
    uint32_t total, at = bi_block_exclusive_sum<THREADS / 32>((uint32_t)__popc(bits), sh.warp, &total);
    for (; bits; bits &= bits - 1)
        sh.ids[at++] = (blockIdx.x * THREADS + threadIdx.x) * MARKS_PER_THREAD + (uint32_t)__ffs((int)bits) - 1;
    __syncthreads(); /* all ids are in shared memory */
    uint32_t first = offsets[blockIdx.x];
    for (uint32_t i = threadIdx.x; i < total; i += THREADS) {
        ids[first + i] = sh.ids[i];
        if (keys) keys[first + i] = keys_by_id[sh.ids[i]];
    }
}

size_t bi_msf_marks_bytes(int64_t entries) { return (size_t)bi_div_up(entries, TILE) * TILE; }

template <class K>
bosc_status bi_msf_list_marked(bosc_ctx *ctx, const bi_msf_state<K> &s, int64_t entries, uint32_t *ids, K *keys)
{
    unsigned tiles = (unsigned)bi_div_up(entries, TILE);
    void *counts, *offsets;
    BI_TRY(bi_scratch(ctx, tiles * sizeof(uint32_t), &counts));
    BI_TRY(bi_scratch(ctx, tiles * sizeof(uint32_t), &offsets));
    BI_TRY(BI_RUN(ctx, bi_msf_count_marks, tiles, THREADS, 0, s.marks, (uint32_t *)counts));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, counts, tiles, offsets));
    return BI_RUN(ctx, bi_msf_write_marked<K>, tiles, THREADS, 0, s.marks, (const uint32_t *)offsets, s.keys_by_id, ids,
                  keys);
}

template bosc_status bi_msf_list_marked(bosc_ctx *, const bi_msf_state<uint32_t> &, int64_t, uint32_t *, uint32_t *);
template bosc_status bi_msf_list_marked(bosc_ctx *, const bi_msf_state<uint64_t> &, int64_t, uint32_t *, uint64_t *);
