/* A test of frame_world.c, which it includes: each allocation of a world and its first frames fails once, and each host
 * allocation of a fetch. All memory is then released, by the sizes that were allocated, and not written to any more. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *allocate_host(size_t bytes);
static void release_host(void *memory);
#define malloc(bytes) allocate_host(bytes)
#define free(memory) release_host(memory)
#include "frame_world.c"
#undef malloc
#undef free

enum { HEADER = 64, STEPS = 2, FETCHED = 16, RELEASED = 0xa5 };

/* Host memory of a fetch, whose allocation number `failing` fails. Released memory is kept and filled with RELEASED. */
static struct {
    bool is_fetch;
    int64_t allocations, failing, count;
    struct {
        unsigned char *memory;
        size_t bytes;
        bool is_released;
    } blocks[FETCHED];
} host;

static void *allocate_host(size_t bytes)
{
    if (!host.is_fetch) return malloc(bytes);
    if (host.allocations++ == host.failing || host.count == FETCHED) return NULL;
    unsigned char *memory = malloc(bytes);
    if (!memory) return NULL;
    host.blocks[host.count].memory = memory;
    host.blocks[host.count].bytes = bytes;
    host.blocks[host.count++].is_released = false;
    return memory;
}

static void release_host(void *memory)
{
    for (int64_t i = 0; i < host.count; i++)
        if (host.blocks[i].memory == memory) {
            memset(memory, RELEASED, host.blocks[i].bytes);
            host.blocks[i].is_released = true;
            return;
        }
    free(memory);
}

/* Ends a fetch. Returns the number of blocks not released, or written to afterwards. */
static int64_t free_blocks(void)
{
    int64_t bad = 0;
    for (int64_t i = 0; i < host.count; i++) {
        bool is_written = false;
        for (size_t b = 0; b < host.blocks[i].bytes; b++) is_written |= host.blocks[i].memory[b] != RELEASED;
        bad += !host.blocks[i].is_released || is_written;
        free(host.blocks[i].memory);
    }
    host.count = host.allocations = 0;
    host.is_fetch = false;
    return bad;
}

/* Memory of a context, whose allocation number `failing` fails. */
struct counted {
    int64_t allocations, failing, live, wrong_sizes;
};

/* Stores the size before the memory. */
static void *allocate_counted(void *user, size_t bytes)
{
    struct counted *c = user;
    if (c->allocations++ == c->failing) return NULL;
    size_t *memory = aligned_alloc(HEADER, (bytes + 2 * HEADER - 1) / HEADER * HEADER);
    if (!memory) return NULL;
    c->live++;
    *memory = bytes;
    return (char *)memory + HEADER;
}

static void release_counted(void *user, void *memory, size_t bytes)
{
    struct counted *c = user;
    size_t *header = (size_t *)(void *)((char *)memory - HEADER);
    c->wrong_sizes += *header != bytes;
    c->live--;
    free(header);
}

/* Opens a world and steps through its first frames. */
static bosc_status run_world(struct counted *c)
{
    const bosc_ctx_opts ctx_opts = {
        .size = sizeof ctx_opts, .threads = 1, .host = {allocate_counted, release_counted, c}};
    const struct world_opts opts = {.objects = WORLD_OBJECTS_MIN, .districts = 0, .frames = 60, .pixels = 64};
    bosc_ctx *ctx = NULL;
    struct world *world = NULL;
    bosc_status status = bosc_ctx_create(&ctx_opts, &ctx);
    if (!status) status = world_open(ctx, ctx, &opts, &world);
    for (int i = 0; i < STEPS && !status; i++) status = world_step(world, NULL);
    world_close(world);
    bosc_ctx_free(ctx);
    return status;
}

/* Fetches a frame of a world again and again, until no allocation fails. Returns false after a message. */
static bool test_fetches(bosc_backend backend)
{
    const bosc_ctx_opts ctx_opts = {.size = sizeof ctx_opts, .backend = backend};
    const struct world_opts opts = {.objects = WORLD_OBJECTS_MIN, .districts = 0, .frames = 60, .pixels = 64};
    bosc_ctx *ctx = NULL;
    struct world *world = NULL;
    bool has_more = true, is_right = true;
    /* 1. A frame. */
    bosc_status status = bosc_ctx_create(&ctx_opts, &ctx);
    if (!status) status = world_open(ctx, ctx, &opts, &world);
    if (!status) status = world_step(world, NULL);
    /* 2. Its fetches. */
    for (host.failing = 0; has_more && is_right && !status; host.failing++) {
        struct world_frame frame = {0};
        host.is_fetch = true;
        const bosc_status fetched = world_fetch(world, &frame);
        has_more = host.allocations > host.failing;
        world_frame_free(&frame);
        status = bosc_ctx_sync(ctx); /* copies that were queued are done */
        const int64_t bad = free_blocks();
        is_right = bad == 0 && fetched == (has_more ? BOSC_ERR_NOMEM : BOSC_OK);
        if (!is_right)
            printf("fetch, allocation %lld: %s, %lld blocks written to or not released\n", (long long)host.failing,
                   bosc_status_text(fetched), (long long)bad);
    }
    if (status) printf("fetch: %s\n", bosc_status_text(status));
    world_close(world);
    bosc_ctx_free(ctx);
    return is_right && !status;
}

int main(void)
{
    int64_t failed = 0;
    for (struct counted c = {.failing = 0};; c = (struct counted){.failing = c.failing + 1}) {
        const bosc_status status = run_world(&c);
        if (c.live || c.wrong_sizes || (status && status != BOSC_ERR_NOMEM)) {
            printf("allocation %lld: %s, %lld live, %lld of another size\n", (long long)c.failing,
                   bosc_status_text(status), (long long)c.live, (long long)c.wrong_sizes);
            return EXIT_FAILURE;
        }
        if (c.allocations <= c.failing) break;
        failed += status == BOSC_ERR_NOMEM;
    }
    const bool has_cuda = !*bosc_backend_reason(BOSC_BACKEND_CUDA);
    if (!test_fetches(BOSC_BACKEND_CPU) || (has_cuda && !test_fetches(BOSC_BACKEND_CUDA))) return EXIT_FAILURE;
    printf("%lld allocations failed, and all memory was released\n", (long long)failed);
    return failed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
