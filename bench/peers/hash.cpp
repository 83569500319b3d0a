// Hash maps of other libraries.
#include "peers/hash.h"

#include <algorithm>
#include <thread>
#include <unordered_map>
#include <vector>

#ifdef BENCH_TBB
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_unordered_map.h>
#endif
#ifdef BENCH_ABSEIL
#include <absl/container/flat_hash_map.h>
#endif
#ifdef BENCH_BOOST
#include <boost/unordered_map.hpp>
#endif
#ifdef BENCH_BOOST_FLAT
#include <boost/unordered/unordered_flat_map.hpp>
#endif
#ifdef BENCH_BOOST_SHARED
#include <boost/unordered/concurrent_flat_map.hpp>
#endif

namespace
{

template <class F> void share(int64_t n, int threads, F f)
{
    std::vector<std::thread> team;
    for (int t = 1; t < threads; t++) team.emplace_back([=] { f(t, n * t / threads, n * (t + 1) / threads); });
    f(0, (int64_t)0, n / threads);
    for (auto &t : team) t.join();
}

template <class Find> int64_t look_up(const uint32_t *queries, int64_t m, uint32_t *values, int threads, Find find)
{
    std::vector<int64_t> found((size_t)threads * 8);
    share(m, threads, [&](int t, int64_t begin, int64_t end) {
        int64_t count = 0;
        for (int64_t i = begin; i < end; i++) {
            values[i] = 0;
            count += find(queries[i], values[i]);
        }
        found[(size_t)t * 8] = count;
    });
    int64_t sum = 0;
    for (int64_t f : found) sum += f;
    return sum;
}

// Maps of one writer.
template <class Map> struct serial {
    static void *build(const uint32_t *keys, const uint32_t *values, int64_t n, int)
    {
        auto *map = new Map;
        map->reserve((size_t)n);
        for (int64_t i = 0; i < n; i++) (*map)[keys[i]] = values[i];
        return map;
    }
    static int64_t find(const void *table, const uint32_t *queries, int64_t m, uint32_t *values, int threads)
    {
        const Map &map = *(const Map *)table;
        return look_up(queries, m, values, threads, [&](uint32_t key, uint32_t &value) {
            auto at = map.find(key);
            if (at == map.end()) return false;
            value = at->second;
            return true;
        });
    }
    static void drop(void *table) { delete (Map *)table; }
};

#ifdef BENCH_TBB
template <class Map, class Insert> void *build_shared(Map *map, int64_t n, int threads, Insert insert)
{
    share(n, threads, [&](int, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) insert(*map, i);
    });
    return map;
}

using tbb_unordered = tbb::concurrent_unordered_map<uint32_t, uint32_t>;
void *build_tbb(const uint32_t *keys, const uint32_t *values, int64_t n, int threads)
{
    return build_shared(new tbb_unordered((size_t)n), n, threads,
                        [=](tbb_unordered &map, int64_t i) { map.emplace(keys[i], values[i]); });
}

using tbb_hash = tbb::concurrent_hash_map<uint32_t, uint32_t>;
void *build_tbb_hash(const uint32_t *keys, const uint32_t *values, int64_t n, int threads)
{
    return build_shared(new tbb_hash((size_t)n), n, threads,
                        [=](tbb_hash &map, int64_t i) { map.emplace(keys[i], values[i]); });
}
int64_t find_tbb_hash(const void *table, const uint32_t *queries, int64_t m, uint32_t *values, int threads)
{
    const tbb_hash &map = *(const tbb_hash *)table;
    return look_up(queries, m, values, threads, [&](uint32_t key, uint32_t &value) {
        tbb_hash::const_accessor at;
        if (!map.find(at, key)) return false;
        value = at->second;
        return true;
    });
}
#endif

#ifdef BENCH_BOOST_SHARED
using boost_shared = boost::concurrent_flat_map<uint32_t, uint32_t>;
void *build_boost_shared(const uint32_t *keys, const uint32_t *values, int64_t n, int threads)
{
    auto *map = new boost_shared((size_t)n);
    share(n, threads, [&](int, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) map->emplace(keys[i], values[i]);
    });
    return map;
}
int64_t find_boost_shared(const void *table, const uint32_t *queries, int64_t m, uint32_t *values, int threads)
{
    const boost_shared &map = *(const boost_shared *)table;
    return look_up(queries, m, values, threads, [&](uint32_t key, uint32_t &value) {
        return map.cvisit(key, [&](const auto &pair) { value = pair.second; }) != 0;
    });
}
#endif

// A sort of the pairs as 64-bit words, and binary searches.
void *build_sorted(const uint32_t *keys, const uint32_t *values, int64_t n, int)
{
    auto *pairs = new std::vector<uint64_t>((size_t)n);
    for (int64_t i = 0; i < n; i++) (*pairs)[(size_t)i] = (uint64_t)keys[i] << 32 | values[i];
    std::sort(pairs->begin(), pairs->end());
    return pairs;
}
int64_t find_sorted(const void *table, const uint32_t *queries, int64_t m, uint32_t *values, int threads)
{
    const auto &pairs = *(const std::vector<uint64_t> *)table;
    return look_up(queries, m, values, threads, [&](uint32_t key, uint32_t &value) {
        auto at = std::lower_bound(pairs.begin(), pairs.end(), (uint64_t)key << 32);
        if (at == pairs.end() || *at >> 32 != key) return false;
        value = (uint32_t)*at;
        return true;
    });
}

template <class Map> constexpr hash_peer peer_of(const char *name)
{
    return {name, 0, serial<Map>::build, serial<Map>::find, serial<Map>::drop};
}

} // namespace

extern "C" const hash_peer bench_hash_peers[] = {
#ifdef BENCH_ABSEIL
    peer_of<absl::flat_hash_map<uint32_t, uint32_t>>("absl::flat_hash_map"),
#endif
#ifdef BENCH_BOOST_SHARED
    {"boost::concurrent_flat_map", 1, build_boost_shared, find_boost_shared,
     [](void *table) { delete (boost_shared *)table; }},
#endif
#ifdef BENCH_BOOST_FLAT
    peer_of<boost::unordered_flat_map<uint32_t, uint32_t>>("boost::unordered_flat_map"),
#endif
#ifdef BENCH_BOOST
    peer_of<boost::unordered_map<uint32_t, uint32_t>>("boost::unordered_map"),
#endif
#ifdef BENCH_TBB
    {"tbb::concurrent_unordered_map", 1, build_tbb, serial<tbb_unordered>::find, serial<tbb_unordered>::drop},
    {"tbb::concurrent_hash_map", 1, build_tbb_hash, find_tbb_hash, [](void *table) { delete (tbb_hash *)table; }},
#endif
    peer_of<std::unordered_map<uint32_t, uint32_t>>("std::unordered_map"),
    {"std::sort, binary search", 0, build_sorted, find_sorted,
     [](void *table) { delete (std::vector<uint64_t> *)table; }},
    {nullptr, 0, nullptr, nullptr, nullptr},
};
