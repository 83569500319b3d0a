/* Farthest point sampling: a block a cloud. The nodes of one level are its buckets: a new sample is compared with their
 * boxes, and a warp measures the points of each bucket that may have nearer ones. Source: Han et al., QuickFPS (IEEE
 * TCAD 2023). */
#include "core/cuda/warp.cuh"
#include "clouds/cuda/clouds.cuh"

/* MOST_BUCKETS: in shared memory, 16 bytes each. LEAST_LEVEL: buckets of 32 points, one a lane. Not measured. */
enum { MOST_THREADS = 1024, MOST_BUCKETS = 1024, LEAST_LEVEL = 1 };

/* A point with its distance to the samples; -1: a sample, or none. */
template <class T> struct farthest_point {
    T d;
    uint32_t id, position;

    __device__ __forceinline__ bool is_before(const farthest_point &other) const
    {
        return d > other.d || (d == other.d && id < other.id);
    }
};

template <class T> struct sample_shared {
    T d[MOST_BUCKETS];
    uint32_t id[MOST_BUCKETS], position[MOST_BUCKETS];
    uint16_t changed[MOST_BUCKETS];
    farthest_point<T> of_warp[MOST_THREADS / 32];
    unsigned changed_count;
    uint32_t first;
};

/* Returns the farthest of all lanes to all lanes. */
template <class T> static __device__ __forceinline__ farthest_point<T> farthest_of_warp(farthest_point<T> best)
{
    for (int d = 16; d > 0; d /= 2) {
        const farthest_point<T> other = {__shfl_xor_sync(~0u, best.d, d), __shfl_xor_sync(~0u, best.id, d),
                                         __shfl_xor_sync(~0u, best.position, d)};
        if (other.is_before(best)) best = other;
    }
    return best;
}

/* Measures the points of a bucket to a sample, and returns the farthest. The whole warp calls it. */
template <class T>
static __device__ __forceinline__ farthest_point<T>
measure_bucket(const bi_clouds_view &v, T *dist2, const T *q, uint32_t sample, bool first, int64_t begin, int64_t end)
{
    farthest_point<T> best = {(T)-1, UINT32_MAX, (uint32_t)begin};
    for (int64_t p = begin + threadIdx.x % 32; p < end; p += 32) {
        T d = (T)bi_clouds_dist2(&v, p, q);
        if (!first && !(d < dist2[p])) d = dist2[p];
        if (p == (int64_t)sample) d = -1;
        dist2[p] = d;
        const farthest_point<T> own = {d, v.ids[p], (uint32_t)p};
        if (own.is_before(best)) best = own;
    }
    return farthest_of_warp(best);
}

/* Finds the position of the first sample of a cloud (offset, n). The whole block calls it. */
template <class T>
static __device__ __forceinline__ uint32_t find_first(const bi_clouds_sample &a, int64_t cloud, int64_t offset,
                                                      int64_t n, sample_shared<T> *sh)
{
    const int64_t start = a.starts ? a.starts[cloud] : offset;
    if (threadIdx.x == 0) {
        sh->first = (uint32_t)offset;
        sh->changed_count = 0;
    }
    __syncthreads(); /* the default is there */
    for (int64_t p = offset + threadIdx.x; p < offset + n; p += blockDim.x)
        if ((int64_t)a.view.ids[p] == start) sh->first = (uint32_t)p;
    __syncthreads(); /* the thread that found the start has written it */
    return sh->first;
}

/* Samples cloud blockIdx.x; `level` is that of the buckets. */
template <class T, bool IS_3D> static __device__ __forceinline__ void sample_cloud(const bi_clouds_sample &a, int level)
{
    BI_SHARED(sample_shared<T>, sh);
    bi_clouds_view v = a.view;
    v.is_f64 = sizeof(T) == sizeof(double);
    if (IS_3D) v.dim = 3, v.pitch = sizeof(T) == sizeof(double) ? 3 : 4;
    /* 1. The cloud, and its first sample. */
    const int64_t cloud = blockIdx.x, offset = v.offsets[cloud], n = v.offsets[cloud + 1] - offset;
    const int64_t row = a.offsets[cloud], count = a.offsets[cloud + 1] - row, m = count < n ? count : n;
    const int buckets = (int)bi_clouds_node_count(n, level), bits = bi_clouds_node_bits(level);
    const int64_t slot = bi_clouds_node_slot(&v, level, offset, cloud);
    const int warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
    const bi_row_out out = {a.ids, nullptr, row, a.ids_64bit, false, false};
    T *dist2 = reinterpret_cast<T *>(a.dist2);
    for (int64_t j = m + threadIdx.x; j < count; j += blockDim.x) bi_row_set(&out, j, 0, UINT32_MAX);
    if (m == 0) return;
    uint32_t sample = find_first(a, cloud, offset, n, &sh);
    for (int64_t j = 0;; j++) {
        if (threadIdx.x == 0) bi_row_set(&out, j, 0, v.ids[sample]);
        if (j + 1 >= m) return;
        /* 2. List the buckets that hold the sample or may have nearer points; all buckets at first. */
        const T *q = static_cast<const T *>(v.points) + (int64_t)sample * v.pitch;
        for (int b = (int)threadIdx.x; b < buckets; b += (int)blockDim.x) {
            const bool holds = ((int64_t)sample - offset) >> bits == b;
            if (j == 0 || holds || bi_clouds_box_dist2(&v, slot + b, q) < (double)sh.d[b])
                sh.changed[atomicAdd(&sh.changed_count, 1u)] = (uint16_t)b;
        }
        __syncthreads(); /* the list is complete */
        /* 3. A warp measures each. */
        for (int c = warp; c < (int)sh.changed_count; c += warps) {
            const int b = sh.changed[c];
            const int64_t begin = offset + ((int64_t)b << bits), behind = begin + ((int64_t)1 << bits);
            const farthest_point<T> best =
                measure_bucket<T>(v, dist2, q, sample, j == 0, begin, behind < offset + n ? behind : offset + n);
            if (threadIdx.x % 32 == 0) {
                sh.d[b] = best.d;
                sh.id[b] = best.id;
                sh.position[b] = best.position;
            }
        }
        __syncthreads(); /* all buckets are up to date, and the list has been read */
        /* 4. The farthest point of all buckets is the next sample. */
        if (threadIdx.x == 0) sh.changed_count = 0;
        farthest_point<T> best = {(T)-1, UINT32_MAX, sample};
        for (int b = (int)threadIdx.x; b < buckets; b += (int)blockDim.x) {
            const farthest_point<T> own = {sh.d[b], sh.id[b], sh.position[b]};
            if (own.is_before(best)) best = own;
        }
        best = farthest_of_warp(best);
        if (threadIdx.x % 32 == 0) sh.of_warp[warp] = best;
        __syncthreads(); /* the farthest points of all warps are there, and the count is 0 */
        best = {(T)-1, UINT32_MAX, sample};
        if ((int)(threadIdx.x % 32) < warps) best = sh.of_warp[threadIdx.x % 32];
        sample = farthest_of_warp(best).position;
    }
}

template <class T, bool IS_3D>
static __global__ void __launch_bounds__(MOST_THREADS) bi_clouds_sample_kernel(const bi_clouds_sample a, int level)
{
    sample_cloud<T, IS_3D>(a, level);
}

/* --- Small clouds of 3-D floats: all points of a thread are in registers ------------------------------------------ */

enum { REGISTER_POINTS = 8 };

/* The farthest point of each warp: bits of its distance + 1 (0: none), id and coordinates; for two rounds in turn. */
struct small_shared {
    uint32_t bits[2][MOST_THREADS / 32], id[2][MOST_THREADS / 32];
    float at[2][MOST_THREADS / 32][3];
};

struct small_point {
    float x, y, z;
    uint32_t bits, id; /* bits: as in small_shared; 0: a sample */
};

/* Measures a point to a sample. */
static __device__ __forceinline__ void measure_point(small_point *p, const small_point &sample)
{
    const float x = sample.x - p->x, y = sample.y - p->y, z = sample.z - p->z;
    const uint32_t bits = bi_f32_bits(fminf(x * x + y * y + z * z, INFINITY)) + 1;
    p->bits = p->id == sample.id ? 0 : bits < p->bits ? bits : p->bits;
}

template <int POINTS>
static __global__ void __launch_bounds__(MOST_THREADS) bi_clouds_sample_small_kernel(const bi_clouds_sample a)
{
    BI_SHARED(small_shared, sh);
    const bi_clouds_view &v = a.view;
    /* 1. The points of the thread, and the first sample. */
    const int64_t cloud = blockIdx.x, offset = v.offsets[cloud], n = v.offsets[cloud + 1] - offset;
    const int64_t row = a.offsets[cloud], count = a.offsets[cloud + 1] - row, m = count < n ? count : n;
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32, warps = (int)blockDim.x / 32;
    const bi_row_out out = {a.ids, nullptr, row, a.ids_64bit, false, false};
    const float4 *points = static_cast<const float4 *>(v.points) + offset;
    const int64_t start = a.starts && m > 0 ? a.starts[cloud] : offset;
    small_point own[POINTS], sample;
    for (int64_t j = m + threadIdx.x; j < count; j += blockDim.x) bi_row_set(&out, j, 0, UINT32_MAX);
    if (m == 0) return;
#pragma unroll
    for (int j = 0; j < POINTS; j++) {
        const int64_t p = threadIdx.x + j * (int64_t)blockDim.x;
        const float4 at = points[p < n ? p : 0];
        own[j] = {at.x, at.y, at.z, p < n ? UINT32_MAX : 0, p < n ? v.ids[offset + p] : UINT32_MAX};
        if (p >= n || (int64_t)own[j].id != start) continue;
        sh.id[0][0] = own[j].id;
        sh.at[0][0][0] = at.x, sh.at[0][0][1] = at.y, sh.at[0][0][2] = at.z;
    }
    __syncthreads(); /* the thread of the start has written it */
    sample = {sh.at[0][0][0], sh.at[0][0][1], sh.at[0][0][2], 0, sh.id[0][0]};
    for (int64_t j = 0;; j++) {
        const int turn = (int)(~j & 1);
        if (threadIdx.x == 0) bi_row_set(&out, j, 0, sample.id);
        if (j + 1 >= m) return;
        /* 2. The farthest point of the thread, then of the warp: most bits, then the smallest id. */
        small_point best = {0, 0, 0, 0, UINT32_MAX};
#pragma unroll
        for (int k = 0; k < POINTS; k++) {
            measure_point(&own[k], sample);
            if (own[k].bits > best.bits || (own[k].bits == best.bits && own[k].id < best.id)) best = own[k];
        }
        uint32_t bits = bi_warp_max(best.bits), id = bi_warp_min(best.bits == bits ? best.id : UINT32_MAX);
        if (bits == 0 ? lane == 0 : best.bits == bits && best.id == id) {
            sh.bits[turn][warp] = bits;
            sh.id[turn][warp] = id;
            sh.at[turn][warp][0] = best.x, sh.at[turn][warp][1] = best.y, sh.at[turn][warp][2] = best.z;
        }
        __syncthreads(); /* all warps have written; the next round writes elsewhere, so none waits for readers */
        /* 3. The farthest of all warps is the next sample. */
        const uint32_t of_lane = lane < warps ? sh.bits[turn][lane] : 0;
        const uint32_t id_of_lane = lane < warps ? sh.id[turn][lane] : UINT32_MAX;
        bits = bi_warp_max(of_lane);
        id = bi_warp_min(of_lane == bits ? id_of_lane : UINT32_MAX);
        const int from = __ffs((int)__ballot_sync(~0u, lane < warps && of_lane == bits && id_of_lane == id)) - 1;
        sample = {sh.at[turn][from][0], sh.at[turn][from][1], sh.at[turn][from][2], 0, id};
    }
}

/* Four points a thread, or eight in the largest blocks. */
static bosc_status launch_small(bosc_ctx *ctx, int64_t n, const bi_clouds_sample &a)
{
    const int64_t need = bi_div_up(a.view.largest, REGISTER_POINTS / 2), most = MOST_THREADS;
    const unsigned threads = (unsigned)bi_round_up((uint64_t)(need < 1 ? 1 : need < most ? need : most), 32);
    const bool is_large = a.view.largest > most * REGISTER_POINTS / 2;
    const auto kernel =
        is_large ? bi_clouds_sample_small_kernel<REGISTER_POINTS> : bi_clouds_sample_small_kernel<REGISTER_POINTS / 2>;
    return BI_RUN(ctx, kernel, (unsigned)n, threads, 0, a);
}

template <class T, bool IS_3D> static bosc_status launch_sample(bosc_ctx *ctx, int64_t n, const bi_clouds_sample &a)
{
    const auto kernel = bi_clouds_sample_kernel<T, IS_3D>;
    int level = LEAST_LEVEL;
    while (bi_clouds_node_count(a.view.largest, level) > MOST_BUCKETS) level++;
    if (level > a.view.levels - 1) level = a.view.levels - 1;
    /* A warp for each bucket, as far as there are warps: small clouds have small blocks. */
    const int64_t buckets = bi_clouds_node_count(a.view.largest, level), warps = MOST_THREADS / 32;
    const unsigned threads = (unsigned)(buckets < 1 ? 1 : buckets < warps ? buckets : warps) * 32;
    return BI_RUN(ctx, kernel, (unsigned)n, threads, 0, a, level);
}

bosc_status bi_cuda_clouds_sample(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_clouds_sample *a = static_cast<const bi_clouds_sample *>(args);
    if (n > INT32_MAX) return ctx->ops->clouds->steps->sample(ctx, n, args);
    if (!a->view.is_f64 && a->view.dim == 3 && a->view.largest <= MOST_THREADS * REGISTER_POINTS)
        return launch_small(ctx, n, *a);
    if (a->view.is_f64)
        return a->view.dim == 3 ? launch_sample<double, true>(ctx, n, *a) : launch_sample<double, false>(ctx, n, *a);
    return a->view.dim == 3 ? launch_sample<float, true>(ctx, n, *a) : launch_sample<float, false>(ctx, n, *a);
}
