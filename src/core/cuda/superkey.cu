/* The merge sort by superkey (Brown 2015, section 2): tiles are sorted in shared memory, then runs are merged pass by
 * pass. Beside each row number goes the ordered key of its first coordinate; the others are read when keys are equal.
 */
#include "core/cuda/collectives.cuh"
#include "core/cuda/superkey.cuh"

enum { EACH = BI_MERGE_EACH, THREADS = BI_MERGE_THREADS, TILE = BI_MERGE_TILE };
static const uint32_t NO_ROW = UINT32_MAX; /* fills the last tile, and comes after every row */

template <class K> struct superkey : bi_superkey<K> {
    /* Does row r come before row s, whose first coordinates are equal? */
    __device__ bool before(uint32_t r, uint32_t s) const
    {
        if (r == NO_ROW || s == NO_ROW) return r < s;
        const int order = this->compare_rest(r, s);
        return order ? order < 0 : r < s;
    }

    __device__ __forceinline__ bool b_first(const uint32_t *a, const uint32_t *b) const { return before(*b, *a); }
};

template <class K> struct sort_shared {
    K key[TILE];
    uint32_t row[TILE];
};

/* A network of exchanges between neighbours over the thread's own items. */
template <class K>
static __device__ __forceinline__ void sort_own(const superkey<K> &by, K key[EACH], uint32_t row[EACH])
{
#pragma unroll
    for (int round = 0; round < EACH; round++)
#pragma unroll
        for (int i = round % 2; i + 1 < EACH; i += 2) {
            bool swap = key[i] == key[i + 1] ? by.before(row[i + 1], row[i]) : key[i + 1] < key[i];
            K k = key[i];
            uint32_t r = row[i];
            key[i] = swap ? key[i + 1] : k;
            row[i] = swap ? row[i + 1] : r;
            key[i + 1] = swap ? k : key[i + 1];
            row[i + 1] = swap ? r : row[i + 1];
        }
}

/* The thread's part of the merge of two neighbouring runs of `width` in shared memory. */
template <class K>
static __device__ __forceinline__ void merge_own(const superkey<K> &by, const sort_shared<K> *sh, int width,
                                                 K key[EACH], uint32_t row[EACH])
{
    int begin = (int)threadIdx.x * EACH, base = begin & ~(2 * width - 1), diagonal = begin - base;
    const K *a = sh->key + base, *b = a + width;
    const uint32_t *a_row = sh->row + base, *b_row = a_row + width;
    int i = (int)bi_merge_path(a, width, b, width, a_row, b_row, diagonal, BI_KEY_UNSIGNED, by), j = diagonal - i;
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        bool from_b = i == width || (j < width && bi_b_first(a[i], b[j], a_row + i, b_row + j, BI_KEY_UNSIGNED, by));
        key[k] = from_b ? b[j] : a[i];
        row[k] = from_b ? b_row[j] : a_row[i];
        i += !from_b;
        j += from_b;
    }
}

template <class K>
static __global__ void __launch_bounds__(THREADS) bi_core_sort_tile(superkey<K> by, int64_t n, K *keys, uint32_t *rows)
{
    typedef sort_shared<K> shared_type;
    BI_SHARED(shared_type, sh);
    int64_t begin = blockIdx.x * (int64_t)TILE;
    int own = (int)threadIdx.x * EACH;
    K key[EACH];
    uint32_t row[EACH];
    for (int k = (int)threadIdx.x; k < TILE; k += THREADS)
        sh.key[k] = begin + k < n ? by.key((uint32_t)(begin + k)) : ~(K)0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        key[k] = sh.key[own + k];
        row[k] = begin + own + k < n ? (uint32_t)(begin + own + k) : NO_ROW;
    }
    sort_own(by, key, row);
    for (int width = EACH; width <= TILE; width *= 2) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            sh.key[own + k] = key[k];
            sh.row[own + k] = row[k];
        }
        __syncthreads();
        if (width < TILE) merge_own(by, &sh, width, key, row);
    }
    for (int k = (int)threadIdx.x; k < TILE && begin + k < n; k += THREADS) {
        if (keys) keys[begin + k] = sh.key[k];
        rows[begin + k] = sh.row[k];
    }
}

template <class K> static bosc_status sort(bosc_ctx *ctx, const superkey<K> &by, int64_t n, uint32_t *perm)
{
    unsigned tiles = (unsigned)bi_div_up(n, TILE);
    if (tiles == 1) return BI_RUN(ctx, bi_core_sort_tile<K>, tiles, THREADS, 0, by, n, (K *)nullptr, perm);
    void *keys[2], *rows[2], *splits;
    for (int i = 0; i < 2; i++) {
        BI_TRY(bi_scratch(ctx, (size_t)n * sizeof(K), &keys[i]));
        BI_TRY(bi_scratch(ctx, (size_t)n * sizeof(uint32_t), &rows[i]));
    }
    BI_TRY(bi_scratch(ctx, tiles * sizeof(int64_t), &splits));
    BI_TRY(BI_RUN(ctx, bi_core_sort_tile<K>, tiles, THREADS, 0, by, n, (K *)keys[0], (uint32_t *)rows[0]));
    int from = 0;
    for (int64_t width = TILE; width < n; width *= 2, from ^= 1) {
        bool last = 2 * width >= n;
        const K *k = (const K *)keys[from];
        const uint32_t *r = (const uint32_t *)rows[from];
        bi_pair<K, uint32_t> all = {k,
                                    nullptr,
                                    r,
                                    nullptr,
                                    n,
                                    0,
                                    last ? nullptr : (K *)keys[from ^ 1],
                                    last ? perm : (uint32_t *)rows[from ^ 1]};
        bi_merge_pass<K, uint32_t> pass = {all, width, BI_KEY_UNSIGNED};
        BI_TRY(bi_run_merge(ctx, pass, n, by, (int64_t *)splits));
    }
    return BOSC_OK;
}

bosc_status bi_cuda_sort_superkey(bosc_ctx *ctx, bosc_dtype dtype, const void *points, int64_t n, int32_t dim,
                                  int64_t stride, int32_t first, uint32_t *perm)
{
    if (n == 0) return BOSC_OK;
    struct bi_mark mark = bi_arena_mark(ctx);
    enum bi_key_kind kind = bi_kind_of(dtype);
    superkey<uint32_t> narrow = {{(const uint32_t *)points, stride, dim, first, kind}};
    superkey<uint64_t> wide = {{(const uint64_t *)points, stride, dim, first, kind}};
    bosc_status status = bosc_dtype_size(dtype) == 8 ? sort(ctx, wide, n, perm) : sort(ctx, narrow, n, perm);
    bi_arena_rewind(ctx, mark);
    return status;
}
