/* A pass of the fast builder: up to 4 levels of the tree at once, for all segments (subtrees) of one level.
 *
 * 1. Sample: of each of a segment's nodes, the median of a sample, and a bracket of several standard deviations
 *    around it that the true median lies in, but for a chance of about 1e-11.
 * 2. Sieve: one read and one write. A point that is outside the brackets of all nodes on its way down goes straight
 *    to its cell (a range of the next pass); one in a bracket goes to the side list of that node, where its key is
 *    counted in bins if lists are long.
 * 3. Resolve, by depth: the bins tell which of them holds the node's median. The points of the other bins of the list
 *    go down to cells or to deeper lists; among the points of that bin, the median is selected exactly, by (superkey,
 *    id), and goes to its in-order place, and the rest goes down too.
 *
 * Where a bracket misses or a list is full, *failed is set, later kernels do nothing, and the build starts over on a
 * slower path. Nothing depends on the order of atomics but the order of points within cells and lists. */
#ifndef BI_KDTREE_CUDA_BUILD_MULTILEVEL_PASS_CUH
#define BI_KDTREE_CUDA_BUILD_MULTILEVEL_PASS_CUH

#include "kdtree/cuda/cuda.cuh"
#include "kdtree/shape.h"

enum {
    KD_PASS_LEVELS = 4,
    KD_CELLS = 16,        /* cells of a segment: 2^levels are used */
    KD_DESTINATIONS = 32, /* of a point: cells, then from KD_CELLS on side lists of nodes (heap order) */
    KD_BINS = 1024,       /* of a node's sample */
    KD_LIST_BINS = 2048,  /* of a side list, at most */
    KD_KEPT = 31,         /* no destination: points of a list that stay in it */
    KD_SAMPLE_THREADS = 1024,
    KD_SMALL_SAMPLE = 8192 /* what one block samples in registers */
};

/* What is the same for the whole pass. A node's heap index v in its segment: the root 0, below v 2v + 1 and 2v + 2. */
struct kd_pass {
    int64_t n;
    int32_t level, levels;      /* of the segments; how many levels this pass adds */
    uint32_t segments, largest; /* largest: nodes of the largest segment */
    uint32_t samples;           /* of each segment */
    uint32_t sample_part;       /* samples of a block */
    uint32_t sample_blocks;     /* that share a segment */
    float deviations;           /* half a bracket */
    uint32_t side_room;         /* of a segment */
    uint32_t side_first[KD_PASS_LEVELS], side_limit[KD_PASS_LEVELS]; /* of a node's list, by depth */
    bool counted;     /* keys of lists are counted where they arrive, for blocks that share a list */
    int32_t list_log; /* bins of a list: 2^list_log */
    /* How many blocks share a list, by depth, and how many points of it each has. */
    uint32_t parts[KD_PASS_LEVELS], part_size[KD_PASS_LEVELS];
};

/* Memory of a pass. Those from `cursors` to `list_bins` are zeroed before it. */
struct kd_work {
    uint2 *segments; /* begin and end of each */
    uint2
        *destinations; /* KD_DESTINATIONS a segment: where each begins, in the next array or in `side`, and its room */
    float2 *brackets;  /* KD_CELLS a segment, by node */
    float *pivots;     /* likewise */
    float4 *samples;   /* pass.samples a segment; the same memory as side */
    uint32_t *cursors; /* KD_DESTINATIONS a segment: points so far */
    uint32_t
        *arrivals;     /* KD_PASS_LEVELS times KD_DESTINATIONS a segment: points from the sieve, then from each depth */
    uint32_t *boxes;   /* 8 a segment: complement of the least key, and the greatest key, of each coordinate */
    uint32_t *tickets; /* one a segment */
    uint32_t *bins;    /* 8 * KD_BINS a segment, if sample_blocks > 1 */
    uint32_t *list_tickets; /* KD_CELLS a segment, by node */
    uint32_t *list_bins;    /* KD_LIST_BINS for each of these, if lists are counted */
    uint32_t *kept;         /* points that stay in each part of each node's list, for one depth */
    kd_array side;
    uint32_t *failed;
};

/* The depth of node v of a segment. */
__device__ __forceinline__ int kd_depth_of(int v) { return 31 - __clz(v + 1); }

/* Where a point goes that stands at node v: a cell, or KD_CELLS + the node whose bracket it is in. */
template <int DIM>
__device__ __forceinline__ uint32_t kd_classify(const kd_point<DIM> &p, int v, int d, const float2 *brackets,
                                                int levels)
{
    const int cells = 1 << levels;
    while (v < cells - 1) {
        float x = kd_coordinate<DIM>(p, d);
        float2 b = brackets[v];
        if (x < b.x)
            v = 2 * v + 1;
        else if (x > b.y)
            v = 2 * v + 2;
        else
            return KD_CELLS + v;
        d = kd_next<DIM>(d);
    }
    return v - (cells - 1);
}

/* How the keys of a side list are counted: in bins of 2^shift keys from `low` on, those of coordinate d. */
struct kd_list_scale {
    uint32_t low;
    uint16_t shift, d;
};

template <int DIM>
__device__ __forceinline__ kd_list_scale kd_scale_of(const kd_pass &pass, const kd_work &work, uint32_t segment, int v)
{
    const float2 b = work.brackets[segment * KD_CELLS + v];
    kd_list_scale scale;
    scale.low = bi_key_u32_of_f32(b.x);
    const int bits = 32 - __clz((int)(bi_key_u32_of_f32(b.y) - scale.low));
    scale.shift = (uint16_t)(bits > pass.list_log ? bits - pass.list_log : 0);
    scale.d = (uint16_t)((pass.level + kd_depth_of(v)) % DIM);
    return scale;
}

template <int DIM> __device__ __forceinline__ uint32_t kd_list_bin(const kd_list_scale &scale, const kd_point<DIM> &p)
{
    const uint32_t bin = (bi_key_u32_of_f32(kd_coordinate<DIM>(p, scale.d)) - scale.low) >> scale.shift;
    return min(bin, (uint32_t)KD_LIST_BINS - 1); /* less already, unless a NaN was let in */
}

/* Tables of one segment in shared memory, by which points are handed to their destinations. */
struct kd_scatter {
    uint32_t count[KD_DESTINATIONS]; /* of this block's points */
    uint2 target[KD_DESTINATIONS]; /* where these go (in the next array, or in `side`), less `start`; where room ends */
    uint2 destination[KD_DESTINATIONS]; /* begin and room */
    kd_list_scale scale[KD_CELLS];
    float2 brackets[KD_CELLS];
};

/* By the first 32 threads of a block. */
template <int DIM>
__device__ __forceinline__ void kd_scatter_prepare(kd_scatter &s, const kd_pass &pass, const kd_work &work,
                                                   uint32_t segment, int t)
{
    s.destination[t] = work.destinations[segment * KD_DESTINATIONS + t];
    s.count[t] = 0;
    if (t + 1 >= 1 << pass.levels) return;
    s.brackets[t] = work.brackets[segment * KD_CELLS + t];
    s.scale[t] = kd_scale_of<DIM>(pass, work, segment, t);
}

/* Counts a point in this block, and in its list's bins. Returns its rank in the block. */
template <int DIM>
__device__ __forceinline__ uint32_t kd_scatter_count(kd_scatter &s, const kd_pass &pass, const kd_work &work,
                                                     uint32_t segment, uint32_t destination, const kd_point<DIM> &p)
{
    if (pass.counted && destination >= KD_CELLS && destination < KD_KEPT) {
        const uint32_t v = destination - KD_CELLS, bin = kd_list_bin<DIM>(s.scale[v], p);
        atomicAdd(&work.list_bins[(size_t)(segment * KD_CELLS + v) * KD_LIST_BINS + bin], 1u);
    }
    return atomicAdd(&s.count[destination], 1u);
}

/* Takes places for the counted points, the first of which has the rank `start`; by the first 32 threads. `from`: 0 for
 * the sieve, or one more than the depth that points come from. */
__device__ __forceinline__ void kd_scatter_take(kd_scatter &s, const kd_work &work, uint32_t segment, int t,
                                                uint32_t start, int from)
{
    const uint32_t count = s.count[t];
    const uint2 to = s.destination[t];
    if (t == KD_KEPT) return;
    const uint32_t first = count ? atomicAdd(&work.cursors[segment * KD_DESTINATIONS + t], count) : 0;
    if (count && from < KD_PASS_LEVELS)
        atomicAdd(&work.arrivals[(segment * KD_PASS_LEVELS + from) * KD_DESTINATIONS + t], count);
    s.target[t] = make_uint2(to.x + first - start, to.x + to.y);
    if (count && (first > to.y || count > to.y - first)) atomicOr(work.failed, 1u);
}

/* Writes a point of the given rank to its destination. */
template <int DIM>
__device__ __forceinline__ void kd_scatter_put(const kd_scatter &s, const kd_array &to, const kd_array &side,
                                               uint32_t destination, uint32_t rank, const kd_point<DIM> &p)
{
    const uint2 target = s.target[destination];
    const uint32_t place = target.x + rank;
    if (place >= target.y) return;
    const bool cell = destination < KD_CELLS;
    const kd_array into = {cell ? to.points : side.points, cell ? to.ids : side.ids};
    kd_store<DIM>(into, place, p);
}

template <int DIM>
bosc_status kd_run_sample(bosc_ctx *ctx, const kd_pass &pass, const kd_source &from, const kd_work &work);
template <int DIM>
bosc_status kd_run_sieve(bosc_ctx *ctx, const kd_pass &pass, const kd_source &from, const kd_array &to,
                         const kd_work &work);
/* `nodes` is where medians go: the tree's array. */
template <int DIM>
bosc_status kd_run_resolve(bosc_ctx *ctx, const kd_pass &pass, const kd_array &to, const kd_array &nodes,
                           const kd_work &work);
/* Subtrees of up to 2^log points are made by one block each, log being KD_BLOCK_LOG but for two cases: less where the
 * device has little shared memory for a block, more where a pass can be saved by that. */
enum { KD_BLOCK_LOG = 12, KD_MOST_BLOCK_LOG = KD_BLOCK_LOG + 1 };
/* The largest that the device has shared memory for. */
int kd_block_log(const bosc_ctx *ctx, int32_t dim);
/* Finishes all subtrees of `level`, of at most 2^log points each. */
template <int DIM>
bosc_status kd_run_blocks(bosc_ctx *ctx, int64_t n, int32_t level, int log, const kd_source &from,
                          const kd_array &nodes, const uint32_t *failed);

/* Side lists longer than this are resolved by several blocks, up to KD_MOST_PARTS of them. */
enum { KD_LONG_LIST = 8192, KD_LIST_PART = 4096, KD_MOST_PARTS = 128 };

#endif
