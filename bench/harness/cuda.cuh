/* What the benchmarks of CUDA share: checks, device memory, and times between events. */
#ifndef BENCH_CUDA_H
#define BENCH_CUDA_H

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <boscage/context.h>

static cudaStream_t stream;
static bosc_ctx *ctx;

static void check_cuda(cudaError_t e, const char *what)
{
    if (e == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
    exit(1);
}
#define CUDA(call) check_cuda((call), #call)

static void check_bosc(bosc_status s, const char *what)
{
    if (s == BOSC_OK) return;
    fprintf(stderr, "%s: %s\n", what, bosc_message(ctx));
    exit(1);
}
#define BOSC(call) check_bosc((call), #call)

/* A context on a stream of its own; close_device frees both. */
static inline void open_device()
{
    bosc_ctx_opts o = {};
    CUDA(cudaStreamCreate(&stream));
    o.size = sizeof o;
    o.backend = BOSC_BACKEND_CUDA;
    o.stream = stream;
    BOSC(bosc_ctx_create(&o, &ctx));
}
static inline void close_device()
{
    bosc_ctx_free(ctx);
    CUDA(cudaStreamDestroy(stream));
}

template <class T> struct device_array {
    T *p;
    explicit device_array(int64_t n) { CUDA(cudaMalloc((void **)&p, (size_t)(n > 0 ? n : 1) * sizeof(T))); }
    ~device_array() { cudaFree(p); }
    device_array(const device_array &) = delete;
};

/* The median of `runs` calls, after `warm_ups` that are not counted. */
template <class F> static double median_ms(int warm_ups, int runs, const F &f)
{
    cudaEvent_t begin, end;
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    std::vector<float> ms((size_t)runs);
    for (int i = -warm_ups; i < runs; i++) {
        CUDA(cudaEventRecord(begin, stream));
        f();
        CUDA(cudaEventRecord(end, stream));
        CUDA(cudaEventSynchronize(end));
        if (i >= 0) CUDA(cudaEventElapsedTime(&ms[(size_t)i], begin, end));
    }
    CUDA(cudaEventDestroy(begin));
    CUDA(cudaEventDestroy(end));
    std::sort(ms.begin(), ms.end());
    return ms[(size_t)runs / 2];
}

#endif
