/* The operations of the slots layouts (all but BUCKETED) that the drivers call. */
#include "hash/drivers.h"
#include "hash/slots.h"

static bosc_status slots_find(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                              void *values, uint8_t *found)
{
    struct bi_hash_slots_find find = {bi_hash_slots_view_of(table, table->keys), queries, values, found, 0};
    if (find.view.homes)
        find.slots = bi_hash_max_slots(BOSC_HASH_ORDERED, table->opts.load_factor, table->keys, find.view.runs);
    return ctx->ops->hash->find_slots(ctx, &find, query_count);
}

static bosc_status count_slots(bosc_ctx *ctx, const bosc_hash *table, uint64_t *slots)
{
    const uint64_t *descriptors = table->blocks[BI_HASH_DESCRIPTORS].data;
    BI_TRY(bi_read_back(ctx, slots, descriptors + 1 + table->buckets, sizeof *slots));
    *slots >>= BOSC_HASH_SEED_BITS;
    return BOSC_OK;
}

/* Flags the slots that hold pairs and compacts these into `pairs` (NULL: only counts them). *count: backend memory. */
static bosc_status gather_occupied(bosc_ctx *ctx, const bosc_hash *table, struct bi_hash_slots_out *out, void *pairs,
                                   void *count)
{
    uint64_t slots;
    void *occupied;
    BI_TRY(count_slots(ctx, table, &slots));
    BI_TRY(bi_scratch(ctx, slots, &occupied));
    out->view = bi_hash_slots_view_of(table, table->keys);
    out->occupied = occupied;
    out->pairs = pairs;
    BI_TRY(BI_HASH_STEP(ctx, slots_occupied, (int64_t)slots, out));
    return ctx->backend->core->compact(ctx, (size_t)out->view.stride, out->view.slots, occupied, (int64_t)slots, pairs,
                                       count);
}

static bosc_status write_pairs(bosc_ctx *ctx, const bosc_hash *table, void *hashes, void *values)
{
    struct bi_hash_slots_out out = {.hashes = hashes, .values = values};
    void *pairs, *count;
    uint64_t slots;
    BI_TRY(count_slots(ctx, table, &slots));
    BI_TRY(bi_scratch(ctx, slots * (size_t)bi_hash_slots_view_of(table, table->keys).stride, &pairs));
    BI_TRY(bi_scratch(ctx, sizeof(int64_t), &count));
    BI_TRY(gather_occupied(ctx, table, &out, pairs, count));
    return BI_HASH_STEP(ctx, slots_pairs, table->keys, &out);
}

static bosc_status slots_pairs(bosc_ctx *ctx, const bosc_hash *table, void *hashes, void *values)
{
    BI_RETURN_WITH_SCRATCH(ctx, table->keys ? write_pairs(ctx, table, hashes, values) : BOSC_OK);
}

/* Raises *most to the greatest number that a step writes for one of `count` items. */
static bosc_status raise_to_maximum(bosc_ctx *ctx, const bosc_hash *table, bi_step_fn step, int64_t count,
                                    int32_t *most)
{
    void *lengths, *result;
    uint32_t length;
    BI_TRY(bi_scratch(ctx, (size_t)count * sizeof(uint32_t), &lengths));
    BI_TRY(bi_scratch(ctx, sizeof(uint32_t), &result));
    struct bi_hash_run_lengths args = {bi_hash_slots_view_of(table, table->keys), lengths};
    BI_TRY(step(ctx, count, &args));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_MAX, BOSC_U32, lengths, count, result));
    BI_TRY(bi_read_back(ctx, &length, result, sizeof length));
    if ((int32_t)length > *most) *most = (int32_t)length;
    return BOSC_OK;
}

/* Raises *most to the slots of the longest linear run. */
static bosc_status raise_to_longest_run(bosc_ctx *ctx, const bosc_hash *table, int32_t *most)
{
    return raise_to_maximum(ctx, table, ctx->ops->hash->steps->slots_lengths, table->buckets, most);
}

/* CUCKOO: one slot for each function, and one of the stash if it is used. */
static bosc_status count_cuckoo_probes(bosc_ctx *ctx, const bosc_hash *table, int32_t *probes)
{
    const uint64_t *descriptors = table->blocks[BI_HASH_DESCRIPTORS].data;
    uint64_t stash[2];
    BI_TRY(bi_read_back(ctx, stash, descriptors + 2, sizeof stash));
    *probes = table->opts.functions + (stash[1] > stash[0]);
    return BOSC_OK;
}

static bosc_status slots_info(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_info *info)
{
    uint64_t slots;
    BI_TRY(count_slots(ctx, table, &slots));
    info->partitions = (int32_t)table->buckets;
    info->slots = (int64_t)slots;
    info->mean_probes = table->keys ? 1 + (double)table->extra_probes / (double)table->keys : 0;
    info->max_probes = 1;
    switch (table->opts.layout) {
    case BOSC_HASH_HYBRID: info->max_probes = BOSC_HASH_SUBTABLES; break;
    case BOSC_HASH_CUCKOO: BI_TRY(count_cuckoo_probes(ctx, table, &info->max_probes)); break;
    case BOSC_HASH_CHAINED:
        BI_TRY(raise_to_longest_run(ctx, table, &info->max_probes));
        if (info->max_probes <= INT32_MAX / 2) info->max_probes *= 2;
        return BOSC_OK;
    case BOSC_HASH_ORDERED:
        if (table->linear || !slots) break;
        return raise_to_maximum(ctx, table, ctx->ops->hash->steps->ordered_lengths, (int64_t)slots, &info->max_probes);
    default: break;
    }
    return table->linear ? raise_to_longest_run(ctx, table, &info->max_probes) : BOSC_OK;
}

/* Checks that a look-up finds each key. *found: backend memory, zeroed by the caller. */
static bosc_status check_keys(bosc_ctx *ctx, const bosc_hash_slots_view *view, void *found, const char **wrong)
{
    const struct bi_hash_slots_check check = {*view, found};
    const uint64_t *end = view->descriptors + 1 + view->runs;
    uint64_t slots;
    uint32_t misplaced;
    BI_TRY(bi_read_back(ctx, &slots, end, sizeof slots));
    BI_TRY(BI_HASH_STEP(ctx, slots_check_keys, (int64_t)(slots >> BOSC_HASH_SEED_BITS), &check));
    BI_TRY(bi_read_back(ctx, &misplaced, found, sizeof misplaced));
    if (misplaced) *wrong = "a key is not where a look-up finds it";
    return BOSC_OK;
}

/* ORDERED: checks that every search ends: the number of slots follows from the keys, and the last but one is empty. */
static bosc_status check_end(bosc_ctx *ctx, const bosc_hash *table, const char **wrong)
{
    const bosc_hash_slots_view view = bi_hash_slots_view_of(table, table->keys);
    const uint64_t slots = view.homes ? bi_hash_max_slots(view.layout, table->opts.load_factor, table->keys, view.runs)
                                      : (uint64_t)table->keys;
    uint64_t end, last[2] = {0, 0};
    BI_TRY(count_slots(ctx, table, &end));
    if (end != slots) *wrong = "there are not as many slots as its keys require";
    if (*wrong || !view.homes) return BOSC_OK;
    BI_TRY(bi_read_back(ctx, last, view.slots + (slots - 2) * (uint64_t)view.stride, (size_t)view.key_bits / 8));
    if (!bi_hash_same(bosc_hash_word_at(last, 0, view.key_bits), bosc_hash_greatest(view.key_bits)))
        *wrong = "no empty slot ends the searches";
    return BOSC_OK;
}

static bosc_status check_blocks(bosc_ctx *ctx, const bosc_hash *table, const char **wrong)
{
    struct bi_hash_slots_out out = {0};
    int32_t stride = bi_hash_slots_view_of(table, table->keys).stride;
    void *count, *found;
    uint32_t wrong_runs;
    int64_t occupied;
    BI_TRY(bi_scratch(ctx, sizeof wrong_runs, &found));
    BI_TRY(bi_scratch(ctx, sizeof occupied, &count));
    BI_TRY(ctx->backend->fill(ctx, found, 0, sizeof wrong_runs));
    /* 1. The runs follow one another and end within the block. */
    struct bi_hash_runs_check check = {table->blocks[BI_HASH_DESCRIPTORS].data, (uint32_t)table->buckets,
                                       table->blocks[BI_HASH_TABLE].bytes / (size_t)stride, found};
    BI_TRY(BI_HASH_STEP(ctx, slots_check_runs, table->buckets, &check));
    BI_TRY(bi_read_back(ctx, &wrong_runs, found, sizeof wrong_runs));
    if (wrong_runs) {
        *wrong = "a run does not begin where the one before it ends";
        return BOSC_OK;
    }
    /* 2. Searches end; there are as many keys as the header says, each where a look-up finds it. */
    if (table->opts.layout == BOSC_HASH_ORDERED) BI_TRY(check_end(ctx, table, wrong));
    if (*wrong) return BOSC_OK;
    BI_TRY(gather_occupied(ctx, table, &out, NULL, count));
    BI_TRY(bi_read_back(ctx, &occupied, count, sizeof occupied));
    if (occupied != table->keys) *wrong = "there are not as many keys as the header says";
    return *wrong ? BOSC_OK : check_keys(ctx, &out.view, found, wrong);
}

static bosc_status slots_check(bosc_ctx *ctx, const bosc_hash *table, const char **wrong)
{
    int64_t runs = bi_hash_slots_view_of(table, table->keys).runs;
    *wrong = NULL;
    if (table->buckets == runs) BI_RETURN_WITH_SCRATCH(ctx, check_blocks(ctx, table, wrong));
    *wrong = "the number of runs is not that of its keys";
    return BOSC_OK;
}

const struct bi_hash_layout bi_hash_slots_layout = {.plan = bi_hash_slots_plan,
                                                    .fill = bi_hash_slots_fill_lists,
                                                    .find = slots_find,
                                                    .pairs = slots_pairs,
                                                    .fill_bytes = bi_hash_slots_fill_bytes,
                                                    .info = slots_info,
                                                    .check = slots_check};

const struct bi_hash_layout bi_hash_ordered_layout = {.plan = bi_hash_slots_plan,
                                                      .fill = bi_hash_slots_fill_lists,
                                                      .build = bi_hash_ordered_job,
                                                      .launches = true,
                                                      .find = slots_find,
                                                      .pairs = slots_pairs,
                                                      .fill_bytes = bi_hash_slots_fill_bytes,
                                                      .info = slots_info,
                                                      .check = slots_check};
