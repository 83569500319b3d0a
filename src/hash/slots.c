/* The slots layouts (all but BUCKETED): plans, fills by runs, and the operations that the drivers call. A run is a
 * bucket: keys of one hash with consecutive slots of their own. A linear run is searched from its first slot on. */
#include "hash/handle.h"
#include "hash/slots.h"

static int64_t at_least(int64_t a, int64_t least) { return a < least ? least : a; }

/* Returns the number of subtables of CHAINED. */
static int64_t subtables_of(const bosc_hash_opts *o) { return o->go_left ? o->functions : 1; }

/* Returns the number of runs: at least two where a filler is a hash of another run. */
static int64_t runs_of(const bosc_hash_opts *o, int32_t partition_bits, int64_t n)
{
    switch (o->layout) {
    case BOSC_HASH_PERFECT: return (int64_t)1 << partition_bits;
    case BOSC_HASH_CUCKOO: return 2; /* the table and the stash */
    case BOSC_HASH_ORDERED: return 1;
    case BOSC_HASH_HYBRID: return at_least(bi_div_up(n, BI_HASH_HYBRID_KEYS), 2);
    case BOSC_HASH_CHAINED:
        return subtables_of(o) * at_least(bi_div_up(n, BI_HASH_CHAINED_KEYS * subtables_of(o)), o->go_left ? 1 : 2);
    default: return at_least(bi_div_up(n, BI_HASH_FKS_KEYS), 2);
    }
}

static int64_t groups_of(int32_t partition_bits, int64_t n)
{
    int64_t groups = bi_div_up(bi_div_up(n, (int64_t)1 << partition_bits), BI_HASH_PERFECT_GROUP);
    return groups > BI_HASH_PERFECT_GROUPS ? BI_HASH_PERFECT_GROUPS : at_least(groups, 1);
}

static int32_t stride_of(const struct bi_hash_shape *shape)
{
    return (int32_t)bi_round_up((uint64_t)shape->key_bytes + (uint64_t)shape->value_bytes,
                                shape->key_bits == 32 ? 4 : 8);
}

void bi_hash_slots_plan(const bosc_hash_opts *opts, int64_t n, struct bi_hash_shape *shape,
                        size_t bytes[BI_HASH_BLOCKS])
{
    int64_t runs;
    shape->partition_bits = bi_hash_partition_bits(opts->key_bits, n);
    if (opts->layout == BOSC_HASH_PERFECT)
        for (shape->partition_bits = 1;
             n >> shape->partition_bits > BI_HASH_PERFECT_KEYS && shape->partition_bits < BI_HASH_PERFECT_BITS;)
            shape->partition_bits++;
    runs = runs_of(opts, shape->partition_bits, n);
    bytes[BI_HASH_DESCRIPTORS] = (size_t)(runs + 2) * sizeof(uint64_t);
    bytes[BI_HASH_TABLE] = bi_hash_max_slots(opts->layout, opts->load_factor, n, runs) * (size_t)stride_of(shape);
    bytes[BI_HASH_PILOTS] = 0;
    if (opts->layout == BOSC_HASH_PERFECT)
        bytes[BI_HASH_PILOTS] = (size_t)(runs * groups_of(shape->partition_bits, n)) * sizeof(uint16_t);
}

bosc_hash_slots_view bi_hash_slots_view_of(const bosc_hash *table, int64_t n)
{
    const struct bi_hash_shape *shape = &table->shape;
    const bool ordered = table->opts.layout == BOSC_HASH_ORDERED && !table->linear;
    const uint32_t homes = ordered ? bi_hash_homes(shape->load_factor, n) : 0;
    const uint32_t *directory = homes && homes <= BOSC_HASH_INDEXED ? table->blocks[BI_HASH_DIRECTORY].data : NULL;
    const bool pairs = directory && stride_of(shape) == shape->key_bits / 4;
    return (bosc_hash_slots_view){.version = BOSC_HASH_SLOTS_VERSION,
                                  .layout = table->opts.layout,
                                  .key_bits = shape->key_bits,
                                  .value_size = shape->value_bytes,
                                  .stride = stride_of(shape),
                                  .partition_bits = shape->partition_bits,
                                  .runs = (uint32_t)runs_of(&table->opts, shape->partition_bits, n),
                                  .groups = (uint32_t)(table->opts.layout == BOSC_HASH_CHAINED
                                                           ? subtables_of(&table->opts)
                                                           : groups_of(shape->partition_bits, n)),
                                  .functions = (uint32_t)table->opts.functions,
                                  .seed = shape->seed,
                                  .descriptors = table->blocks[BI_HASH_DESCRIPTORS].data,
                                  .pilots = table->blocks[BI_HASH_PILOTS].data,
                                  .slots = table->blocks[BI_HASH_TABLE].data,
                                  .values = table->blocks[BI_HASH_VALUES].data,
                                  .homes = homes,
                                  .pair_bits = pairs ? shape->key_bits : 0,
                                  .directory = directory};
}

static bosc_status scan_u64(bosc_ctx *ctx, void *words, int64_t n)
{
    return ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U64, words, n, words);
}

/* Computes the sizes of the runs and, by a scan, their first slots; *slots: the sum. */
static bosc_status lay_out(bosc_ctx *ctx, struct bi_hash_slots_fill *f, uint64_t *slots)
{
    BI_TRY(BI_HASH_STEP(ctx, slots_sizes, f->view.runs + (int64_t)1, f));
    BI_TRY(scan_u64(ctx, f->first_slots, f->view.runs + (int64_t)1));
    return bi_read_back(ctx, slots, f->first_slots + f->view.runs, sizeof *slots);
}

/* CHAINED: each key chooses the least full of its buckets; the keys of a batch count those of earlier batches. */
static bosc_status choose_chains(bosc_ctx *ctx, struct bi_hash_slots_fill *f)
{
    const bool is_default = f->view.functions == BI_HASH_CHAINED_FUNCTIONS && f->view.groups == 1;
    int64_t n = f->lists.n, each = bi_div_up(n, is_default ? BI_HASH_CHAINED_BATCHES : BI_HASH_CHAINED_MORE);
    BI_TRY(ctx->backend->fill(ctx, f->counts, 0, f->view.runs * sizeof *f->counts));
    for (f->batch = 0; f->batch < n; f->batch += each) {
        int64_t count = n - f->batch < each ? n - f->batch : each;
        BI_TRY(BI_HASH_STEP(ctx, chained_choose, count, f));
        BI_TRY(BI_HASH_STEP(ctx, chained_join, count, f));
    }
    return BOSC_OK;
}

/* Result of a hash of keys to runs: a run or the table gets too large, or not. */
enum run_hash_outcome { RUN_HASH_TOO_LARGE, RUN_HASH_FITS };

/* Assigns keys to runs by hash number `number`. *slots: their sum. */
static bosc_status try_run_hash(bosc_ctx *ctx, struct bi_hash_slots_fill *f, int number, uint64_t *slots,
                                enum run_hash_outcome *outcome)
{
    static const uint64_t numbers[BOSC_HASH_RUN_HASHES] = {0, 1, 2, 3, 4};
    uint32_t oversized[2]; /* the flag, and a word for the histogram */
    BI_TRY(ctx->backend->copy(ctx, f->descriptors, &numbers[number], sizeof(uint64_t)));
    BI_TRY(ctx->backend->fill(ctx, f->oversized, 0, 2 * sizeof(uint32_t)));
    if (f->view.layout == BOSC_HASH_CHAINED) {
        BI_TRY(choose_chains(ctx, f));
    } else if (f->view.layout == BOSC_HASH_HYBRID) {
        BI_TRY(ctx->backend->fill(ctx, f->counts, 0, (f->view.runs + (size_t)1) * sizeof *f->counts));
        BI_TRY(BI_HASH_STEP(ctx, hybrid_count, f->lists.n, f));
    } else {
        BI_TRY(BI_HASH_STEP(ctx, slots_bins, f->lists.n, f));
        BI_TRY(ctx->backend->core->histogram(ctx, f->bins, f->lists.n, f->view.runs, f->counts, f->oversized + 1));
    }
    BI_TRY(lay_out(ctx, f, slots));
    BI_TRY(bi_read_back(ctx, oversized, f->oversized, sizeof oversized));
    const uint64_t most = bi_hash_max_slots(f->view.layout, f->load_factor, f->lists.n, f->view.runs);
    *outcome = oversized[0] || *slots > most ? RUN_HASH_TOO_LARGE : RUN_HASH_FITS;
    return BOSC_OK;
}

static bosc_status fill_chains(bosc_ctx *ctx, struct bi_hash_slots_fill *f)
{
    BI_TRY(bi_scratch_of(ctx, f->view.runs, sizeof *f->extra, &f->extra));
    BI_TRY(BI_HASH_STEP(ctx, chained_fill, f->view.runs, f));
    return ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U64, f->extra, f->view.runs, &f->report->extra_probes);
}

/* Fills the runs, and zeros in the rest of the block. */
static bosc_status fill_runs(bosc_ctx *ctx, struct bi_hash_slots_fill *f, uint64_t slots)
{
    uint64_t most = bi_hash_max_slots(f->view.layout, f->load_factor, f->lists.n, f->view.runs);
    uint64_t stride = (uint64_t)f->view.stride;
    if (most > slots) BI_TRY(ctx->backend->fill(ctx, f->slots + slots * stride, 0, (most - slots) * stride));
    if (f->view.layout == BOSC_HASH_CHAINED) return fill_chains(ctx, f);
    return ctx->ops->hash->fill_slots(ctx, f);
}

/* HYBRID, FKS and CHAINED: orders the keys by run and fills the runs. If no hash fits and keys may repeat, it only
 * reports `oversized`: the driver then groups the keys and fills again with `distinct` set. */
static bosc_status order_by_run(bosc_ctx *ctx, struct bi_hash_slots_fill *f)
{
    const struct bi_core_ops *core = ctx->backend->core;
    int64_t n = f->lists.n, runs = f->view.runs;
    uint32_t *order;
    uint64_t slots;
    enum run_hash_outcome outcome = RUN_HASH_TOO_LARGE;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *f->bins, &f->bins));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *order, &order));
    if (f->view.layout == BOSC_HASH_HYBRID) BI_TRY(bi_scratch_of(ctx, n, sizeof *f->offsets, &f->offsets));
    BI_TRY(bi_scratch_of(ctx, runs + 1, sizeof *f->counts, &f->counts));
    BI_TRY(ctx->backend->fill(ctx, f->counts, 0, (size_t)(runs + 1) * sizeof *f->counts));
    /* 1. Try hashes until no run is too large; if none fits, make all runs linear. These always fit the block: a linear
     * run has as many slots as keys. */
    for (int i = 0; i < BOSC_HASH_RUN_HASHES && outcome == RUN_HASH_TOO_LARGE; i++)
        BI_TRY(try_run_hash(ctx, f, i, &slots, &outcome));
    if (outcome == RUN_HASH_TOO_LARGE && !f->distinct) {
        static const uint32_t yes = 1;
        return ctx->backend->copy(ctx, &f->report->oversized, &yes, sizeof yes);
    }
    if (outcome == RUN_HASH_TOO_LARGE) {
        f->linear = true;
        BI_TRY(lay_out(ctx, f, &slots));
    }
    /* 2. Turn counts of keys into starts. Order the rows by run: HYBRID as published, by the offsets of its atomic
     * additions, after which the lane group of a run sorts its rows; else stably and in place. */
    const bool by_offsets = f->view.layout == BOSC_HASH_HYBRID && !f->linear;
    if (!by_offsets) {
        BI_TRY(core->iota(ctx, 4, order, n));
        BI_TRY(core->sort_pairs(ctx, BOSC_U32, f->bins, sizeof(uint32_t), order, n, f->bins, order, 0,
                                bi_bit_length((uint64_t)runs - 1)));
    }
    BI_TRY(scan_u64(ctx, f->counts, runs + 1));
    f->order = order, f->starts = f->counts;
    if (by_offsets) {
        f->unsorted = order;
        BI_TRY(BI_HASH_STEP(ctx, hybrid_scatter, n, f));
    }
    return fill_runs(ctx, f, slots);
}

static bosc_status fill_lists(bosc_ctx *ctx, const bosc_hash *table, const struct bi_hash_lists *lists, bool distinct,
                              struct bi_hash_report *report)
{
    struct bi_hash_slots_fill f = {.view = bi_hash_slots_view_of(table, lists->n),
                                   .descriptors = table->blocks[BI_HASH_DESCRIPTORS].data,
                                   .pilots = table->blocks[BI_HASH_PILOTS].data,
                                   .slots = table->blocks[BI_HASH_TABLE].data,
                                   .directory = table->blocks[BI_HASH_DIRECTORY].data,
                                   .lists = *lists,
                                   .load_factor = table->shape.load_factor,
                                   .distinct = distinct,
                                   .report = report};
    uint64_t slots;
    if (f.view.layout == BOSC_HASH_CUCKOO) return bi_hash_cuckoo_fill(ctx, &f);
    if (f.view.layout == BOSC_HASH_ORDERED) return bi_hash_ordered_fill(ctx, &f);
    BI_TRY(bi_scratch_of(ctx, f.view.runs + (int64_t)1, sizeof *f.first_slots, &f.first_slots));
    BI_TRY(bi_scratch_of(ctx, 2, sizeof *f.oversized, &f.oversized));
    if (f.view.layout != BOSC_HASH_PERFECT) return order_by_run(ctx, &f);
    f.oversized = &report->oversized;
    BI_TRY(ctx->backend->fill(ctx, f.descriptors, 0, sizeof(uint64_t)));
    BI_TRY(lay_out(ctx, &f, &slots));
    return fill_runs(ctx, &f, slots);
}

bosc_status bi_hash_slots_fill_lists(bosc_ctx *ctx, const bosc_hash *table, const struct bi_hash_lists *lists,
                                     bool distinct, struct bi_hash_report *report)
{
    BI_RETURN_WITH_SCRATCH(ctx, fill_lists(ctx, table, lists, distinct, report));
}

/* Returns the bytes of the first slots of runs; layouts that order keys by run add runs and rows of keys, twice for the
 * sort. */
size_t bi_hash_slots_fill_bytes(const bosc_hash *table, int64_t n)
{
    bosc_hash_layout layout = table->opts.layout;
    if (layout == BOSC_HASH_CUCKOO) return bi_hash_cuckoo_fill_bytes(table->opts.load_factor, n);
    if (layout == BOSC_HASH_ORDERED) return bi_hash_ordered_fill_bytes(n);
    size_t runs = bi_hash_slots_view_of(table, n).runs, bytes = (runs + 1) * sizeof(uint64_t) + 1024;
    if (layout == BOSC_HASH_PERFECT) return bytes;
    if (layout == BOSC_HASH_CHAINED) bytes += runs * sizeof(uint64_t);
    return bytes + (runs + 1) * sizeof(int64_t) + (size_t)n * 4 * sizeof(uint32_t);
}

static bosc_status slots_find(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                              void *values, uint8_t *found)
{
    struct bi_hash_slots_find find = {
        bi_hash_slots_view_of(table, table->keys), queries, values, found, 0, table->key_range};
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
        if (info->max_probes <= INT32_MAX / BOSC_HASH_FUNCTIONS) info->max_probes *= table->opts.functions;
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
