/* Extents of clouds: a warp reduces consecutive rows, mostly of one cloud. */
#include "clouds/cuda/clouds.cuh"

enum { THREADS = 256, WARP_ROWS = 1024 }; /* rows of a warp: 32 a lane; not measured */

/* Writes the least keys of all lanes. The whole warp calls it. */
static __device__ __forceinline__ void write_extent(uint64_t *extent, uint64_t low, uint64_t not_high)
{
    for (int d = 16; d > 0; d /= 2) {
        const uint64_t other = __shfl_xor_sync(~0u, low, d), other_high = __shfl_xor_sync(~0u, not_high, d);
        low = other < low ? other : low;
        not_high = other_high < not_high ? other_high : not_high;
    }
    if (threadIdx.x % 32 != 0) return;
    bi_atomic_min_u64(&extent[0], low);
    bi_atomic_min_u64(&extent[1], not_high);
}

static __global__ void bi_clouds_extent_kernel(const bi_clouds_extent a)
{
    /* 1. The rows of the warp, and the first cloud among them. */
    const int64_t warp = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / 32, first = warp * WARP_ROWS;
    const int64_t last = first + WARP_ROWS < a.rows.n ? first + WARP_ROWS : a.rows.n;
    const int32_t axes = bi_clouds_axes(a.rows.dim);
    if (first >= last) return;
    int64_t cloud = bi_clouds_cloud_of(a.offsets, a.cloud_count, first);
    /* 2. Cloud by cloud, least keys of each axis. */
    for (int64_t i = first; i < last; cloud++) {
        const int64_t end = a.offsets[cloud + 1] < last ? a.offsets[cloud + 1] : last;
        for (int32_t c = 0; c < axes && i < end; c++) {
            uint64_t low = UINT64_MAX, not_high = UINT64_MAX;
            for (int64_t r = i + threadIdx.x % 32; r < end; r += 32) {
                const double x = bi_clouds_coordinate(a.rows.data, a.rows.is_f64, r * a.rows.stride + c);
                const uint64_t key = bi_key_u64_of_f64(x);
                low = key < low ? key : low;
                not_high = ~key < not_high ? ~key : not_high;
            }
            write_extent(&a.extents[(cloud * axes + c) * 2], low, not_high);
        }
        i = end;
    }
}

bosc_status bi_cuda_clouds_extent(bosc_ctx *ctx, const void *args)
{
    const bi_clouds_extent *a = static_cast<const bi_clouds_extent *>(args);
    const int64_t blocks = bi_div_up(a->rows.n, WARP_ROWS * (THREADS / 32));
    return BI_RUN(ctx, bi_clouds_extent_kernel, (unsigned)blocks, THREADS, 0, *a);
}
