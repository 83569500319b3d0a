#include "support/ranks.h"

#include <stdio.h>
#include <string.h>

enum { MOST_RANKS = 64 };

void ranks_slice(const struct rank *r, uint64_t seed, int64_t n, int64_t *begin, int64_t *end)
{
    int64_t splitters[MOST_RANKS + 1];
    struct suite_random random = {seed};
    splitters[0] = 0;
    for (int32_t i = 1; i < r->rank_count; i++) {
        splitters[i] = seed ? (int64_t)suite_below(&random, (uint64_t)n + 1) : n * i / r->rank_count;
        for (int32_t j = i; j > 1 && splitters[j - 1] > splitters[j]; j--) {
            int64_t swapped = splitters[j];
            splitters[j] = splitters[j - 1];
            splitters[j - 1] = swapped;
        }
    }
    splitters[r->rank_count] = n;
    *begin = splitters[r->rank];
    *end = splitters[r->rank + 1];
}

void ranks_check_message(const struct rank *r, int32_t culprit, const char *argument)
{
    const char *text = bosc_ctx_message(r->ctx);
    char rank[24] = "";
    if (r->rank != culprit) snprintf(rank, sizeof rank, "rank %d: ", (int)culprit);
    if (!suite_begins(text, rank) || !suite_begins(text + strlen(rank), argument))
        suite_fail(__FILE__, __LINE__, "the message is \"%s\"; it does not begin with \"%s%s\"", text, rank, argument);
}

void ranks_check_blame(const struct rank *r, bosc_status status, bosc_status expected, const char *argument)
{
    CHECK_EQ(status, expected);
    ranks_check_message(r, 1, argument);
}
