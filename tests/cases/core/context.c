/* Contexts: opening, bad options, messages, memory. */
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "base/fault.h"
#include "core/call.h"

static void information(bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    CHECK(info.backend == BOSC_BACKEND_CPU || info.backend == BOSC_BACKEND_CUDA);
    CHECK(info.threads >= 1);
    CHECK((info.device < 0) == (info.device_name[0] == 0));
    info.size = 0;
    CHECK_EQ(bosc_ctx_get_info(ctx, &info), BOSC_ERR_ARG);
    info.size = sizeof info + 1;
    CHECK_EQ(bosc_ctx_get_info(ctx, &info), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ctx_get_info(ctx, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ctx_get_info(NULL, &info), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ctx_sync(NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ctx_trim(NULL), BOSC_ERR_ARG);
    CHECK(strcmp(bosc_ctx_message(NULL), "") == 0);
    bosc_ctx_free(NULL);
}

static void memory(bosc_ctx *ctx)
{
    enum { N = 1000 };
    int32_t out[N], back[N];
    void *p = NULL;
    for (int i = 0; i < N; i++) out[i] = i * 7;
    CHECK_OK(ctx, bosc_ctx_alloc(ctx, sizeof out, &p));
    CHECK_OK(ctx, bosc_ctx_copy(ctx, p, out, sizeof out));
    CHECK_OK(ctx, bosc_ctx_copy(ctx, back, p, sizeof back));
    CHECK(memcmp(out, back, sizeof out) == 0);
    bosc_ctx_release(ctx, p, sizeof out);
    CHECK_ARG(ctx, bosc_ctx_copy(ctx, NULL, out, 4), "to");
    CHECK_ARG(ctx, bosc_ctx_copy(ctx, out, NULL, 4), "from");
    CHECK_OK(ctx, bosc_ctx_copy(ctx, NULL, NULL, 0));
    CHECK_ARG(ctx, bosc_ctx_alloc(ctx, 4, NULL), "memory");
    CHECK_OK(ctx, bosc_ctx_alloc(ctx, 0, &p));
    CHECK(p == NULL);
    bosc_ctx_release(ctx, NULL, 0);
    static const size_t absurd[] = {SIZE_MAX, (size_t)PTRDIFF_MAX + 1};
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(ctx, bosc_ctx_alloc(ctx, absurd[i], &p), BOSC_ERR_NOMEM);
        CHECK(p == NULL && suite_begins(bosc_ctx_message(ctx), "out of "));
    }
    CHECK_EQ(bosc_ctx_alloc(NULL, 4, &p), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ctx_copy(NULL, back, out, 4), BOSC_ERR_ARG);
    bosc_ctx_release(NULL, NULL, 0);
}

static const struct bi_backend *backend;
static int waits;

static bosc_status count_waits(bosc_ctx *ctx)
{
    waits++;
    return backend->sync(ctx);
}

/* A call that lacks memory first waits for its queued work, which may write to words of the host. */
static void no_memory(bosc_ctx *ctx)
{
    static struct bi_backend counting; /* the context has it still if a check fails */
    struct bi_block block = {0};
    void *p;
    backend = ctx->backend;
    counting = *backend;
    waits = 0;
    counting.sync = count_waits;
    ctx->backend = &counting;
    CHECK_STATUS(ctx, bi_scratch(ctx, SIZE_MAX, &p), BOSC_ERR_NOMEM);
    CHECK_EQ(waits, 1);
    CHECK_STATUS(ctx, bi_block_reserve(ctx, &ctx->memory, &block, SIZE_MAX), BOSC_ERR_NOMEM);
    CHECK_EQ(waits, 2);
    CHECK(bi_host_alloc(ctx, SIZE_MAX) == NULL);
    CHECK_EQ(waits, 3);
    ctx->backend = backend;
}

static void *allocate(void *user, size_t bytes)
{
    (void)user;
    return malloc(bytes);
}

static void release(void *user, void *memory, size_t bytes)
{
    (void)user, (void)bytes;
    free(memory);
}

static void bad_options(void)
{
    /* Each of these options is refused, an allocator without its other half too. No context is created. */
    const bosc_ctx_opts good = {.size = sizeof good};
    const bosc_allocator only_alloc = {.alloc = allocate}, only_release = {.release = release};
    const bosc_ctx_opts bad[] = {
        {.size = 0},
        {.size = 1},
        {.size = sizeof good + 1},
        {.size = SIZE_MAX},
        {.size = sizeof good, .threads = -1},
        {.size = sizeof good, .threads = INT32_MIN},
        {.size = sizeof good, .threads = 4097},
        {.size = sizeof good, .threads = INT32_MAX},
        {.size = sizeof good, .backend = (bosc_backend)4},
        {.size = sizeof good, .backend = (bosc_backend)7},
        {.size = sizeof good, .backend = (bosc_backend)-1},
        {.size = sizeof good, .device = -1},
        {.size = sizeof good, .device = INT32_MIN},
        {.size = sizeof good, .cpu_level = (bosc_cpu_level)2},
        {.size = sizeof good, .cpu_level = (bosc_cpu_level)5},
        {.size = sizeof good, .cpu_level = (bosc_cpu_level)-1},
        {.size = sizeof good, .host = only_alloc},
        {.size = sizeof good, .host = only_release},
        {.size = sizeof good, .device_memory = only_alloc},
        {.size = sizeof good, .device_memory = only_release},
    };
    bosc_ctx *ctx = NULL;
    CHECK_EQ(bosc_ctx_create(NULL, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ctx_create(&good, NULL), BOSC_ERR_ARG);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_EQ(bosc_ctx_create(&bad[i], &ctx), BOSC_ERR_ARG);
        CHECK(ctx == NULL);
    }
    bosc_ctx_opts o = {.size = sizeof o, .backend = BOSC_BACKEND_CUDA, .device = 1000};
    CHECK_EQ(bosc_ctx_create(&o, &ctx), BOSC_ERR_BACKEND);
    CHECK(ctx == NULL);
}

/* The defaults, and options of a program compiled when there were fewer. */
static void defaults(void)
{
    bosc_ctx_info info = {.size = sizeof info};
    for (int i = 0; i < 3; i++) {
        bosc_ctx_opts o = {.size = offsetof(bosc_ctx_opts, threads), .threads = -1};
        bosc_ctx *ctx = NULL;
        if (i == 2) o = (bosc_ctx_opts){.size = sizeof o, .backend = BOSC_BACKEND_AUTO};
        CHECK_EQ(bosc_ctx_create(i ? &o : NULL, &ctx), BOSC_OK);
        CHECK_EQ(bosc_ctx_get_info(ctx, &info), BOSC_OK);
        CHECK(info.threads >= 1 && info.cpu_level == bosc_cpu_best_level());
        CHECK_EQ(info.backend, i == 2 && bosc_device_count() > 0 ? BOSC_BACKEND_CUDA : BOSC_BACKEND_CPU);
        bosc_ctx_free(ctx);
    }
}

static void reasons(void)
{
    static const bosc_backend backends[] = {BOSC_BACKEND_DEFAULT, BOSC_BACKEND_CPU, BOSC_BACKEND_AUTO};
    for (int i = 0; i < 3; i++) CHECK(strcmp(bosc_backend_reason(backends[i]), "") == 0);
    CHECK((bosc_device_count() > 0) == (bosc_backend_reason(BOSC_BACKEND_CUDA)[0] == 0));
    CHECK(strcmp(bosc_backend_reason((bosc_backend)9), "no such backend") == 0);
}

static void listen(void *user, bosc_log_level level, const char *text)
{
    CHECK_EQ(level, BOSC_LOG_WARNING);
    strncpy(user, text, 99);
}

/* A line of the log, as long as there is one who listens. */
static void log_lines(bosc_ctx *ctx)
{
    char line[100] = "";
    bi_log(ctx, BOSC_LOG_WARNING, "nobody hears %d", 1);
    ctx->log = listen;
    ctx->log_user = line;
    bi_log(ctx, BOSC_LOG_WARNING, "%d of %s", 3, "these");
    CHECK(strcmp(line, "3 of these") == 0);
    ctx->log = NULL;
}

/* Scratch: equal requests get equal addresses, larger ones more room; sizes beyond memory are refused. */
static void scratch(bosc_ctx *ctx)
{
    void *a, *b, *c, *none = ctx;
    struct bi_mark start = bi_arena_mark(ctx);
    CHECK_OK(ctx, bi_scratch(ctx, 0, &none));
    CHECK(none == NULL);
    CHECK_OK(ctx, bi_scratch(ctx, 100, &a));
    struct bi_mark mark = bi_arena_mark(ctx);
    CHECK_OK(ctx, bi_scratch(ctx, 1 << 20, &b));
    bi_arena_rewind(ctx, mark);
    CHECK_OK(ctx, bi_scratch(ctx, 100, &b));
    bi_arena_rewind(ctx, mark);
    CHECK_OK(ctx, bi_scratch(ctx, 100, &c)); /* in the chunk of the mark */
    CHECK(b == c && (uintptr_t)c % 64 == 0);
    bi_arena_rewind(ctx, mark);
    CHECK_OK(ctx, bi_scratch(ctx, 1 << 20, &b));
    bi_arena_rewind(ctx, mark);
    CHECK_OK(ctx, bi_scratch(ctx, 1 << 20, &c));
    CHECK(b == c && (uintptr_t)a % 64 == 0 && (uintptr_t)b % 64 == 0);
    bi_arena_rewind(ctx, mark);
    CHECK_OK(ctx, bi_scratch(ctx, 3 << 20, &c)); /* beyond the second chunk */
    static const size_t absurd[] = {SIZE_MAX, PTRDIFF_MAX, (size_t)PTRDIFF_MAX - 255};
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(ctx, bi_scratch(ctx, absurd[i], &none), BOSC_ERR_NOMEM);
        CHECK(none == NULL);
    }
    bi_arena_rewind(ctx, start);
    CHECK_OK(ctx, bosc_ctx_trim(ctx));
}

/* One context queues on its own stream, on another context's and on its own again. Each copy of the chain must wait
 * for the copy before it. */
static void streams(bosc_ctx *ctx)
{
    enum { LINKS = 7, BYTES = 4096 };
    static const char zeros[BYTES];
    struct array chain[LINKS];
    bosc_ctx_opts o = suite_opts_like(ctx);
    bosc_ctx *other = suite_open(&o);
    void *own = ctx->stream;
    for (int i = 0; i < LINKS; i++) chain[i] = array_make(ctx, i ? zeros : NULL, BYTES, true);
    for (int i = 1; i < LINKS; i++) {
        CHECK_OK(ctx, bosc_ctx_set_stream(ctx, i % 3 == 0 ? NULL : i % 3 == 1 ? own : other->stream));
        CHECK(ctx->stream == (i % 3 == 2 ? other->stream : own));
        CHECK_OK(ctx, bosc_ctx_copy(ctx, chain[i].p, chain[i - 1].p, BYTES));
    }
    CHECK_OK(ctx, bosc_ctx_set_stream(ctx, other->stream));
    CHECK_OK(ctx, bosc_ctx_set_stream(ctx, NULL));
    bosc_ctx_free(other); /* its stream goes: the context has left it */
    const void *first = array_get(ctx, &chain[0]);
    CHECK(memcmp(first, zeros, BYTES) != 0);
    for (int i = 1; i < LINKS; i++) CHECK(memcmp(first, array_get(ctx, &chain[i]), BYTES) == 0);
    for (int i = 0; i < LINKS; i++) array_free(ctx, &chain[i]);
}

/* A context that was opened on the caller's stream makes one of its own only when it leaves that. */
static void opened_on_a_stream(bosc_ctx *like)
{
    bosc_ctx_opts o = suite_opts_like(like);
    o.stream = like->stream;
    bosc_ctx *ctx = suite_open(&o);
    CHECK(ctx->stream == like->stream && !ctx->own_stream);
    CHECK_OK(ctx, bosc_ctx_set_stream(ctx, NULL));
    CHECK(!like->stream || (ctx->stream && ctx->stream != like->stream));
    bosc_ctx_free(ctx);
    CHECK_OK(like, bosc_ctx_sync(like));
}

#ifdef BOSC_FAULTS
/* Opening a context fails at every passage: no context, and nothing left behind for LeakSanitizer. */
static void open_faults(bosc_ctx *like)
{
    bosc_ctx_opts o = {.size = sizeof o, .backend = has_device_memory(like) ? BOSC_BACKEND_CUDA : BOSC_BACKEND_CPU};
    for (int for_good = 0; for_good < 2; for_good++)
        for (int64_t k = 0;; k++) {
            bosc_ctx *ctx = NULL;
            bi_fault_arm(BI_FAULT_ALLOC | BI_FAULT_STREAM, k, for_good);
            bosc_status status = bosc_ctx_create(&o, &ctx);
            int64_t passages = bi_fault_passages();
            bi_fault_disarm();
            CHECK((status == BOSC_OK) == (ctx != NULL) && (status == BOSC_OK) == (passages <= k));
            if (status != BOSC_OK) CHECK(status == BOSC_ERR_NOMEM || status == BOSC_ERR_DEVICE);
            bosc_ctx_free(ctx);
            if (status == BOSC_OK) break;
        }
}
#endif

/* Copies to the device and back, also while an earlier copy is under way, at sizes around those of the chunks of large
 * host arrays. */
static void large_copies(bosc_ctx *ctx)
{
    static const size_t sizes[] = {49151,   49152,   49153,   65536,   65539,   81919,   98305,  147456,
                                   1048575, 1048576, 1048577, 1572865, 3145735, 6291456, 7000001};
    const size_t most = sizes[sizeof sizes / sizeof sizes[0] - 1];
    unsigned char *out = suite_alloc(most), *back = suite_alloc(most + 1);
    struct suite_random r = {17};
    for (size_t i = 0; i < most; i++) out[i] = (unsigned char)suite_next(&r);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        void *p = NULL;
        const size_t bytes = sizes[s];
        memset(back, 0, most);
        CHECK_OK(ctx, bosc_ctx_alloc(ctx, bytes, &p));
        CHECK_OK(ctx, bosc_ctx_copy(ctx, p, back, bytes));
        CHECK_OK(ctx, bosc_ctx_copy(ctx, p, out, bytes));
        back[bytes] = 0x5a;
        CHECK_OK(ctx, bosc_ctx_copy(ctx, back, p, bytes));
        CHECK(memcmp(out, back, bytes) == 0 && back[bytes] == 0x5a);
        bosc_ctx_release(ctx, p, bytes);
    }
    free(out);
    free(back);
}

static const struct suite_case suite_cases_context[] = {
    {"information", information, NULL},
    {"memory", memory, NULL},
    {"no memory", no_memory, NULL},
    {"large copies", large_copies, NULL},
    {"bad options", NULL, bad_options},
    {"defaults", NULL, defaults},
    {"reasons", NULL, reasons},
    {"log lines", log_lines, NULL},
    {"scratch", scratch, NULL},
    {"streams", streams, NULL},
    {"opened on a stream", opened_on_a_stream, NULL},
#ifdef BOSC_FAULTS
    {"opening fails at every passage", open_faults, NULL},
#endif
};
SUITE(context);
