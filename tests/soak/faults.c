/* Something fails somewhere in an operation: it reports that, or gives the right answer; the same context then gives
 * the right answer, and nothing stays allocated. */
#include "soak/soak.h"
#include "support/configurations.h"
#include "support/faults.h"

#ifdef BOSC_FAULTS
/* One context, in which something fails a few times. */
static void fail_in(bosc_ctx *like, uint64_t operation, int64_t passages, uint64_t right, struct suite_random *r)
{
    int64_t live[2];
    bosc_ctx *ctx = counted_context(like, live);
    for (int64_t left = 1 + (int64_t)suite_below(r, 3); left; left--) {
        struct digest got;
        bi_fault_arm(FAULTS_OF_CALLS, (int64_t)suite_below(r, (uint64_t)passages + 1), suite_below(r, 2) != 0);
        bosc_status status = operation_run(ctx, operation, &got);
        bi_fault_disarm();
        if (status != BOSC_OK && status != BOSC_ERR_NOMEM && status != BOSC_ERR_DEVICE)
            suite_fail(__FILE__, __LINE__, "%s: %s", operation_name(operation), bosc_ctx_message(ctx));
        CHECK(status != BOSC_OK || got.value == right);
        CHECK_OK(ctx, operation_run(ctx, operation, &got));
        CHECK(got.value == right);
    }
    bosc_ctx_free(ctx);
    if (live[0] || live[1])
        suite_fail(__FILE__, __LINE__, "%s: %lld and %lld blocks are left", operation_name(operation),
                   (long long)live[0], (long long)live[1]);
}

void soak_faults(uint64_t seed)
{
    struct suite_random r = {seed};
    static struct configuration list[16];
    int n = configurations("soak", list, 16);
    bosc_ctx *like = suite_open(&list[suite_below(&r, (uint64_t)n)].opts);
    for (int round = 0; round < 20; round++) {
        uint64_t operation = suite_next(&r);
        struct digest right;
        bi_fault_arm(FAULTS_OF_CALLS, INT64_MAX, false);
        CHECK_OK(like, operation_run(like, operation, &right));
        int64_t passages = bi_fault_passages();
        bi_fault_disarm();
        for (int time = 0; time < 5; time++) fail_in(like, operation, passages, right.value, &r);
    }
    bosc_ctx_free(like);
}
#else
typedef int soak_faults_not_in_this_build;
#endif
