/* The merge sort by superkey (Brown 2015, section 2): tiles are sorted in shared memory, then runs are merged pass by
 * pass, divided by Merge Path (merge.cuh). Beside each row number goes the ordered key of its first coordinate; the
 * others are read when keys are equal. Threads take an odd number of references, so that their places are in different
 * banks of shared memory. */
#include "core/cuda/collectives.cuh"
#include "core/cuda/superkey.cuh"

enum { THREADS = 256, BLOCKS = 4 /* of a multiprocessor */, SPLIT_THREADS = 128 };
static const uint32_t NO_ROW = UINT32_MAX; /* fills the last tile, and comes after every row */

template <class K> struct tile {
    static constexpr int EACH = sizeof(K) == 4 ? 17 : 11, SIZE = THREADS * EACH;
};

template <class K> struct superkey : bi_superkey<K> {
    /* Does row r come before row s, whose first coordinates are equal? */
    __device__ __forceinline__ bool before(uint32_t r, uint32_t s) const
    {
        if (r == NO_ROW || s == NO_ROW) return r < s;
        const int order = this->compare_rest(r, s);
        return order ? order < 0 : r < s;
    }

    __device__ __forceinline__ bool b_first(const uint32_t *a, const uint32_t *b) const { return before(*b, *a); }
};

/* References and their keys; a thread may look a few places beyond the end. */
template <class K> struct sort_shared {
    K key[tile<K>::SIZE + tile<K>::EACH];
    uint32_t row[tile<K>::SIZE + tile<K>::EACH];
};

/* What a thread holds: its references in order. */
template <class K> struct own_items {
    K key[tile<K>::EACH];
    uint32_t row[tile<K>::EACH];
};

/* To their places; the block is past reading. */
template <class K> static __device__ __forceinline__ void put_own(sort_shared<K> *sh, const own_items<K> &own)
{
    const int begin = (int)threadIdx.x * tile<K>::EACH;
#pragma unroll
    for (int k = 0; k < tile<K>::EACH; k++) {
        sh->key[begin + k] = own.key[k];
        sh->row[begin + k] = own.row[k];
    }
}

/* A network of exchanges between neighbours over the thread's own items, by their keys alone. Whether any are equal. */
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

/* Puts the thread's own items of equal keys in order, where they are in shared memory. */
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

/* The thread's part, from `diagonal` on, of the merge of two runs in shared memory: na from place a on, nb from b on.
 * What it takes beyond their end is nothing. */
template <class K>
static __device__ __forceinline__ void merge_own(const superkey<K> &by, const sort_shared<K> *sh, int a, int na, int b,
                                                 int nb, int diagonal, own_items<K> &own)
{
    int i = a + (int)bi_merge_path(sh->key + a, na, sh->key + b, nb, sh->row + a, sh->row + b, diagonal,
                                   BI_KEY_UNSIGNED, by);
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

template <class K>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    bi_core_sort_tile(superkey<K> by, int64_t n, K *keys, uint32_t *rows)
{
    typedef sort_shared<K> shared_type;
    BI_SHARED(shared_type, sh);
    const int64_t begin = blockIdx.x * (int64_t)tile<K>::SIZE;
    const int first = (int)threadIdx.x * tile<K>::EACH;
    own_items<K> own;
    for (int k = (int)threadIdx.x; k < tile<K>::SIZE; k += THREADS)
        sh.key[k] = begin + k < n ? by.key((uint32_t)(begin + k)) : ~(K)0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile<K>::EACH; k++) {
        own.key[k] = sh.key[first + k];
        own.row[k] = begin + first + k < n ? (uint32_t)(begin + first + k) : NO_ROW;
    }
    const bool equal = sort_own_keys(own);
    put_own(&sh, own); /* each in the places that it read */
    if (equal) sort_own_ties(by, &sh);
    for (int run = 1; run < THREADS; run *= 2) { /* of so many threads */
        const int width = run * tile<K>::EACH, a = first - first % (2 * width);
        __syncthreads();
        merge_own(by, &sh, a, width, a + width, width, first - a, own);
        __syncthreads();
        put_own(&sh, own);
    }
    __syncthreads();
    for (int k = (int)threadIdx.x; k < tile<K>::SIZE && begin + k < n; k += THREADS) {
        if (keys) keys[begin + k] = sh.key[k];
        rows[begin + k] = sh.row[k];
    }
}

/* A pass over n references in sorted runs of `width`, which is a multiple of a tile. splits[t]: how many of the first
 * run come before tile t in its pair of runs. */
template <class K> struct merge_pass {
    superkey<K> by;
    int64_t n, width;
    const K *keys;
    const uint32_t *rows;
    K *keys_out; /* or NULL */
    uint32_t *rows_out;
    int64_t *splits;
};

/* The pair of runs of a tile, which is [begin, end) of their merge. */
struct pair_of_runs {
    int64_t base, na, nb, begin, end;
};

template <class K> static __device__ __forceinline__ pair_of_runs pair_of(const merge_pass<K> &pass, int64_t tile_index)
{
    const int64_t begin = tile_index * tile<K>::SIZE, base = begin / (2 * pass.width) * (2 * pass.width);
    const int64_t na = min(pass.width, pass.n - base), nb = min(pass.width, pass.n - base - na);
    return {base, na, nb, begin - base, min(begin - base + tile<K>::SIZE, na + nb)};
}

/* A warp finds a split: its lanes look at 32 places of the diagonal at once. */
template <class K>
static __global__ void __launch_bounds__(SPLIT_THREADS) bi_core_sort_splits(const merge_pass<K> pass, int64_t tiles)
{
    const int64_t t = blockIdx.x * (int64_t)(SPLIT_THREADS / 32) + threadIdx.x / 32;
    if (t >= tiles) return;
    const pair_of_runs p = pair_of(pass, t);
    const K *a = pass.keys + p.base, *b = a + p.na;
    const uint32_t *a_rows = pass.rows + p.base, *b_rows = a_rows + p.na;
    int64_t low = p.begin > p.nb ? p.begin - p.nb : 0, high = p.begin < p.na ? p.begin : p.na;
    while (low < high) {
        const int64_t step = (high - low + 31) / 32, i = low + (threadIdx.x % 32) * step;
        bool b_first = true;
        if (i < high) {
            const int64_t j = p.begin - 1 - i;
            b_first = bi_b_first(a[i], b[j], a_rows + i, b_rows + j, BI_KEY_UNSIGNED, pass.by);
        }
        const uint32_t lanes = __ballot_sync(~0u, b_first);
        const int64_t first = lanes ? __ffs((int)lanes) - 1 : 32; /* the least lane whose place is beyond the split */
        high = min(high, low + first * step);
        if (first > 0) low += (first - 1) * step + 1;
    }
    if (threadIdx.x % 32 == 0) pass.splits[t] = low;
}

template <class K>
static __global__ void __launch_bounds__(THREADS, BLOCKS) bi_core_sort_merge(const merge_pass<K> pass)
{
    typedef sort_shared<K> shared_type;
    BI_SHARED(shared_type, sh);
    const pair_of_runs p = pair_of(pass, blockIdx.x);
    const int64_t a0 = pass.splits[blockIdx.x], a1 = p.end == p.na + p.nb ? p.na : pass.splits[blockIdx.x + 1];
    const int na = (int)(a1 - a0), count = (int)(p.end - p.begin);
    const int64_t a_at = p.base + a0, b_at = p.base + p.na + (p.begin - a0) - na; /* so that b_at + na is its first */
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
    __syncthreads();
    merge_own(pass.by, &sh, 0, na, na, count - na, min((int)threadIdx.x * tile<K>::EACH, count), own);
    __syncthreads();
    put_own(&sh, own);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < count; i += THREADS) {
        if (pass.keys_out) pass.keys_out[p.base + p.begin + i] = sh.key[i];
        pass.rows_out[p.base + p.begin + i] = sh.row[i];
    }
}

/* Passes over the runs of tiles, from keys[0] and rows[0] to and fro; the last goes to perm and keys_out. */
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

template <class K> static bosc_status sort(bosc_ctx *ctx, const superkey<K> &by, int64_t n, uint32_t *perm, K *keys_out)
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
    enum bi_key_kind kind = bi_kind_of(dtype);
    superkey<uint32_t> narrow = {{(const uint32_t *)points, stride, dim, first, kind}};
    superkey<uint64_t> wide = {{(const uint64_t *)points, stride, dim, first, kind}};
    bosc_status status = bosc_dtype_size(dtype) == 8 ? sort(ctx, wide, n, perm, (uint64_t *)keys)
                                                     : sort(ctx, narrow, n, perm, (uint32_t *)keys);
    bi_arena_rewind(ctx, mark);
    return status;
}
