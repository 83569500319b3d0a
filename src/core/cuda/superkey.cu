/* Merge sort by superkey (Brown 2015, section 2): tiles are sorted in shared memory, then runs are merged pass by pass,
 * divided by Merge Path (merge.cuh). Each entry is a row number and the ordered key of its first coordinate; other
 * coordinates are read when keys are equal. Threads own an odd number of entries, so that they access different banks
 * of shared memory. */
#include "core/cuda/collectives.cuh"
#include "core/cuda/superkey.cuh"

enum { THREADS = 256, BLOCKS = 4 /* of a multiprocessor */, SPLIT_THREADS = 128 };
static const uint32_t NO_ROW = UINT32_MAX; /* fills the last tile, and comes after every row */

template <class K> struct tile {
    static constexpr int EACH = sizeof(K) == 4 ? 17 : 11, SIZE = THREADS * EACH;
};

template <class K> struct superkey : bi_superkey<K> {
    /* True if row r comes before row s; their first coordinates are equal. */
    __device__ __forceinline__ bool before(uint32_t r, uint32_t s) const
    {
        if (r == NO_ROW || s == NO_ROW) return r < s;
        const int order = this->compare_rest(r, s);
        return order ? order < 0 : r < s;
    }

    /* True if entry (key b, row s) comes before (key a, row r). */
    __device__ __forceinline__ bool b_first(K a, uint32_t r, K b, uint32_t s) const
    {
        return a == b ? before(s, r) : b < a;
    }
};

/* Entries of a tile; a thread may read a few entries beyond the end. */
template <class K> struct sort_shared {
    K key[tile<K>::SIZE + tile<K>::EACH];
    uint32_t row[tile<K>::SIZE + tile<K>::EACH];
};

/* The entries of a thread, in registers. */
template <class K> struct own_items {
    K key[tile<K>::EACH];
    uint32_t row[tile<K>::EACH];
};

/* Stores the entries of the thread. The caller ensures that no thread still reads this memory. */
template <class K> static __device__ __forceinline__ void store_own(sort_shared<K> *sh, const own_items<K> &own)
{
    const int begin = (int)threadIdx.x * tile<K>::EACH;
#pragma unroll
    for (int k = 0; k < tile<K>::EACH; k++) {
        sh->key[begin + k] = own.key[k];
        sh->row[begin + k] = own.row[k];
    }
}

/* Odd-even transposition sort of the thread's entries by key; constant indices keep them in registers. Returns true if
 * any keys are equal. */
template <class K> static __device__ __forceinline__ bool sort_own_keys(own_items<K> &own)
{
#pragma unroll
    for (int round = 0; round < tile<K>::EACH; round++)
#pragma unroll
        for (int i = round % 2; i + 1 < tile<K>::EACH; i += 2) {
            const K x = own.key[i], y = own.key[i + 1];
            const uint32_t r = own.row[i], s = own.row[i + 1];
            const bool swap = y < x;
            own.key[i] = swap ? y : x;
            own.row[i] = swap ? s : r;
            own.key[i + 1] = swap ? x : y;
            own.row[i + 1] = swap ? r : s;
        }
    bool equal = false;
#pragma unroll
    for (int i = 0; i + 1 < tile<K>::EACH; i++) equal |= own.key[i] == own.key[i + 1];
    return equal;
}

/* Orders the thread's entries with equal keys by the other coordinates: an insertion sort in shared memory. */
template <class K> static __device__ void sort_own_ties(const superkey<K> &by, sort_shared<K> *sh)
{
    const int begin = (int)threadIdx.x * tile<K>::EACH;
    for (int i = begin + 1; i < begin + tile<K>::EACH; i++) {
        const uint32_t row = sh->row[i];
        int to = i;
        for (; to > begin && sh->key[to - 1] == sh->key[i] && by.before(row, sh->row[to - 1]); to--)
            sh->row[to] = sh->row[to - 1];
        sh->row[to] = row;
    }
}

/* Merges the thread's share, from `diagonal` on, of two runs in shared memory: na entries from index a on, nb from b
 * on. Entries beyond the end of the merge are undefined. */
template <class K>
static __device__ __forceinline__ void merge_own(const superkey<K> &by, const sort_shared<K> *sh, int a, int na, int b,
                                                 int nb, int diagonal, own_items<K> &own)
{
    int i = a + bi_merge_path(na, nb, diagonal, [&](int p, int q) {
                return by.b_first(sh->key[a + p], sh->row[a + p], sh->key[b + q], sh->row[b + q]);
            });
    int j = b + diagonal - (i - a);
    const int a_end = a + na, b_end = b + nb;
    K x = sh->key[i], y = sh->key[j];
    uint32_t r = sh->row[i], s = sh->row[j];
#pragma unroll
    for (int k = 0; k < tile<K>::EACH; k++) {
        bool from_b = i >= a_end || (j < b_end && y < x);
        if (x == y && i < a_end && j < b_end) from_b = by.before(s, r);
        own.key[k] = from_b ? y : x;
        own.row[k] = from_b ? s : r;
        const int next = from_b ? ++j : ++i;
        if (k + 1 == tile<K>::EACH) break;
        const K key = sh->key[next];
        const uint32_t row = sh->row[next];
        x = from_b ? x : key;
        r = from_b ? r : row;
        y = from_b ? key : y;
        s = from_b ? row : s;
    }
}

/* Sorts a tile of rows by superkey; the row number breaks ties. The grid has one block per tile of the n > 0 rows.
 * keys: NULL if not needed. Entries beyond the last row are not stored. */
template <class K>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    bi_core_sort_tile(superkey<K> by, int64_t n, K *keys, uint32_t *rows)
{
    typedef sort_shared<K> shared_type;
    BI_SHARED(shared_type, sh);
    const int64_t begin = blockIdx.x * (int64_t)tile<K>::SIZE;
    const int first = (int)threadIdx.x * tile<K>::EACH;
    /* 1. Load the keys, coalesced; then each thread its own entries. */
    own_items<K> own;
    for (int k = (int)threadIdx.x; k < tile<K>::SIZE; k += THREADS)
        sh.key[k] = begin + k < n ? by.key((uint32_t)(begin + k)) : ~(K)0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile<K>::EACH; k++) {
        own.key[k] = sh.key[first + k];
        own.row[k] = begin + first + k < n ? (uint32_t)(begin + first + k) : NO_ROW;
    }
    /* 2. Each thread sorts its entries; it stores where only it has read. */
    const bool equal = sort_own_keys(own);
    store_own(&sh, own);
    if (equal) sort_own_ties(by, &sh);
    /* 3. Merge runs of `run` threads; barriers separate reads from writes of shared memory. */
    for (int run = 1; run < THREADS; run *= 2) {
        const int width = run * tile<K>::EACH, a = first - first % (2 * width);
        __syncthreads();
        merge_own(by, &sh, a, width, a + width, width, first - a, own);
        __syncthreads();
        store_own(&sh, own);
    }
    __syncthreads(); /* the sorted tile is complete */
    /* 4. Store it, coalesced. */
    for (int k = (int)threadIdx.x; k < tile<K>::SIZE && begin + k < n; k += THREADS) {
        if (keys) keys[begin + k] = sh.key[k];
        rows[begin + k] = sh.row[k];
    }
}

/* A pass that merges pairs of sorted runs of `width` entries, a multiple of a tile. splits[t]: number of entries of the
 * first run before tile t of its pair. */
template <class K> struct merge_pass {
    superkey<K> by;
    int64_t n, width;
    const K *keys;
    const uint32_t *rows;
    K *keys_out; /* or NULL */
    uint32_t *rows_out;
    int64_t *splits;
};

/* The pair of runs that a tile belongs to; the tile is [begin, end) of their merge. */
struct pair_of_runs {
    int64_t base, na, nb, begin, end;
};

template <class K> static __device__ __forceinline__ pair_of_runs pair_of(const merge_pass<K> &pass, int64_t tile_index)
{
    const int64_t begin = tile_index * tile<K>::SIZE, base = begin / (2 * pass.width) * (2 * pass.width);
    const int64_t na = min(pass.width, pass.n - base), nb = min(pass.width, pass.n - base - na);
    return {base, na, nb, begin - base, min(begin - base + tile<K>::SIZE, na + nb)};
}

/* A warp a split. */
template <class K>
static __global__ void __launch_bounds__(SPLIT_THREADS) bi_core_sort_splits(const merge_pass<K> pass, int64_t tiles)
{
    const int64_t t = blockIdx.x * (int64_t)(SPLIT_THREADS / 32) + threadIdx.x / 32;
    if (t >= tiles) return;
    const pair_of_runs p = pair_of(pass, t);
    const K *a = pass.keys + p.base, *b = a + p.na;
    const uint32_t *a_rows = pass.rows + p.base, *b_rows = a_rows + p.na;
    const int64_t split = bi_merge_path_by_warp(
        p.na, p.nb, p.begin, [&](int64_t i, int64_t j) { return pass.by.b_first(a[i], a_rows[i], b[j], b_rows[j]); });
    if (threadIdx.x % 32 == 0) pass.splits[t] = split;
}

/* Writes a tile of the merge of two runs: the grid has one block per tile. bi_core_sort_splits has set the splits. The
 * arrays of the input and the output differ. The last pair may lack a second run; its first is then copied. */
template <class K>
static __global__ void __launch_bounds__(THREADS, BLOCKS) bi_core_sort_merge(const merge_pass<K> pass)
{
    typedef sort_shared<K> shared_type;
    BI_SHARED(shared_type, sh);
    const pair_of_runs p = pair_of(pass, blockIdx.x);
    const int64_t a0 = pass.splits[blockIdx.x], a1 = p.end == p.na + p.nb ? p.na : pass.splits[blockIdx.x + 1];
    const int na = (int)(a1 - a0), count = (int)(p.end - p.begin);
    /* Entry i of the tile is entry a_at + i for i < na, else b_at + i. */
    const int64_t a_at = p.base + a0, b_at = p.base + p.na + (p.begin - a0) - na;
    /* 1. Load both ranges to shared memory; through registers, so that all loads are in flight at once. */
    own_items<K> own;
#pragma unroll
    for (int k = 0; k < tile<K>::EACH; k++) {
        const int i = k * THREADS + (int)threadIdx.x;
        if (i >= count) break;
        const int64_t from = i < na ? a_at + i : b_at + i;
        own.key[k] = pass.keys[from];
        own.row[k] = pass.rows[from];
    }
#pragma unroll
    for (int k = 0; k < tile<K>::EACH; k++) {
        const int i = k * THREADS + (int)threadIdx.x;
        if (i >= count) break;
        sh.key[i] = own.key[k];
        sh.row[i] = own.row[k];
    }
    __syncthreads(); /* the tile is loaded */
    /* 2. Each thread merges its share; then, after all have read, stores it. */
    merge_own(pass.by, &sh, 0, na, na, count - na, min((int)threadIdx.x * tile<K>::EACH, count), own);
    __syncthreads();
    store_own(&sh, own);
    __syncthreads(); /* the merged tile is complete */
    /* 3. Store it, coalesced. */
    for (int i = (int)threadIdx.x; i < count; i += THREADS) {
        if (pass.keys_out) pass.keys_out[p.base + p.begin + i] = sh.key[i];
        pass.rows_out[p.base + p.begin + i] = sh.row[i];
    }
}

/* Merges runs of tiles in passes that alternate between keys[0], rows[0] and keys[1], rows[1]; the last one writes perm
 * and keys_out. */
template <class K>
static bosc_status merge_runs(bosc_ctx *ctx, const superkey<K> &by, int64_t n, K *keys[2], uint32_t *rows[2],
                              int64_t *splits, uint32_t *perm, K *keys_out)
{
    const int64_t tiles = bi_div_up(n, tile<K>::SIZE);
    const unsigned split_blocks = (unsigned)bi_div_up(tiles, SPLIT_THREADS / 32);
    int from = 0;
    for (int64_t width = tile<K>::SIZE; width < n; width *= 2, from ^= 1) {
        const bool last = 2 * width >= n;
        const merge_pass<K> pass = {
            by,    n, width, keys[from], rows[from], last ? keys_out : keys[from ^ 1], last ? perm : rows[from ^ 1],
            splits};
        BI_TRY(BI_RUN(ctx, bi_core_sort_splits<K>, split_blocks, SPLIT_THREADS, 0, pass, tiles));
        BI_TRY(BI_RUN(ctx, bi_core_sort_merge<K>, (unsigned)tiles, THREADS, 0, pass));
    }
    return BOSC_OK;
}

template <class K>
static bosc_status sort_rows(bosc_ctx *ctx, const superkey<K> &by, int64_t n, uint32_t *perm, K *keys_out)
{
    const int64_t tiles = bi_div_up(n, tile<K>::SIZE);
    if (tiles == 1) return BI_RUN(ctx, bi_core_sort_tile<K>, 1, THREADS, 0, by, n, keys_out, perm);
    K *keys[2];
    uint32_t *rows[2];
    int64_t *splits;
    for (int i = 0; i < 2; i++) {
        BI_TRY(bi_scratch(ctx, (size_t)n * sizeof(K), (void **)&keys[i]));
        BI_TRY(bi_scratch(ctx, (size_t)n * sizeof(uint32_t), (void **)&rows[i]));
    }
    BI_TRY(bi_scratch(ctx, (size_t)tiles * sizeof(int64_t), (void **)&splits));
    BI_TRY(BI_RUN(ctx, bi_core_sort_tile<K>, (unsigned)tiles, THREADS, 0, by, n, keys[0], rows[0]));
    return merge_runs(ctx, by, n, keys, rows, splits, perm, keys_out);
}

bosc_status bi_cuda_sort_superkey(bosc_ctx *ctx, bosc_dtype dtype, const void *points, int64_t n, int32_t dim,
                                  int64_t stride, int32_t first, uint32_t *perm, void *keys)
{
    if (n == 0) return BOSC_OK;
    struct bi_mark mark = bi_arena_mark(ctx);
    enum bi_key_kind kind = bi_key_kind_of(dtype);
    superkey<uint32_t> by_32 = {{(const uint32_t *)points, stride, dim, first, kind}};
    superkey<uint64_t> by_64 = {{(const uint64_t *)points, stride, dim, first, kind}};
    bosc_status status = bosc_dtype_size(dtype) == 8 ? sort_rows(ctx, by_64, n, perm, (uint64_t *)keys)
                                                     : sort_rows(ctx, by_32, n, perm, (uint32_t *)keys);
    bi_arena_rewind(ctx, mark);
    return status;
}
