/* More items than 31 bits count. */
#include <stdlib.h>
#include <string.h>

#include <boscage/prims.h>

#include "soak/soak.h"

void soak_large(uint64_t seed)
{
    struct suite_random r = {seed};
    const int64_t n = (INT64_C(1) << 31) + 1 + (int64_t)suite_below(&r, 100000);
    const bosc_ctx_opts opts = {.size = sizeof opts};
    bosc_ctx *ctx = suite_open(&opts);
    uint32_t *x = suite_alloc((size_t)n * sizeof *x), sum = 0;
    for (int64_t i = 0; i < n; i++) x[i] = 1;
    int64_t at = 1 + (int64_t)suite_below(&r, (uint64_t)n - 2);
    x[at] = 6;
    CHECK_OK(ctx, bosc_reduce(ctx, BOSC_SUM, BOSC_U32, x, n, &sum));
    CHECK(sum == (uint32_t)(n + 5));
    CHECK_OK(ctx, bosc_scan(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, x, n, x));
    for (int64_t i = 0; i < n; i++)
        if (x[i] != (uint32_t)(i + 1 + (i >= at ? 5 : 0))) suite_fail(__FILE__, __LINE__, "item %lld", (long long)i);
    int64_t count = 0;
    uint8_t *keep = suite_alloc((size_t)n);
    memset(keep, 0, (size_t)n);
    keep[at] = keep[0] = keep[n - 1] = 1;
    uint32_t kept[3] = {0};
    CHECK_OK(ctx, bosc_compact(ctx, sizeof *x, x, keep, n, kept, &count));
    CHECK(count == 3 && kept[0] == 1 && kept[1] == (uint32_t)(at + 6) && kept[2] == (uint32_t)(n + 5));
    free(keep);
    free(x);
    bosc_ctx_free(ctx);
}
