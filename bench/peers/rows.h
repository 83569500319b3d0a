// Rows of words as keys of the standard library's maps.
#ifndef BENCH_PEERS_ROWS_H
#define BENCH_PEERS_ROWS_H

#include <cstdint>
#include <cstring>

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

#endif
