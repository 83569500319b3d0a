/* Builds a trie: sorts the rows, merges equal ones to keys, and builds nodes.
 *
 * The split of two neighbouring keys is the place (trie.h) of the first digit at which they differ. Splits determine
 * the nodes: the keys below a node are a run with splits at its place or deeper, between two splits at smaller places.
 * So each node is found independently, from its first split, and attaches itself to its parent. This is Karras's
 * construction for nodes with more than two children: Maximizing Parallelism in the Construction of BVHs, Octrees, and
 * k-d Trees (2012). */
#include "base/clock.h"
#include "core/call.h"
#include "trie/drivers.h"

/* ---- nodes ---- */

static int64_t whole_fans(int64_t count) { return bi_div_up(count, BI_TRIE_FAN) * BI_TRIE_FAN; }

/* Allocates a level of this many minima, padded to whole fans. */
static bosc_status alloc_minima(bosc_ctx *ctx, struct bi_trie_splits *splits, int level, int64_t count)
{
    splits->counts[level] = count;
    return bi_scratch_of(ctx, whole_fans(count), 4, &splits->minima[level]);
}

/* Finds where neighbouring keys differ, and builds the tree of minima over it. */
static bosc_status find_splits(bosc_ctx *ctx, const bosc_trie *trie, uint16_t *digits, struct bi_trie_splits *splits)
{
    struct bi_trie_split split = {trie->shape, trie->blocks[BI_TRIE_KEYS].data, trie->keys, NULL, digits};
    *splits = (struct bi_trie_splits){0};
    BI_TRY(alloc_minima(ctx, splits, 0, trie->keys + 1));
    split.splits = splits->minima[0];
    BI_TRY(BI_TRIE_STEP(ctx, trie_split, whole_fans(trie->keys + 1), &split));
    for (int f = 0; splits->counts[f] > BI_TRIE_FAN; f++) {
        struct bi_trie_minima level = {splits->minima[f], splits->counts[f], NULL};
        BI_TRY(alloc_minima(ctx, splits, f + 1, bi_div_up(splits->counts[f], BI_TRIE_FAN)));
        level.to = splits->minima[f + 1];
        BI_TRY(BI_TRIE_STEP(ctx, trie_minima, whole_fans(splits->counts[f + 1]), &level));
    }
    return BOSC_OK;
}

/* Builds the compact nodes over the sorted keys. With fewer than two keys there are none: trie->nodes stays 0, as the
 * caller has set it. */
static bosc_status build_compact(bosc_ctx *ctx, bosc_trie *trie)
{
    struct bi_trie_nodes a = {.count = trie->keys};
    int64_t splits = trie->keys - 1;
    uint16_t *digits;
    uint64_t total;
    if (splits <= 0) return BOSC_OK; /* the root is a leaf */
    /* 1. Splits of neighbouring keys, and their minima. */
    BI_TRY(bi_scratch_of(ctx, trie->keys, 2, &digits));
    BI_TRY(find_splits(ctx, trie, digits, &a.splits));
    a.digits = digits;
    BI_TRY(bi_scratch_of(ctx, trie->keys, 4, &a.heads));
    BI_TRY(bi_scratch_of(ctx, trie->keys, 4, &a.firsts));
    BI_TRY(bi_scratch_of(ctx, trie->keys + 1, 8, &a.node_counts));
    BI_TRY(bi_scratch_of(ctx, 1, 4, &a.root));
    BI_TRY(ctx->backend->fill(ctx, a.node_counts, 0, (size_t)(trie->keys + 1) * 8));
    /* 2. The head of each node; number the nodes and children. */
    BI_TRY(BI_TRIE_STEP(ctx, trie_node_head, splits, &a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U64, a.node_counts, trie->keys + 1,
                                    a.node_counts));
    BI_TRY(bi_read_back(ctx, &total, a.node_counts + trie->keys, sizeof total));
    int64_t nodes = (int64_t)(total >> 32), children = (int64_t)(total & UINT32_MAX);
    BI_TRY(bi_trie_reserve_block(ctx, trie, BI_TRIE_NODES, nodes, sizeof(struct bi_trie_node)));
    BI_TRY(bi_trie_reserve_block(ctx, trie, BI_TRIE_CHILDREN, children, 4));
    /* 3. Write the nodes, then attach children to parents. */
    a.nodes = trie->blocks[BI_TRIE_NODES].data;
    a.children = trie->blocks[BI_TRIE_CHILDREN].data;
    BI_TRY(ctx->backend->fill(ctx, a.nodes, 0, (size_t)nodes * sizeof *a.nodes));
    BI_TRY(BI_TRIE_STEP(ctx, trie_node, splits, &a));
    trie->nodes = nodes;
    return BI_TRIE_STEP(ctx, trie_attach_child, trie->keys, &a);
}

/* Fills the hash table of keys, if the trie has one. */
static bosc_status build_table(bosc_ctx *ctx, bosc_trie *trie)
{
    size_t bucket = BI_TRIE_BUCKET * sizeof(uint32_t);
    uint32_t buckets = bi_trie_buckets(&trie->opts, &trie->shape, trie->keys);
    if (buckets == 0) return BOSC_OK;
    BI_TRY(bi_trie_reserve_block(ctx, trie, BI_TRIE_TABLE, buckets, bucket));
    struct bi_trie_table_insert a = {bi_trie_view_of(trie)};
    BI_TRY(ctx->backend->fill(ctx, a.view.table.slots, 0xff, buckets * bucket));
    return BI_TRIE_STEP(ctx, trie_table_insert, trie->keys, &a);
}

/* Counts the nodes before each level. The keys that differ at each level are summed to the nodes of each level, and
 * these are summed again. */
static bosc_status count_levels(bosc_ctx *ctx, bosc_trie *trie, struct bi_trie_levels *a)
{
    const struct bi_core_ops *core = ctx->backend->core;
    int64_t levels = trie->shape.levels;
    uint32_t *bad;
    struct bi_trie_split split = {trie->shape, a->keys, trie->keys, NULL, NULL};
    BI_TRY(bi_trie_reserve_block(ctx, trie, BI_TRIE_LEVELS, levels + 1, 8));
    BI_TRY(bi_scratch_of(ctx, trie->keys + 1, 4, &split.splits));
    BI_TRY(bi_scratch_of(ctx, trie->keys, 4, &a->bins));
    BI_TRY(bi_scratch_of(ctx, 1, 4, &bad));
    BI_TRY(BI_TRIE_STEP(ctx, trie_split, trie->keys + 1, &split));
    a->splits = split.splits;
    a->counts = trie->blocks[BI_TRIE_LEVELS].data;
    BI_TRY(BI_TRIE_STEP(ctx, trie_level_of, trie->keys, a));
    BI_TRY(ctx->backend->fill(ctx, a->counts + levels, 0, 8));
    BI_TRY(core->histogram(ctx, a->bins, trie->keys, levels, a->counts, bad));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, a->counts, levels + 1, a->counts));
    BI_TRY(BI_TRIE_STEP(ctx, trie_level_size, 1, a));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, a->counts, levels + 1, a->counts));
    return bi_read_back(ctx, &trie->nodes, a->counts + levels, sizeof trie->nodes);
}

/* Writes the children of a level's nodes, by an item for each node and value. *nodes: number of nodes of this level,
 * then of the next; of the last level number of keys. */
static bosc_status build_level_by_values(bosc_ctx *ctx, struct bi_trie_value_levels *a, int64_t *nodes)
{
    const int64_t items = *nodes << a->shape.digit_bits;
    const uint32_t end = (uint32_t)a->count;
    uint32_t children;
    BI_TRY(bi_scratch_of(ctx, items, 4, &a->numbers));
    BI_TRY(BI_TRIE_STEP(ctx, trie_value_child, items, a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, a->numbers, items, a->numbers));
    BI_TRY(BI_TRIE_STEP(ctx, trie_value_node, items, a));
    BI_TRY(bi_read_back(ctx, &children, a->numbers + items - 1, sizeof children));
    if (a->begins[1]) BI_TRY(ctx->backend->copy(ctx, a->begins[1] + children, &end, sizeof end));
    BI_TRY(ctx->backend->sync(ctx)); /* `end` is on the stack */
    a->nodes_before += *nodes;
    *nodes = children;
    return BOSC_OK;
}

/* Builds all levels; the root has all keys. */
static bosc_status build_by_values(bosc_ctx *ctx, const bosc_trie *trie)
{
    struct bi_trie_value_levels a = {.shape = trie->shape,
                                     .keys = trie->blocks[BI_TRIE_KEYS].data,
                                     .count = trie->keys,
                                     .children = trie->blocks[BI_TRIE_CHILDREN].data};
    const uint32_t root[2] = {0, (uint32_t)trie->keys};
    uint32_t *begins[2];
    int64_t nodes = 1;
    for (int k = 0; k < 2; k++) BI_TRY(bi_scratch_of(ctx, trie->keys + 1, 4, &begins[k]));
    BI_TRY(ctx->backend->copy(ctx, begins[0], root, sizeof root));
    for (; a.level < trie->shape.levels; a.level++) {
        a.begins[0] = begins[a.level % 2];
        a.begins[1] = a.level + 1 < trie->shape.levels ? begins[1 - a.level % 2] : NULL;
        BI_TRY_WITH_SCRATCH(ctx, build_level_by_values(ctx, &a, &nodes));
    }
    return BOSC_OK;
}

/* Builds the published layout, level by level. */
static bosc_status build_published(bosc_ctx *ctx, bosc_trie *trie)
{
    struct bi_trie_levels a = {.shape = trie->shape, .keys = trie->blocks[BI_TRIE_KEYS].data, .count = trie->keys};
    uint32_t *numbers[2];
    size_t node = (size_t)4 << trie->shape.digit_bits;
    if (trie->keys == 0) return BOSC_OK;
    BI_TRY(count_levels(ctx, trie, &a));
    BI_TRY(bi_trie_reserve_block(ctx, trie, BI_TRIE_CHILDREN, trie->nodes, node));
    a.children = trie->blocks[BI_TRIE_CHILDREN].data;
    BI_TRY(ctx->backend->fill(ctx, a.children, 0xff, (size_t)trie->nodes * node));
    if (trie->opts.by_values) return build_by_values(ctx, trie);
    for (int k = 0; k < 2; k++) BI_TRY(bi_scratch_of(ctx, trie->keys, 4, &numbers[k]));
    for (a.level = 0; a.level < trie->shape.levels; a.level++) {
        a.numbers[0] = a.level > 0 ? numbers[a.level % 2] : NULL;
        a.numbers[1] = numbers[1 - a.level % 2];
        BI_TRY(BI_TRIE_STEP(ctx, trie_level_head, trie->keys, &a));
        BI_TRY(
            ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, a.numbers[1], trie->keys, a.numbers[1]));
        BI_TRY(BI_TRIE_STEP(ctx, trie_level_child, trie->keys, &a));
    }
    return BOSC_OK;
}

bosc_status bi_trie_build_nodes(bosc_ctx *ctx, bosc_trie *trie)
{
    const bool published = trie->opts.layout == BOSC_TRIE_PUBLISHED;
    trie->nodes = 0;
    BI_TRY_WITH_SCRATCH(ctx, published ? build_published(ctx, trie) : build_compact(ctx, trie));
    return build_table(ctx, trie);
}

/* ---- a build ---- */

static bosc_status build_staged(bosc_ctx *ctx, bosc_trie *trie, struct bi_trie_input *input)
{
    struct bi_trie_order order;
    struct bi_trie_sorted keys;
    BI_TRY(bi_trie_stage_input(ctx, trie, input));
    struct bi_mark mark = bi_arena_mark(ctx);
    const double begin = bi_now();
    BI_TRY(bi_trie_sort_rows(ctx, &trie->shape, &input->rows, trie->opts.layout == BOSC_TRIE_PUBLISHED,
                             &order)); /* waits for the number of keys */
    const double sorted = bi_now();
    BI_TRY(bi_trie_reserve_keys(ctx, trie, order.count, &keys));
    BI_TRY(bi_trie_gather_keys(ctx, trie, &order, input->values, 0, &keys));
    bi_arena_rewind(ctx, mark);
    trie->keys = order.count;
    BI_TRY(bi_trie_build_nodes(ctx, trie));
    BI_TRY(ctx->backend->sync(ctx));
    trie->times = (bosc_trie_times){.sort = sorted - begin, .build = bi_now() - sorted};
    return BOSC_OK;
}

bosc_status bosc_trie_build(bosc_ctx *ctx, bosc_trie *trie, const uint64_t *keys, const void *values, int64_t n,
                            int64_t stride)
{
    struct bi_trie_input input;
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check_input(ctx, trie, keys, values, n, stride, &input));
    if (n > INT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld rows, but a trie is built from less than 2^31", (long long)n);
    trie->rows = trie->keys = trie->nodes = 0;
    trie->times = (bosc_trie_times){0};
    if (n == 0) return BOSC_OK;
    bi_progress_set_total(ctx, 170 * (double)n);
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = build_staged(ctx, trie, &input));
    if (status == BOSC_OK)
        trie->rows = n;
    else
        trie->keys = trie->nodes = 0;
    return status;
}
