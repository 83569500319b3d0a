/* The same bits from every configuration of this build and machine: threads, levels, backends. */
#include "soak/soak.h"
#include "support/configurations.h"

void soak_bits(uint64_t seed)
{
    static struct configuration list[16];
    struct suite_random r = {seed};
    int n = configurations("soak", list, 16);
    bosc_ctx *contexts[16];
    for (int c = 0; c < n; c++) contexts[c] = suite_open(&list[c].opts);
    for (int round = 0; round < 20; round++) {
        uint64_t operation = suite_next(&r);
        struct digest first, other;
        CHECK_OK(contexts[0], operation_run(contexts[0], operation, &first));
        for (int c = 1; c < n; c++) {
            CHECK_OK(contexts[c], operation_run(contexts[c], operation, &other));
            if (other.value != first.value)
                suite_fail(__FILE__, __LINE__, "%s: %s differs from %s", operation_name(operation), list[c].name,
                           list[0].name);
        }
    }
    for (int c = 0; c < n; c++) bosc_ctx_free(contexts[c]);
}
