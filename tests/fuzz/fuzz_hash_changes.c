/* Compares sequences of operations on a hash table with a plain version. The first bytes choose the options; each
 * operation reads a byte, and each key one or two. */
#include "reference/hash.c"
#include "fuzz.h"
#include "hash/handle.h"

enum { MOST = 64 };

static bosc_hash_opts read_options(struct input *in)
{
    bosc_hash_opts o = {.size = sizeof o, .seed = next_byte(in), .load_factor = 0};
    uint32_t kind = next_byte(in);
    o.key_bits = 32 << kind % 3;
    o.layout = (bosc_hash_layout)(kind / 3 % 8);
    o.value_size = (int32_t)(next_byte(in) % 9);
    o.kind = (bosc_hash_kind)(kind / 24 % 2);
    if (o.kind == BOSC_HASH_MAP) o.counted = kind / 48 % 2;
    if (o.kind == BOSC_HASH_MAP) o.duplicates = (bosc_hash_duplicates)(kind / 96 % 2);
    return o;
}

/* Reads keys that collide: small numbers, and hashes with equal top bits. */
static int64_t read_keys(struct input *in, const bosc_hash_opts *o, void *keys, uint8_t *values)
{
    int64_t n = (int64_t)(next_byte(in) % MOST);
    for (int64_t i = 0; i < n; i++) {
        uint32_t byte = next_byte(in);
        bosc_hash_word key = {byte & 15, 0};
        if (byte & 16) key = bi_hash_key_of((bosc_hash_word){next_byte(in), 0}, o->key_bits, o->seed);
        if (byte & 32 && o->key_bits == 64)
            key = bi_hash_key_of((bosc_hash_word){(uint64_t)byte << 32 | byte, 0}, 64, o->seed);
        bi_hash_store(keys, o->key_bits, i, key);
    }
    for (int64_t i = 0; i < n * o->value_size; i++) values[i] = (uint8_t)(i * 7 + (int64_t)in->size);
    return n;
}

static void compare_all(bosc_ctx *ctx, const bosc_hash *table, const struct reference_hash *oracle, const void *keys,
                        int64_t n)
{
    uint64_t values[MOST * 2];
    uint8_t found[MOST];
    int64_t counts[MOST];
    size_t size = (size_t)oracle->opts.value_size;
    if (bosc_hash_find(ctx, table, keys, n, values, found) != BOSC_OK) abort();
    if (bosc_hash_count(ctx, table, keys, n, counts) != BOSC_OK) abort();
    for (int64_t i = 0; i < n; i++) {
        int64_t count;
        const struct reference_pair *p =
            reference_hash_find(oracle, bosc_hash_word_at(keys, i, oracle->opts.key_bits), &count);
        if (!oracle->opts.counted && oracle->opts.kind == BOSC_HASH_MAP) count = count > 0;
        if (found[i] != (p != NULL) || counts[i] != count) abort();
        if (p && memcmp((char *)values + (size_t)i * size, p->value, size) != 0) abort();
    }
    bosc_hash_info info = {.size = sizeof info};
    if (bosc_hash_get_info(ctx, table, &info) != BOSC_OK || info.keys != reference_hash_keys(oracle)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bosc_ctx *ctx = fuzz_context();
    struct input in = {data, size};
    struct reference_hash oracle = {.opts = read_options(&in)};
    bosc_hash *table = NULL;
    uint64_t keys[MOST * 2];
    uint8_t values[MOST * 8];
    int64_t bad, erased;
    ctx->cache_shift = 13; /* an AUTO table of more than 32 or 64 pairs is BUCKETED */
    if (bosc_hash_create(ctx, &oracle.opts, &table) != BOSC_OK) abort();
    /* Each byte is an operation: build, erase, rehash or insert. */
    while (in.size) {
        uint32_t what = next_byte(&in);
        int64_t n = read_keys(&in, &oracle.opts, keys, values);
        if (what % 4 == 0) {
            reference_hash_clear(&oracle);
            if (!reference_hash_insert(&oracle, keys, values, n, &bad)) abort();
            if (bosc_hash_build(ctx, table, keys, values, n) != BOSC_OK) abort();
        } else if (what % 4 == 1) {
            int64_t expected = reference_hash_erase(&oracle, keys, n);
            if (bosc_hash_erase(ctx, table, keys, n, &erased) != BOSC_OK || erased != expected) abort();
        } else if (what % 4 == 2) {
            if (bosc_hash_rehash(ctx, table, 0, what) != BOSC_OK) abort();
        } else {
            if (!reference_hash_insert(&oracle, keys, values, n, &bad)) abort();
            if (bosc_hash_insert(ctx, table, keys, values, n) != BOSC_OK) abort();
        }
        compare_all(ctx, table, &oracle, keys, n);
    }
    reference_hash_clear(&oracle);
    bosc_hash_free(table);
    return 0;
}
