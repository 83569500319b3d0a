/* The published method (Brown 2015; Robinson, KdTreeGPU): removal of duplicates, then the partition of lists. */
#include "kdtree/cuda/published/partition_kernels.cuh"
#include "kdtree/cuda/published/partition_once.cuh"
#include "base/atomic.h"

/* --- Duplicates --------------------------------------------------------------------------------------------------- */

/* Removes duplicates from a sorted list of references, as published. A warp compares each of 32 references with its
 * left neighbour by superkey, and compacts the kept ones by ballot and population count. So each warp compacts a piece
 * of the list; a second pass closes the gaps between pieces. The comparisons also verify the order of the list. */

enum { THREADS = BI_KDTREE_BROWN_THREADS, EACH = BI_KDTREE_BROWN_EACH, ROUND = BI_KDTREE_BROWN_ROUND };

struct pieces {
    int64_t n, size;                   /* references; references of a piece */
    uint32_t *kept, *exclusive_prefix; /* number of kept references by piece, and its scan */
};

/* Returns the key of the reference at a position. */
template <class K>
static __device__ __forceinline__ K key_at(const bi_superkey<K> &by, const bi_kdtree_removal &a, int64_t position,
                                           uint32_t row)
{
    return a.keys ? static_cast<const K *>(a.keys)[position] : by.key(row);
}

/* True if the reference begins a run of equal rows; `left` is its left neighbour, of key left_key. */
template <class K>
static __device__ __forceinline__ bool begins_run(const bi_superkey<K> &by, uint32_t left, K left_key, uint32_t row,
                                                  K key, int64_t position, int64_t *bad)
{
    if (left_key < key) return true;
    const int order = left_key > key ? 1 : by.compare_rest(left, row);
    if (order > 0 || (order == 0 && left >= row)) bi_atomic_min_i64(bad, position);
    return order != 0;
}

/* Compacts 32 references, the one at `position` by this lane; `kept` were kept of the piece so far. */
template <class K>
static __device__ __forceinline__ uint32_t compact_round(const bi_superkey<K> &by, const bi_kdtree_removal &a,
                                                         uint32_t row, K key, int64_t begin, int64_t position,
                                                         int64_t end, uint32_t kept)
{
    uint32_t left = __shfl_up_sync(~0u, row, 1);
    K left_key = __shfl_up_sync(~0u, key, 1);
    if (threadIdx.x % 32 == 0 && position > 0 && position < end) {
        left = a.from[position - 1];
        left_key = key_at(by, a, position - 1, left);
    }
    const bool keep = position < end && (position == 0 || begins_run(by, left, left_key, row, key, position, a.bad));
    const uint32_t kept_mask = __ballot_sync(~0u, keep), at = kept + (uint32_t)__popc(kept_mask & bi_lanes_below());
    if (keep) a.spare[begin + at] = row;
    if (a.ranks && position < end) a.ranks[position] = at + keep;
    return kept + (uint32_t)__popc(kept_mask);
}

/* Compacts each piece within its range of the spare list. */
template <class K>
static __global__ void __launch_bounds__(THREADS)
    bi_kdtree_brown_compact_pieces(const bi_superkey<K> by, const bi_kdtree_removal a, const struct pieces p)
{
    const int64_t piece = bi_kdtree_brown_warp(), begin = piece * p.size, end = min(begin + p.size, p.n);
    if (begin >= p.n) return;
    uint32_t kept = 0;
    for (int64_t base = begin; base < end; base += ROUND) {
        /* Read references, then their keys, so that loads overlap; then compact 32 at a time. */
        uint32_t row[EACH];
        K key[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t position = base + 32 * k + threadIdx.x % 32;
            row[k] = position < end ? a.from[position] : 0;
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t position = base + 32 * k + threadIdx.x % 32;
            key[k] = position < end ? key_at(by, a, position, row[k]) : 0;
        }
#pragma unroll
        for (int k = 0; k < EACH; k++)
            kept = compact_round(by, a, row[k], key[k], begin, base + 32 * k + threadIdx.x % 32, end, kept);
    }
    if (threadIdx.x % 32 == 0) p.kept[piece] = kept;
}

/* Moves the kept references of each piece behind those of the pieces before it. */
static __global__ void __launch_bounds__(THREADS)
    bi_kdtree_brown_close_piece_gaps(const bi_kdtree_removal a, const struct pieces p)
{
    const int64_t piece = bi_kdtree_brown_warp(), begin = piece * p.size, end = min(begin + p.size, p.n);
    if (begin >= p.n) return;
    const uint32_t kept = p.kept[piece], exclusive_prefix = p.exclusive_prefix[piece], lane = threadIdx.x % 32;
    for (uint32_t i = lane; i < kept; i += 32) a.to[exclusive_prefix + i] = a.spare[begin + i];
    for (int64_t i = begin + lane; a.ranks && i < end; i += 32) a.ranks[i] += exclusive_prefix;
    if (end == p.n && lane == 0) *a.count = (int64_t)exclusive_prefix + kept;
}

template <class K> static bosc_status launch_removal(bosc_ctx *ctx, const struct bi_kdtree_removal &a)
{
    struct pieces p = {a.n, bi_kdtree_brown_piece_size(ctx, a.n), nullptr, nullptr};
    const int64_t count = bi_div_up(a.n, p.size);
    const bi_superkey<K> by = bi_kdtree_superkey_rows<K>(a.rows, a.dtype, a.dim, a.first);
    const unsigned blocks = bi_kdtree_brown_blocks(count);
    BI_TRY(bi_scratch_of(ctx, count, sizeof *p.kept, &p.kept));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *p.exclusive_prefix, &p.exclusive_prefix));
    BI_TRY(BI_RUN(ctx, bi_kdtree_brown_compact_pieces<K>, blocks, THREADS, 0, by, a, p));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, p.kept, count, p.exclusive_prefix));
    return BI_RUN(ctx, bi_kdtree_brown_close_piece_gaps, blocks, THREADS, 0, a, p);
}

bosc_status bi_kdtree_cuda_remove_duplicates(bosc_ctx *ctx, const struct bi_kdtree_removal *removal)
{
    if (bosc_dtype_size(removal->dtype) == 4) return launch_removal<uint32_t>(ctx, *removal);
    return launch_removal<uint64_t>(ctx, *removal);
}

/* --- Partition ---------------------------------------------------------------------------------------------------- */

/* Lists are partitioned breadth first. A level's own list is the one sorted by its coordinate; the medians of its
 * segments become the nodes of the level. Before that the list is partitioned around the medians of all levels since it
 * was last the own list. The size of its segments selects the partitioner (partition_kernels.cuh). */

enum {
    PIECE = 8 * BI_KDTREE_BROWN_ROUND, /* 1,024; measured, with early reads: a tenth less than with 512 */
    WARPS_A_PROCESSOR = 16,            /* warps, a segment each, of a multiprocessor below which segments are divided: a
                                        * quarter of the 64 that it holds; not measured */
    MOST_LISTS = 32
};

/* Input and output of writing nodes. */
template <class K> struct nodes {
    const K *rows;
    int64_t stride;
    int32_t dim;
    bool is_vector;      /* rows are 16 bytes, aligned to 16 */
    const uint32_t *own; /* the list of the level's coordinate */
    int64_t own_stride;
    uint32_t *order;
    K *made;
};

template <class K> static __device__ __forceinline__ void write_node(const nodes<K> &to, uint32_t i)
{
    const uint32_t row = to.own[i * to.own_stride];
    to.order[i] = row;
    if (to.is_vector) {
        reinterpret_cast<uint4 *>(to.made)[i] = reinterpret_cast<const uint4 *>(to.rows)[row];
        return;
    }
    for (int32_t c = 0; c < to.dim; c++) to.made[(size_t)i * to.dim + c] = to.rows[row * to.stride + c];
}

/* Writes the medians of a level as nodes. */
template <class K>
static __global__ void __launch_bounds__(THREADS)
    bi_kdtree_brown_write_medians(uint32_t n, int32_t level, const nodes<K> to)
{
    const int64_t segment = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (!(segment >> level)) write_node(to, bi_kdtree_brown_descendant({0, n + 1}, level, (uint32_t)segment).mid());
}

/* Writes all references of the last level as nodes: its segments have 1 to 3, a thread each. */
template <class K>
static __global__ void __launch_bounds__(THREADS)
    bi_kdtree_brown_write_last_nodes(uint32_t n, int32_t level, const nodes<K> to)
{
    const int64_t segment = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (segment >> level) return;
    const bi_kdtree_brown_segment s = bi_kdtree_brown_descendant({0, n + 1}, level, (uint32_t)segment);
    for (uint32_t i = s.begin; i < s.end(); i++) write_node(to, i);
}

/* Writes the entries of a list: its references with their keys. The list is in the segments of `level`, 0 or 1; at
 * level 1 the slot of the root is a hole. by.first is the list's own coordinate; a pass compares the C others. The grid
 * covers n, which is less than 2^32 - 1, so no reference is UINT32_MAX. */
template <class K, int C>
static __global__ void __launch_bounds__(THREADS)
    bi_kdtree_brown_attach_keys(const bi_superkey<K> by, bool is_vector, uint32_t n, int32_t level,
                                const uint32_t *list, bi_kdtree_brown_entry<K, C> *to)
{
    const int64_t first = blockIdx.x * (int64_t)(THREADS * EACH) + threadIdx.x;
    const uint32_t hole = level > 0 ? bi_kdtree_brown_segment{0, n + 1}.mid() : n;
    /* 1. Read references. */
    uint32_t row[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int64_t i = first + k * THREADS;
        row[k] = i < n && i != hole ? list[i] : UINT32_MAX;
    }
    /* 2. Read their rows, as one vector where possible. */
    K x[EACH][C + 1];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (row[k] == UINT32_MAX) continue;
        if constexpr (C == 3 && sizeof(K) == 4) {
            if (is_vector) {
                const uint4 v = reinterpret_cast<const uint4 *>(by.points)[row[k]];
                x[k][0] = v.x;
                x[k][1] = v.y;
                x[k][2] = v.z;
                x[k][3] = v.w;
                continue;
            }
        }
#pragma unroll
        for (int c = 0; c <= C; c++) x[k][c] = by.points[row[k] * by.stride + c];
    }
    /* 3. Write entries. Selects replace indexed access, as registers have no addresses. */
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (row[k] == UINT32_MAX) continue;
        bi_kdtree_brown_entry<K, C> e;
        e.row = row[k];
#pragma unroll
        for (int j = 0; j < C; j++) { /* coordinate by.first + 1 + j, cyclically: never by.first */
            K key = x[k][C];
#pragma unroll
            for (int c = 0; c < C; c++) key = by.first + 1 + j == c || by.first + j - C == c ? x[k][c] : key;
            e.key[j] = bi_order_key(key, by.kind);
        }
        to[first + k * THREADS] = e;
    }
}

/* The state of a build: list p is in the segments of level at[p]. */
template <class K, int C> struct build_state {
    typedef bi_kdtree_brown_entry<K, C> entry;
    bosc_ctx *ctx;
    const struct bi_kdtree_references *input;
    uint32_t *order, *counts, *exclusive_prefix;
    bool is_vector;
    int32_t at[MOST_LISTS];
    entry *list[MOST_LISTS], *spare; /* list[p] is NULL until its keys are attached */
};

template <class K, int C> static nodes<K> nodes_of(const build_state<K, C> &b, int32_t level)
{
    const struct bi_kdtree_references &r = *b.input;
    const int32_t p = level % r.dim;
    const uint32_t *own = b.list[p] ? &b.list[p]->row : r.list[p];
    const int64_t own_stride = b.list[p] ? (int64_t)(sizeof *b.list[p] / sizeof *own) : 1;
    return {static_cast<const K *>(r.rows.data),
            r.rows.stride,
            r.dim,
            b.is_vector,
            own,
            own_stride,
            b.order,
            static_cast<K *>(r.nodes)};
}

template <class K, int C> static bosc_status attach_keys(build_state<K, C> &b, int32_t p)
{
    const struct bi_kdtree_references &r = *b.input;
    if constexpr (C == 0) {
        b.list[p] = reinterpret_cast<bi_kdtree_brown_entry<K, 0> *>(r.list[p]);
        return BOSC_OK;
    } else {
        auto kernel = bi_kdtree_brown_attach_keys<K, C>;
        const unsigned blocks = (unsigned)bi_div_up(r.n, THREADS * BI_KDTREE_BROWN_EACH);
        BI_TRY(bi_scratch_of(b.ctx, r.n, sizeof *b.list[p], &b.list[p]));
        return BI_RUN(b.ctx, kernel, blocks, THREADS, 0, bi_kdtree_superkey_rows<K>(r.rows, r.dtype, r.dim, p),
                      b.is_vector, (uint32_t)r.n, b.at[p], r.list[p], b.list[p]);
    }
}

template <class P> static bosc_status launch_pieces(bosc_ctx *ctx, const P &a)
{
    const int64_t warps = (int64_t)a.pieces << a.level;
    const unsigned blocks = bi_kdtree_brown_blocks(warps);
    BI_TRY(BI_RUN(ctx, bi_kdtree_brown_count_pieces<P>, blocks, THREADS, 0, a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, a.counts, warps << a.levels,
                                    const_cast<uint32_t *>(a.exclusive_prefix)));
    return BI_RUN(ctx, bi_kdtree_brown_partition_pieces<P>, blocks, THREADS, 0, a);
}

/* Launches the partitioner that suits the size of the segments. */
template <class P> static bosc_status launch_partitioner(bosc_ctx *ctx, const P &a)
{
    const int64_t largest = (int64_t)a.n >> a.level, segments = (int64_t)1 << a.level;
    if (largest <= 32) {
        /* The lanes of a segment also hold the medians of the pass: it ends where segments have 1 to 3 references. */
        const uint32_t lanes = largest <= 4 ? 4 : largest <= 8 ? 8 : largest <= 16 ? 16 : 32;
        const unsigned blocks = (unsigned)bi_div_up(segments * lanes, THREADS);
        return BI_RUN(ctx, bi_kdtree_brown_partition_by_lanes<P>, blocks, THREADS, 0, a, lanes);
    }
    if (largest >= 2 * PIECE && segments < (int64_t)WARPS_A_PROCESSOR * ctx->multiprocessors)
        return launch_pieces(ctx, a);
    return BI_RUN(ctx, bi_kdtree_brown_partition_by_warps<P>, bi_kdtree_brown_blocks(segments), THREADS, 0, a);
}

/* Partitions the list into the spare one, and exchanges the two. */
template <class K, int C>
static bosc_status partition_list(build_state<K, C> &b, int32_t p, bi_kdtree_brown_task<K, C> a)
{
    a.from = b.list[p];
    a.to = b.spare;
    b.spare = b.list[p];
    b.list[p] = a.to;
    if constexpr (C > 0)
        if (a.levels == C) return launch_partitioner(b.ctx, bi_kdtree_brown_pass<K, C, true>{a});
    return launch_partitioner(b.ctx, bi_kdtree_brown_pass<K, C, false>{a});
}

/* Partitions the level's own list until it is in the level's segments. */
template <class K, int C> static bosc_status advance_list(build_state<K, C> &b, int32_t level)
{
    const struct bi_kdtree_references &r = *b.input;
    const int32_t p = level % r.dim;
    if (b.at[p] < level && !b.list[p]) BI_TRY(attach_keys(b, p));
    while (b.at[p] < level) {
        bi_kdtree_brown_task<K, C> a = {};
        a.by = bi_kdtree_superkey_rows<K>(r.rows, r.dtype, r.dim, b.at[p] % r.dim);
        a.n = (uint32_t)r.n;
        a.level = b.at[p];
        a.levels = level - a.level < BI_KDTREE_BROWN_MAX_LEVELS ? level - a.level : BI_KDTREE_BROWN_MAX_LEVELS;
        a.order = b.order;
        a.nodes = static_cast<const K *>(r.nodes);
        a.size = PIECE;
        a.pieces = (uint32_t)bi_div_up(r.n >> a.level, PIECE);
        a.counts = b.counts;
        a.exclusive_prefix = b.exclusive_prefix;
        BI_TRY(partition_list(b, p, a));
        b.at[p] = a.level + a.levels;
    }
    return BOSC_OK;
}

/* Partitions list p at `level` as published, with the caller's launch: many warps a segment, then a warp, then 32 to 4
 * lanes. */
template <class K> static bosc_status partition_once(build_state<K, 0> &b, int32_t p, int32_t level)
{
    typedef bi_kdtree_brown_pass<K, 0, false> pass;
    const struct bi_kdtree_references &r = *b.input;
    const int64_t segments = (int64_t)1 << level, warps = (int64_t)r.blocks * r.threads / 32, largest = r.n >> level;
    const unsigned blocks = (unsigned)r.blocks, threads = (unsigned)r.threads;
    bi_kdtree_brown_task<K, 0> task = {};
    task.by = bi_kdtree_superkey_rows<K>(r.rows, r.dtype, r.dim, level % r.dim);
    task.n = (uint32_t)r.n;
    task.level = level;
    task.levels = 1;
    task.order = b.order;
    task.nodes = static_cast<const K *>(r.nodes);
    if (largest <= 32) return partition_list(b, p, task);
    task.from = b.list[p];
    task.to = b.spare; /* the temporary list */
    task.counts = b.counts;
    task.exclusive_prefix = b.exclusive_prefix;
    task.pieces = segments < warps ? (uint32_t)(warps / segments) : 1;
    task.size = (uint32_t)bi_round_up((uint64_t)bi_div_up(largest, task.pieces), 32);
    const pass a = {task};
    if (task.pieces == 1)
        return BI_RUN(b.ctx, bi_kdtree_brown_partition_segments<pass>, blocks, threads, 0, a, b.list[p]);
    BI_TRY(BI_RUN(b.ctx, bi_kdtree_brown_compact_sides<pass>, blocks, threads, 0, a));
    BI_TRY(b.ctx->backend->core->scan(b.ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, b.counts, 2 * segments * task.pieces,
                                      b.exclusive_prefix));
    return BI_RUN(b.ctx, bi_kdtree_brown_copy_back<pass>, blocks, threads, 0, a, b.list[p]);
}

/* Makes the levels as published: every list is partitioned at every level, but the level's own, whose medians partition
 * it where it is. Lists in the segments of a later level already are left. */
template <class K> static bosc_status make_published_levels(build_state<K, 0> &b)
{
    const struct bi_kdtree_references &r = *b.input;
    const int32_t last = bi_kdtree_last_list_level(r.n);
    auto write_medians = bi_kdtree_brown_write_medians<K>;
    auto write_last = bi_kdtree_brown_write_last_nodes<K>;
    for (int32_t p = 0; p < r.used; p++) {
        b.at[p] = p ? r.level : 0;
        BI_TRY(attach_keys(b, p));
    }
    for (int32_t level = 0; level < last; level++) {
        BI_TRY(BI_RUN(b.ctx, write_medians, (unsigned)bi_div_up((int64_t)1 << level, THREADS), THREADS, 0,
                      (uint32_t)r.n, level, nodes_of(b, level)));
        for (int32_t p = 0; p < r.used; p++) {
            if (b.at[p] > level) continue;
            if (p != level % r.dim) BI_TRY(partition_once(b, p, level));
            b.at[p] = level + 1;
        }
    }
    return BI_RUN(b.ctx, write_last, (unsigned)bi_div_up((int64_t)1 << last, THREADS), THREADS, 0, (uint32_t)r.n, last,
                  nodes_of(b, last));
}

/* Makes the levels in order. A level's own list is sorted, so its medians partition it where it is. */
template <class K, int C> static bosc_status make_levels(build_state<K, C> &b)
{
    const struct bi_kdtree_references &r = *b.input;
    const int32_t last = bi_kdtree_last_list_level(r.n);
    const unsigned blocks = (unsigned)bi_div_up((int64_t)1 << last, THREADS);
    auto write_medians = bi_kdtree_brown_write_medians<K>;
    auto write_last = bi_kdtree_brown_write_last_nodes<K>;
    for (int32_t p = 0; p < r.used; p++) b.at[p] = r.level;
    b.at[0] = 0;
    for (int32_t level = 0; level < last; level++) {
        BI_TRY(advance_list(b, level));
        BI_TRY(BI_RUN(b.ctx, write_medians, (unsigned)bi_div_up((int64_t)1 << level, THREADS), THREADS, 0,
                      (uint32_t)r.n, level, nodes_of(b, level)));
        b.at[level % r.dim] = level + 1;
    }
    BI_TRY(advance_list(b, last));
    return BI_RUN(b.ctx, write_last, blocks, THREADS, 0, (uint32_t)r.n, last, nodes_of(b, last));
}

template <class K, int C>
static bosc_status make_nodes(bosc_ctx *ctx, const struct bi_kdtree_references &r, uint32_t *order)
{
    /* Counts of a level: n / PIECE pieces, and a partial one of each segment, of at least 2 PIECE references. */
    int64_t most = BI_KDTREE_BROWN_SIDES * (r.n / PIECE + r.n / (2 * PIECE) + 1);
    if (r.blocks) most = (int64_t)r.blocks * r.threads / 32 * 2; /* two sides of a piece a warp */
    build_state<K, C> b = {};
    b.ctx = ctx;
    b.input = &r;
    b.order = order;
    b.is_vector = r.dim * sizeof(K) == 16 && r.rows.stride == r.dim && (uintptr_t)r.rows.data % 16 == 0;
    BI_TRY(bi_scratch_of(ctx, most, sizeof *b.counts, &b.counts));
    BI_TRY(bi_scratch_of(ctx, most, sizeof *b.exclusive_prefix, &b.exclusive_prefix));
    BI_TRY(bi_scratch_of(ctx, r.n, sizeof *b.spare, &b.spare));
    if constexpr (C == 0)
        if (r.blocks) return make_published_levels(b);
    return make_levels(b);
}

template <class K>
static bosc_status partition_by_superkey(bosc_ctx *ctx, const struct bi_kdtree_references &r, uint32_t *order)
{
    if (r.blocks) return make_nodes<K, 0>(ctx, r, order); /* references alone, without keys */
    switch (r.dim) {
    case 2: return make_nodes<K, 1>(ctx, r, order);
    case 3: return make_nodes<K, 2>(ctx, r, order);
    case 4: return make_nodes<K, 3>(ctx, r, order);
    default: return make_nodes<K, 0>(ctx, r, order);
    }
}

/* Bytes of the rows of nodes, of the lists with keys, and of the spare list. */
int64_t bi_kdtree_cuda_partition_scratch(const bosc_kdtree_opts *opts, int64_t n)
{
    const int64_t row = opts->dim * (int64_t)bosc_dtype_size(opts->dtype), last = bi_kdtree_last_list_level(n);
    const int64_t lists = opts->dim < last + 1 ? opts->dim : last + 1;
    const bool keys = opts->dim >= 2 && opts->dim <= BI_KDTREE_BROWN_MAX_LEVELS + 1;
    const int64_t counts = (int64_t)opts->blocks * opts->threads / 32 * 16; /* two sides a warp, and their scan */
    return n * (row + (keys ? (lists + 1) * row : 4)) + counts;
}

bosc_status bi_kdtree_cuda_partition_by_superkey(bosc_ctx *ctx, struct bi_kdtree_references *references,
                                                 uint32_t *order)
{
    const bool is_32bit = bosc_dtype_size(references->dtype) == 4;
    const size_t row = (size_t)references->dim * bosc_dtype_size(references->dtype);
    BI_TRY(bi_scratch_of(ctx, references->n, row, &references->nodes));
    BI_RETURN_WITH_SCRATCH(ctx, is_32bit ? partition_by_superkey<uint32_t>(ctx, *references, order)
                                         : partition_by_superkey<uint64_t>(ctx, *references, order));
}
