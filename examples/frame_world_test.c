/* A test of frame_world.c: each allocation of a world and its first frames fails once. All memory is then released, by
 * the sizes that were allocated. */
#include <stdio.h>
#include <stdlib.h>

#include "frame_world.h"

enum { HEADER = 64, STEPS = 2 };

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
    printf("%lld allocations failed, and all memory was released\n", (long long)failed);
    return failed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
