/* Additions to bench.h for CUDA: checks, device memory, and times between events. */
#ifndef BENCH_HARNESS_CUDA_CUH
#define BENCH_HARNESS_CUDA_CUH

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "harness/bench.h"

static cudaStream_t stream;

static void check_cuda(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) bench_fail("%s: %s", what, cudaGetErrorString(e));
}
#define CUDA(call) check_cuda((call), #call)

/* Opens bench.ctx on a new stream; close_device frees both and returns the exit code. */
static inline void open_device()
{
    CUDA(cudaStreamCreate(&stream)); /* ordered with the default stream, on which input is made */
    bench.opts.backend = BOSC_BACKEND_CUDA;
    bench.opts.stream = stream;
    bench_open();
    bench_say("%s", bench_device());
}
static inline int close_device()
{
    const int code = bench_close();
    CUDA(cudaStreamDestroy(stream));
    return code;
}

template <class T> struct device_array {
    T *p;
    explicit device_array(int64_t n) { CUDA(cudaMalloc((void **)&p, (size_t)(n > 0 ? n : 1) * sizeof(T))); }
    ~device_array() { cudaFree(p); }
    device_array(const device_array &) = delete;
};

/* True if the first n items of both arrays are equal. Waits for the stream. */
template <class T> static bool same_items(const device_array<T> &a, const device_array<T> &b, int64_t n)
{
    std::vector<T> x((size_t)n), y((size_t)n);
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemcpy(x.data(), a.p, (size_t)n * sizeof(T), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(y.data(), b.p, (size_t)n * sizeof(T), cudaMemcpyDeviceToHost));
    return x == y;
}

/* Prints a row beside that of `peer`, if its times are not 0. The program fails if not `right`. */
static inline void print_row_beside(const char *peer, const char *name, int64_t n, bench_times ours, bench_times theirs,
                                    bool right)
{
    struct bench_row row = {};
    row.name = name;
    row.n = n;
    row.ours = ours;
    row.peer = theirs.median > 0 ? peer : NULL;
    row.theirs = theirs;
    bench_print(&row);
    bench_check(right, "%s of %lld", name, (long long)n);
}

/* Seconds of `count` calls of f in a row, by events. */
template <class F> static double between_events(int count, const F &f)
{
    cudaEvent_t begin, end;
    float ms;
    CUDA(cudaEventCreate(&begin));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaEventRecord(begin, stream));
    for (int k = 0; k < count; k++) f();
    CUDA(cudaEventRecord(end, stream));
    CUDA(cudaEventSynchronize(end));
    CUDA(cudaEventElapsedTime(&ms, begin, end));
    CUDA(cudaEventDestroy(begin));
    CUDA(cudaEventDestroy(end));
    return 1e-3 * (double)ms;
}

/* Times bench.repeats calls of f, after `warm_ups` untimed ones. */
template <class F> static bench_times device_time(int warm_ups, const F &f)
{
    std::vector<double> seconds;
    for (int i = -warm_ups; i < bench.repeats; i++) {
        const double one = between_events(1, f);
        if (i >= 0) seconds.push_back(one);
    }
    return bench_median_of(seconds.data(), (int)seconds.size());
}

/* Captures the work that f queues as a graph. f runs once before, so that its memory exists. */
template <class F> static cudaGraphExec_t capture(const F &f)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    f();
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    f();
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphDestroy(graph));
    return exec;
}

/* Captures the work that f queues as a graph and times one launch: the mean over a row of launches that takes about
 * 3 ms. */
template <class F> static bench_times graph_time(const F &f)
{
    cudaGraphExec_t exec = capture(f);
    std::vector<double> seconds;
    int launches = 4;
    for (int i = -2; i < bench.repeats; i++) {
        const double all = between_events(launches, [&] { CUDA(cudaGraphLaunch(exec, stream)); });
        if (i >= 0) seconds.push_back(all / launches);
        if (i == -1) launches = std::max(2, std::min(400, 2 * (int)(1.5e-3 * launches / all)));
    }
    CUDA(cudaGraphExecDestroy(exec));
    return bench_median_of(seconds.data(), (int)seconds.size());
}

static inline void device_row(const char *name, const char *data, int64_t n, bench_times times, const char *note)
{
    struct bench_row row = {};
    row.name = name;
    row.data = data;
    row.n = n;
    row.ours = times;
    row.note = note;
    bench_print(&row);
}

#endif
