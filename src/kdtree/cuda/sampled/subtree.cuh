/* The state of a block that makes a subtree: points in shared memory, and the ranges of nodes. */
#ifndef BI_KDTREE_CUDA_SAMPLED_SUBTREE_CUH
#define BI_KDTREE_CUDA_SAMPLED_SUBTREE_CUH

#include <cfloat>

#include "core/cuda/warp.cuh"
#include "kdtree/cuda/sampled/multilevel_pass.cuh"

enum {
    BI_KDTREE_LANE_POINTS = 8, /* points per lane, in registers */
    /* A warp makes subtrees of up to 2^8 points alone. Measured, a build of 2^24 points: 2.08 ms, without 2.45. */
    BI_KDTREE_WARP_LOG = 8,
    BI_KDTREE_WARP_POINTS = 32 * BI_KDTREE_LANE_POINTS, /* 2^BI_KDTREE_WARP_LOG */
    BI_KDTREE_RANKED_CANDIDATES = 32, /* most candidates that every warp of a node ranks itself, a lane each */
    /* Rounds that narrow more candidates, before one warp selects among them. A round divides their extent by the bins
     * of the node, at least 128; equal coordinates take one round each. Not measured. */
    BI_KDTREE_NARROWINGS = 6,
    BI_KDTREE_NARROWED = 1 << 16 /* flag of a number of candidates: more points may share the median's key */
};

/* The median of a node: its key by the node's coordinate, and its number among the loaded points. */
struct bi_kdtree_median {
    float x;
    uint32_t i;
};

/* A node: its range in the block, and its extent, the box of the subtree cut by the medians above. */
template <int DIM> struct bi_kdtree_subnode {
    uint32_t begin, size;
    float low[DIM], high[DIM];
};

/* The grid of a block, in builds by superkey: coordinates are low + q step, with integers q, and the ranges of q have
 * few bits together, as in lattices. The block orders the points by BI_KDTREE_GRID_ORIGIN + q, which are floats: their
 * keys are dense, and all q of a point fit an exact float. */
template <int DIM, bool BY_SUPERKEY> struct bi_kdtree_grid {
};
template <int DIM> struct bi_kdtree_grid<DIM, true> {
    bool used;
    uint32_t fineness[DIM];                  /* the greatest of any point */
    float low[DIM], step[DIM], inverse[DIM]; /* inverse: of the step */
};
static constexpr float BI_KDTREE_GRID_ORIGIN = 0x1p23f; /* floats from here to 2^24 are integers */
enum { BI_KDTREE_GRID_BITS = 20 /* as many as a sort of a warp consumes: BI_KDTREE_CHUNK_BITS */ };

/* Returns 150 less the exponent of the lowest set bit of x; 0 for x = 0. */
__device__ __forceinline__ uint32_t bi_kdtree_fineness(float x)
{
    const uint32_t bits = bi_f32_bits(x) & 0x7fffffff, exponent = bits >> 23;
    const uint32_t significand = (bits & 0x7fffff) | (uint32_t)(exponent > 0) << 23;
    return bits ? 300 - exponent - ((uint32_t)__ffs((int)significand) - 1) : 0;
}

/* Decides if the points of a block are on a grid; called by one thread. least: complements of the least keys. An extent
 * that is infinite or NaN fails the comparison. */
template <int DIM>
__device__ __forceinline__ void bi_kdtree_find_grid(bi_kdtree_grid<DIM, true> &grid, const uint32_t *least,
                                                    const uint32_t *greatest)
{
    int bits = 0;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        /* Powers of two within 2^-100 ... 2^100 have an inverse. A larger step than this is a multiple of it. */
        const int exponent = max((int)grid.fineness[c] - 150, -100);
        const float scale = bi_f32_from_bits((uint32_t)(127 + min(exponent, 100)) << 23);
        const float low = bi_f32_of_key(~least[c]), steps = (bi_f32_of_key(greatest[c]) - low) * scale;
        const bool few = exponent <= 100 && steps < (float)(1 << BI_KDTREE_GRID_BITS);
        grid.low[c] = low;
        grid.step[c] = 1 / scale;
        grid.inverse[c] = scale;
        bits += few ? 32 - __clz((int)steps) : 32;
    }
    grid.used = bits <= BI_KDTREE_GRID_BITS;
}

/* Shared memory of a block. Points stay where they are loaded; only their numbers in `index` move. Node v of level j
 * owns the slots [v << (LOG - j), (v + 1) << (LOG - j)) of `index`; its points come first there. Arrays by node are in
 * heap order. */
template <int DIM, int LOG, class KEYS> struct bi_kdtree_block_shared {
    static constexpr int POINTS = 1 << LOG, LEVELS = LOG - BI_KDTREE_WARP_LOG, WARPS = 1 << LEVELS,
                         THREADS = 32 * WARPS, NODES = WARPS, BINS = POINTS / 2, WORDS = DIM * KEYS::SORT_WORDS;
    float x[DIM][POINTS];
    uint32_t id[POINTS];
    union {
        uint32_t bins[BINS + 1];     /* the last one counts slots without a point */
        uint16_t candidates[POINTS]; /* of nodes with more than RANKED_CANDIDATES, in the node's slots */
        uint16_t order[POINTS];      /* at last: the point of each in-order position */
    };
    uint16_t index[POINTS];
    uint16_t ranked[NODES][BI_KDTREE_RANKED_CANDIDATES];
    uint32_t found[NODES], collected[NODES]; /* number of candidates; number in `candidates` */
    uint32_t median_bin[NODES], median_rank[NODES], median_count[NODES]; /* the bin, the rank in it, its points */
    uint32_t ends[NODES][2][DIM + 1]; /* of candidates: least (complements) and greatest keys, and ids */
    uint32_t sides[NODES][2];         /* points moved to either side so far */
    bi_kdtree_median chosen[NODES];
    uint32_t has_many[LEVELS]; /* a node of the level has more than RANKED_CANDIDATES */
    uint32_t warp_sums[WARPS];
    uint32_t least[DIM], greatest[DIM]; /* least: complements */
    uint32_t axes;                      /* of the levels, from the root on */
    bi_kdtree_subnode<DIM> node[2 * NODES];
    float2 unit[WARPS][DIM];                     /* maps a coordinate of a warp's points to [0, 1]: factor, summand */
    bi_kdtree_packing packing[WARPS][WORDS + 1]; /* of a warp's points, by word, and of ids */
    bi_kdtree_grid<DIM, KEYS::BY_SUPERKEY> grid;
    uint32_t begin, end;
    bool stop;
};

/* Returns the number of points on one side of a node of `size` points. */
__device__ __forceinline__ uint32_t bi_kdtree_side_size(uint32_t size, uint32_t greater)
{
    return size > greater ? (size - greater) / 2 : 0;
}

template <int DIM, int LOG, class KEYS> struct bi_kdtree_block_subtree {
    bi_kdtree_block_shared<DIM, LOG, typename KEYS::of_shared> &sh;
    const KEYS &keys;
    uint32_t count;
    int d0; /* coordinate of the root */

    __device__ __forceinline__ bi_kdtree_point<DIM> point(uint32_t i) const
    {
        bi_kdtree_point<DIM> p;
#pragma unroll
        for (int c = 0; c < DIM; c++) p.x[c] = sh.x[c][i];
        p.id = sh.id[i];
        return p;
    }

    /* The same with the coordinates that were loaded. */
    __device__ __forceinline__ bi_kdtree_point<DIM> loaded_point(uint32_t i) const
    {
        bi_kdtree_point<DIM> p = point(i);
        if constexpr (KEYS::BY_SUPERKEY)
#pragma unroll
            for (int c = 0; c < DIM; c++)
                if (sh.grid.used) p.x[c] = fmaf(p.x[c] - BI_KDTREE_GRID_ORIGIN, sh.grid.step[c], sh.grid.low[c]);
        return p;
    }

    /* True if point a precedes point b by the superkey that begins at d. */
    __device__ __forceinline__ bool precedes(uint32_t a, uint32_t b, int d) const
    {
        float x = sh.x[d][a], y = sh.x[d][b];
        if (x != y) return x < y;
        return keys.template precedes<DIM>(point(a), point(b), d);
    }
};

/* Returns factor and summand of a map of [low, high] to about [0, 1]; 0 if the extent is 0 or not finite. Results need
 * clamping. */
__device__ __forceinline__ float2 bi_kdtree_unit_of(float low, float high)
{
    const float extent = high - low, factor = extent > FLT_MIN && extent <= FLT_MAX ? 1 / extent : 0;
    return make_float2(factor, -low * factor);
}

/* Maps x to [0, 1]. Callers need no more than that it is monotonic. */
__device__ __forceinline__ float bi_kdtree_to_unit(float2 unit, float x)
{
    return __saturatef(fmaf(x, unit.x, unit.y));
}

#endif
