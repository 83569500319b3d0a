/* Bytes that tries need, and their reservation. */
#include "core/blocks.h"
#include "core/call.h"
#include "trie/drivers.h"

/* Upper bounds of the bytes of the blocks for n keys, without published nodes. */
static void size_blocks(const bosc_trie_opts *o, const struct bi_trie_shape *s, int64_t n, size_t bytes[BI_TRIE_BLOCKS])
{
    size_t nodes = n > 1 ? (size_t)n - 1 : 0;
    bool compact = o->layout == BOSC_TRIE_COMPACT;
    bytes[BI_TRIE_KEYS] = (size_t)n * (size_t)s->letters.words * 8;
    bytes[BI_TRIE_VALUES] = (size_t)n * (size_t)o->value_bits / 8;
    bytes[BI_TRIE_COUNTS] = (size_t)n * 4;
    bytes[BI_TRIE_TABLE] = (size_t)bi_trie_buckets(o, s, n) * BI_TRIE_BUCKET * 4;
    bytes[BI_TRIE_NODES] = compact ? nodes * sizeof(struct bi_trie_node) : 0;
    bytes[BI_TRIE_CHILDREN] = compact ? 2 * nodes * 4 : 0;
    bytes[BI_TRIE_LEVELS] = !compact && n > 0 ? (size_t)(s->levels + 1) * 8 : 0;
}

/* Scratch of a build from reachable rows: reversed rows, or a dictionary of their words, a slot for each and the
 * numbers; copies of keys and entries for sorting; order, starts, heads, indices. Building nodes takes less: splits,
 * minima, and four numbers a key. */
static size_t size_scratch(const bosc_ctx *ctx, const struct bi_trie_shape *s, int64_t n)
{
    size_t slots = (size_t)bi_trie_dictionary_slots(ctx, s, n);
    return (size_t)n * ((size_t)s->letters.words * (slots ? 12 : 8) + 72) + slots * 48 + (size_t)s->levels * 16 +
           (1 << 17);
}

static bosc_status check_n(bosc_ctx *ctx, int64_t n)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (n > INT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld rows, but a trie is built from less than 2^31", (long long)n);
    return BOSC_OK;
}

bosc_status bosc_trie_bytes(const bosc_ctx *ctx, const bosc_trie_opts *opts, int64_t n, int64_t *kept, int64_t *scratch)
{
    bosc_trie_opts full;
    size_t bytes[BI_TRIE_BLOCKS];
    int64_t sum = 0;
    bosc_ctx *writable = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(writable);
    BI_TRY(bi_trie_check_opts(writable, opts, &full));
    struct bi_trie_shape shape = bi_trie_shape_of(&full);
    BI_TRY(check_n(writable, n));
    size_blocks(&full, &shape, n, bytes);
    for (int b = 0; b < BI_TRIE_BLOCKS; b++) sum += (int64_t)bytes[b];
    if (kept) *kept = sum;
    if (scratch) *scratch = (int64_t)size_scratch(ctx, &shape, n);
    return BOSC_OK;
}

/* Bytes of the blocks in use. In a compact trie each node and leaf but the root is one child. */
static void size_used(const bosc_trie *trie, size_t used[BI_TRIE_BLOCKS])
{
    size_blocks(&trie->opts, &trie->shape, trie->keys, used);
    if (trie->opts.layout != BOSC_TRIE_COMPACT) return;
    used[BI_TRIE_NODES] = (size_t)trie->nodes * sizeof(struct bi_trie_node);
    used[BI_TRIE_CHILDREN] = trie->nodes ? (size_t)(trie->keys + trie->nodes - 1) * 4 : 0;
}

/* Grows blocks, keeping their contents. */
static bosc_status grow_blocks(bosc_ctx *ctx, bosc_trie *trie, const size_t bytes[BI_TRIE_BLOCKS])
{
    struct bi_block *blocks[BI_TRIE_BLOCKS];
    size_t used[BI_TRIE_BLOCKS];
    size_used(trie, used);
    for (int b = 0; b < BI_TRIE_BLOCKS; b++) blocks[b] = &trie->blocks[b];
    return bi_blocks_grow(ctx, &trie->memory, blocks, BI_TRIE_BLOCKS, bytes, used);
}

bosc_status bosc_trie_reserve(bosc_ctx *ctx, bosc_trie *trie, int64_t n)
{
    size_t bytes[BI_TRIE_BLOCKS];
    void *unused;
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, trie));
    BI_TRY(check_n(ctx, n));
    size_blocks(&trie->opts, &trie->shape, n, bytes);
    /* the rows and values may have to be staged */
    const size_t scratch = size_scratch(ctx, &trie->shape, n) + bytes[BI_TRIE_KEYS] + bytes[BI_TRIE_VALUES];
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, scratch, &unused));
    return grow_blocks(ctx, trie, bytes);
}
