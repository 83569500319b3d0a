/* With a listener, passes over an array run in chunks; between chunks, calls report and can be cancelled. */
#include <stdlib.h>

#include "core/call.h"
#include "support/suite.h"

static int count_calls(void *user, const char *stage, double fraction)
{
    (void)stage, (void)fraction;
    ++*(int *)user;
    return 0;
}

/* One pass over an array runs in chunks: its steps report several times, not only at the end of a pass. */
static void divided(bosc_ctx *like)
{
    enum { MANY = 1 << 20, BINS = 256 };
    int calls;
    if (suite_opts_like(like).backend == BOSC_BACKEND_CUDA) return; /* collectives are single launches there */
    uint32_t *keys = suite_alloc(4 * (size_t)MANY), *out = suite_alloc(4 * (size_t)MANY);
    uint8_t *keep = suite_alloc(MANY);
    int64_t *counts = suite_alloc(8 * ((size_t)BINS + 1)), count;
    for (int64_t i = 0; i < MANY; i++) keys[i] = (uint32_t)(i * 0x9e3779b9u) % BINS, keep[i] = i & 1;
    like->progress.user = &calls;
    for (int call = 0; call < 6; call++) {
        calls = 0;
        like->progress.function = count_calls;
        switch (call) {
        case 0: CHECK_OK(like, bosc_reduce(like, BOSC_SUM, BOSC_U32, keys, MANY, out)); break;
        case 1: CHECK_OK(like, bosc_scan(like, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, keys, MANY, out)); break;
        case 2: CHECK_OK(like, bosc_compact(like, 4, keys, keep, MANY, out, &count)); break;
        case 3: CHECK_OK(like, bosc_histogram(like, keys, MANY, BINS, counts)); break;
        case 4: CHECK_OK(like, bosc_split(like, 4, keys, keys, MANY, BINS, out, counts)); break;
        case 5: CHECK_OK(like, bosc_sort_keys(like, BOSC_U32, keys, MANY, out)); break;
        }
        like->progress.function = NULL;
        /* Parts of 2^14 items, and of four times as many after each that is quick: 4 of them, and the end. Threads scan
         * in rounds of more items than there are here, and divide and sort as many keys at once. */
        static const int of_threads[] = {4, 2, 4, 4, 4, 3};
        int least = like->threads > 1 ? of_threads[call] : 4;
        if (calls < least) suite_fail(__FILE__, __LINE__, "call %d reported %d times", call, calls);
    }
    free(keys);
    free(out);
    free(keep);
    free(counts);
}

static const struct suite_case suite_cases_progress_parts[] = {
    {"divided", divided, NULL},
};
SUITE(progress_parts);
