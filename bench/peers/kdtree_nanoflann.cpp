// nanoflann on the points and sets of queries of bench_kdtree, with the same sums of distances, the same clocks, and
// medians after a warm-up as there: bench_kdtree_nanoflann [-n points] [-m queries] [-d dim] [-s shape]
#include <cmath>
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

// The sets that calls take in turn, as bench_kdtree's do.
int sets, calls;

// Times f(number of the set).
template <class F> bench_times time_repeated(F f)
{
    return bench_time([](void *) { calls++; }, [](void *user) { (*static_cast<F *>(user))((calls - 1) % sets); }, &f,
                      bench.repeats);
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

// Runs search(q, thread) for each query, by threads of their own.
template <class F> void share_queries(size_t m, int threads, const F &search)
{
    std::vector<std::thread> workers;
    for (int t = 0; t < threads; t++)
        workers.emplace_back([&, t] {
            for (size_t q = m * t / threads; q < m * (t + 1) / threads; q++) search(q, t);
        });
    for (auto &worker : workers) worker.join();
}

// Adds up the points found, and stores none.
struct Counter {
    float radius;
    size_t count = 0;
    size_t size() const { return count; }
    bool full() const { return true; }
    bool addPoint(float, uint32_t)
    {
        count++;
        return true;
    }
    float worstDist() const { return radius; }
};

template <int DIM> void time_tree(const Points &points, const float *all_queries, size_t m, double radius, int threads)
{
    using Tree =
        nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, Points>, Points, DIM, uint32_t>;
    // 1. Build; nanoflann keeps no points, so a tree is made anew.
    const auto queries_of = [&](int set) { return all_queries + (size_t)set * m * DIM; };
    print_row("build", (int64_t)points.n, time_repeated([&](int set) {
                  Points some = points;
                  if (sets > 1 && m == points.n) some.data = queries_of(set);
                  Tree tree(DIM, some, nanoflann::KDTreeSingleIndexAdaptorParams(10));
                  tree.buildIndex();
              }));
    Tree tree(DIM, points, nanoflann::KDTreeSingleIndexAdaptorParams(10));
    tree.buildIndex();
    // 2. Nearest neighbours.
    for (size_t k : {size_t(1), size_t(8)}) {
        std::vector<float> dist2(m * k);
        std::vector<uint32_t> ids((size_t)threads * k);
        const char *name = bench_text("nearest, k=%d", int(k));
        const auto search = [&](int set) {
            const float *queries = queries_of(set);
            share_queries(m, threads, [&](size_t q, int t) {
                tree.knnSearch(queries + q * DIM, k, &ids[t * k], dist2.data() + q * k);
            });
        };
        print_row(name, (int64_t)m, time_repeated(search));
        search(0);
        double sum = 0;
        for (float d : dist2) sum += d;
        bench_say("nanoflann: %s: sum of dist2 %.12g", name, sum);
    }
    // 3. Points within the radius: nanoflann leaves out those at the radius itself.
    std::vector<size_t> counts(m);
    const float r = (float)radius, limit = std::nextafter(r * r, INFINITY);
    const auto count = [&](int set) {
        const float *queries = queries_of(set);
        share_queries(m, threads, [&](size_t q, int) {
            Counter counter = {limit};
            tree.radiusSearchCustomCallback(queries + q * DIM, counter);
            counts[q] = counter.count;
        });
    };
    print_row("radius, counts", (int64_t)m, time_repeated(count));
    count(0);
    size_t total = 0;
    for (size_t found : counts) total += found;
    bench_say("nanoflann: radius: %zu within %g", total, radius);
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
    bench.repeats = 3;
    bench.opts.threads = 1;
    bench_options(argc, argv, "points", own, 3);
    if (bench.opts.threads == 1) bench.clock = BENCH_PROCESS;
    sets = bench_sets(m);
    float *queries, *points = bench_points_and_query_sets(shape, bench.n, m, sets, (int)dim, &queries);
    bench_say("nanoflann: %lld %s points, %lld queries, dim %d", (long long)bench.n, shape, (long long)m, (int)dim);
    const double radius = bench_usual_radius(shape, points, bench.n, (int)dim);
    Points all = {points, size_t(bench.n), (int)dim};
    if (dim == 2) time_tree<2>(all, queries, size_t(m), radius, bench.opts.threads);
    if (dim == 3) time_tree<3>(all, queries, size_t(m), radius, bench.opts.threads);
    if (dim == 4) time_tree<4>(all, queries, size_t(m), radius, bench.opts.threads);
    std::free(points);
    std::free(queries);
    return 0;
}
