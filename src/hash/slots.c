/* The layouts that find a key by places: what they are to a table. */
#include "core/call.h"
#include "hash/steps/slots.h"

static int64_t at_least(int64_t a, int64_t least) { return a < least ? least : a; }

/* At least two, so that fillers can choose another one. */
static int64_t runs_of(bosc_hash_layout layout, int32_t part_bits, int64_t n)
{
    if (layout == BOSC_HASH_PERFECT) return (int64_t)1 << part_bits;
    return at_least(bi_div_up(n, layout == BOSC_HASH_HYBRID ? BI_HYBRID_KEYS : BI_FKS_KEYS), 2);
}

static int64_t groups_of(int32_t part_bits, int64_t n)
{
    int64_t groups = bi_div_up(bi_div_up(n, (int64_t)1 << part_bits), BI_PERFECT_GROUP);
    return groups > BI_PERFECT_GROUPS ? BI_PERFECT_GROUPS : at_least(groups, 1);
}

/* The most places that a table of n keys may have. FKS: the mean of the sum of squares is 4 n, its deviation
 * sqrt(55 n); where a hash gives more, the next one is tried. */
static uint64_t most_places(bosc_hash_layout layout, double load, int64_t n, int64_t runs)
{
    if (layout == BOSC_HASH_HYBRID) return (uint64_t)runs * BI_HYBRID_PLACES;
    if (layout == BOSC_HASH_PERFECT) return bi_hash_places_of(load, (uint64_t)n) + 2 * (uint64_t)runs;
    uint64_t root = 1;
    while (root * root < (uint64_t)n) root *= 2;
    return 4 * (uint64_t)n + 30 * root + 64;
}

static int32_t stride_of(const struct bi_hash_shape *shape)
{
    return (int32_t)bi_round_up((uint64_t)shape->key_bytes + (uint64_t)shape->value_bytes,
                                shape->key_bits == 32 ? 4 : 8);
}

static void places_plan(const bosc_hash_opts *opts, int64_t n, struct bi_hash_shape *shape,
                        size_t bytes[BI_HASH_BLOCKS])
{
    int64_t runs;
    shape->part_bits = bi_hash_part_bits(opts->key_bits, n);
    if (opts->layout == BOSC_HASH_PERFECT)
        for (shape->part_bits = 1; n >> shape->part_bits > BI_PERFECT_KEYS && shape->part_bits < BI_PERFECT_BITS;)
            shape->part_bits++;
    runs = runs_of(opts->layout, shape->part_bits, n);
    bytes[BI_HASH_PARTS] = (size_t)(runs + 2) * sizeof(uint64_t);
    bytes[BI_HASH_TABLE] = most_places(opts->layout, opts->load, n, runs) * (size_t)stride_of(shape);
    bytes[BI_HASH_EXTRA] = 0;
    if (opts->layout == BOSC_HASH_PERFECT)
        bytes[BI_HASH_EXTRA] = (size_t)(runs * groups_of(shape->part_bits, n)) * sizeof(uint16_t);
}

static bosc_hash_places_view view_of(const bosc_hash *table, int64_t n)
{
    const struct bi_hash_shape *shape = &table->shape;
    return (bosc_hash_places_view){.version = BOSC_HASH_PLACES_VERSION,
                                   .layout = table->opts.layout,
                                   .key_bits = shape->key_bits,
                                   .value_size = shape->value_bytes,
                                   .stride = stride_of(shape),
                                   .part_bits = shape->part_bits,
                                   .runs = (uint32_t)runs_of(table->opts.layout, shape->part_bits, n),
                                   .groups = (uint32_t)groups_of(shape->part_bits, n),
                                   .seed = shape->seed,
                                   .parts = table->blocks[BI_HASH_PARTS].data,
                                   .pilots = table->blocks[BI_HASH_EXTRA].data,
                                   .places = table->blocks[BI_HASH_TABLE].data};
}

static bosc_status scan_u64(bosc_ctx *ctx, void *words, int64_t n)
{
    return ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U64, words, n, words);
}

/* Sizes of the runs, and where they begin; *places gets their sum. */
static bosc_status lay_out(bosc_ctx *ctx, struct bi_hash_placing *f, uint64_t *places)
{
    BI_TRY(ctx->ops->hash_places->sizes(ctx, f->view.runs + (int64_t)1, f));
    BI_TRY(scan_u64(ctx, f->firsts, f->view.runs + (int64_t)1));
    return bi_read_back(ctx, places, f->firsts + f->view.runs, sizeof *places);
}

/* Under hash number `number`: the run of each key, and how large runs become. *fits: no run, and not the table, gets
 * too large. */
static bosc_status try_hash(bosc_ctx *ctx, struct bi_hash_placing *f, int64_t *counts, int number, uint64_t *places,
                            bool *fits)
{
    static const uint64_t numbers[BI_PLACES_HASHES] = {0, 1, 2, 3, 4};
    uint32_t crowded[2];
    BI_TRY(ctx->backend->copy(ctx, f->parts, &numbers[number], sizeof(uint64_t)));
    BI_TRY(ctx->backend->fill(ctx, f->crowded, 0, 2 * sizeof(uint32_t)));
    BI_TRY(ctx->ops->hash_places->bins(ctx, f->lists.n, f));
    BI_TRY(ctx->backend->core->histogram(ctx, f->bins, f->lists.n, f->view.runs, counts, f->crowded + 1));
    BI_TRY(lay_out(ctx, f, places));
    BI_TRY(bi_read_back(ctx, crowded, f->crowded, sizeof crowded));
    *fits = !crowded[0] && *places <= most_places(f->view.layout, f->load, f->lists.n, f->view.runs);
    return BOSC_OK;
}

/* Fills the runs, and what the table has behind them with zeros. */
static bosc_status fill_runs(bosc_ctx *ctx, const struct bi_hash_placing *f, uint64_t places)
{
    uint64_t most = most_places(f->view.layout, f->load, f->lists.n, f->view.runs), stride = (uint64_t)f->view.stride;
    BI_TRY(ctx->backend->fill(ctx, f->places + places * stride, 0, (most - places) * stride));
    return ctx->ops->hash_places->fill(ctx, f);
}

/* Orders the keys by run: HYBRID and FKS. */
static bosc_status order_by_run(bosc_ctx *ctx, struct bi_hash_placing *f)
{
    const struct bi_core_ops *core = ctx->backend->core;
    int64_t n = f->lists.n, runs = f->view.runs;
    void *bins, *order, *counts;
    uint64_t places;
    bool fits = false;
    BI_TRY(bi_scratch(ctx, (size_t)n * sizeof(uint32_t), &bins));
    BI_TRY(bi_scratch(ctx, (size_t)n * sizeof(uint32_t), &order));
    BI_TRY(bi_scratch(ctx, (size_t)(runs + 1) * sizeof(int64_t), &counts));
    BI_TRY(ctx->backend->fill(ctx, counts, 0, (size_t)(runs + 1) * sizeof(int64_t)));
    f->bins = bins, f->counts = counts;
    for (int i = 0; i < BI_PLACES_HASHES && !fits; i++) BI_TRY(try_hash(ctx, f, counts, i, &places, &fits));
    if (!fits && !f->any) {
        static const uint32_t yes = 1;
        return ctx->backend->copy(ctx, &f->report->crowded, &yes, sizeof yes);
    }
    if (!fits) {
        f->linear = true;
        BI_TRY(lay_out(ctx, f, &places));
    }
    struct bi_hash_numbering rows = {order};
    BI_TRY(ctx->ops->hash_places->rows(ctx, n, &rows));
    BI_TRY(core->sort_pairs(ctx, BOSC_U32, bins, sizeof(uint32_t), order, n, bins, order, 0,
                            bi_bit_length((uint64_t)runs - 1)));
    BI_TRY(scan_u64(ctx, counts, runs + 1));
    f->order = order, f->starts = counts;
    return fill_runs(ctx, f, places);
}

static bosc_status fill_lists(bosc_ctx *ctx, const bosc_hash *table, const struct bi_hash_lists *lists, bool any,
                              struct bi_hash_report *report)
{
    struct bi_hash_placing f = {.view = view_of(table, lists->n),
                                .parts = table->blocks[BI_HASH_PARTS].data,
                                .pilots = table->blocks[BI_HASH_EXTRA].data,
                                .places = table->blocks[BI_HASH_TABLE].data,
                                .lists = *lists,
                                .load = table->shape.load,
                                .any = any,
                                .report = report};
    void *firsts, *crowded;
    uint64_t places;
    BI_TRY(bi_scratch(ctx, (size_t)(f.view.runs + 1) * sizeof(uint64_t), &firsts));
    BI_TRY(bi_scratch(ctx, 2 * sizeof(uint32_t), &crowded));
    f.firsts = firsts;
    f.crowded = crowded;
    if (f.view.layout != BOSC_HASH_PERFECT) return order_by_run(ctx, &f);
    f.crowded = &report->crowded;
    BI_TRY(ctx->backend->fill(ctx, f.parts, 0, sizeof(uint64_t)));
    BI_TRY(lay_out(ctx, &f, &places));
    return fill_runs(ctx, &f, places);
}

static bosc_status places_fill(bosc_ctx *ctx, const bosc_hash *table, const struct bi_hash_lists *lists, bool any,
                               struct bi_hash_report *report)
{
    BI_RETURN_WITH_SCRATCH(ctx, fill_lists(ctx, table, lists, any, report));
}

/* The runs' beginnings; HYBRID and FKS: runs and rows of keys, and what the sort takes (as much again). */
static size_t places_fill_bytes(const bosc_hash *table, int64_t n)
{
    bosc_hash_layout layout = table->opts.layout;
    size_t runs = (size_t)runs_of(layout, table->shape.part_bits, n), bytes = (runs + 1) * sizeof(uint64_t) + 1024;
    if (layout == BOSC_HASH_PERFECT) return bytes;
    return bytes + (runs + 1) * sizeof(int64_t) + (size_t)n * 4 * sizeof(uint32_t);
}

static bosc_status places_find(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t m, void *values,
                               uint8_t *found)
{
    struct bi_hash_places_find find = {view_of(table, table->keys), queries, values, found};
    return ctx->ops->hash_places->find(ctx, &find, m);
}

static bosc_status count_places(bosc_ctx *ctx, const bosc_hash *table, uint64_t *places)
{
    const uint64_t *parts = table->blocks[BI_HASH_PARTS].data;
    BI_TRY(bi_read_back(ctx, places, parts + 1 + table->buckets, sizeof *places));
    *places >>= BOSC_HASH_SEED_BITS;
    return BOSC_OK;
}

/* Notes the places that hold pairs, and moves those to `pairs` (or counts them if it is NULL). *count is the
 * backend's. */
static bosc_status gather(bosc_ctx *ctx, const bosc_hash *table, struct bi_hash_places_out *out, void *pairs,
                          void *count)
{
    uint64_t places;
    void *taken;
    BI_TRY(count_places(ctx, table, &places));
    BI_TRY(bi_scratch(ctx, places, &taken));
    out->view = view_of(table, table->keys);
    out->taken = taken;
    out->pairs = pairs;
    BI_TRY(ctx->ops->hash_places->taken(ctx, (int64_t)places, out));
    return ctx->backend->core->compact(ctx, (size_t)out->view.stride, out->view.places, taken, (int64_t)places, pairs,
                                       count);
}

static bosc_status write_pairs(bosc_ctx *ctx, const bosc_hash *table, void *hashes, void *values)
{
    struct bi_hash_places_out out = {.hashes = hashes, .values = values};
    void *pairs, *count;
    uint64_t places;
    BI_TRY(count_places(ctx, table, &places));
    BI_TRY(bi_scratch(ctx, places * (size_t)stride_of(&table->shape), &pairs));
    BI_TRY(bi_scratch(ctx, sizeof(int64_t), &count));
    BI_TRY(gather(ctx, table, &out, pairs, count));
    return ctx->ops->hash_places->pairs(ctx, table->keys, &out);
}

static bosc_status places_pairs(bosc_ctx *ctx, const bosc_hash *table, void *hashes, void *values)
{
    BI_RETURN_WITH_SCRATCH(ctx, table->keys ? write_pairs(ctx, table, hashes, values) : BOSC_OK);
}

/* The places of the longest linear run. */
static bosc_status longest(bosc_ctx *ctx, const bosc_hash *table, int32_t *most)
{
    void *lengths, *result;
    uint32_t length;
    BI_TRY(bi_scratch(ctx, (size_t)table->buckets * sizeof(uint32_t), &lengths));
    BI_TRY(bi_scratch(ctx, sizeof(uint32_t), &result));
    struct bi_hash_run_lengths args = {view_of(table, table->keys), lengths};
    BI_TRY(ctx->ops->hash_places->lengths(ctx, table->buckets, &args));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_MAX, BOSC_U32, lengths, table->buckets, result));
    BI_TRY(bi_read_back(ctx, &length, result, sizeof length));
    if ((int32_t)length > *most) *most = (int32_t)length;
    return BOSC_OK;
}

static bosc_status places_info(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_info *info)
{
    uint64_t places;
    BI_TRY(count_places(ctx, table, &places));
    info->parts = (int32_t)table->buckets;
    info->places = (int64_t)places;
    info->probes_most = table->opts.layout == BOSC_HASH_HYBRID ? BOSC_HASH_SUBTABLES : 1;
    info->probes_hit = table->keys ? 1 + (double)table->second / (double)table->keys : 0;
    return table->linear ? longest(ctx, table, &info->probes_most) : BOSC_OK;
}

static bosc_status check_blocks(bosc_ctx *ctx, const bosc_hash *table, const char **wrong)
{
    struct bi_hash_places_out out = {0};
    int32_t stride = stride_of(&table->shape);
    void *count, *disorder;
    uint32_t bad;
    int64_t taken;
    BI_TRY(bi_scratch(ctx, sizeof bad, &disorder));
    BI_TRY(bi_scratch(ctx, sizeof taken, &count));
    BI_TRY(ctx->backend->fill(ctx, disorder, 0, sizeof bad));
    struct bi_hash_runs_check check = {table->blocks[BI_HASH_PARTS].data, (uint32_t)table->buckets,
                                       table->blocks[BI_HASH_TABLE].bytes / (size_t)stride, disorder};
    BI_TRY(ctx->ops->hash_places->disorder(ctx, table->buckets, &check));
    BI_TRY(bi_read_back(ctx, &bad, disorder, sizeof bad));
    if (bad) {
        *wrong = "a run does not begin where the one before it ends";
        return BOSC_OK;
    }
    BI_TRY(gather(ctx, table, &out, NULL, count));
    BI_TRY(bi_read_back(ctx, &taken, count, sizeof taken));
    if (taken != table->keys) *wrong = "there are not as many keys as the header says";
    return BOSC_OK;
}

static bosc_status places_check(bosc_ctx *ctx, const bosc_hash *table, const char **wrong)
{
    struct bi_mark mark = bi_arena_mark(ctx);
    int64_t runs = runs_of(table->opts.layout, table->shape.part_bits, table->keys);
    bosc_status status = BOSC_OK;
    *wrong = NULL;
    if (table->buckets == runs)
        status = check_blocks(ctx, table, wrong);
    else
        *wrong = "the number of runs is not that of its keys";
    bi_arena_rewind(ctx, mark);
    return status;
}

const struct bi_hash_layout bi_hash_placed = {.plan = places_plan,
                                              .fill = places_fill,
                                              .find = places_find,
                                              .pairs = places_pairs,
                                              .fill_bytes = places_fill_bytes,
                                              .info = places_info,
                                              .check = places_check};

bosc_status bosc_hash_get_places_view(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_places_view *view)
{
    BI_ENTER(ctx);
    if (!table) return bi_fail(ctx, BOSC_ERR_ARG, "table: NULL");
    if (!view) return bi_fail(ctx, BOSC_ERR_ARG, "view: NULL");
    if (table->opts.layout == BOSC_HASH_BUCKETED)
        return bi_fail(ctx, BOSC_ERR_ARG, "table: BUCKETED, whose view is that of bosc_hash_get_view");
    if (!table->buckets) return bi_fail(ctx, BOSC_ERR_DATA, "table: nothing has been built in it");
    *view = view_of(table, table->keys);
    return BOSC_OK;
}
