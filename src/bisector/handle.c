/* The handle of a pool of bisectors: options, checks, memory, sizes. */
#include "bisector/bisector.h"

#include "base/bits.h"
#include "core/arena.h"
#include "core/check.h"

/* Bytes a leaf; SLACK: an upper bound of alignment and scans. */
enum { NODE = 8, NEIGHBOURS = 12, MARK = 4, OFFSET = 4, SLACK = 1 << 20 };

bosc_status bi_bisector_check(bosc_ctx *ctx, const bosc_bisectors *bisectors)
{
    return bi_check_handle(ctx, "bisectors", bisectors ? &bisectors->memory : NULL);
}

bosc_status bi_bisector_check_array(bosc_ctx *ctx, const char *n_name, int64_t n, const char *name, const void *array,
                                    size_t size)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", n_name, (long long)n);
    if (n > INT64_MAX / 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld elements are more than memory can hold", n_name, (long long)n);
    if (n > 0 && !array) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    return bi_check_aligned(ctx, name, array, size);
}

bosc_status bi_bisector_check_leaves(bosc_ctx *ctx, int64_t leaves)
{
    if (leaves <= BI_BISECTOR_MAX_LEAVES) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "%lld leaves; a pool holds less than 2^30", (long long)leaves);
}

bosc_status bi_bisector_level_size(bosc_ctx *ctx, int64_t root_count, int32_t level, int64_t *leaves)
{
    *leaves = level < 31 ? root_count << level : INT64_MAX; /* roots are at most 2^28 */
    if (*leaves <= BI_BISECTOR_MAX_LEAVES) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "level: %d has 2^30 nodes or more; a pool holds less", (int)level);
}

static int32_t root_bits_of(int64_t root_count) { return bi_bit_length((uint64_t)root_count - 1); }

/* Checks edge e of root r in the caller's array, where 3 s + f is edge f of root s: glued in pairs, bases to bases. */
static bosc_status check_edge(bosc_ctx *ctx, const bosc_bisectors_opts *o, int64_t r, int e)
{
    const int64_t glued = o->glued[3 * r + e];
    if (glued == -1) return BOSC_OK;
    const char *why = NULL;
    if (glued < 0 || glued >= 3 * o->root_count)
        why = "is no edge of a root";
    else if ((glued % 3 == 0) != (e == 0))
        why = "joins a base with an edge that is none";
    else if (o->glued[glued] != 3 * r + e)
        why = "is not glued back";
    else if (glued == 3 * r + e)
        why = "is the edge itself";
    if (!why) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "opts: glued: root %lld, edge %d: %lld %s", (long long)r, e, (long long)glued,
                   why);
}

bosc_status bi_bisector_check_opts(bosc_ctx *ctx, const bosc_bisectors_opts *opts, bosc_bisectors_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_bisectors_opts", opts, full, sizeof *full));
    if (full->root_count == 0) full->root_count = 1;
    if (full->root_count < 0 || full->root_count > BI_BISECTOR_MAX_ROOTS)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: root_count %lld is not in 1 to 2^28", (long long)full->root_count);
    int32_t deepest = 63 - root_bits_of(full->root_count); /* nodes of the deepest level have 64 bits */
    if (deepest > BOSC_BISECTORS_MAX_DEPTH) deepest = BOSC_BISECTORS_MAX_DEPTH;
    if (full->depth < 0 || full->depth > deepest)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: depth %d is not in 0 to %d, with this many roots", (int)full->depth,
                       (int)deepest);
    if (full->level < 0 || full->level > full->depth)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: level %d is not in 0 to depth %d", (int)full->level, (int)full->depth);
    BI_TRY(bi_check_aligned(ctx, "opts: glued", full->glued, sizeof *full->glued));
    for (int64_t r = 0; full->glued && r < full->root_count; r++)
        for (int e = 0; e < 3; e++) BI_TRY(check_edge(ctx, full, r, e));
    return BOSC_OK;
}

static bosc_status allocate_exchange(bosc_ctx *ctx, bosc_bisectors *fresh)
{
    const size_t bytes = ctx->ops->bisector->exchange_bytes;
    if (bytes == 0) return BOSC_OK;
    BI_TRY(bi_block_reserve(ctx, &fresh->memory, &fresh->exchange, bytes));
    return ctx->backend->fill(ctx, fresh->exchange.data, 0, bytes);
}

static bosc_status allocate_roots(bosc_ctx *ctx, bosc_bisectors *fresh, const uint32_t *glued)
{
    const size_t bytes = (size_t)fresh->view.root_count * NEIGHBOURS;
    BI_TRY(bi_block_reserve(ctx, &fresh->memory, &fresh->roots, bytes));
    fresh->view.roots = fresh->roots.data;
    if (!glued) return ctx->backend->fill(ctx, fresh->roots.data, 0xff, bytes);
    BI_TRY(ctx->backend->copy(ctx, fresh->roots.data, glued, bytes));
    return ctx->backend->sync(ctx);
}

bosc_status bi_bisector_allocate(bosc_ctx *ctx, const bosc_bisectors_opts *full, const uint32_t *glued,
                                 bosc_bisectors **bisectors)
{
    bosc_bisectors *fresh;
    BI_TRY(BI_NEW_HANDLE(
        ctx, &fresh,
        .view = {.root_count = full->root_count, .root_bits = root_bits_of(full->root_count), .depth = full->depth}));
    bosc_status status = allocate_exchange(ctx, fresh);
    if (status == BOSC_OK) status = allocate_roots(ctx, fresh, glued);
    if (status == BOSC_OK)
        *bisectors = fresh;
    else
        bosc_bisectors_free(fresh);
    return status;
}

static void free_leaves(const struct bi_memory *m, struct bi_bisector_leaves *leaves)
{
    bi_block_free(m, &leaves->nodes);
    bi_block_free(m, &leaves->neighbours);
}

void bosc_bisectors_free(bosc_bisectors *bisectors)
{
    if (!bisectors) return;
    free_leaves(&bisectors->memory, &bisectors->current);
    free_leaves(&bisectors->memory, &bisectors->next);
    bi_block_free(&bisectors->memory, &bisectors->roots);
    bi_block_free(&bisectors->memory, &bisectors->marks);
    bi_block_free(&bisectors->memory, &bisectors->exchange);
    bi_block_free(&bisectors->memory, &bisectors->next_marks);
    bi_memory_release(&bisectors->host, bisectors, sizeof *bisectors);
}

bosc_status bi_bisector_reserve_leaves(bosc_ctx *ctx, const bosc_bisectors *bisectors,
                                       struct bi_bisector_leaves *leaves, int64_t count)
{
    /* A growing array gets a quarter more, so that a pool that grows slowly does not allocate each time. */
    const int64_t have = (int64_t)(leaves->nodes.bytes / NODE);
    const int64_t capacity = count > have && have > 0 ? count + count / 4 : count;
    BI_TRY(bi_block_reserve(ctx, &bisectors->memory, &leaves->nodes, (size_t)capacity * NODE));
    return bi_block_reserve(ctx, &bisectors->memory, &leaves->neighbours, (size_t)capacity * NEIGHBOURS);
}

/* Sets the pointers of the view, after an array of the current leaves has moved. */
static void refresh_view(bosc_bisectors *b)
{
    b->view.nodes = b->current.nodes.data;
    b->view.neighbours = b->current.neighbours.data;
}

void bi_bisector_swap(bosc_bisectors *bisectors, int64_t leaves)
{
    const struct bi_bisector_leaves old = bisectors->current;
    bisectors->current = bisectors->next;
    bisectors->next = old;
    bisectors->view.leaves = leaves;
    bisectors->pending = bisectors->marks_clear = false;
    refresh_view(bisectors);
}

static int64_t kept_bytes(const bosc_ctx *ctx, int64_t root_count, int64_t leaves)
{
    const struct bi_bisector_ops *ops = ctx->ops->bisector;
    const int64_t each = 2 * (NODE + NEIGHBOURS) + (ops->update ? 2 : 1) * MARK;
    return root_count * NEIGHBOURS + leaves * each + (int64_t)ops->exchange_bytes;
}

/* Upper bound: to install nodes, a copy of them and their neighbours; an update needs less. */
static int64_t scratch_bytes(int64_t leaves) { return leaves * (NODE + NEIGHBOURS + 2 * OFFSET) + SLACK; }

static bosc_status check_size(bosc_ctx *ctx, int64_t leaves)
{
    if (leaves < 0) return bi_fail(ctx, BOSC_ERR_ARG, "leaves: %lld is less than 0", (long long)leaves);
    return bi_bisector_check_leaves(ctx, leaves);
}

bosc_status bosc_bisectors_bytes(const bosc_ctx *ctx, const bosc_bisectors_opts *opts, int64_t leaves, int64_t *kept,
                                 int64_t *scratch)
{
    bosc_bisectors_opts full;
    bosc_ctx *message_ctx = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(message_ctx);
    BI_TRY(bi_bisector_check_opts(message_ctx, opts, &full));
    BI_TRY(check_size(message_ctx, leaves));
    if (kept) *kept = kept_bytes(ctx, full.root_count, leaves);
    if (scratch) *scratch = scratch_bytes(leaves);
    return BOSC_OK;
}

bosc_status bosc_bisectors_reserve(bosc_ctx *ctx, bosc_bisectors *bisectors, int64_t leaves)
{
    void *scratch;
    BI_ENTER(ctx);
    BI_TRY(bi_bisector_check(ctx, bisectors));
    BI_TRY(check_size(ctx, leaves));
    struct bi_block *const blocks[] = {&bisectors->current.nodes, &bisectors->current.neighbours,
                                       &bisectors->next.nodes,    &bisectors->next.neighbours,
                                       &bisectors->marks,         &bisectors->next_marks};
    const size_t n = (size_t)leaves, used = (size_t)bisectors->view.leaves;
    const size_t bytes[] = {n * NODE, n * NEIGHBOURS, n * NODE, n * NEIGHBOURS, n * MARK, n * MARK};
    const size_t in_use[] = {used * NODE, used * NEIGHBOURS, 0, 0, bisectors->pending ? used * MARK : 0, 0};
    bisectors->marks_clear = false; /* new memory of marks is not cleared */
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch_bytes(leaves), &scratch));
    const int count = ctx->ops->bisector->update ? 6 : 5; /* next_marks: only for updates in one pass */
    bosc_status status = bi_blocks_grow(ctx, &bisectors->memory, blocks, count, bytes, in_use);
    refresh_view(bisectors);
    return status;
}
