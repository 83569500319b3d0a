/* Shared by all cases, under either runner. */
#include "support/suite.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/call.h"

bool suite_begins(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

/* The function of suite_try that this thread runs. */
static _Thread_local struct guarded_call {
    jmp_buf out;
    char *failure;
} * guarded;

void suite_try(void (*function)(void *user), void *user, char failure[SUITE_FAILURE])
{
    struct guarded_call call = {.failure = failure};
    failure[0] = 0;
    guarded = &call;
    if (setjmp(call.out) == 0) function(user);
    guarded = NULL;
}

void suite_fail_thread(const char *file, int line, const char *text)
{
    if (!guarded) return;
    snprintf(guarded->failure, SUITE_FAILURE, "%s:%d: %s", file, line, text);
    longjmp(guarded->out, 1);
}

bosc_ctx_opts suite_opts_like(bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    return (bosc_ctx_opts){.size = sizeof(bosc_ctx_opts),
                           .backend = info.backend,
                           .device = info.device < 0 ? 0 : info.device,
                           .threads = info.threads,
                           .cpu_level = info.cpu_level};
}

bosc_ctx *suite_open(const bosc_ctx_opts *opts)
{
    bosc_ctx *ctx = NULL;
    CHECK_EQ(bosc_ctx_create(opts, &ctx), BOSC_OK);
    suite_share_few(ctx);
    return ctx;
}

void suite_share_few(bosc_ctx *ctx)
{
    enum { MANY_THREADS = 8, FEW_ITEMS = 512 };
    if (ctx->max_threads >= MANY_THREADS) ctx->thread_items = FEW_ITEMS;
}

static uint64_t one_trial_of = 1;
static bool first_trial;
static struct suite_random trials;

void suite_begin_case(uint64_t one_of)
{
    one_trial_of = one_of;
    first_trial = true;
    trials.state = 0;
}

bool suite_leaves_out(void)
{
    bool stays = first_trial || suite_below(&trials, one_trial_of) == 0;
    first_trial = false;
    return !stays;
}

bool suite_emulated(const bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    return ctx && bosc_ctx_get_info(ctx, &info) == BOSC_OK && strcmp(info.device_name, "emulated device") == 0;
}

bool suite_slow(const bosc_ctx *ctx)
{
#ifdef SUITE_SLOW
    (void)ctx;
    return true;
#else
    return one_trial_of > 1 || suite_emulated(ctx);
#endif
}

uint64_t suite_next(struct suite_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u; /* SplitMix64, Steele et al. 2014 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t suite_below(struct suite_random *r, uint64_t bound) { return bound ? suite_next(r) % bound : 0; }

double suite_unit(struct suite_random *r) { return (double)(suite_next(r) >> 11) * 0x1p-53; }

void *suite_alloc(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p) abort();
    return p;
}
