/* The published method (Brown 2015; Robinson, KdTreeGPU) breadth first: at each level the median of the own list of
 * every segment becomes its node, and the other lists that a later level needs are partitioned around it, by the
 * partitioner that suits the size of the level's segments. The own list is partitioned already, as it is sorted. */
#include "kdtree/cuda/brown/partition_kernels.cuh"

enum { THREADS = BI_KDTREE_BROWN_THREADS, LEAST_PIECE = 2 * BI_KDTREE_BROWN_ROUND };

/* The medians of a level become nodes: order[i] = the reference of node i. */
static __global__ void __launch_bounds__(THREADS)
    bi_kdtree_brown_take_medians(int64_t n, int32_t level, const uint32_t *own, uint32_t *order)
{
    const int64_t segment = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (segment >> level) return;
    const int64_t mid = bi_kdtree_mid(bi_kdtree_subtree(n, level, (uint64_t)segment));
    order[mid] = own[mid];
}

/* The last level, whose segments have 1 to 3 references: all of them become nodes, a thread a segment. */
static __global__ void __launch_bounds__(THREADS)
    bi_kdtree_brown_make_last_nodes(int64_t n, int32_t level, const uint32_t *own, uint32_t *order)
{
    const int64_t segment = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (segment >> level) return;
    const struct bi_kdtree_range r = bi_kdtree_subtree(n, level, (uint64_t)segment);
    for (int64_t i = r.begin; i < r.end; i++) order[i] = own[i];
}

/* Room for the counts of pieces, of which a level has at most `warps`. */
struct room {
    int64_t warps; /* that keep the device busy, but no more than there is work for */
    unsigned long long *on_sides, *sums;
};

/* The pieces of the segments of a level; where there is one, a warp takes the segment. */
static struct bi_kdtree_brown_pieces pieces_of(const struct room &room, int64_t n, int32_t level)
{
    const int64_t largest = n >> level, wanted = room.warps >> level, most = largest / LEAST_PIECE;
    const int64_t count = wanted < most ? wanted : most;
    if (count <= 1) return {largest, 1, nullptr, nullptr};
    const int64_t size = (int64_t)bi_round_up((uint64_t)bi_div_up(largest, count), 32);
    return {size, (uint32_t)bi_div_up(largest, size), room.on_sides, room.sums};
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
                              uint32_t *order)
{
    const int32_t own = level % r.dim, last = bi_kdtree_last_list_level(r.n);
    const bi_superkey<K> by = bi_kdtree_superkey_rows<K>(r.rows, r.dtype, r.dim, own);
    const struct bi_kdtree_brown_pieces p = pieces_of(room, r.n, level);
    const unsigned blocks = (unsigned)bi_div_up((int64_t)1 << level, THREADS);
    BI_TRY(BI_RUN(ctx, bi_kdtree_brown_take_medians, blocks, THREADS, 0, r.n, level, r.list[own], order));
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
    const int64_t warps = (int64_t)ctx->multiprocessors * BI_KDTREE_BROWN_WARPS_A_PROCESSOR,
                  most = r.n / LEAST_PIECE + 1;
    struct room room = {warps < most ? warps : most, nullptr, nullptr};
    BI_TRY(bi_scratch_of(ctx, room.warps, sizeof *room.sums, &room.on_sides));
    BI_TRY(bi_scratch_of(ctx, room.warps, sizeof *room.sums, &room.sums));
    for (int32_t level = 0; level < last; level++) BI_TRY(make_level<K>(ctx, r, level, room, order));
    const uint32_t *own = r.list[last % r.dim];
    const unsigned blocks = (unsigned)bi_div_up((int64_t)1 << last, THREADS);
    return BI_RUN(ctx, bi_kdtree_brown_make_last_nodes, blocks, THREADS, 0, r.n, last, own, order);
}

bosc_status bi_kdtree_cuda_partition_by_superkey(bosc_ctx *ctx, const struct bi_kdtree_references *references,
                                                 uint32_t *order)
{
    const bool narrow = bosc_dtype_size(references->dtype) == 4;
    BI_RETURN_WITH_SCRATCH(ctx, narrow ? partition<uint32_t>(ctx, *references, order)
                                       : partition<uint64_t>(ctx, *references, order));
}
