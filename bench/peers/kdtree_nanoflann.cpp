// nanoflann on the points of bench_kdtree, with the same sums of distances and the same clocks:
// bench_kdtree_nanoflann [-n points] [-m queries] [-d dim] [-s shape]
#include <cstdlib>
#include <nanoflann.hpp>
#include <thread>
#include <vector>

#include "harness/bench.h"
#include "harness/shapes.h"

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

template <class F> bench_times time_once(const F &f)
{
    const double begin = bench_now();
    f();
    const double seconds = bench_now() - begin;
    return {seconds, seconds};
}

void print_row(const char *name, int64_t items, bench_times times)
{
    struct bench_row row = {};
    row.name = name;
    row.library = "nanoflann";
    row.n = items;
    row.ours = times;
    bench_print(&row);
}

template <int DIM> void time_tree(const Points &points, const float *queries, size_t m, int threads)
{
    using Tree =
        nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, Points>, Points, DIM, uint32_t>;
    Tree tree(DIM, points, nanoflann::KDTreeSingleIndexAdaptorParams(10));
    print_row("build", (int64_t)points.n, time_once([&] { tree.buildIndex(); }));
    for (size_t k : {size_t(1), size_t(8)}) {
        std::vector<float> dist2(m * k);
        const char *name = bench_text("nearest, k=%d", int(k));
        print_row(name, (int64_t)m, time_once([&] {
                      std::vector<std::thread> workers;
                      for (int t = 0; t < threads; t++)
                          workers.emplace_back([&, t] {
                              std::vector<uint32_t> ids(k);
                              for (size_t q = m * t / threads; q < m * (t + 1) / threads; q++)
                                  tree.knnSearch(queries + q * DIM, k, ids.data(), dist2.data() + q * k);
                          });
                      for (auto &worker : workers) worker.join();
                  }));
        double sum = 0;
        for (float d : dist2) sum += d;
        bench_say("nanoflann: %s: sum of dist2 %.12g", name, sum);
    }
}

} // namespace

int main(int argc, char **argv)
{
    int64_t m = 1 << 20, dim = 3;
    const char *shape = "uniform";
    const bench_option own[] = {{'m', BENCH_INTEGER, &m, "queries"},
                                {'d', BENCH_INTEGER, &dim, "dimensions: 2, 3 or 4"},
                                {'s', BENCH_TEXT, &shape, SHAPE_TEXT(POINT_SHAPES)}};
    bench.n = 1 << 20;
    bench.repeats = 1;
    bench.opts.threads = 1;
    bench_options(argc, argv, "points", own, 3);
    if (bench.opts.threads == 1) bench.clock = BENCH_PROCESS;
    float *queries, *points = bench_points_and_queries(shape, bench.n, m, (int)dim, &queries);
    bench_say("nanoflann: %lld %s points, %lld queries, dim %d", (long long)bench.n, shape, (long long)m, (int)dim);
    Points all = {points, size_t(bench.n), (int)dim};
    if (dim == 2) time_tree<2>(all, queries, size_t(m), bench.opts.threads);
    if (dim == 3) time_tree<3>(all, queries, size_t(m), bench.opts.threads);
    if (dim == 4) time_tree<4>(all, queries, size_t(m), bench.opts.threads);
    std::free(points);
    std::free(queries);
    return 0;
}
