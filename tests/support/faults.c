#include "support/faults.h"

#include <stdlib.h>
#include <string.h>

/* Memory of a counted context. Device blocks come from the context `like`. */
struct counted {
    bosc_ctx *like;
    int64_t *live, allocations;
};
static struct counted counted_memory; /* of the current sweep */

#ifndef BOSC_FAULTS
/* Without fault points, the allocation hooks fail. */
static int64_t passages, fail_at = -1;
static bool persistent;

static bool should_fail(void)
{
    if (fail_at < 0) return false;
    int64_t passage = passages++;
    return persistent ? passage >= fail_at : passage == fail_at;
}

static void arm_fault(uint32_t kinds, int64_t k, bool for_good)
{
    (void)kinds;
    passages = 0;
    fail_at = k;
    persistent = for_good;
}
static void disarm_fault(void) { fail_at = -1; }
static int64_t count_passages(void) { return passages; }
#else
static bool should_fail(void) { return false; }
static void arm_fault(uint32_t kinds, int64_t k, bool for_good) { bi_fault_arm(kinds, k, for_good); }
static void disarm_fault(void) { bi_fault_disarm(); }
static int64_t count_passages(void) { return bi_fault_passages(); }
#endif

static void *host_alloc(void *user, size_t bytes)
{
    struct counted *c = user;
    void *p = should_fail() ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (p) c->live[0]++;
    __atomic_add_fetch(&c->allocations, 1, __ATOMIC_RELAXED);
    return p;
}

static void host_release(void *user, void *memory, size_t bytes)
{
    struct counted *c = user;
    (void)bytes;
    if (memory) c->live[0]--;
    free(memory);
}

static void *device_alloc(void *user, size_t bytes)
{
    struct counted *c = user;
    void *p = NULL;
    if (bosc_ctx_alloc(c->like, bytes, &p) == BOSC_OK && p) c->live[1]++;
    __atomic_add_fetch(&c->allocations, 1, __ATOMIC_RELAXED);
    return p;
}

static void device_release(void *user, void *memory, size_t bytes)
{
    struct counted *c = user;
    if (memory) c->live[1]--;
    bosc_ctx_release(c->like, memory, bytes);
}

bosc_ctx *counted_context(bosc_ctx *like, int64_t live[2])
{
    live[0] = live[1] = 0;
    counted_memory = (struct counted){like, live, 0};
    bosc_ctx_opts opts = suite_opts_like(like);
    opts.host = (bosc_allocator){host_alloc, host_release, &counted_memory};
    if (opts.backend == BOSC_BACKEND_CUDA)
        opts.device_memory = (bosc_allocator){device_alloc, device_release, &counted_memory};
    bosc_ctx *ctx = NULL;
    if (bosc_ctx_create(&opts, &ctx) != BOSC_OK) suite_fail(__FILE__, __LINE__, "no context with counted memory");
    return ctx;
}

int64_t counted_allocations(void) { return counted_memory.allocations; }

static void prepare_outputs(const struct fault_sweep *s)
{
    if (s->outputs) memset(s->outputs, FAULT_PATTERN, s->output_bytes);
    if (s->prepare) s->prepare(s->user);
}

static bool outputs_unchanged(const struct fault_sweep *s)
{
    const unsigned char *bytes = s->outputs;
    for (size_t i = 0; bytes && i < s->output_bytes; i++)
        if (bytes[i] != FAULT_PATTERN) return false;
    return !s->untouched || s->untouched(s->user);
}

static bool outputs_correct(const struct fault_sweep *s, const void *expected)
{
    if (s->outputs && memcmp(s->outputs, expected, s->output_bytes) != 0) return false;
    return !s->right || s->right(s->user);
}

/* Makes a call without a fault. Returns its outputs, and sets the number of passages through fault points. */
static void *record_expected(bosc_ctx *like, const struct fault_sweep *s, int64_t *passages_of_call)
{
    int64_t live[2];
    void *expected = suite_alloc(s->output_bytes);
    bosc_ctx *ctx = counted_context(like, live);
    if (s->open) s->open(ctx, s->user);
    prepare_outputs(s);
    arm_fault(s->kinds ? s->kinds : FAULTS_OF_CALLS, INT64_MAX, false);
    CHECK_OK(ctx, s->call(ctx, s->user));
    *passages_of_call = count_passages();
    disarm_fault();
    if (s->outputs) memcpy(expected, s->outputs, s->output_bytes);
    CHECK(outputs_correct(s, expected)); /* also frees handles */
    if (s->close) s->close(s->user);
    bosc_ctx_free(ctx);
    CHECK(live[0] == 0 && live[1] == 0);
    return expected;
}

/* Makes the call with a fault at passage k. Returns true if the call reached it. */
static bool fail_at_passage(bosc_ctx *like, const struct fault_sweep *s, const void *expected, int64_t k, bool for_good)
{
    int64_t live[2];
    /* 1. The call with the fault. */
    bosc_ctx *ctx = counted_context(like, live);
    if (s->open) s->open(ctx, s->user);
    prepare_outputs(s);
    arm_fault(s->kinds ? s->kinds : FAULTS_OF_CALLS, k, for_good);
    bosc_status status = s->call(ctx, s->user);
    bool reached = count_passages() > k;
    disarm_fault();
    /* 2. It succeeded, or failed with unchanged outputs and succeeds when repeated. */
    if (status == BOSC_OK) {
        CHECK(outputs_correct(s, expected));
    } else {
        bool allowed = status == BOSC_ERR_NOMEM || status == BOSC_ERR_DEVICE || status == s->other;
        if (!reached || !allowed || bosc_ctx_message(ctx)[0] == 0)
            suite_fail(__FILE__, __LINE__, "fault %lld gives %s: %s", (long long)k, bosc_status_name(status),
                       bosc_ctx_message(ctx));
        if (status != BOSC_ERR_DEVICE) CHECK(outputs_unchanged(s));
        prepare_outputs(s);
        CHECK_OK(ctx, s->call(ctx, s->user));
        CHECK(outputs_correct(s, expected));
    }
    /* 3. No block stays allocated. */
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
    if (s->close) s->close(s->user);
    bosc_ctx_free(ctx);
    CHECK_EQ(live[0], 0);
    CHECK_EQ(live[1], 0);
    return reached;
}

/* Only sweeps reach the failure branches of drivers, so a build that counts branches omits none. */
static bool skip_passage(void)
{
#ifdef SUITE_FEW
    return false;
#else
    return suite_leaves_out();
#endif
}

int64_t fault_sweep(bosc_ctx *like, const struct fault_sweep *sweep)
{
    int64_t swept = 0, passages_of_call;
    /* The first call of a process passes more fault points, where it initialises what later calls find. */
    free(record_expected(like, sweep, &passages_of_call));
    void *expected = record_expected(like, sweep, &passages_of_call);
#ifdef BOSC_FAULTS
    CHECK(passages_of_call > 0 || sweep->may_pass_none);
#endif
    for (int for_good = 0; for_good < 2; for_good++) {
        int64_t k = 0;
        while (skip_passage() || fail_at_passage(like, sweep, expected, k, for_good))
            k += sweep->step ? sweep->step : 1;
        CHECK(k >= passages_of_call); /* every passage has failed, or was skipped */
        swept += k;
    }
    free(expected);
    return swept;
}
