/* Hash tables.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

/* A table with the sizes of its keys and values, which the library does not report. */
struct Table : Handle<bosc_hash, bosc_hash_free> {
    int32_t key_bits = 0, value_size = 0;
    bool multi = false;
};

bosc_hash_info info_of(Call &call, Table &table) { return described<bosc_hash_info, bosc_hash_get_info>(call, table); }

void create(Table *self, const Where &where, int layout, int kind, int key_bits, int value_size, int duplicates,
            int value_dtype, double load, uint64_t seed, bool no_wait)
{
    auto opts = sized<bosc_hash_opts>();
    opts.layout = static_cast<bosc_hash_layout>(layout);
    opts.kind = static_cast<bosc_hash_kind>(kind);
    opts.key_bits = key_bits;
    opts.value_size = value_size;
    opts.duplicates = static_cast<bosc_hash_duplicates>(duplicates);
    opts.value_dtype = static_cast<bosc_dtype>(value_dtype);
    opts.load_factor = load;
    opts.seed = seed;
    opts.no_wait = no_wait;
    construct_handle(self, where, [&](bosc_ctx *ctx, bosc_hash **of) { return bosc_hash_create(ctx, &opts, of); });
    self->key_bits = key_bits;
    self->value_size = value_size;
    self->multi = kind == BOSC_HASH_MULTIMAP;
}

nb::dict info(Table &table, const Where &where)
{
    Reading call(where, table);
    bosc_hash_info about = info_of(call, table);
    nb::dict d;
    d["pairs"] = about.pairs;
    d["keys"] = about.keys;
    d["slots"] = about.slots;
    d["load"] = about.load_factor;
    d["bytes"] = about.bytes;
    d["layout"] = static_cast<int>(about.layout);
    return d;
}

const void *keys_of(const Table &table, const Where &where, const In &keys, const char *name)
{
    int64_t count = static_cast<int64_t>(keys.nbytes()) * 8 / table.key_bits;
    return items(where, keys, table.key_bits / 8, count, name);
}

int64_t count_of(const Table &table, const In &keys)
{
    return static_cast<int64_t>(keys.nbytes()) * 8 / table.key_bits;
}

template <auto CHANGE> void write_pairs(Table &table, const Where &where, const In &keys, const In &values)
{
    Writing call(where, table);
    int64_t n = count_of(table, keys);
    const void *key = keys_of(table, where, keys, "keys");
    const void *value = items(where, values, table.value_size, n, "values");
    call.run([&](bosc_ctx *ctx) { return CHANGE(ctx, table.of, key, value, n); });
}

int64_t erase(Table &table, const Where &where, const In &keys)
{
    Writing call(where, table);
    int64_t n = count_of(table, keys), erased = 0;
    const void *key = keys_of(table, where, keys, "keys");
    call.run([&](bosc_ctx *ctx) { return bosc_hash_erase(ctx, table.of, key, n, &erased); });
    return erased;
}

void find_keys(Table &table, const Where &where, const In &queries, const Out &values, const Out &found)
{
    Reading call(where, table);
    int64_t n = count_of(table, queries);
    const void *key = keys_of(table, where, queries, "keys");
    void *value = item_room(where, values, table.value_size, n, "values");
    uint8_t *there = typed_room<uint8_t>(where, found, BOSC_U8, n, "found");
    call.run([&](bosc_ctx *ctx) { return bosc_hash_find(ctx, table.of, key, n, value, there); });
}

void count(Table &table, const Where &where, const In &queries, const Out &counts)
{
    Reading call(where, table);
    int64_t n = count_of(table, queries);
    const void *key = keys_of(table, where, queries, "keys");
    int64_t *to = typed_room<int64_t>(where, counts, BOSC_I64, n, "counts");
    call.run([&](bosc_ctx *ctx) { return bosc_hash_count(ctx, table.of, key, n, to); });
}

void retrieve(Table &table, const Where &where, const In &queries, const Out &offsets, const Out &values)
{
    Reading call(where, table);
    int64_t n = count_of(table, queries);
    const void *key = keys_of(table, where, queries, "keys");
    int64_t *starts = typed_room<int64_t>(where, offsets, BOSC_I64, n + 1, "offsets");
    int64_t capacity = table.value_size && values.is_valid() ? values.nbytes() / table.value_size : 0;
    void *value = item_room(where, values, table.value_size, capacity, "values");
    call.run([&](bosc_ctx *ctx) { return bosc_hash_retrieve(ctx, table.of, key, n, starts, value, capacity); });
}

void get_pairs(Table &table, const Where &where, const Out &keys, const Out &values, const Out &counts)
{
    Reading call(where, table);
    bosc_hash_info about = info_of(call, table);
    void *key = item_room(where, keys, table.key_bits / 8, about.keys, "keys");
    void *value = item_room(where, values, table.value_size, table.multi ? about.pairs : about.keys, "values");
    int64_t *to = typed_room<int64_t>(where, counts, BOSC_I64, about.keys, "counts");
    call.run([&](bosc_ctx *ctx) { return bosc_hash_get_pairs(ctx, table.of, key, value, to); });
}

void wait(Table &table, const Where &where)
{
    Reading call(where, table);
    call.run([&](bosc_ctx *ctx) { return bosc_hash_wait(ctx, table.of); });
}

void rehash(Table &table, const Where &where, double load, uint64_t seed)
{
    Writing call(where, table);
    call.run([&](bosc_ctx *ctx) { return bosc_hash_rehash(ctx, table.of, load, seed); });
}

Table *load(const Where &where, const nb::bytes &bytes, int key_bits, int value_size, bool multi)
{
    std::unique_ptr<Table> table(loaded<Table, bosc_hash_read>(where, bytes));
    table->key_bits = key_bits;
    table->value_size = value_size;
    table->multi = multi;
    return table.release();
}

int64_t unique(const Where &where, const In &keys, int key_bits, const Out &ids, const Out &unique)
{
    int64_t n = static_cast<int64_t>(keys.nbytes()) * 8 / key_bits, count = 0;
    const void *key = items(where, keys, key_bits / 8, n, "keys");
    int64_t *id = typed_room<int64_t>(where, ids, BOSC_I64, n, "ids");
    void *to = item_room(where, unique, key_bits / 8, n, "unique");
    Call(where).run([&](bosc_ctx *ctx) { return bosc_hash_unique(ctx, key, n, key_bits, id, to, &count); });
    return count;
}

} // namespace

void bind_hash(nb::module_ &m)
{
    nb::class_<Table, Lock>(m, "HashTable")
        .def("__init__", &create, "where"_a, "layout"_a, "kind"_a, "key_bits"_a, "value_size"_a, "duplicates"_a,
             "value_dtype"_a, "load"_a, "seed"_a, "no_wait"_a)
        .def("info", &info, "where"_a)
        .def("build", &write_pairs<bosc_hash_build>, "where"_a, "keys"_a, "values"_a.none())
        .def("wait", &wait, "where"_a)
        .def("insert", &write_pairs<bosc_hash_insert>, "where"_a, "keys"_a, "values"_a.none())
        .def("erase", &erase, "where"_a, "keys"_a)
        .def("find", &find_keys, "where"_a, "queries"_a, "values"_a.none(), "found"_a.none())
        .def("count", &count, "where"_a, "queries"_a, "counts"_a)
        .def("retrieve", &retrieve, "where"_a, "queries"_a, "offsets"_a, "values"_a.none())
        .def("get_pairs", &get_pairs, "where"_a, "keys"_a.none(), "values"_a.none(), "counts"_a.none())
        .def("rehash", &rehash, "where"_a, "load"_a, "seed"_a)
        .def("save", &saved<Table, bosc_hash_write>, "where"_a)
        .def_static("load", &load, "where"_a, "bytes"_a, "key_bits"_a, "value_size"_a, "multi"_a);
    m.def("unique", &unique, "where"_a, "keys"_a, "key_bits"_a, "ids"_a, "unique"_a.none());
}
