// Dictionaries of vectors by the standard library.
#include "peers/trie.h"

#include <algorithm>
#include <map>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "peers/rows.h"

struct peer_dictionary {
    explicit peer_dictionary(int32_t count) : words(count) {}
    virtual ~peer_dictionary() = default;
    virtual int64_t find(const row &r) const = 0;
    int32_t words;
};

namespace
{

struct row_before {
    bool operator()(const row &a, const row &b) const
    {
        return std::lexicographical_compare(a.words, a.words + a.count, b.words, b.words + b.count);
    }
};

template <class Map> struct mapped final : peer_dictionary {
    mapped(const uint64_t *rows, int64_t n, int32_t count) : peer_dictionary(count)
    {
        if constexpr (std::is_same_v<Map, std::unordered_map<row, int64_t, row_hash>>) map.reserve((size_t)n);
        for (int64_t i = 0; i < n; i++) map.emplace(row{rows + i * count, count}, i);
    }
    int64_t find(const row &r) const override
    {
        auto at = map.find(r);
        return at == map.end() ? -1 : at->second;
    }
    Map map;
};

struct sorted final : peer_dictionary {
    sorted(const uint64_t *rows, int64_t n, int32_t count) : peer_dictionary(count)
    {
        for (int64_t i = 0; i < n; i++) list.emplace_back(row{rows + i * count, count}, i);
        std::stable_sort(list.begin(), list.end(), before);
        auto same = [](const entry &a, const entry &b) { return a.first == b.first; };
        list.erase(std::unique(list.begin(), list.end(), same), list.end());
    }
    int64_t find(const row &r) const override
    {
        auto at = std::lower_bound(list.begin(), list.end(), entry{r, 0}, before);
        return at == list.end() || !(at->first == r) ? -1 : at->second;
    }
    using entry = std::pair<row, int64_t>;
    static bool before(const entry &a, const entry &b) { return row_before()(a.first, b.first); }
    std::vector<entry> list;
};

} // namespace

const char *const peer_dictionary_names[PEER_DICTIONARIES] = {"std::map", "std::unordered_map", "sorted array"};

peer_dictionary *peer_dictionary_make(peer_dictionary_kind kind, const uint64_t *rows, int64_t n, int32_t words)
{
    switch (kind) {
    case PEER_MAP: return new mapped<std::map<row, int64_t, row_before>>(rows, n, words);
    case PEER_UNORDERED_MAP: return new mapped<std::unordered_map<row, int64_t, row_hash>>(rows, n, words);
    default: return new sorted(rows, n, words);
    }
}

void peer_dictionary_free(peer_dictionary *dictionary) { delete dictionary; }

int64_t peer_dictionary_find(const peer_dictionary *dictionary, const uint64_t *queries, int64_t m, int64_t *values)
{
    int64_t found = 0;
    for (int64_t q = 0; q < m; q++) {
        values[q] = dictionary->find(row{queries + q * dictionary->words, dictionary->words});
        found += values[q] >= 0;
    }
    return found;
}
