// nanoflann on the points of bench_kdtree, with the same sums of distances and the same clocks:
// bench_kdtree_nanoflann [-n points] [-m queries] [-d dim] [-s shape] [-t threads]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <nanoflann.hpp>
#include <thread>
#include <vector>

#include "harness/points.h"

namespace
{

struct Points {
    const float *data;
    size_t n;
    int dim;
    size_t kdtree_get_point_count() const { return n; }
    float kdtree_get_pt(size_t i, size_t c) const { return data[i * dim + c]; }
    template <class Box> bool kdtree_get_bbox(Box &) const { return false; }
};

clockid_t clock_used = CLOCK_MONOTONIC;

double now()
{
    timespec t;
    clock_gettime(clock_used, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

template <int DIM> void run(const Points &points, const float *queries, size_t m, int threads)
{
    using Tree =
        nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, Points>, Points, DIM, uint32_t>;
    double begin = now();
    Tree tree(DIM, points, nanoflann::KDTreeSingleIndexAdaptorParams(10));
    tree.buildIndex();
    std::printf("%-22s %11.4f\n", "build", 1e3 * (now() - begin));
    for (size_t k : {size_t(1), size_t(8)}) {
        std::vector<float> dist2(m * k);
        std::vector<std::thread> workers;
        begin = now();
        for (int t = 0; t < threads; t++)
            workers.emplace_back([&, t] {
                std::vector<uint32_t> ids(k);
                for (size_t q = m * t / threads; q < m * (t + 1) / threads; q++)
                    tree.knnSearch(queries + q * DIM, k, ids.data(), dist2.data() + q * k);
            });
        for (auto &worker : workers) worker.join();
        double seconds = now() - begin, sum = 0;
        for (float d : dist2) sum += d;
        std::printf("nearest, k=%-11d %11.4f %22.3f M/s\n", int(k), 1e3 * seconds, 1e-6 * double(m) / seconds);
        std::printf("nearest, k=%-11d sum of dist2 %.12g\n", int(k), sum);
    }
}

} // namespace

int main(int argc, char **argv)
{
    long long n = 1 << 20, m = 1 << 20;
    int dim = 3, threads = 1;
    const char *shape = "uniform";
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!std::strcmp(argv[i], "-n")) n = std::atoll(argv[i + 1]);
        if (!std::strcmp(argv[i], "-m")) m = std::atoll(argv[i + 1]);
        if (!std::strcmp(argv[i], "-d")) dim = std::atoi(argv[i + 1]);
        if (!std::strcmp(argv[i], "-t")) threads = std::atoi(argv[i + 1]);
        if (!std::strcmp(argv[i], "-s")) shape = argv[i + 1];
    }
    if (threads == 1) clock_used = CLOCK_PROCESS_CPUTIME_ID;
    float *points = kdtree_points(shape, n, dim, 1), *queries = kdtree_points(shape, m, dim, 2);
    std::printf("# nanoflann, %d threads, %s, %lld points, %lld queries, dim %d\n", threads, shape, n, m, dim);
    Points all = {points, size_t(n), dim};
    if (dim == 2) run<2>(all, queries, size_t(m), threads);
    if (dim == 3) run<3>(all, queries, size_t(m), threads);
    if (dim == 4) run<4>(all, queries, size_t(m), threads);
    std::free(points);
    std::free(queries);
    return 0;
}
