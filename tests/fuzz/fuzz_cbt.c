/* Saved concurrent binary trees, also with corrected checksums. A tree that was read must support decoding,
 * encoding, changes and saving. */
#include <stddef.h>

#include "cbt/save.h"
#include "fuzz.h"

enum { ROOM = 64 };

static void exercise(bosc_ctx *ctx, bosc_cbt *tree)
{
    bosc_cbt_info info = {.size = sizeof info};
    uint64_t nodes[ROOM];
    int64_t numbers[ROOM];
    uint8_t commands[ROOM];
    struct saved f = {0};
    if (bosc_cbt_get_info(ctx, tree, &info) != BOSC_OK || info.leaves < 1) abort();
    if (bosc_cbt_decode(ctx, tree, info.leaves / 2, ROOM, nodes) != BOSC_OK) abort();
    if (bosc_cbt_encode(ctx, tree, nodes, ROOM, numbers) != BOSC_OK) abort();
    for (int64_t l = 0; l < ROOM && info.leaves / 2 + l < info.leaves; l++)
        if (numbers[l] != info.leaves / 2 + l) abort();
    for (int i = 0; i < ROOM; i++) commands[i] = (uint8_t)(i % 3);
    if (bosc_cbt_update(ctx, tree, commands, ROOM, numbers, ROOM) != BOSC_OK) abort();
    if (bosc_cbt_write(ctx, tree, saved_append, &f) != BOSC_OK) abort();
    free(f.bytes);
}

static void parse(const uint8_t *data, size_t size)
{
    struct saved in = {.bytes = (char *)(uintptr_t)data, .size = size};
    bosc_cbt *tree = NULL;
    bosc_status status = bosc_cbt_read(fuzz_context(), saved_deliver, &in, &tree);
    if ((status == BOSC_OK) != (tree != NULL) || (!tree && !*bosc_ctx_message(fuzz_context()))) abort();
    if (tree) exercise(fuzz_context(), tree);
    bosc_cbt_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_saved(parse, offsetof(struct bi_cbt_header, hash), data, size);
}
