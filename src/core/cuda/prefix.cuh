/* Prefixes of tiles in a single pass over the data, added in the order of core/tiles.h. Blocks get tiles by ticket,
 * publish the total of each, and read the totals of earlier tiles that the tree of additions needs. Decoupled look-back
 * (Merrill, Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016) reads them tile by tile; here a
 * warp reads 32 totals of a height at once: of tiles, of rows of 32 tiles, of 32 such rows, and so on. The block that
 * completes a row publishes its total. A block waits only for tiles with earlier tickets, whose blocks already run. */
#ifndef BI_CORE_CUDA_PREFIX_CUH
#define BI_CORE_CUDA_PREFIX_CUH

#include "core/cuda/launch.cuh"
#include "core/tiles.h"

/* A sum of elements; head: a segment begins among them. */
template <class T> struct bi_item {
    T value;
    bool head;
};

/* Adds b after a; a head in b discards a. */
template <class P>
__device__ __forceinline__ bi_item<typename P::value> bi_combine(bi_item<typename P::value> a,
                                                                 bi_item<typename P::value> b)
{
    if (!b.head) b.value = P::combine(a.value, b.value);
    b.head |= a.head;
    return b;
}

/* Published totals. A word of 0 means not yet published. A 4-byte value is the upper half of its word; an 8-byte value
 * is in `values`, and the store of the word releases it. */
enum { BI_TOTAL_READY = 1, BI_TOTAL_HAS_HEAD = 2 };
template <class T> struct bi_tile_totals {
    unsigned long long *words;
    T *values;
};

template <class T> __device__ __forceinline__ void bi_publish_total(bi_tile_totals<T> totals, int64_t i, bi_item<T> x)
{
    unsigned long long word = BI_TOTAL_READY | (x.head ? BI_TOTAL_HAS_HEAD : 0);
    if (sizeof(T) == 4) {
        uint32_t bits;
        memcpy(&bits, &x.value, 4);
        bi_store_relaxed(&totals.words[i], word | (unsigned long long)bits << 32);
    } else {
        totals.values[i] = x.value;
        bi_store_release(&totals.words[i], word);
    }
}

template <class T> __device__ __forceinline__ bi_item<T> bi_await_total(bi_tile_totals<T> totals, int64_t i)
{
    unsigned long long word;
    bi_item<T> x;
    if (sizeof(T) == 4) {
        while (!((word = bi_load_relaxed(&totals.words[i])) & BI_TOTAL_READY)) __nanosleep(20);
        uint32_t bits = (uint32_t)(word >> 32);
        memcpy(&x.value, &bits, 4);
    } else {
        while (!((word = bi_load_acquire(&totals.words[i])) & BI_TOTAL_READY)) __nanosleep(20);
        x.value = totals.values[i];
    }
    x.head = word & BI_TOTAL_HAS_HEAD;
    return x;
}

template <bool SEGMENTED, class T> __device__ __forceinline__ bi_item<T> bi_shuffle_item(bi_item<T> x, int lane)
{
    x.value = __shfl_sync(~0u, x.value, lane);
    if (SEGMENTED) x.head = __shfl_sync(~0u, (unsigned)x.head, lane);
    return x;
}

/* Sklansky's inclusive scan of the items of a warp: round k adds, to the odd groups of 2^k lanes, the last result of
 * the group before. The result of a lane depends on its own item and those of lower lanes only. */
template <class P, bool SEGMENTED>
__device__ __forceinline__ bi_item<typename P::value> bi_warp_scan(bi_item<typename P::value> x)
{
    int lane = (int)(threadIdx.x % 32);
#pragma unroll
    for (int k = 0; k < 5; k++) {
        /* In the first group the source is lane -1, which wraps to 31; its item is not used. */
        bi_item<typename P::value> left = bi_shuffle_item<SEGMENTED>(x, ((lane >> k) << k) - 1);
        if ((lane >> k) & 1) x = bi_combine<P>(left, x);
    }
    return x;
}

/* Number of totals of all heights over `tiles` tiles. */
static inline int64_t bi_tile_total_count(int64_t tiles)
{
    int64_t count = 0;
    for (; tiles > 0; tiles /= 32) count += tiles;
    return count;
}

/* The tiles of this block: `count` neighbours in one row of 32, the first in column `first`. Each lane has the total of
 * the tile in its column. */
template <class T> struct bi_own_tiles {
    int first, count;
    bi_item<T> total;
};

/* Returns C(t) of core/tiles.h, the inclusive scan of the totals of tiles, for the tiles t of the row of 32 that tile
 * `last` is in: one a lane, valid up to the column of `last`. A whole warp calls it. If this block's tiles complete a
 * row of any height, it also publishes that row's total. The caller has published the totals of its tiles; `last` is
 * the last of them. With own.count = 0, `last` is any earlier tile, and nothing is published.
 *
 * `totals` holds the tree of totals: height 0 has a node for each tile, and a node of height h + 1 is the sum of 32
 * nodes of height h. Only complete nodes exist. For tile T the warp reads the nodes t, r and c (degree 4 in the
 * figure):
 *
 *     height 2   c c  [....]              recursion: scan of tiles of totals
 *     height 1          r r [..]          R: rows before this one, in the same tile of totals
 *     height 0               t t T        row: totals of the row itself
 *
 * In core/tiles.h, C is a scan again: element t is in a row of 32 totals, and 32 rows make a tile of totals. So heights
 * alternate: an odd height adds R(r - 1), the rows before this one; an even height (above 0) starts C of the next
 * recursion with the row scan of the nodes before this one. part[d] is the result within depth d of the recursion;
 * `depths` counts them. */
template <class P, bool SEGMENTED>
static __device__ bi_item<typename P::value> bi_scan_row_of_tiles(bi_tile_totals<typename P::value> totals,
                                                                  int64_t tiles, int64_t last,
                                                                  const bi_own_tiles<typename P::value> &own)
{
    typedef bi_item<typename P::value> item;
    int lane = (int)(threadIdx.x % 32), depths = 1;
    /* completes: this block's tiles are the last ones of `unit`, so that only this warp knows its total. */
    bool is_own = lane >= own.first && lane < own.first + own.count, completes = own.first + own.count == 32;
    item part[BI_TILE_LEVELS], x = {P::identity(), false};

    /* 1. Height 0: scan the row of tiles; totals of other blocks are awaited. */
    if (is_own)
        x = own.total;
    else if (lane <= last % 32)
        x = bi_await_total(totals, last / 32 * 32 + lane);
    __syncwarp(); /* lanes left their loops at different times */
    part[0] = bi_warp_scan<P, SEGMENTED>(x);
    item total = bi_shuffle_item<SEGMENTED>(part[0], 31);

    /* 2. Ascend. `unit` is the node of the current height above the row; its height's nodes begin at index `begin` and
     * number `width`. */
    int64_t begin = tiles, width = tiles / 32, unit = last / 32;
    if (completes && lane == 0) bi_publish_total(totals, begin + unit, total);
    for (bool is_odd = true; is_odd || unit > 0; is_odd = !is_odd) {
        /* Odd heights add the nodes before `unit` in its row; even ones scan the row up to the node before `unit`. */
        int64_t node = is_odd ? unit : unit - 1;
        int column = (int)(node % 32) - is_odd; /* the last node that is added; -1: none */
        completes = completes && unit % 32 == 31;
        if (column >= 0) {
            x.value = P::identity();
            x.head = false;
            if (lane <= column) x = bi_await_total(totals, begin + node / 32 * 32 + lane);
            if (completes && lane == 31) x = total; /* then column is 30: the scan also yields the total of the row */
            __syncwarp();
            x = bi_warp_scan<P, SEGMENTED>(x);
            item before = bi_shuffle_item<SEGMENTED>(x, column);
            if (is_odd)
                part[depths - 1] = bi_combine<P>(before, part[depths - 1]);
            else
                part[depths++] = before;
            total = bi_shuffle_item<SEGMENTED>(x, 31);
        }
        begin += width;
        width /= 32;
        unit = node / 32; /* also the parent of this block's tiles if they complete it */
        if (completes && lane == 0) bi_publish_total(totals, begin + unit, total);
    }

    /* 3. Add the depths, the outermost recursion first. */
    item result = part[depths - 1];
    for (int d = depths - 2; d >= 0; d--) result = bi_combine<P>(result, part[d]);
    return result;
}

#endif
