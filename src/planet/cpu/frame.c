/* The passes of a frame on the CPU: commands, new leaves, and the mesh. Threads share the leaves by chunks. */
#include "base/atomic.h"
#include "planet/cpu/kernels.h"

enum { COST = 64 }; /* of a leaf in a pass, in simple items. Not measured */

static const struct bi_planet_kernels *kernels_of(const bosc_ctx *ctx)
{
    return BI_LEVEL_PICK(ctx->level, bi_planet_kernels);
}

bosc_status bi_planet_cpu_mark(bosc_ctx *ctx, int64_t leaves, const struct bi_planet_mark *a)
{
    const struct bi_planet_kernels *kernels = kernels_of(ctx);
    const int chunks = bi_thread_count_by_cost(ctx, leaves, COST);
    struct bi_batches parts = bi_chunk_batches(ctx, leaves, chunks, 1);
    while (bi_next_batch(ctx, &parts))
        BI_PARALLEL_FOR(chunks, (static), c, 0, chunks,
                        kernels->mark(a, bi_batch_of_chunk(leaves, chunks, (int)c, &parts)));
    return parts.status;
}

bosc_status bi_planet_cpu_derive(bosc_ctx *ctx, int64_t leaves, const struct bi_planet_shape *a)
{
    const struct bi_planet_kernels *kernels = kernels_of(ctx);
    const int chunks = bi_thread_count_by_cost(ctx, leaves, COST);
    struct bi_batches parts = bi_chunk_batches(ctx, leaves, chunks, 1);
    while (bi_next_batch(ctx, &parts))
        BI_PARALLEL_FOR(chunks, (static), c, 0, chunks, {
            if (kernels->derive(a, bi_batch_of_chunk(leaves, chunks, (int)c, &parts))) bi_atomic_or_u32(a->changed, 1);
        });
    return parts.status;
}

/* Marks the corners that leaves own. numbers[c]: the first vertex of chunk c. */
static bosc_status number_chunks(bosc_ctx *ctx, const struct bi_planet_mesh *a, int chunks, uint32_t *numbers)
{
    const struct bi_planet_kernels *kernels = kernels_of(ctx);
    const int64_t leaves = a->end;
    struct bi_batches parts = bi_chunk_batches(ctx, leaves, chunks, 1);
    uint32_t next = 0;
    for (int c = 0; c < chunks; c++) numbers[c] = 0;
    while (bi_next_batch(ctx, &parts))
        BI_PARALLEL_FOR(chunks, (static), c, 0, chunks, {
            const struct bi_span chunk = {bi_chunk_begin(leaves, chunks, (int)c),
                                          bi_chunk_begin(leaves, chunks, (int)c + 1)};
            numbers[c] += kernels->own(a, chunk, bi_batch_of_chunk(leaves, chunks, (int)c, &parts));
        });
    for (int c = 0; c < chunks; c++) {
        const uint32_t count = numbers[c];
        numbers[c] = next;
        next += count;
    }
    return parts.status;
}

bosc_status bi_planet_cpu_write_mesh(bosc_ctx *ctx, int64_t leaves, struct bi_planet_mesh *a)
{
    const struct bi_planet_kernels *kernels = kernels_of(ctx);
    const int chunks = bi_thread_count_by_cost(ctx, leaves, COST);
    uint32_t *numbers;
    BI_TRY(bi_scratch_of(ctx, leaves, sizeof *a->owned, &a->owned));
    BI_TRY(bi_scratch_of(ctx, chunks, sizeof *numbers, &numbers));
    BI_TRY(ctx->backend->fill(ctx, a->owned, 0, (size_t)leaves * sizeof *a->owned));
    /* 1. Several threads: find the owners first, since a chunk's numbers begin where the one before ends. */
    numbers[0] = 0;
    if (chunks > 1) BI_TRY(number_chunks(ctx, a, chunks, numbers));
    /* 2. Write; a single thread finds the owners on the way. */
    struct bi_batches parts = bi_chunk_batches(ctx, leaves, chunks, chunks > 1 ? 2 : 3);
    while (bi_next_batch(ctx, &parts))
        BI_PARALLEL_FOR(
            chunks, (static), c, 0, chunks,
            numbers[c] = kernels->write(a, bi_batch_of_chunk(leaves, chunks, (int)c, &parts), numbers[c], chunks > 1));
    return parts.status;
}
