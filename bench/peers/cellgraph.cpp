// The cell graph by the standard library.
#include "peers/cellgraph.h"

#include <unordered_map>

#include "peers/rows.h"

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
