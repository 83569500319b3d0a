/* The published method (Brown 2015; Robinson, KdTreeGPU) breadth first: at each level the median of the own list of
 * every segment becomes its node, and the other lists that a later level needs are partitioned around it, by the
 * partitioner that suits the size of the level's segments. The own list is partitioned already, as it is sorted. */
#include "kdtree/cuda/brown/partition_kernels.cuh"

enum { THREADS = BI_KDTREE_BROWN_THREADS, PIECE = 2 * BI_KDTREE_BROWN_ROUND };

/* Where references become nodes. */
struct nodes {
    const uint32_t *own;   /* the list of the level's coordinate */
    const uint32_t *names; /* the rows of references; NULL: themselves */
    uint32_t *order;       /* the row of node i */
};

static __device__ __forceinline__ void make_node(const nodes &to, int64_t i)
{
    to.order[i] = to.names ? to.names[to.own[i]] : to.own[i];
}

/* The medians of a level become nodes. */
static __global__ void __launch_bounds__(THREADS) bi_kdtree_brown_take_medians(int64_t n, int32_t level, const nodes to)
{
    const int64_t segment = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (segment >> level) return;
    make_node(to, bi_kdtree_mid(bi_kdtree_subtree(n, level, (uint64_t)segment)));
}

/* The last level, whose segments have 1 to 3 references: all of them become nodes, a thread a segment. */
static __global__ void __launch_bounds__(THREADS)
    bi_kdtree_brown_make_last_nodes(int64_t n, int32_t level, const nodes to)
{
    const int64_t segment = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (segment >> level) return;
    const struct bi_kdtree_range r = bi_kdtree_subtree(n, level, (uint64_t)segment);
    for (int64_t i = r.begin; i < r.end; i++) make_node(to, i);
}

/* Room for the counts of pieces. */
struct room {
    unsigned long long *on_sides, *sums;
};

/* The pieces of the segments of a level; where there is one, a warp takes the segment. Pieces are short, so that the
 * warps that run at once are in a few segments, whose rows the cache holds. */
static struct bi_kdtree_brown_pieces pieces_of(const struct room &room, int64_t n, int32_t level)
{
    const int64_t largest = n >> level;
    if (largest < 2 * PIECE) return {largest, 1, nullptr, nullptr};
    return {PIECE, (uint32_t)bi_div_up(largest, PIECE), room.on_sides, room.sums};
}

/* By pieces: to the spare list and back. */
template <class K>
static bosc_status partition_pieces(bosc_ctx *ctx, const bi_superkey<K> &by, bi_kdtree_brown_level l, uint32_t *list,
                                    const struct bi_kdtree_brown_pieces &p)
{
    const int64_t count = (int64_t)p.count << l.level;
    const unsigned blocks = bi_kdtree_brown_blocks(count);
    BI_TRY(BI_RUN(ctx, bi_kdtree_brown_partition_pieces<K>, blocks, THREADS, 0, by, l, p));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U64, p.on_sides, count, p.sums));
    l.from = l.to;
    l.to = list;
    return BI_RUN(ctx, bi_kdtree_brown_join_pieces, blocks, THREADS, 0, l, p);
}

template <class K, int LANES>
static bosc_status partition_by_lanes(bosc_ctx *ctx, const bi_superkey<K> &by, const bi_kdtree_brown_level &l)
{
    auto kernel = bi_kdtree_brown_partition_by_lanes<K, LANES>;
    const unsigned blocks = (unsigned)bi_div_up((int64_t)LANES << l.level, THREADS);
    return BI_RUN(ctx, kernel, blocks, THREADS, 0, by, l);
}

/* One launch a list: from *list to *spare, which change places. */
template <class K>
static bosc_status partition_at_once(bosc_ctx *ctx, const bi_superkey<K> &by, const bi_kdtree_brown_level &l,
                                     uint32_t **list, uint32_t **spare)
{
    const int64_t largest = l.n >> l.level;
    uint32_t *from = *list;
    *list = *spare;
    *spare = from;
    if (largest <= 4) return partition_by_lanes<K, 4>(ctx, by, l);
    if (largest <= 8) return partition_by_lanes<K, 8>(ctx, by, l);
    if (largest <= 16) return partition_by_lanes<K, 16>(ctx, by, l);
    const unsigned blocks = bi_kdtree_brown_blocks((int64_t)1 << l.level);
    return BI_RUN(ctx, bi_kdtree_brown_partition_by_warps<K>, blocks, THREADS, 0, by, l);
}

template <class K>
static bosc_status make_level(bosc_ctx *ctx, struct bi_kdtree_references &r, int32_t level, const struct room &room,
                              const uint32_t *names, uint32_t *order)
{
    const int32_t own = level % r.dim, last = bi_kdtree_last_list_level(r.n);
    const bi_superkey<K> by = bi_kdtree_superkey_rows<K>(r.rows, r.dtype, r.dim, own);
    const struct bi_kdtree_brown_pieces p = pieces_of(room, r.n, level);
    const unsigned blocks = (unsigned)bi_div_up((int64_t)1 << level, THREADS);
    const nodes to = {r.list[own], names, order};
    BI_TRY(BI_RUN(ctx, bi_kdtree_brown_take_medians, blocks, THREADS, 0, r.n, level, to));
    for (int32_t q = 0; q < r.used && level >= r.level; q++) {
        if (q == own || bi_kdtree_next_use(q, level, r.dim) > last) continue;
        const bi_kdtree_brown_level l = {r.n, level, r.list[own], r.list[q], r.spare};
        BI_TRY(p.count > 1 ? partition_pieces(ctx, by, l, r.list[q], p)
                           : partition_at_once(ctx, by, l, &r.list[q], &r.spare));
    }
    return BOSC_OK;
}

template <class K> static bosc_status partition(bosc_ctx *ctx, struct bi_kdtree_references r, uint32_t *order)
{
    const int32_t last = bi_kdtree_last_list_level(r.n);
    const int64_t most = r.n / PIECE + r.n / (2 * PIECE) + 1; /* a segment has a piece that is not whole */
    struct room room;
    BI_TRY(bi_scratch_of(ctx, most, sizeof *room.sums, &room.on_sides));
    BI_TRY(bi_scratch_of(ctx, most, sizeof *room.sums, &room.sums));
    const int32_t numbering_level = bi_kdtree_brown_numbering_level(ctx, &r);
    const uint32_t *names = nullptr;
    for (int32_t level = 0; level < last; level++) {
        if (level > 0 && level == numbering_level) BI_TRY(bi_kdtree_brown_number_rows_of(ctx, &r, level, &names));
        BI_TRY(make_level<K>(ctx, r, level, room, names, order));
    }
    const nodes to = {r.list[last % r.dim], names, order};
    const unsigned blocks = (unsigned)bi_div_up((int64_t)1 << last, THREADS);
    return BI_RUN(ctx, bi_kdtree_brown_make_last_nodes, blocks, THREADS, 0, r.n, last, to);
}

bosc_status bi_kdtree_cuda_partition_by_superkey(bosc_ctx *ctx, const struct bi_kdtree_references *references,
                                                 uint32_t *order)
{
    const bool narrow = bosc_dtype_size(references->dtype) == 4;
    BI_RETURN_WITH_SCRATCH(ctx, narrow ? partition<uint32_t>(ctx, *references, order)
                                       : partition<uint64_t>(ctx, *references, order));
}
