/* Contexts: opening, bad options, messages, memory. */
#include <string.h>

#include "suite.h"

static void information(bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    CHECK(info.backend == BOSC_BACKEND_CPU || info.backend == BOSC_BACKEND_CUDA);
    CHECK(info.threads >= 1);
}

static void memory(bosc_ctx *ctx)
{
    enum { N = 1000 };
    int32_t out[N], back[N];
    void *p = NULL;
    for (int i = 0; i < N; i++) out[i] = i * 7;
    CHECK_OK(ctx, bosc_alloc(ctx, sizeof out, &p));
    CHECK_OK(ctx, bosc_copy(ctx, p, out, sizeof out));
    CHECK_OK(ctx, bosc_copy(ctx, back, p, sizeof back));
    CHECK(memcmp(out, back, sizeof out) == 0);
    bosc_release(ctx, p, sizeof out);
    CHECK_ARG(ctx, bosc_copy(ctx, NULL, out, 4), "to");
    CHECK_ARG(ctx, bosc_alloc(ctx, 4, NULL), "memory");
}

static void bad_options(void)
{
    bosc_ctx *ctx = NULL;
    bosc_ctx_opts o = {.size = sizeof o};
    CHECK_EQ(bosc_ctx_create(NULL, NULL), BOSC_ERR_ARG);
    o.size = 1;
    CHECK_EQ(bosc_ctx_create(&o, &ctx), BOSC_ERR_ARG);
    o = (bosc_ctx_opts){.size = sizeof o, .threads = -1};
    CHECK_EQ(bosc_ctx_create(&o, &ctx), BOSC_ERR_ARG);
    o = (bosc_ctx_opts){.size = sizeof o, .backend = (bosc_backend)7};
    CHECK_EQ(bosc_ctx_create(&o, &ctx), BOSC_ERR_ARG);
    o = (bosc_ctx_opts){.size = sizeof o, .backend = BOSC_BACKEND_CUDA, .device = 1000};
    CHECK_EQ(bosc_ctx_create(&o, &ctx), BOSC_ERR_BACKEND);
    CHECK(ctx == NULL);
}

static const struct suite_case suite_cases_context[] = {
    {"information", information, NULL},
    {"memory", memory, NULL},
    {"bad options", NULL, bad_options},
};
SUITE(context);
