/* Saved pools of bisectors, also with corrected checksums. A pool that was read must be conforming, and support
 * queries, changes and saving. */
#include <stddef.h>

#include "bisector/save.h"
#include "fuzz.h"

enum { ROOM = 64 };

static void exercise(bosc_ctx *ctx, bosc_bisectors *bisectors)
{
    bosc_bisectors_info info = {.size = sizeof info};
    int64_t leaves[ROOM], across[3 * ROOM], back[3];
    uint8_t commands[ROOM];
    struct saved f = {0};
    require_ok(bosc_bisectors_get_info(ctx, bisectors, &info));
    if (info.leaves < info.root_count) abort();
    for (int l = 0; l < ROOM; l++) leaves[l] = l < info.leaves ? l : 0;
    require_ok(bosc_bisectors_get_neighbours(ctx, bisectors, leaves, ROOM, across));
    for (int e = 0; e < 3 * ROOM; e++) {
        if (across[e] < 0) continue;
        const int64_t leaf = across[e] / 3;
        require_ok(bosc_bisectors_get_neighbours(ctx, bisectors, &leaf, 1, back));
        if (back[across[e] % 3] != 3 * leaves[e / 3] + e % 3) abort();
    }
    for (int l = 0; l < ROOM; l++) commands[l] = (uint8_t)(1 + l % 2);
    require_ok(bosc_bisectors_update(ctx, bisectors, commands, ROOM, NULL, 0));
    require_ok(bosc_bisectors_write(ctx, bisectors, saved_append, &f));
    free(f.bytes);
}

static void parse(const uint8_t *data, size_t size)
{
    struct saved in = {.bytes = (char *)(uintptr_t)data, .size = size};
    bosc_bisectors *bisectors = NULL;
    bosc_status status = bosc_bisectors_read(fuzz_context(), saved_deliver, &in, &bisectors);
    if ((status == BOSC_OK) != (bisectors != NULL) || (!bisectors && !*bosc_ctx_message(fuzz_context()))) abort();
    if (bisectors) exercise(fuzz_context(), bisectors);
    bosc_bisectors_free(bisectors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_saved(parse, offsetof(struct bi_bisector_header, hash), data, size);
}
