/* Saved hash tables, also with corrected checksums. A table that was read must support queries, listing, changes and
 * rehashing. */
#include "fuzz.h"
#include "hash/save.h"

static void exercise(bosc_ctx *ctx, bosc_hash *table)
{
    bosc_hash_info info = {.size = sizeof info};
    uint64_t queries[16] = {0, 0, 1, 0, 7, 8, 9, 10, UINT64_MAX, UINT64_MAX}, values[8 * 8];
    uint8_t found[8];
    int64_t counts[9], erased;
    if (bosc_hash_get_info(ctx, table, &info) != BOSC_OK || info.keys > info.pairs || info.keys > info.slots) abort();
    if (bosc_hash_find(ctx, table, queries, 8, values, found) != BOSC_OK) abort();
    if (bosc_hash_count(ctx, table, queries, 8, counts) != BOSC_OK) abort();
    if (bosc_hash_retrieve(ctx, table, queries, 8, counts, NULL, 0) != BOSC_OK) abort();
    void *keys = malloc((size_t)info.keys * 16 + 1), *all = malloc((size_t)info.pairs * 64 + 1);
    if (!keys || !all) abort();
    if (bosc_hash_get_pairs(ctx, table, keys, all, NULL) != BOSC_OK) abort();
    if (bosc_hash_erase(ctx, table, keys, info.keys < 2 ? info.keys : 2, &erased) != BOSC_OK) abort();
    bosc_status status = bosc_hash_insert(ctx, table, queries, all, info.pairs < 8 ? info.pairs : 8);
    if (status != BOSC_OK && status != BOSC_ERR_DATA) abort();
    status = bosc_hash_rehash(ctx, table, 0, 5);
    if (status != BOSC_OK && status != BOSC_ERR_DATA) abort();
    free(keys);
    free(all);
}

static void parse(const uint8_t *data, size_t size)
{
    struct saved in = {.bytes = (char *)(uintptr_t)data, .size = size};
    bosc_hash *table = NULL;
    bosc_status status = bosc_hash_read(fuzz_context(), saved_deliver, &in, &table);
    if ((status == BOSC_OK) != (table != NULL) || (!table && !*bosc_ctx_message(fuzz_context()))) abort();
    if (table) exercise(fuzz_context(), table);
    bosc_hash_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_saved(parse, offsetof(struct bi_hash_header, hash), data, size);
}
