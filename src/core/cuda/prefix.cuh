/* Prefixes of tiles in a single pass over the data, added in the order of core/tiles.h. Blocks get tiles by ticket,
 * publish the total of each, and read the totals of earlier tiles that the tree of additions needs. Decoupled look-back
 * (Merrill, Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, 2016) reads them tile by tile; here a
 * warp reads 32 totals of a height at once: of tiles, of rows of 32 tiles, of 32 such rows, and so on, and the warps of
 * a block read different heights. The block that completes a row publishes its total. A block waits only for tiles with
 * earlier tickets, whose blocks already run. */
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

/* Published totals. A total has a word for each 4 bytes of its value, which are the upper half of the word. A word of 0
 * is not yet published. So no word orders another, and one round trip to memory reads a total. */
enum { BI_TOTAL_READY = 1, BI_TOTAL_HAS_HEAD = 2 };
template <class T> struct bi_tile_totals {
    unsigned long long *words; /* aligned to the words of a total */
};
template <class T> static constexpr int bi_words_of_total = (int)(sizeof(T) / 4);

template <class T> __device__ __forceinline__ void bi_publish_total(bi_tile_totals<T> totals, int64_t i, bi_item<T> x)
{
    uint32_t parts[bi_words_of_total<T>];
    memcpy(parts, &x.value, sizeof x.value);
    for (int k = 0; k < bi_words_of_total<T>; k++)
        bi_store_relaxed(&totals.words[i * bi_words_of_total<T> + k],
                         BI_TOTAL_READY | (x.head ? BI_TOTAL_HAS_HEAD : 0) | (unsigned long long)parts[k] << 32);
}

template <class T> __device__ __forceinline__ bi_item<T> bi_await_total(bi_tile_totals<T> totals, int64_t i)
{
    const unsigned long long *from = totals.words + i * bi_words_of_total<T>;
    unsigned long long words[2];
    for (;; __nanosleep(20)) {
        if (sizeof(T) == 4)
            words[0] = words[1] = bi_load_relaxed(from);
        else
            bi_load_relaxed_pair(from, words);
        if (words[0] & words[1] & BI_TOTAL_READY) break;
    }
    const uint32_t parts[2] = {(uint32_t)(words[0] >> 32), (uint32_t)(words[1] >> 32)};
    bi_item<T> x;
    memcpy(&x.value, parts, sizeof x.value);
    x.head = words[0] & BI_TOTAL_HAS_HEAD;
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

/* `totals` holds a tree: height 0 has a node for each tile, and a node of height h + 1 is the sum of 32 nodes of height
 * h. Only complete nodes exist. For tile T the prefix is made of the nodes t, r and c (degree 4 in the figure):
 *
 *     height 2   c c  [....]              recursion: scan of tiles of totals
 *     height 1          r r [..]          R: rows before this one, in the same tile of totals
 *     height 0               t t T        row: totals of the row itself
 *
 * In core/tiles.h, C is a scan again: element t is in a row of 32 totals, and 32 rows make a tile of totals. So heights
 * alternate: an odd height adds R(r - 1), the rows before this one; an even height (above 0) starts C of the next
 * recursion with the row scan of the nodes before this one. A path visits the rows of nodes from height 1 up. */
struct bi_total_path {
    int64_t begin, width; /* nodes of this height: the first of all nodes, and their number */
    int64_t unit;         /* the node of this height above the tile */
    int height;

    __device__ __forceinline__ bi_total_path(int64_t tiles, int64_t tile)
        : begin(tiles), width(tiles / 32), unit(tile / 32), height(1)
    {
    }
    __device__ __forceinline__ bool is_odd() const { return height % 2; }
    __device__ __forceinline__ bool exists() const { return is_odd() || unit > 0; }
    /* A node of the row that is read: odd heights add the nodes before `unit` in its row; even ones scan the row up to
     * the node before `unit`. */
    __device__ __forceinline__ int64_t node() const { return is_odd() ? unit : unit - 1; }
    __device__ __forceinline__ int64_t row_begin() const { return begin + node() / 32 * 32; }
    __device__ __forceinline__ int last_column() const { return (int)(node() % 32) - is_odd(); } /* -1: none */
    /* To the parent of the row. */
    __device__ __forceinline__ void ascend()
    {
        unit = node() / 32;
        begin += width;
        width /= 32;
        height++;
    }
};

/* The nodes of a path by height and column, in shared memory. 32^7 tiles are more than memory holds. */
enum { BI_TOTAL_HEIGHTS = 8 };
template <class T> struct bi_path_totals {
    bi_item<T> of[BI_TOTAL_HEIGHTS][32];
};

/* Publishes the totals of the rows that the block's tiles complete, each as soon as its nodes are there: other blocks
 * wait for it. Also stores the row of `last`, the last of the tiles, which are published already. A whole warp calls
 * it. */
template <class P, bool SEGMENTED>
static __device__ void bi_publish_rows(bi_tile_totals<typename P::value> totals, int64_t tiles, int64_t last,
                                       const bi_own_tiles<typename P::value> &own,
                                       bi_path_totals<typename P::value> *nodes)
{
    typedef bi_item<typename P::value> item;
    const int lane = (int)(threadIdx.x % 32);
    const bool is_own = lane >= own.first && lane < own.first + own.count;
    item x = own.total;
    if (!is_own && lane <= last % 32) x = bi_await_total(totals, last / 32 * 32 + lane);
    nodes->of[0][lane] = x;                                      /* beyond the column of `last` it is not used */
    int64_t begin = tiles, width = tiles / 32, unit = last / 32; /* as in bi_total_path */
    if (own.first + own.count < 32) return;
    for (;; unit /= 32) {
        __syncwarp(); /* lanes left their loops at different times */
        const item total = bi_shuffle_item<SEGMENTED>(bi_warp_scan<P, SEGMENTED>(x), 31);
        if (lane == 0) bi_publish_total(totals, begin + unit, total);
        if (unit % 32 < 31) return;
        x = total; /* of the last column of the next row */
        if (lane < 31) x = bi_await_total(totals, begin + unit / 32 * 32 + lane);
        begin += width;
        width /= 32;
    }
}

/* Awaits the nodes that the prefixes of tile `last` and its row are made of, from height 1 up. `warps` warps call it,
 * this one being number `warp`: they read different heights at once. A barrier must follow. */
template <class T>
static __device__ void bi_await_path(bi_tile_totals<T> totals, int64_t tiles, int64_t last, int warp, int warps,
                                     bi_path_totals<T> *nodes)
{
    const int lane = (int)(threadIdx.x % 32);
    for (bi_total_path path(tiles, last); path.exists(); path.ascend())
        if (path.height % warps == warp && lane <= path.last_column())
            nodes->of[path.height][lane] = bi_await_total(totals, path.row_begin() + lane);
}

/* Returns C(t) of core/tiles.h, the inclusive scan of the totals of tiles, for the tiles t of the row of 32 that tile
 * `last` is in: one a lane, valid up to the column of `last`. A whole warp calls it, once `nodes` has the row and the
 * path. part[d] is the result within depth d of the recursion; `depths` counts them. */
template <class P, bool SEGMENTED>
static __device__ bi_item<typename P::value> bi_scan_row_of_tiles(const bi_path_totals<typename P::value> *nodes,
                                                                  int64_t tiles, int64_t last)
{
    typedef bi_item<typename P::value> item;
    const int lane = (int)(threadIdx.x % 32);
    int depths = 1;
    item part[BI_TILE_LEVELS], none = {P::identity(), false};

    /* 1. The row of tiles. */
    part[0] = bi_warp_scan<P, SEGMENTED>(lane <= last % 32 ? nodes->of[0][lane] : none);
    /* 2. Ascend. */
    for (bi_total_path path(tiles, last); path.exists(); path.ascend()) {
        const int column = path.last_column();
        if (column < 0) continue;
        item x = bi_warp_scan<P, SEGMENTED>(lane <= column ? nodes->of[path.height][lane] : none);
        x = bi_shuffle_item<SEGMENTED>(x, column);
        if (path.is_odd())
            part[depths - 1] = bi_combine<P>(x, part[depths - 1]);
        else
            part[depths++] = x;
    }
    /* 3. Add the depths, the outermost recursion first. */
    item result = part[depths - 1];
    for (int d = depths - 2; d >= 0; d--) result = bi_combine<P>(result, part[d]);
    return result;
}

#endif
