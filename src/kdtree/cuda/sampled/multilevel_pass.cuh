/* A pass of the fast builder: up to 4 levels of the tree at once, for all segments (subtrees) of one level.
 *
 * 1. Sample: find for each node of a segment the median of a sample, and a bracket of several standard deviations
 *    around it. The true median misses a bracket of 6.5 deviations with a probability below 1e-10.
 * 2. Partition: one read and one write. A point outside all brackets on its way down goes straight to its cell (a
 *    segment of the next pass); a point in a bracket goes to the side list of that node. Keys of long lists are counted
 *    in bins on arrival. By superkey a kernel counts them after the partition.
 * 3. Resolve, by depth: find the bin that holds the node's median. The points of the other bins go down to cells or to
 *    deeper lists. Among the points of that bin the median is selected exactly, by (superkey, id), and written to its
 *    in-order position; the remainder goes down too.
 *
 * Where a segment's whole sample shares a coordinate, nodes of its levels are bracketed by their axis (below) among
 * the points that share it. Points with another value of it are on the less or the greater side at once.
 *
 * Builds by superkey (KEYS::BY_SUPERKEY, sample_superkeys.cu) serve points with many equal coordinates. Each node has
 * marks: points of the sample, compared by superkey and id. The outer marks are the ends of its bracket; the others
 * divide its side list into bins.
 *
 * If a bracket misses or a list is full, *failed is set, later kernels do nothing, and the build restarts on a slower
 * path. The order of atomics changes only the order of points within cells and lists. */
#ifndef BI_KDTREE_CUDA_SAMPLED_MULTILEVEL_PASS_CUH
#define BI_KDTREE_CUDA_SAMPLED_MULTILEVEL_PASS_CUH

#include <cfloat>

#include "core/cuda/dependent.cuh"
#include "kdtree/cuda/cuda.cuh"
#include "kdtree/cuda/sampled/keys.cuh"
#include "kdtree/shape.h"

/* --- Axes --------------------------------------------------------------------------------------------------------- */

/* The axes of levels. Where points share a coordinate, the superkey that begins with it orders them by the next one in
 * which they differ: the axis. The superkey that begins with the axis orders them alike, since the shared coordinates
 * come last in it. */

/* Returns the coordinates without extent, as bits, from the keys of their ends (least: complements); 0 if no coordinate
 * has extent. */
template <int DIM>
__device__ __forceinline__ uint32_t bi_kdtree_flat_coordinates(const uint32_t *least, const uint32_t *greatest)
{
    uint32_t flat = 0;
#pragma unroll
    for (int c = 0; c < DIM; c++) flat |= (uint32_t)(~least[c] == greatest[c]) << c;
    return flat == (1u << DIM) - 1 ? 0 : flat;
}

/* The axis of each coordinate, in 2 bits. */
template <int DIM> __device__ __forceinline__ uint32_t bi_kdtree_axes_of(uint32_t flat)
{
    uint32_t axes = 0;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        int axis = c;
#pragma unroll
        for (int t = 1; t < DIM; t++) axis = flat >> axis & 1 ? bi_kdtree_next_coordinate<DIM>(axis) : axis;
        axes |= (uint32_t)axis << 2 * c;
    }
    return axes;
}

__device__ __forceinline__ int bi_kdtree_axis(uint32_t axes, int d) { return (int)(axes >> 2 * d & 3); }

/* Rotates packed axes: the level of coordinate d comes first, then the levels below it. next_axes goes down a level. */
template <int DIM> __device__ __forceinline__ uint32_t bi_kdtree_axes_from(uint32_t axes, int d)
{
    return (axes >> 2 * d | axes << 2 * (DIM - d)) & ((1u << 2 * DIM) - 1);
}
template <int DIM> __device__ __forceinline__ uint32_t bi_kdtree_next_axes(uint32_t axes)
{
    return axes >> 2 | (axes & 3) << 2 * (DIM - 1);
}

/* --- Extents ------------------------------------------------------------------------------------------------------ */

/* The extent of the points that a thread added since `clear`; then the block combines those of its threads. */
template <int DIM> struct bi_kdtree_extent {
    float low[DIM], high[DIM];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            low[c] = INFINITY;
            high[c] = -INFINITY;
        }
    }

    __device__ __forceinline__ void add(int c, float x)
    {
        low[c] = fminf(low[c], x);
        high[c] = fmaxf(high[c], x);
    }

    /* Raises the keys in shared memory, 0 at first, to those of this extent: complements of low ends, and high ends.
     * All lanes of a warp call it. */
    __device__ __forceinline__ void combine(uint32_t *least, uint32_t *greatest) const
    {
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            const uint32_t low_end = bi_warp_max(~bi_key_u32_of_f32(low[c]));
            const uint32_t high_end = bi_warp_max(bi_key_u32_of_f32(high[c]));
            if (threadIdx.x % 32 == 0) {
                atomicMax(&least[c], low_end);
                atomicMax(&greatest[c], high_end);
            }
        }
    }
};

/* --- Passes ------------------------------------------------------------------------------------------------------- */

enum {
    BI_KDTREE_PASS_LEVELS = 4,
    BI_KDTREE_CELLS = 16,        /* cells of a segment: 2^levels are used */
    BI_KDTREE_DESTINATIONS = 32, /* of a point: cells, then from BI_KDTREE_CELLS on side lists of nodes (heap order) */
    BI_KDTREE_BINS = 1024,       /* of a node's sample; 8 nodes have 32 KB of the 48 KB of shared memory */
    BI_KDTREE_LIST_BINS = 2048,  /* of a side list, at most */
    BI_KDTREE_STAYING = 31,      /* pseudo-destination of points that stay in their list */
    BI_KDTREE_SAMPLE_THREADS = 1024,
    BI_KDTREE_SMALL_SAMPLE = 8192, /* samples that one block holds in registers */
    /* Builds by superkey: samples that a block sorts, and those of large segments; bins of a list; its marks. */
    BI_KDTREE_SAMPLE_BITS = 13,
    BI_KDTREE_SORTED_SAMPLE = 4096,
    BI_KDTREE_LARGE_SORTED_SAMPLE = 1 << BI_KDTREE_SAMPLE_BITS,
    BI_KDTREE_MARK_BINS_LOG = 7,
    BI_KDTREE_MARKS = (1 << BI_KDTREE_MARK_BINS_LOG) + 1
};

/* Parameters of a pass. Node v of a segment is a heap index: the root is 0, the children of v are 2v + 1, 2v + 2. */
struct bi_kdtree_pass {
    int64_t n;
    int32_t level, levels;      /* level of the segments; number of levels that the pass adds */
    int32_t first;              /* the coordinate of their superkeys */
    uint32_t segments, largest; /* largest: nodes of the largest segment */
    uint32_t samples;           /* of each segment */
    uint32_t sample_chunk;      /* samples per block */
    uint32_t sample_blocks;     /* blocks per segment */
    float deviations;           /* half the width of a bracket, in standard deviations */
    uint32_t side_capacity;     /* points of all lists of a segment */
    uint32_t side_first[BI_KDTREE_PASS_LEVELS], side_limit[BI_KDTREE_PASS_LEVELS]; /* first slot and capacity
     * of a node's list, by depth */
    bool counted;     /* keys of lists are counted before several blocks resolve them */
    int32_t list_log; /* bins of a list: 2^list_log */
    /* Number of blocks that resolve a list, by depth, and points per block. */
    uint32_t chunks[BI_KDTREE_PASS_LEVELS], chunk_size[BI_KDTREE_PASS_LEVELS];
};

/* Memory of a pass. The arrays from `cursors` to `list_bins` are zeroed before it. */
struct bi_kdtree_pass_memory {
    uint2 *segments; /* begin and end of each */
    /* BI_KDTREE_DESTINATIONS a segment: begin (in the next array, or in `side`) and capacity of each. */
    uint2 *destinations;
    float2 *brackets;  /* BI_KDTREE_CELLS a segment, by node */
    float *pivots;     /* likewise */
    float4 *samples;   /* pass.samples a segment; the same memory as side */
    uint32_t *cursors; /* BI_KDTREE_DESTINATIONS a segment: points so far in each */
    /* BI_KDTREE_PASS_LEVELS times BI_KDTREE_DESTINATIONS a segment: points that arrived from the partition, then from
     * each depth. */
    uint32_t *arrivals;
    uint32_t *boxes;        /* 8 a segment: complement of the least key, and the greatest key, of each coordinate */
    uint32_t *tickets;      /* one a segment: finds its last block */
    uint32_t *bins;         /* 8 * BI_KDTREE_BINS a segment, if sample_blocks > 1 */
    uint32_t *list_tickets; /* BI_KDTREE_CELLS a segment, by node */
    uint32_t *list_bins;    /* 2^list_log for each of these, if lists are counted */
    uint32_t *kept;         /* points that stay in each chunk of each node's list, for one depth */
    bi_kdtree_array side;
    uint32_t *failed; /* bits: 1 if a list is full, 2 if a bracket misses, 4 if a selection finds no median */
    /* Builds by superkey. BI_KDTREE_MARKS points for each node of BI_KDTREE_CELLS a segment, ascending: the ends of the
     * bracket first and last. An absent mark has the id BI_KDTREE_NONE. */
    void *marks;
    uint32_t *tied; /* 1 if marks share coordinates */
    /* The sample, in the memory of `side`: pass.samples points a segment. For each coordinate: their numbers in the
     * order of the superkey that begins with it, and their positions in that order. Each array has dim times
     * pass.samples numbers a segment. */
    void *sampled_points;
    uint16_t *orders, *positions;
};

/* Called first by each kernel of a pass: lets the blocks of the next kernel start where multiprocessors are free, and
 * waits for the kernel before, whose writes are then visible. Measured on an H200: a build of 2^20 uniform points takes
 * .315 ms, with plain launches .333. */
__device__ __forceinline__ void bi_kdtree_begin_kernel()
{
    bi_trigger_dependents();
    bi_wait_for_previous_kernel();
}

/* BI_RUN for a kernel that follows another kernel of a pass on the stream, and calls bi_kdtree_begin_kernel(). */
#define BI_KDTREE_RUN_NEXT(ctx, kernel, grid, block, shared_bytes, ...)                                    \
    (bi_has_clusters(ctx) ? BI_LAUNCH_EARLY(kernel, grid, block, shared_bytes, (ctx)->stream, __VA_ARGS__) \
                          : BI_LAUNCH(kernel, grid, block, shared_bytes, (ctx)->stream, __VA_ARGS__),      \
     bi_finish_launch((ctx), #kernel))

/* Returns the marks of node v of a segment. */
template <int DIM>
__device__ __forceinline__ bi_kdtree_point<DIM> *bi_kdtree_marks_of(const bi_kdtree_pass_memory &work, uint32_t segment,
                                                                    int v)
{
    return static_cast<bi_kdtree_point<DIM> *>(work.marks) +
           (size_t)(segment * BI_KDTREE_CELLS + (uint32_t)v) * BI_KDTREE_MARKS;
}

/* The depth of node v of a segment. */
__device__ __forceinline__ int bi_kdtree_heap_depth(int v) { return 31 - __clz(v + 1); }

/* Returns the begin of destination t of a segment, and its capacity. */
static __device__ __forceinline__ uint2 bi_kdtree_destination_range(const bi_kdtree_pass &pass, uint32_t segment,
                                                                    uint32_t t)
{
    const uint32_t cells = 1u << pass.levels, v = t - BI_KDTREE_CELLS;
    if (t < cells) {
        struct bi_kdtree_range r =
            bi_kdtree_subtree(pass.n, pass.level + pass.levels, ((uint64_t)segment << pass.levels) + t);
        return make_uint2((uint32_t)r.begin, (uint32_t)(r.end - r.begin));
    }
    if (t < BI_KDTREE_CELLS || v >= cells - 1) return make_uint2(0, 0);
    uint32_t first = 0, limit = 0;
    const int depth = bi_kdtree_heap_depth((int)v);
#pragma unroll
    for (int j = 0; j < BI_KDTREE_PASS_LEVELS; j++) {
        if (j != depth) continue;
        first = pass.side_first[j];
        limit = pass.side_limit[j];
    }
    return make_uint2(segment * pass.side_capacity + first + (v + 1 - (1u << depth)) * limit, limit);
}

/* Returns the position of sample s in a segment of `size` points: random within stratum s. The number of samples is a
 * power of two. The multipliers only decorrelate the inputs of the mixing function; 2654435761 is 2^32 over the golden
 * ratio (Knuth). */
static __device__ __forceinline__ uint32_t bi_kdtree_sample_position(const bi_kdtree_pass &pass, uint32_t segment,
                                                                     uint32_t s, uint32_t size)
{
    const int log = 31 - __clz((int)pass.samples);
    const uint32_t low = (uint32_t)((uint64_t)s * size >> log), next = (uint32_t)((uint64_t)(s + 1) * size >> log);
    const uint32_t random = bi_mix_u32(s * 2654435761u + segment * 977u + (uint32_t)pass.level * 131071u);
    return low + __umulhi(random, next - low);
}

/* The bins of a side list: 2^shift keys of coordinate d each, from key `low` on. */
struct bi_kdtree_list_scale {
    uint32_t low;
    uint16_t shift, d;
};

template <int DIM>
__device__ __forceinline__ bi_kdtree_list_scale bi_kdtree_list_scale_of(const bi_kdtree_pass &pass,
                                                                        const bi_kdtree_pass_memory &work,
                                                                        uint32_t segment, int v, uint32_t axes)
{
    const float2 b = work.brackets[segment * BI_KDTREE_CELLS + v];
    bi_kdtree_list_scale scale;
    scale.low = bi_key_u32_of_f32(b.x);
    const int bits = 32 - __clz((int)(bi_key_u32_of_f32(b.y) - scale.low));
    scale.shift = (uint16_t)(bits > pass.list_log ? bits - pass.list_log : 0);
    scale.d = (uint16_t)bi_kdtree_axis(axes, (pass.first + bi_kdtree_heap_depth(v)) % DIM);
    return scale;
}

/* Returns the bin of p in a list. With BY_SUPERKEY: the number of inner marks up to p. */
template <int DIM, class KEYS>
__device__ __forceinline__ uint32_t bi_kdtree_list_bin(const KEYS &keys, const bi_kdtree_list_scale &scale,
                                                       const bi_kdtree_point<DIM> *marks, const bi_kdtree_point<DIM> &p)
{
    if constexpr (KEYS::BY_SUPERKEY) {
        uint32_t below = 0;
#pragma unroll
        for (uint32_t step = 1u << (BI_KDTREE_MARK_BINS_LOG - 1); step > 0; step /= 2) {
            const bi_kdtree_point<DIM> mark = marks[below + step];
            const bool precedes = keys.template precedes_evenly<DIM>(p, mark, scale.d);
            if (mark.id != BI_KDTREE_NONE && !precedes) below += step;
        }
        return below;
    } else {
        const uint32_t bin = (bi_key_u32_of_f32(bi_kdtree_coordinate<DIM>(p, scale.d)) - scale.low) >> scale.shift;
        return min(bin, (uint32_t)BI_KDTREE_LIST_BINS - 1); /* out of range only if the input has a NaN */
    }
}

/* The ends of the brackets of a segment's nodes, the outer marks, in builds by superkey. */
template <int DIM, bool BY_SUPERKEY> struct bi_kdtree_bracket_ends {
};
template <int DIM> struct bi_kdtree_bracket_ends<DIM, true> {
    bi_kdtree_point<DIM> low[BI_KDTREE_CELLS], high[BI_KDTREE_CELLS];
};

/* Tables of one segment in shared memory, for scattering points to destinations. */
template <int DIM, class KEYS> struct bi_kdtree_segment_scatter {
    uint32_t count[BI_KDTREE_DESTINATIONS]; /* points of this block */
    /* Position of the block's points (in the next array, or in `side`) less `start`; limit of the destination. */
    uint2 target[BI_KDTREE_DESTINATIONS];
    uint2 destination[BI_KDTREE_DESTINATIONS]; /* begin and capacity */
    bi_kdtree_list_scale scale[BI_KDTREE_CELLS];
    float2 brackets[BI_KDTREE_CELLS];
    uint32_t flat;   /* coordinates that the whole sample shares, as bits */
    float shared[4]; /* these coordinates */
    bi_kdtree_bracket_ends<DIM, KEYS::BY_SUPERKEY> ends;
};

/* True if p lies below, or above, the bracket of node v, of coordinate d. With BY_SUPERKEY, brackets have the
 * coordinates d of their ends, and points that share one of them are compared by superkey. */
template <int DIM, class KEYS>
__device__ __forceinline__ bool bi_kdtree_below_bracket(const bi_kdtree_segment_scatter<DIM, KEYS> &s, const KEYS &keys,
                                                        const bi_kdtree_point<DIM> &p, int v, int d)
{
    const float x = bi_kdtree_coordinate<DIM>(p, d), end = s.brackets[v].x;
    if constexpr (KEYS::BY_SUPERKEY) {
        if (x == end && s.ends.low[v].id != BI_KDTREE_NONE) return keys.template precedes<DIM>(p, s.ends.low[v], d);
    }
    return x < end;
}
template <int DIM, class KEYS>
__device__ __forceinline__ bool bi_kdtree_above_bracket(const bi_kdtree_segment_scatter<DIM, KEYS> &s, const KEYS &keys,
                                                        const bi_kdtree_point<DIM> &p, int v, int d)
{
    const float x = bi_kdtree_coordinate<DIM>(p, d), end = s.brackets[v].y;
    if constexpr (KEYS::BY_SUPERKEY) {
        if (x == end && s.ends.high[v].id != BI_KDTREE_NONE) return keys.template precedes<DIM>(s.ends.high[v], p, d);
    }
    return x > end;
}

/* Returns the destination of a point that has reached node v: a cell, or BI_KDTREE_CELLS + the node whose bracket holds
 * it. */
template <int DIM, class KEYS>
__device__ __forceinline__ uint32_t bi_kdtree_classify(const bi_kdtree_segment_scatter<DIM, KEYS> &s, const KEYS &keys,
                                                       const bi_kdtree_point<DIM> &p, int v, int d, int levels)
{
    const int cells = 1 << levels;
    if constexpr (KEYS::BY_SUPERKEY && KEYS::SELECT_WORDS == 1) {
        /* Lanes differ, and many points share a coordinate: without branches. */
        uint32_t list = 0;
        for (; v < cells - 1; d = bi_kdtree_next_coordinate<DIM>(d)) {
            const bi_kdtree_point<DIM> low = s.ends.low[v], high = s.ends.high[v];
            const bool less = keys.template precedes_evenly<DIM>(p, low, d) & (low.id != BI_KDTREE_NONE);
            const bool greater = keys.template precedes_evenly<DIM>(high, p, d) & (high.id != BI_KDTREE_NONE);
            if (list == 0 && !less && !greater) list = BI_KDTREE_CELLS + (uint32_t)v;
            v = 2 * v + 1 + greater;
        }
        return list ? list : (uint32_t)(v - (cells - 1));
    } else {
        while (v < cells - 1) {
            if (bi_kdtree_below_bracket(s, keys, p, v, d))
                v = 2 * v + 1;
            else if (bi_kdtree_above_bracket(s, keys, p, v, d))
                v = 2 * v + 2;
            else
                return BI_KDTREE_CELLS + v;
            d = bi_kdtree_next_coordinate<DIM>(d);
        }
        return v - (cells - 1);
    }
}

/* Replaces each coordinate that the sample shares by the one of its axis; by +-infinity, beyond all brackets, if the
 * point does not share it. */
template <int DIM, class KEYS>
__device__ __forceinline__ bi_kdtree_point<DIM> bi_kdtree_point_by_axes(const bi_kdtree_segment_scatter<DIM, KEYS> &s,
                                                                        const bi_kdtree_point<DIM> &p)
{
    /* A flat coordinate copies the next one, already replaced. Two rounds, so that the copying begins at a coordinate
     * with extent whichever it is. */
    bi_kdtree_point<DIM> projected = p;
    if (s.flat == 0) return projected;
#pragma unroll
    for (int i = 2 * DIM - 1; i >= 0; i--) {
        const int c = i % DIM;
        if (!(s.flat >> c & 1)) continue;
        const float outside = p.x[c] < s.shared[c] ? -INFINITY : INFINITY;
        projected.x[c] = p.x[c] == s.shared[c] ? projected.x[(c + 1) % DIM] : outside;
    }
    return projected;
}

/* Loads the tables of a segment; called by the first 32 threads of a block. */
template <int DIM, class KEYS>
__device__ __forceinline__ void
bi_kdtree_segment_scatter_prepare(bi_kdtree_segment_scatter<DIM, KEYS> &s, const bi_kdtree_pass &pass, const KEYS &keys,
                                  const bi_kdtree_pass_memory &work, uint32_t segment, int t)
{
    const uint32_t *box = work.boxes + segment * 8,
                   flat = keys.exact_flat(bi_kdtree_flat_coordinates<DIM>(box, box + 4));
    s.destination[t] = work.destinations[segment * BI_KDTREE_DESTINATIONS + t];
    s.count[t] = 0;
    if (t == 0) s.flat = flat;
    if (t < DIM) s.shared[t] = bi_f32_of_key(box[4 + t]);
    if (t + 1 >= 1 << pass.levels) return;
    s.brackets[t] = work.brackets[segment * BI_KDTREE_CELLS + t];
    if (flat) s.brackets[t] = make_float2(fmaxf(s.brackets[t].x, -FLT_MAX), fminf(s.brackets[t].y, FLT_MAX));
    s.scale[t] = bi_kdtree_list_scale_of<DIM>(pass, work, segment, t, bi_kdtree_axes_of<DIM>(flat));
    if constexpr (KEYS::BY_SUPERKEY) {
        const bi_kdtree_point<DIM> *marks = bi_kdtree_marks_of<DIM>(work, segment, t);
        s.ends.low[t] = marks[0];
        s.ends.high[t] = marks[BI_KDTREE_MARKS - 1];
    }
}

/* Returns the bins of the list of node v of a segment. */
__device__ __forceinline__ uint32_t *
bi_kdtree_list_bins_of(const bi_kdtree_pass &pass, const bi_kdtree_pass_memory &work, uint32_t segment, uint32_t v)
{
    return work.list_bins + ((size_t)(segment * BI_KDTREE_CELLS + v) << pass.list_log);
}

/* Counts a point of this block. If pass.counted, also in the bins of its list; with BY_SUPERKEY, a kernel counts the
 * points that the partition moves to lists. Returns its rank within the block. */
template <int DIM, bool PARTITION, class KEYS>
__device__ __forceinline__ uint32_t bi_kdtree_segment_scatter_count(bi_kdtree_segment_scatter<DIM, KEYS> &s,
                                                                    const KEYS &keys, const bi_kdtree_pass &pass,
                                                                    const bi_kdtree_pass_memory &work, uint32_t segment,
                                                                    uint32_t destination, const bi_kdtree_point<DIM> &p)
{
    if constexpr (!PARTITION || !KEYS::BY_SUPERKEY) {
        if (pass.counted && destination >= BI_KDTREE_CELLS && destination < BI_KDTREE_STAYING) {
            const uint32_t v = destination - BI_KDTREE_CELLS;
            const bi_kdtree_point<DIM> *marks =
                KEYS::BY_SUPERKEY ? bi_kdtree_marks_of<DIM>(work, segment, (int)v) : nullptr;
            const uint32_t bin = bi_kdtree_list_bin<DIM>(keys, s.scale[v], marks, p);
            atomicAdd(&bi_kdtree_list_bins_of(pass, work, segment, v)[bin], 1u);
        }
    }
    return atomicAdd(&s.count[destination], 1u);
}

/* Reserves slots for the counted points, of ranks `start`, start + 1, ...; called by the first 32 threads. `from`: 0 in
 * the partition, else one more than the depth of the points' list. */
template <int DIM, class KEYS>
__device__ __forceinline__ void bi_kdtree_segment_scatter_reserve(bi_kdtree_segment_scatter<DIM, KEYS> &s,
                                                                  const bi_kdtree_pass_memory &work, uint32_t segment,
                                                                  int t, uint32_t start, int from)
{
    const uint32_t count = s.count[t];
    const uint2 to = s.destination[t];
    if (t == BI_KDTREE_STAYING) return;
    const uint32_t first = count ? atomicAdd(&work.cursors[segment * BI_KDTREE_DESTINATIONS + t], count) : 0;
    if (count && from < BI_KDTREE_PASS_LEVELS)
        atomicAdd(&work.arrivals[(segment * BI_KDTREE_PASS_LEVELS + from) * BI_KDTREE_DESTINATIONS + t], count);
    s.target[t] = make_uint2(to.x + first - start, to.x + to.y);
    if (count && (first > to.y || count > to.y - first)) atomicOr(work.failed, 1u);
}

/* Writes a point of the given rank to its destination. */
template <int DIM, class KEYS>
__device__ __forceinline__ void bi_kdtree_segment_scatter_write(const bi_kdtree_segment_scatter<DIM, KEYS> &s,
                                                                const bi_kdtree_array &to, const bi_kdtree_array &side,
                                                                uint32_t destination, uint32_t rank,
                                                                const bi_kdtree_point<DIM> &p)
{
    const uint2 target = s.target[destination];
    const uint32_t slot = target.x + rank;
    if (slot >= target.y) return;
    const bool cell = destination < BI_KDTREE_CELLS;
    const bi_kdtree_array into = {cell ? to.points : side.points, cell ? to.ids : side.ids};
    bi_kdtree_store_point<DIM>(into, slot, p);
}

/* KEYS: bi_kdtree_float_keys or bi_kdtree_rounded_keys. */
template <int DIM, class KEYS>
bosc_status bi_kdtree_run_sample_pivots(bosc_ctx *ctx, const bi_kdtree_pass &pass, const KEYS &keys,
                                        const bi_kdtree_source &from, const bi_kdtree_pass_memory &work);
/* The same with brackets by superkey (sample_superkeys.cu). KEYS: float or rounded keys. pass.samples is at most
 * BI_KDTREE_LARGE_SORTED_SAMPLE. */
template <int DIM, class KEYS>
bosc_status bi_kdtree_run_sample_superkeys(bosc_ctx *ctx, const bi_kdtree_pass &pass, const KEYS &keys,
                                           const bi_kdtree_source &from, const bi_kdtree_pass_memory &work);
template <int DIM, class KEYS>
bosc_status bi_kdtree_run_partition_points(bosc_ctx *ctx, const bi_kdtree_pass &pass, const KEYS &keys,
                                           const bi_kdtree_source &from, const bi_kdtree_array &to,
                                           const bi_kdtree_pass_memory &work);
/* Writes medians to `nodes`, the array of the tree. */
template <int DIM, class KEYS>
bosc_status bi_kdtree_run_resolve_medians(bosc_ctx *ctx, const bi_kdtree_pass &pass, const KEYS &keys,
                                          const bi_kdtree_array &to, const bi_kdtree_array &nodes,
                                          const bi_kdtree_pass_memory &work);
/* One block makes a subtree of up to 2^log points. log is BI_KDTREE_BLOCK_LOG; less if the device has little shared
 * memory per block, more if that saves a pass. */
enum { BI_KDTREE_BLOCK_LOG = 12, BI_KDTREE_MOST_BLOCK_LOG = BI_KDTREE_BLOCK_LOG + 1 };
/* Returns the largest log that fits the device's shared memory. */
int bi_kdtree_block_log(const bosc_ctx *ctx, int32_t dim);
/* Finishes all subtrees of `level`, of at most 2^log points each. */
template <int DIM, class KEYS>
bosc_status bi_kdtree_run_subtree_blocks(bosc_ctx *ctx, int64_t n, int32_t level, int32_t first, int log,
                                         const KEYS &keys, const bi_kdtree_source &from, const bi_kdtree_array &nodes,
                                         const uint32_t *failed);
/* Expands F(DIM, KEYS) for all combinations. */
#define BI_KDTREE_EACH_KIND(F) \
    F(2, bi_kdtree_float_keys) \
    F(3, bi_kdtree_float_keys) \
    F(4, bi_kdtree_float_keys) F(2, bi_kdtree_rounded_keys) F(3, bi_kdtree_rounded_keys) F(4, bi_kdtree_rounded_keys)

/* Side lists longer than this are resolved by several blocks, at most BI_KDTREE_MOST_CHUNKS (an H200 has 132
 * multiprocessors). A larger limit: fewer launches, longer waits for one block. Not measured. */
enum { BI_KDTREE_LONG_LIST = 8192, BI_KDTREE_LIST_CHUNK = 4096, BI_KDTREE_MOST_CHUNKS = 128 };

#endif
