// The cell graph by the standard library.
#include "peers_cellgraph.h"

#include <cstring>
#include <unordered_map>

namespace
{

struct row {
    const uint64_t *words;
    int32_t count;
    bool operator==(const row &o) const { return std::memcmp(words, o.words, (size_t)count * 8) == 0; }
};

struct row_hash {
    size_t operator()(const row &r) const
    {
        uint64_t h = 0;
        for (int32_t s = 0; s < r.count; s++) {
            h = (h ^ r.words[s]) * 0x9e3779b97f4a7c15u;
            h ^= h >> 32;
        }
        return h;
    }
};

} // namespace

int64_t peer_unordered_map(const uint64_t *rows, int64_t n, int32_t length)
{
    int32_t words = (length + 63) / 64;
    std::unordered_map<row, int64_t, row_hash> map;
    int64_t edges = 0;
    uint64_t flipped[1024];
    map.reserve((size_t)n);
    for (int64_t i = 0; i < n; i++) map.emplace(row{rows + i * words, words}, i);
    for (auto &entry : map) {
        std::memcpy(flipped, entry.first.words, (size_t)words * 8);
        for (int32_t k = 0; k < length; k++) {
            uint64_t bit = 1ull << k % 64;
            if (flipped[k / 64] & bit) continue;
            flipped[k / 64] ^= bit;
            edges += (int64_t)map.count(row{flipped, words});
            flipped[k / 64] ^= bit;
        }
    }
    return edges;
}
