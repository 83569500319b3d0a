/* The prefix of a tile, in one pass over the data and in the order of core/tiles.h: blocks take tiles by ticket,
 * publish the total of each, and read the totals of others that the tree needs. Instead of looking back tile by tile
 * (Merrill, Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016), a warp reads 32 totals of a
 * height at once: of tiles, of rows of 32 tiles, of 32 such rows, and so on. Whoever ends a row publishes its total. */
#ifndef BI_CORE_CUDA_PREFIX_CUH
#define BI_CORE_CUDA_PREFIX_CUH

#include "core/cuda/launch.cuh"
#include "core/tiles.h"

/* The sum of some elements, and whether a segment began among them. */
template <class T> struct bi_item {
    T value;
    bool head;
};

template <class P>
__device__ __forceinline__ bi_item<typename P::value> bi_join(bi_item<typename P::value> a,
                                                              bi_item<typename P::value> b)
{
    if (!b.head) b.value = P::join(a.value, b.value);
    b.head |= a.head;
    return b;
}

/* Published totals. A word of 0 is a total not yet there. 4-byte values travel in the upper half of the word; wider
 * ones in `values`, which the word releases. */
enum { BI_NODE_READY = 1, BI_NODE_HEAD = 2 };
template <class T> struct bi_nodes {
    unsigned long long *words;
    T *values;
};

template <class T> __device__ __forceinline__ void bi_publish(bi_nodes<T> nodes, int64_t i, bi_item<T> x)
{
    unsigned long long word = BI_NODE_READY | (x.head ? BI_NODE_HEAD : 0);
    if (sizeof(T) == 4) {
        uint32_t bits;
        memcpy(&bits, &x.value, 4);
        bi_store_relaxed(&nodes.words[i], word | (unsigned long long)bits << 32);
    } else {
        nodes.values[i] = x.value;
        bi_store_release(&nodes.words[i], word);
    }
}

template <class T> __device__ __forceinline__ bi_item<T> bi_await(bi_nodes<T> nodes, int64_t i)
{
    unsigned long long word;
    bi_item<T> x;
    if (sizeof(T) == 4) {
        while (!((word = bi_load_relaxed(&nodes.words[i])) & BI_NODE_READY)) __nanosleep(20);
        uint32_t bits = (uint32_t)(word >> 32);
        memcpy(&x.value, &bits, 4);
    } else {
        while (!((word = bi_load_acquire(&nodes.words[i])) & BI_NODE_READY)) __nanosleep(20);
        x.value = nodes.values[i];
    }
    x.head = word & BI_NODE_HEAD;
    return x;
}

template <bool SEGMENTED, class T> __device__ __forceinline__ bi_item<T> bi_shuffle(bi_item<T> x, int lane)
{
    x.value = __shfl_sync(~0u, x.value, lane);
    if (SEGMENTED) x.head = __shfl_sync(~0u, (unsigned)x.head, lane);
    return x;
}

/* Sklansky's scan of the items of a warp. A lane's item does not influence the results of lower lanes. */
template <class P, bool SEGMENTED>
__device__ __forceinline__ bi_item<typename P::value> bi_warp_scan(bi_item<typename P::value> x)
{
    int lane = (int)(threadIdx.x % 32);
#pragma unroll
    for (int k = 0; k < 5; k++) {
        bi_item<typename P::value> before = bi_shuffle<SEGMENTED>(x, ((lane >> k) << k) - 1);
        if ((lane >> k) & 1) x = bi_join<P>(before, x);
    }
    return x;
}

/* Nodes of all heights over `tiles` tiles. */
static inline int64_t bi_node_count(int64_t tiles)
{
    int64_t count = 0;
    for (; tiles > 0; tiles /= 32) count += tiles;
    return count;
}

/* Tiles of the running block: `count` neighbours in a row, the first in column `first`; a lane has the total of the
 * tile in its column. */
template <class T> struct bi_own_tiles {
    int first, count;
    bi_item<T> total;
};

/* The scan's results C(row, 0) to C(row, last % 32) of core/tiles.h for the row of 32 tiles that tile `last` is in, one
 * a lane. A whole warp calls it. Where its own tiles end rows, it publishes the totals of those. */
template <class P, bool SEGMENTED>
static __device__ bi_item<typename P::value> bi_row_of_tiles(bi_nodes<typename P::value> nodes, int64_t tiles,
                                                             int64_t last, const bi_own_tiles<typename P::value> &own)
{
    typedef bi_item<typename P::value> item;
    int lane = (int)(threadIdx.x % 32), parts = 1;
    bool is_own = lane >= own.first && lane < own.first + own.count, ends = own.first + own.count == 32;
    item part[BI_TILE_LEVELS], x = {P::neutral(), false};
    if (is_own)
        x = own.total;
    else if (lane <= last % 32)
        x = bi_await(nodes, last / 32 * 32 + lane);
    __syncwarp();
    part[0] = bi_warp_scan<P, SEGMENTED>(x);
    item total = bi_shuffle<SEGMENTED>(part[0], 31);
    /* `unit` is a node of the height that begins at `first`; `ends`: `total` is its total, known to this warp alone. */
    int64_t first = tiles, width = tiles / 32, unit = last / 32;
    if (ends && lane == 0) bi_publish(nodes, first + unit, total);
    for (bool rows = true; rows || unit > 0; rows = !rows) {
        int64_t node = rows ? unit : unit - 1; /* rows before this one; or tiles up to the one before this */
        int column = (int)(node % 32) - rows;
        ends = ends && unit % 32 == 31;
        if (column >= 0) {
            x.value = P::neutral();
            x.head = false;
            if (lane <= column) x = bi_await(nodes, first + node / 32 * 32 + lane);
            if (ends && lane == 31) x = total;
            __syncwarp();
            x = bi_warp_scan<P, SEGMENTED>(x);
            item before = bi_shuffle<SEGMENTED>(x, column);
            if (rows)
                part[parts - 1] = bi_join<P>(before, part[parts - 1]);
            else
                part[parts++] = before;
            total = bi_shuffle<SEGMENTED>(x, 31);
        }
        first += width;
        width /= 32;
        unit = node / 32; /* that of its own tiles too, where they end it */
        if (ends && lane == 0) bi_publish(nodes, first + unit, total);
    }
    item result = part[parts - 1];
    for (int p = parts - 2; p >= 0; p--) result = bi_join<P>(result, part[p]);
    return result;
}

#endif
