/* Verification on the device: one pass for F32 and I32 trees of 2 to 4 dimensions. A block checks a subtree of up to
 * 1,023 nodes in shared memory. Of the ancestors above, it compares only the nearest on either side by each coordinate,
 * since these are compared with the farther ones. Ids are recorded in a bitmap, small enough for the L2 cache. The
 * plain steps check other trees, and find the smallest wrong node if the pass finds any. */
#include <type_traits>

#include "kdtree/cuda/cuda.cuh"
#include "kdtree/shape.h"
#include "kdtree/steps/steps.h"

enum { THREADS = 256, LOG_NODES = 10, NODES = 1 << LOG_NODES };

/* Keys of a node's coordinates, and its id. */
template <int DIM> struct node_keys {
    uint32_t key[DIM], id;
};

/* T: the type of coordinates. */
template <class T, int DIM>
static __device__ __forceinline__ node_keys<DIM> load_keys(const bi_kdtree_array &nodes, int64_t i)
{
    node_keys<DIM> k;
    if constexpr (std::is_same<T, float>::value) {
        const bi_kdtree_point<DIM> p = bi_kdtree_load_point<DIM>(nodes, (uint32_t)i);
#pragma unroll
        for (int c = 0; c < DIM; c++) k.key[c] = bi_key_u32_of_f32(p.x[c]);
        k.id = p.id;
    } else {
        const int32_t *row = static_cast<const int32_t *>(nodes.points) + i * DIM;
#pragma unroll
        for (int c = 0; c < DIM; c++) k.key[c] = bi_key_u32_of_i32(row[c]);
        k.id = nodes.ids[i];
    }
    return k;
}

/* True if a precedes b by the superkey that begins at coordinate c, then by id. */
template <int DIM>
static __device__ __forceinline__ bool keys_before(const node_keys<DIM> &a, const node_keys<DIM> &b, int c)
{
#pragma unroll
    for (int t = 0; t < DIM; t++) {
        uint32_t x = a.key[0], y = b.key[0];
#pragma unroll
        for (int e = 1; e < DIM; e++) {
            x = c == e ? a.key[e] : x;
            y = c == e ? b.key[e] : y;
        }
        if (x != y) return x < y;
        c = bi_kdtree_next_coordinate<DIM>(c);
    }
    return a.id < b.id;
}

struct verify_args {
    bi_kdtree_array nodes;
    int64_t count, n;
    int32_t level;     /* of the blocks' subtrees */
    uint32_t *id_bits; /* a bit for each id */
    int64_t *bad;      /* lowered to a wrong node */
};

/* Records the id; returns false if it is out of range or a duplicate. */
static __device__ __forceinline__ bool record_id(const verify_args &a, uint32_t id)
{
    const uint32_t bit = 1u << id % 32;
    return (int64_t)id < a.n && !(atomicOr(&a.id_bits[id / 32], bit) & bit);
}

/* The nodes above the blocks' subtrees, each against all its ancestors. */
template <class T, int DIM>
static __global__ void __launch_bounds__(THREADS) bi_kdtree_verify_upper(const verify_args a)
{
    const int64_t t = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (t >= ((int64_t)1 << a.level) - 1) return;
    /* 1. Find the node. */
    int level = 0;
    while ((t + 1) >> (level + 1)) level++;
    struct bi_kdtree_range r = bi_kdtree_subtree(a.count, level, (uint64_t)(t + 1 - ((int64_t)1 << level)));
    if (r.begin >= r.end) return;
    const int64_t i = bi_kdtree_mid(r);
    const node_keys<DIM> own = load_keys<T, DIM>(a.nodes, i);
    /* 2. Check its id, and its order against each ancestor from the root down. */
    bool good = record_id(a, own.id);
    r = {0, a.count};
    for (int c = 0, up = 0; up < level; up++, c = bi_kdtree_next_coordinate<DIM>(c)) {
        const int64_t mid = bi_kdtree_mid(r);
        const node_keys<DIM> ancestor = load_keys<T, DIM>(a.nodes, mid);
        good &= i < mid ? keys_before<DIM>(own, ancestor, c) : keys_before<DIM>(ancestor, own, c);
        r = i < mid ? bi_kdtree_less(r) : bi_kdtree_greater(r);
    }
    if (!good) bi_atomic_min_i64(a.bad, i);
}

template <int DIM> struct verify_shared {
    node_keys<DIM> bound[2][DIM]; /* nearest less and greater ancestor by each coordinate */
    int64_t at[2][DIM];           /* their positions; -1: none */
    uint32_t key[DIM][NODES], id[NODES];

    __device__ __forceinline__ node_keys<DIM> node(uint32_t i) const
    {
        node_keys<DIM> k;
#pragma unroll
        for (int c = 0; c < DIM; c++) k.key[c] = key[c][i];
        k.id = id[i];
        return k;
    }
};

/* Finds the ancestors that bound the subtree; called by one thread. */
template <int DIM>
static __device__ void find_bounds(const verify_args &a, verify_shared<DIM> &sh, const struct bi_kdtree_range &own)
{
    for (int c = 0; c < DIM; c++) sh.at[0][c] = sh.at[1][c] = -1;
    struct bi_kdtree_range r = {0, a.count};
    for (int c = 0, level = 0; level < a.level; level++, c = bi_kdtree_next_coordinate<DIM>(c)) {
        const int64_t mid = bi_kdtree_mid(r);
        sh.at[own.begin <= mid][c] = mid;
        r = own.begin <= mid ? bi_kdtree_less(r) : bi_kdtree_greater(r);
    }
}

/* True if node i of the subtree is in order against the bounds and its ancestors in the subtree. */
template <int DIM>
static __device__ __forceinline__ bool is_in_order(const verify_args &a, const verify_shared<DIM> &sh, uint32_t i,
                                                   uint32_t count)
{
    /* 1. Compare with the bounds. */
    const node_keys<DIM> own = sh.node(i);
    bool good = true;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        if (sh.at[0][c] >= 0) good &= keys_before<DIM>(sh.bound[0][c], own, c);
        if (sh.at[1][c] >= 0) good &= keys_before<DIM>(own, sh.bound[1][c], c);
    }
    /* 2. Compare with the ancestors on the way down; usually one coordinate decides. */
    uint32_t begin = 0, end = count;
    for (int c = a.level % DIM;; c = bi_kdtree_next_coordinate<DIM>(c)) {
        const uint32_t mid = (begin + end) / 2;
        if (mid == i) return good;
        const uint32_t x = sh.key[c][i], y = sh.key[c][mid];
        if (x == y)
            good &= i < mid ? keys_before<DIM>(own, sh.node(mid), c) : keys_before<DIM>(sh.node(mid), own, c);
        else
            good &= (x < y) == (i < mid);
        if (i < mid)
            end = mid;
        else
            begin = mid + 1;
    }
}

template <class T, int DIM>
static __global__ void __launch_bounds__(THREADS) bi_kdtree_verify_subtrees(const verify_args a)
{
    typedef verify_shared<DIM> shared;
    BI_SHARED(shared, sh);
    const struct bi_kdtree_range r = bi_kdtree_subtree(a.count, a.level, blockIdx.x);
    const uint32_t count = (uint32_t)(r.end - r.begin), t = threadIdx.x;
    /* 1. Find the bounds and load the subtree; record ids. The barrier completes both. */
    if (t == 0) find_bounds<DIM>(a, sh, r);
    int64_t first = INT64_MAX;
    for (uint32_t i = t; i < count; i += THREADS) {
        const node_keys<DIM> own = load_keys<T, DIM>(a.nodes, r.begin + i);
#pragma unroll
        for (int c = 0; c < DIM; c++) sh.key[c][i] = own.key[c];
        sh.id[i] = own.id;
        if (!record_id(a, own.id) && first == INT64_MAX) first = r.begin + i;
    }
    __syncthreads();
    /* 2. Load the bounds; the barrier makes them visible. */
    if (t < 2 * DIM && sh.at[t / DIM][t % DIM] >= 0)
        sh.bound[t / DIM][t % DIM] = load_keys<T, DIM>(a.nodes, sh.at[t / DIM][t % DIM]);
    __syncthreads();
    /* 3. Check the order. */
    for (uint32_t i = t; i < count; i += THREADS)
        if (!is_in_order<DIM>(a, sh, i, count) && r.begin + i < first) first = r.begin + i;
    if (first != INT64_MAX) bi_atomic_min_i64(a.bad, first);
}

template <class T, int DIM> static bosc_status launch_checks(bosc_ctx *ctx, const verify_args &a)
{
    auto upper = bi_kdtree_verify_upper<T, DIM>;
    auto subtrees = bi_kdtree_verify_subtrees<T, DIM>;
    const int64_t above = ((int64_t)1 << a.level) - 1;
    if (above > 0) BI_TRY(BI_RUN(ctx, upper, (unsigned)bi_div_up(above, THREADS), THREADS, 0, a));
    return BI_RUN(ctx, subtrees, 1u << a.level, THREADS, 0, a);
}

template <class T> static bosc_status launch_dim(bosc_ctx *ctx, int32_t dim, const verify_args &a)
{
    switch (dim) {
    case 2: return launch_checks<T, 2>(ctx, a);
    case 3: return launch_checks<T, 3>(ctx, a);
    default: return launch_checks<T, 4>(ctx, a);
    }
}

bool bi_kdtree_cuda_has_disorder_pass(const bosc_kdtree_opts *opts)
{
    return (opts->dtype == BOSC_F32 || opts->dtype == BOSC_I32) && opts->dim >= 2 && opts->dim <= 4;
}

bosc_status bi_kdtree_cuda_find_disorder(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *bad)
{
    verify_args a = {bi_kdtree_array_of(tree), tree->nodes, tree->n, 0, nullptr, bad};
    const size_t bytes = (size_t)bi_div_up(tree->n, 32) * sizeof *a.id_bits;
    while (bi_div_up(a.count + 1, (int64_t)1 << a.level) > NODES) a.level++;
    BI_TRY(bi_scratch(ctx, bytes, (void **)&a.id_bits));
    BI_TRY(ctx->backend->fill(ctx, a.id_bits, 0, bytes));
    return tree->opts.dtype == BOSC_F32 ? launch_dim<float>(ctx, tree->opts.dim, a)
                                        : launch_dim<int32_t>(ctx, tree->opts.dim, a);
}
