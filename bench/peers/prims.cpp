// The C++ standard library's primitives, oneTBB's and Highway's, for prims.c.
#include "peers/prims.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#ifdef BENCH_TBB
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#endif
#ifdef BENCH_HIGHWAY
#include <hwy/contrib/sort/vqsort.h>
#endif

template <class T> static const T *in(const peer_job *j) { return static_cast<const T *>(j->in); }
template <class T> static const T *more(const peer_job *j) { return static_cast<const T *>(j->more); }
template <class T> static T *out(const peer_job *j) { return static_cast<T *>(j->out); }

template <class T> static void copy_keys(const peer_job *j) { std::memcpy(j->out, j->in, j->n * sizeof(T)); }

template <class T> struct pair {
    T value, key; // Highway's order
    bool operator<(const pair &other) const { return key < other.key; }
};

template <class T> static void copy_pairs(const peer_job *j)
{
    for (int64_t i = 0; i < j->n; i++) out<pair<T>>(j)[i] = {more<T>(j)[i], in<T>(j)[i]};
}

template <class T> static void std_reduce(const peer_job *j)
{
    *out<T>(j) = std::reduce(in<T>(j), in<T>(j) + j->n, T(0));
}
template <class T> static void std_max(const peer_job *j) { *out<T>(j) = *std::max_element(in<T>(j), in<T>(j) + j->n); }
template <class T> static void std_scan(const peer_job *j)
{
    std::inclusive_scan(in<T>(j), in<T>(j) + j->n, out<T>(j));
}
template <class T> static void std_partial_sum(const peer_job *j)
{
    std::partial_sum(in<T>(j), in<T>(j) + j->n, out<T>(j));
}

template <class T> static void loop_segmented(const peer_job *j)
{
    T sum = 0;
    for (int64_t i = 0; i < j->n; i++) {
        sum = more<uint8_t>(j)[i] ? in<T>(j)[i] : sum + in<T>(j)[i];
        out<T>(j)[i] = sum;
    }
}

static void loop_compact(const peer_job *j)
{
    int64_t at = 0;
    for (int64_t i = 0; i < j->n; i++) {
        out<uint32_t>(j)[at] = in<uint32_t>(j)[i];
        at += more<uint8_t>(j)[i] != 0;
    }
}

static void loop_histogram(const peer_job *j)
{
    std::fill_n(out<int64_t>(j), 256, 0);
    for (int64_t i = 0; i < j->n; i++) out<int64_t>(j)[more<uint32_t>(j)[i]]++;
}

static void loop_split(const peer_job *j)
{
    int64_t at[257] = {0};
    for (int64_t i = 0; i < j->n; i++) at[more<uint32_t>(j)[i] + 1]++;
    for (int b = 0; b < 256; b++) at[b + 1] += at[b];
    for (int64_t i = 0; i < j->n; i++) out<uint32_t>(j)[at[more<uint32_t>(j)[i]]++] = in<uint32_t>(j)[i];
}

template <class T> static void std_sort(const peer_job *j) { std::sort(out<T>(j), out<T>(j) + j->n); }
template <class T> static void std_stable_sort(const peer_job *j) { std::stable_sort(out<T>(j), out<T>(j) + j->n); }

static void std_merge(const peer_job *j)
{
    const uint32_t *a = more<uint32_t>(j), *b = a + j->n / 2;
    std::merge(a, b, b, a + j->n, out<uint32_t>(j));
}

static void superkey_rows(const peer_job *j) { std::iota(out<uint32_t>(j), out<uint32_t>(j) + j->n / 3, 0u); }

struct by_superkey {
    const float *points;
    bool operator()(uint32_t a, uint32_t b) const
    {
        const float *x = points + 3 * int64_t(a), *y = points + 3 * int64_t(b);
        for (int c = 0; c < 3; c++)
            if (x[c] != y[c]) return x[c] < y[c];
        return a < b;
    }
};

static void std_superkey(const peer_job *j)
{
    std::sort(out<uint32_t>(j), out<uint32_t>(j) + j->n / 3, by_superkey{in<float>(j)});
}

#ifdef BENCH_TBB
template <class F> static void in_arena(const peer_job *j, F work)
{
    static tbb::task_arena arena(2);
    if (j->threads == 2)
        arena.execute(work);
    else
        tbb::task_arena(j->threads).execute(work);
}

template <class T> static void tbb_reduce(const peer_job *j)
{
    using range = tbb::blocked_range<const T *>;
    in_arena(j, [=] {
        *out<T>(j) = tbb::parallel_reduce(
            range(in<T>(j), in<T>(j) + j->n, 4096), T(0),
            [](const range &r, T sum) { return std::reduce(r.begin(), r.end(), sum); }, [](T a, T b) { return a + b; });
    });
}

template <class T> static void tbb_scan(const peer_job *j)
{
    using range = tbb::blocked_range<int64_t>;
    const T *from = in<T>(j);
    T *to = out<T>(j);
    in_arena(j, [=] {
        tbb::parallel_scan(
            range(0, j->n, 16384), T(0),
            [=](const range &r, T sum, bool final) {
                for (int64_t i = r.begin(); i < r.end(); i++) {
                    sum += from[i];
                    if (final) to[i] = sum;
                }
                return sum;
            },
            [](T a, T b) { return a + b; });
    });
}

template <class T> static void tbb_sort(const peer_job *j)
{
    in_arena(j, [=] { tbb::parallel_sort(out<T>(j), out<T>(j) + j->n); });
}

static void tbb_superkey(const peer_job *j)
{
    in_arena(j, [=] { tbb::parallel_sort(out<uint32_t>(j), out<uint32_t>(j) + j->n / 3, by_superkey{in<float>(j)}); });
}
#endif

#ifdef BENCH_HIGHWAY
static const hwy::Sorter sorter;
template <class T> static void hwy_sort(const peer_job *j) { sorter(out<T>(j), size_t(j->n), hwy::SortAscending()); }
#endif

// Entries for each type that the benchmark has.
#define REDUCE(T, dtype)                                              \
    {                                                                 \
        "reduce sum", "std::reduce", dtype, 0, nullptr, std_reduce<T> \
    }
#define SCAN(T, dtype)                                                        \
    {"scan sum", "std::inclusive_scan", dtype, 0, nullptr, std_scan<T>},      \
    {                                                                         \
        "scan sum", "std::partial_sum", dtype, 0, nullptr, std_partial_sum<T> \
    }
#define SORT(T, dtype)                                                              \
    {"sort keys", "std::sort", dtype, 0, copy_keys<T>, std_sort<T>},                \
    {                                                                               \
        "sort keys", "std::stable_sort", dtype, 0, copy_keys<T>, std_stable_sort<T> \
    }

extern "C" const peer bench_peers[] = {
    REDUCE(float, BOSC_F32),
    REDUCE(double, BOSC_F64),
    REDUCE(int32_t, BOSC_I32),
    {"reduce max", "std::max_element", BOSC_F32, 0, nullptr, std_max<float>},
    SCAN(float, BOSC_F32),
    SCAN(double, BOSC_F64),
    SCAN(int32_t, BOSC_I32),
    SCAN(int64_t, BOSC_I64),
    {"scan segmented sum", "loop", BOSC_F32, 0, nullptr, loop_segmented<float>},
    {"scan segmented sum", "loop", BOSC_I32, 0, nullptr, loop_segmented<int32_t>},
    {"compact half", "loop without branches", BOSC_U32, 0, nullptr, loop_compact},
    {"histogram 256 bins", "loop", BOSC_U32, 0, nullptr, loop_histogram},
    {"split 256 buckets", "loop", BOSC_U32, 0, nullptr, loop_split},
    SORT(uint32_t, BOSC_U32),
    SORT(float, BOSC_F32),
    SORT(uint64_t, BOSC_U64),
    SORT(double, BOSC_F64),
    {"sort pairs", "std::stable_sort", BOSC_U32, 0, copy_pairs<uint32_t>, std_stable_sort<pair<uint32_t>>},
    {"sort pairs", "std::stable_sort", BOSC_U64, 0, copy_pairs<uint64_t>, std_stable_sort<pair<uint64_t>>},
    {"merge", "std::merge", BOSC_U32, 0, nullptr, std_merge},
    {"sort superkey 3-D", "std::sort", BOSC_F32, 0, superkey_rows, std_superkey},
#ifdef BENCH_HIGHWAY
    {"sort keys", "Highway vqsort", BOSC_U32, 0, copy_keys<uint32_t>, hwy_sort<uint32_t>},
    {"sort keys", "Highway vqsort", BOSC_F32, 0, copy_keys<float>, hwy_sort<float>},
    {"sort keys", "Highway vqsort", BOSC_U64, 0, copy_keys<uint64_t>, hwy_sort<uint64_t>},
    {"sort keys", "Highway vqsort", BOSC_F64, 0, copy_keys<double>, hwy_sort<double>},
    {"sort pairs", "Highway vqsort", BOSC_U32, 0, copy_pairs<uint32_t>, hwy_sort<hwy::K32V32>},
    {"sort pairs", "Highway vqsort", BOSC_U64, 0, copy_pairs<uint64_t>, hwy_sort<hwy::K64V64>},
#endif
#ifdef BENCH_TBB
    {"reduce sum", "tbb::parallel_reduce", BOSC_F32, 1, nullptr, tbb_reduce<float>},
    {"reduce sum", "tbb::parallel_reduce", BOSC_F64, 1, nullptr, tbb_reduce<double>},
    {"reduce sum", "tbb::parallel_reduce", BOSC_I32, 1, nullptr, tbb_reduce<int32_t>},
    {"scan sum", "tbb::parallel_scan", BOSC_F32, 1, nullptr, tbb_scan<float>},
    {"scan sum", "tbb::parallel_scan", BOSC_F64, 1, nullptr, tbb_scan<double>},
    {"scan sum", "tbb::parallel_scan", BOSC_I32, 1, nullptr, tbb_scan<int32_t>},
    {"scan sum", "tbb::parallel_scan", BOSC_I64, 1, nullptr, tbb_scan<int64_t>},
    {"sort keys", "tbb::parallel_sort", BOSC_U32, 1, copy_keys<uint32_t>, tbb_sort<uint32_t>},
    {"sort keys", "tbb::parallel_sort", BOSC_F32, 1, copy_keys<float>, tbb_sort<float>},
    {"sort keys", "tbb::parallel_sort", BOSC_U64, 1, copy_keys<uint64_t>, tbb_sort<uint64_t>},
    {"sort keys", "tbb::parallel_sort", BOSC_F64, 1, copy_keys<double>, tbb_sort<double>},
    {"sort pairs", "tbb::parallel_sort", BOSC_U32, 1, copy_pairs<uint32_t>, tbb_sort<pair<uint32_t>>},
    {"sort pairs", "tbb::parallel_sort", BOSC_U64, 1, copy_pairs<uint64_t>, tbb_sort<pair<uint64_t>>},
    {"sort superkey 3-D", "tbb::parallel_sort", BOSC_F32, 1, superkey_rows, tbb_superkey},
#endif
    {nullptr, nullptr, BOSC_F32, 0, nullptr, nullptr},
};
