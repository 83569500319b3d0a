/* Tries.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

/* A trie with the words of a vector, for checks of sizes: bosc_trie_get_info would descend for each key. */
struct Trie : Handle<bosc_trie, bosc_trie_free> {
    int64_t words = 0;
};

bosc_trie_info info_of(Call &call, Trie &trie) { return described<bosc_trie_info, bosc_trie_get_info>(call, trie); }

void create(Trie *self, const Where &where, int32_t length, int32_t letter_bits, int duplicates)
{
    auto opts = sized<bosc_trie_opts>();
    opts.length = length;
    opts.letter_bits = letter_bits;
    opts.duplicates = static_cast<bosc_trie_duplicates>(duplicates);
    construct_handle(self, where, [&](bosc_ctx *ctx, bosc_trie **of) { return bosc_trie_create(ctx, &opts, of); });
    self->words = bosc_trie_words(length, letter_bits);
}

nb::dict info(Trie &trie, const Where &where)
{
    Reading call(where, trie);
    bosc_trie_info about = info_of(call, trie);
    nb::dict d;
    d["rows"] = about.rows;
    d["keys"] = about.keys;
    d["words"] = about.words;
    d["length"] = about.length;
    d["letter_bits"] = about.letter_bits;
    d["nodes"] = about.nodes;
    d["bytes"] = about.bytes;
    return d;
}

struct Words {
    const uint64_t *data;
    int64_t n, stride;
};

Words words_of(const Trie &trie, const Where &where, const In &rows, const char *name)
{
    Rows found = rows_of(where, rows, BOSC_U64, trie.words, name);
    return {static_cast<const uint64_t *>(found.data), found.n, found.stride};
}

template <auto CHANGE> void write_keys(Trie &trie, const Where &where, const In &keys, const In &values)
{
    Writing call(where, trie);
    Words rows = words_of(trie, where, keys, "keys");
    const void *value = elements(where, values, BOSC_I64, rows.n, "values");
    call.run([&](bosc_ctx *ctx) { return CHANGE(ctx, trie.of, rows.data, value, rows.n, rows.stride); });
}

int64_t erase(Trie &trie, const Where &where, const In &keys)
{
    Writing call(where, trie);
    Words rows = words_of(trie, where, keys, "keys");
    int64_t erased = 0;
    call.run([&](bosc_ctx *ctx) { return bosc_trie_erase(ctx, trie.of, rows.data, rows.n, rows.stride, &erased); });
    return erased;
}

void find_keys(Trie &trie, const Where &where, const In &queries, const Out &ranks, const Out &values, const Out &found)
{
    Reading call(where, trie);
    Words rows = words_of(trie, where, queries, "keys");
    int64_t *rank = typed_room<int64_t>(where, ranks, BOSC_I64, rows.n, "ranks");
    void *value = room(where, values, BOSC_I64, rows.n, "values");
    uint8_t *there = typed_room<uint8_t>(where, found, BOSC_U8, rows.n, "found");
    call.run([&](bosc_ctx *ctx) {
        return bosc_trie_find(ctx, trie.of, rows.data, rows.n, rows.stride, rank, value, there);
    });
}

void prefix(Trie &trie, const Where &where, const In &queries, const In &lengths, const Out &begins, const Out &ends)
{
    Reading call(where, trie);
    Words rows = words_of(trie, where, queries, "keys");
    const int32_t *length = typed<int32_t>(where, lengths, BOSC_I32, rows.n, "lengths");
    int64_t *begin = typed_room<int64_t>(where, begins, BOSC_I64, rows.n, "begins");
    int64_t *end = typed_room<int64_t>(where, ends, BOSC_I64, rows.n, "ends");
    call.run([&](bosc_ctx *ctx) {
        return bosc_trie_prefix(ctx, trie.of, rows.data, length, rows.n, rows.stride, begin, end);
    });
}

void longest(Trie &trie, const Where &where, const In &queries, const Out &lengths, const Out &begins, const Out &ends)
{
    Reading call(where, trie);
    Words rows = words_of(trie, where, queries, "keys");
    int32_t *length = typed_room<int32_t>(where, lengths, BOSC_I32, rows.n, "lengths");
    int64_t *begin = typed_room<int64_t>(where, begins, BOSC_I64, rows.n, "begins");
    int64_t *end = typed_room<int64_t>(where, ends, BOSC_I64, rows.n, "ends");
    call.run([&](bosc_ctx *ctx) {
        return bosc_trie_longest(ctx, trie.of, rows.data, rows.n, rows.stride, length, begin, end);
    });
}

void matches(Trie &trie, const Where &where, const In &queries, const In &masks, const Out &offsets, const Out &ranks)
{
    Reading call(where, trie);
    Words rows = words_of(trie, where, queries, "keys"), mask = words_of(trie, where, masks, "masks");
    if (mask.n != rows.n || (rows.n > 1 && mask.stride != rows.stride))
        throw nb::value_error("masks: not rows like those of the keys");
    int64_t *starts = typed_room<int64_t>(where, offsets, BOSC_I64, rows.n + 1, "offsets");
    int64_t *rank = typed_room<int64_t>(where, ranks, BOSC_I64, size_of(ranks), "ranks");
    call.run([&](bosc_ctx *ctx) {
        return bosc_trie_matches(ctx, trie.of, rows.data, mask.data, rows.n, rows.stride, starts, rank, size_of(ranks));
    });
}

void neighbours(Trie &trie, const Where &where, const In &queries, const Out &offsets, const Out &ranks,
                const Out &positions)
{
    Reading call(where, trie);
    Words rows = words_of(trie, where, queries, "keys");
    int64_t *starts = typed_room<int64_t>(where, offsets, BOSC_I64, rows.n + 1, "offsets");
    int64_t *rank = typed_room<int64_t>(where, ranks, BOSC_I64, size_of(ranks), "ranks");
    uint32_t *at = typed_room<uint32_t>(where, positions, BOSC_U32, size_of(ranks), "positions");
    call.run([&](bosc_ctx *ctx) {
        return bosc_trie_neighbours(ctx, trie.of, rows.data, rows.n, rows.stride, starts, rank, at, size_of(ranks));
    });
}

int64_t pairs(Trie &trie, const Where &where, const Out &pairs, const Out &positions)
{
    Reading call(where, trie);
    int64_t capacity = size_of(positions), count = 0;
    int64_t *to = typed_room<int64_t>(where, pairs, BOSC_I64, 2 * capacity, "pairs");
    uint32_t *at = typed_room<uint32_t>(where, positions, BOSC_U32, capacity, "positions");
    call.run([&](bosc_ctx *ctx) { return bosc_trie_pairs(ctx, trie.of, to, at, capacity, &count); });
    return count;
}

void get_keys(Trie &trie, const Where &where, int64_t begin, int64_t end, const Out &keys, const Out &values,
              const Out &counts)
{
    Reading call(where, trie);
    int64_t n = end > begin ? end - begin : 0;
    uint64_t *key = typed_room<uint64_t>(where, keys, BOSC_U64, n * trie.words, "keys");
    void *value = room(where, values, BOSC_I64, n, "values");
    int64_t *count = typed_room<int64_t>(where, counts, BOSC_I64, n, "counts");
    call.run([&](bosc_ctx *ctx) { return bosc_trie_get_keys(ctx, trie.of, begin, end, key, value, count); });
}

Trie *load(const Where &where, const nb::bytes &bytes)
{
    std::unique_ptr<Trie> trie(loaded<Trie, bosc_trie_read>(where, bytes));
    Call call(where);
    trie->words = info_of(call, *trie).words;
    return trie.release();
}

} // namespace

void bind_trie(nb::module_ &m)
{
    nb::class_<Trie, Lock>(m, "Trie")
        .def("__init__", &create, "where"_a, "length"_a, "letter_bits"_a, "duplicates"_a)
        .def("info", &info, "where"_a)
        .def("build", &write_keys<bosc_trie_build>, "where"_a, "keys"_a, "values"_a.none())
        .def("insert", &write_keys<bosc_trie_insert>, "where"_a, "keys"_a, "values"_a.none())
        .def("erase", &erase, "where"_a, "keys"_a)
        .def("find", &find_keys, "where"_a, "queries"_a, "ranks"_a.none(), "values"_a.none(), "found"_a.none())
        .def("prefix", &prefix, "where"_a, "queries"_a, "lengths"_a.none(), "begins"_a, "ends"_a)
        .def("longest", &longest, "where"_a, "queries"_a, "lengths"_a, "begins"_a, "ends"_a)
        .def("matches", &matches, "where"_a, "queries"_a, "masks"_a, "offsets"_a, "ranks"_a.none())
        .def("neighbours", &neighbours, "where"_a, "queries"_a, "offsets"_a, "ranks"_a.none(), "positions"_a.none())
        .def("pairs", &pairs, "where"_a, "pairs"_a.none(), "positions"_a.none())
        .def("get_keys", &get_keys, "where"_a, "begin"_a, "end"_a, "keys"_a.none(), "values"_a.none(),
             "counts"_a.none())
        .def("save", &saved<Trie, bosc_trie_write>, "where"_a)
        .def_static("load", &load, "where"_a, "bytes"_a);
}
