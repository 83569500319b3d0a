/* What the blocks of a build of few points do between barriers: they find the extent, count the points of each voxel,
 * and put them in the order of voxels and ids. */
#ifndef BI_VOXELGRID_CUDA_SMALL_CUH
#define BI_VOXELGRID_CUDA_SMALL_CUH

#include "core/cuda/cooperative.cuh"
#include "core/cuda/warp.cuh"
#include "voxelgrid/cuda/dense.cuh"
#include "voxelgrid/steps/build.h"

#ifdef BI_EMULATE
enum { SMALL_CROWD = 16 };
#else
enum { SMALL_CROWD = 128 /* points of a voxel, at most */ };
#endif
enum { EDGES = 1 + 2 * BI_VOXELGRID_DIM /* as of found, for floats */ };

/* Words of all blocks where there are several; 0 at first. */
struct alignas(16) small_words {
    unsigned arrived; /* of the barrier */
    uint32_t most;    /* points in neighbouring voxels */
    uint32_t largest; /* points of a voxel */
};

/* Words for the host, each with bit 63: the extent's edges, then the number of voxels and `most`, or 0 where points are
 * not placed. */
enum { TOLD_EDGES = 0, TOLD_DONE = EDGES, TOLD_WORDS, TOLD_VOXELS = 32 /* above `most` */ };
#define TOLD (1ull << 63)

struct small_args {
    bi_voxelgrid_place place; /* its view's shape comes from the extent */
    small_words *words;
    uint32_t *counts; /* by voxel, 0 at first; then how many points come before in voxels of its block */
    uint32_t *edges;  /* (blocks x EDGES) */
    uint32_t *sums;   /* (blocks) points in the voxels of a block */
    uint32_t *ids;    /* (n) by voxel */
    unsigned long long *told;
};

/* ONE: of one block, which needs no more memory. */
template <int THREADS, bool ONE> struct small_shared {
    static constexpr int VOXELS = ONE ? 4 * THREADS : 1, POINTS = ONE ? THREADS : 1;
    alignas(16) uint32_t counts[VOXELS];
    uint32_t ids[POINTS];
    uint32_t edges[EDGES][THREADS / 32], least[EDGES], warps[THREADS / 32], most, largest;
    uint32_t bases[THREADS]; /* by block: points in voxels of those before it */
    bi_voxelgrid_dense view;
    uint32_t entries; /* 0: points are not placed */
};

/* The extent, as other builds find it. */
__host__ __device__ static void found_of(const uint32_t *least, int32_t dim, uint64_t *found)
{
    found[BI_VOXELGRID_NAN] = least[BI_VOXELGRID_NAN] == UINT32_MAX ? UINT64_MAX : least[BI_VOXELGRID_NAN];
#pragma unroll
    for (int k = 0; k < BI_VOXELGRID_DIM; k++) {
        const int c = k - (BI_VOXELGRID_DIM - dim);
        if (c < 0) continue;
        const float low = bi_f32_of_key(least[BI_VOXELGRID_LOW + k]),
                    high = bi_f32_of_key(~least[BI_VOXELGRID_HIGH + k]);
        found[BI_VOXELGRID_LOW + c] = bi_key_u64_of_f64((double)low);
        found[BI_VOXELGRID_HIGH + c] = ~bi_key_u64_of_f64((double)high);
    }
}

static __device__ void tell(const small_args &a, uint32_t voxels, uint32_t most)
{
    if (blockIdx.x > 0 || threadIdx.x > 0) return;
    bi_tell_host(&a.told[TOLD_DONE], TOLD | (unsigned long long)voxels << TOLD_VOXELS | most);
}

/* The part of a thread: a point, and EACH voxels beside each other. ONE: there is one block. */
template <int THREADS, bool ONE> struct small_build {
    enum { WARPS = THREADS / 32, EACH = 4 };

    const small_args &a;
    small_shared<THREADS, ONE> &sh;
    bi_grid_barrier barrier;
    int64_t i;
    bool is; /* there is a point i */
    float q[BI_VOXELGRID_DIM];
    uint32_t voxel, rank, start, end; /* of the point: its voxel, and where that begins and ends */
    uint4 before;                     /* of the thread's voxels: points in those of the block that come before */

    __device__ small_build(const small_args &args, small_shared<THREADS, ONE> &shared)
        : a(args), sh(shared), barrier{ONE ? NULL : &args.words->arrived, 0},
          i(blockIdx.x * (int64_t)THREADS + threadIdx.x), is(i < args.place.rows.n), q{0, 0, 0}, voxel(0), rank(0),
          start(0), end(0), before{0, 0, 0, 0}
    {
        if (is) bi_voxelgrid_read_row(a.place.rows, i, q);
        if (ONE) *own_counts() = before;
    }

    __device__ void meet()
    {
        if (ONE)
            __syncthreads();
        else
            bi_grid_sync(&barrier);
    }

    __device__ uint32_t *counts() const { return ONE ? sh.counts : a.counts; }
    __device__ uint32_t *ids() const { return ONE ? sh.ids : a.ids; }
    __device__ uint4 *own_counts() const { return reinterpret_cast<uint4 *>(counts()) + i; }

    /* Finds the block's edges, and tells other blocks. */
    __device__ void find_edges() const
    {
        uint32_t least[EDGES];
#pragma unroll
        for (int k = 0; k < EDGES; k++) least[k] = UINT32_MAX;
#pragma unroll
        for (int k = 0; k < BI_VOXELGRID_DIM && is; k++) {
            const bool nan = q[k] != q[k];
            const uint32_t key = bi_key_u32_of_f32(nan ? -INFINITY : q[k]);
            if (nan) least[BI_VOXELGRID_NAN] = (uint32_t)i;
            least[BI_VOXELGRID_LOW + k] = key;
            least[BI_VOXELGRID_HIGH + k] = ~key;
        }
#pragma unroll
        for (int k = 0; k < EDGES; k++) {
            const uint32_t x = bi_warp_least(least[k]);
            if (threadIdx.x % 32 == 0) sh.edges[k][threadIdx.x / 32] = x;
        }
        __syncthreads();
        if (threadIdx.x >= EDGES) return;
        uint32_t x = UINT32_MAX;
        for (int w = 0; w < WARPS; w++) x = min(x, sh.edges[threadIdx.x][w]);
        sh.least[threadIdx.x] = x;
        if (!ONE) a.edges[blockIdx.x * EDGES + threadIdx.x] = x;
    }

    /* Makes the view of all blocks' edges; one block tells the host of them. A NaN is far away, as -infinity, so that
     * the view is not dense. */
    __device__ void make_view() const
    {
        for (unsigned k = threadIdx.x / 32; k < EDGES && !ONE; k += WARPS) {
            uint32_t x = UINT32_MAX;
            for (unsigned b = threadIdx.x % 32; b < gridDim.x; b += 32) x = min(x, a.edges[b * EDGES + k]);
            x = bi_warp_least(x);
            if (threadIdx.x % 32 == 0) sh.least[k] = x;
        }
        if (!ONE) __syncthreads();
        if (blockIdx.x == 0 && threadIdx.x < EDGES)
            bi_tell_host(&a.told[TOLD_EDGES + threadIdx.x], TOLD | sh.least[threadIdx.x]);
        if (threadIdx.x == 0) {
            uint64_t found[BI_VOXELGRID_FOUND] = {};
            bi_voxelgrid_view v = a.place.view;
            found_of(sh.least, v.dim, found);
            bi_voxelgrid_shape_keys(&v, found);
            sh.view = bi_voxelgrid_dense_of(v);
            sh.entries = bi_voxelgrid_is_dense(&v) ? (uint32_t)v.last_key + 1 : 0;
            sh.most = sh.largest = 0;
        }
        __syncthreads();
    }

    __device__ void count_point()
    {
        if (!is) return;
        voxel = bi_voxelgrid_dense_key(sh.view, q);
        rank = atomicAdd(counts() + voxel, 1u);
    }

    /* Adds up the voxels of the block, and finds where most points are. */
    __device__ void add_up()
    {
        const uint4 c = *own_counts();
        const uint32_t sum = c.x + c.y + c.z + c.w;
        uint32_t total;
        const uint32_t at = bi_block_exclusive_sum<WARPS>(sum, sh.warps, &total);
        const uint32_t near = bi_warp_sum(sum), largest = bi_warp_greatest(max(max(c.x, c.y), max(c.z, c.w)));
        *own_counts() = before = {at, at + c.x, at + c.x + c.y, at + sum - c.w};
        if (threadIdx.x % 32 == 0) {
            atomicMax(&sh.most, near);
            atomicMax(&sh.largest, largest);
        }
        if (ONE) return;
        __syncthreads();
        if (threadIdx.x > 0) return;
        a.sums[blockIdx.x] = total;
        atomicMax(&a.words->most, sh.most);
        atomicMax(&a.words->largest, sh.largest);
    }

    /* Whether no voxel has too many points; the host is told. */
    __device__ bool may_place() const
    {
        const uint32_t most = ONE ? sh.most : bi_load_relaxed(&a.words->most);
        const bool may = (ONE ? sh.largest : bi_load_relaxed(&a.words->largest)) <= SMALL_CROWD;
        tell(a, may ? sh.entries : 0, most);
        return may;
    }

    __device__ uint32_t start_of(uint32_t v) const
    {
        if (v == sh.entries) return (uint32_t)a.place.rows.n;
        return (ONE ? 0 : sh.bases[v / (THREADS * EACH)]) + counts()[v];
    }

    /* Writes where voxels start, and puts the id into the voxel. */
    __device__ void place_id()
    {
        const uint32_t first = (uint32_t)i * EACH, entries = sh.entries;
        uint32_t total, base = 0;
        if (!ONE) {
            sh.bases[threadIdx.x] =
                bi_block_exclusive_sum<WARPS>(threadIdx.x < gridDim.x ? a.sums[threadIdx.x] : 0, sh.warps, &total);
            __syncthreads();
            base = sh.bases[blockIdx.x];
        }
        const uint32_t starts[EACH] = {base + before.x, base + before.y, base + before.z, base + before.w};
#pragma unroll
        for (int k = 0; k < EACH; k++)
            if (first + k < entries) a.place.starts[first + k] = starts[k];
        if (first == 0) a.place.starts[entries] = (uint32_t)a.place.rows.n;
        if (!is) return;
        start = start_of(voxel);
        end = start_of(voxel + 1);
        ids()[start + rank] = (uint32_t)i;
    }

    /* The point goes to where its id is in order. */
    __device__ void place_point() const
    {
        uint32_t at = start;
        for (uint32_t k = start; k < end; k++) at += ids()[k] < (uint32_t)i;
        const uint4 point = {__float_as_uint(q[0]), __float_as_uint(q[1]), __float_as_uint(q[2]), (uint32_t)i};
        if (is) reinterpret_cast<uint4 *>(a.place.points)[at] = point;
    }
};

#endif
