/* Fills tables of the slots layouts: assigns keys to runs, lays the runs out, and fills them. */
#include "hash/drivers.h"
#include "hash/slots.h"

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

/* CHAINED: each key chooses the emptier of its two buckets; the keys of a batch count those of earlier batches. */
static bosc_status choose_chains(bosc_ctx *ctx, struct bi_hash_slots_fill *f)
{
    int64_t n = f->lists.n, each = bi_div_up(n, BI_HASH_CHAINED_BATCHES);
    BI_TRY(ctx->backend->fill(ctx, f->counts, 0, f->view.runs * sizeof *f->counts));
    for (f->batch = 0; f->batch < n; f->batch += each) {
        int64_t count = n - f->batch < each ? n - f->batch : each;
        BI_TRY(BI_HASH_STEP(ctx, chained_choose, count, f));
        BI_TRY(BI_HASH_STEP(ctx, chained_join, count, f));
    }
    return BOSC_OK;
}

/* Assigns keys to runs by hash number `number`. *fits: false if a run or the table gets too large. */
static bosc_status try_run_hash(bosc_ctx *ctx, struct bi_hash_slots_fill *f, int number, uint64_t *slots, bool *fits)
{
    static const uint64_t numbers[BOSC_HASH_RUN_HASHES] = {0, 1, 2, 3, 4};
    uint32_t oversized[2]; /* the flag, and a word for the histogram */
    BI_TRY(ctx->backend->copy(ctx, f->descriptors, &numbers[number], sizeof(uint64_t)));
    BI_TRY(ctx->backend->fill(ctx, f->oversized, 0, 2 * sizeof(uint32_t)));
    if (f->view.layout == BOSC_HASH_CHAINED) {
        BI_TRY(choose_chains(ctx, f));
    } else {
        BI_TRY(BI_HASH_STEP(ctx, slots_bins, f->lists.n, f));
        BI_TRY(ctx->backend->core->histogram(ctx, f->bins, f->lists.n, f->view.runs, f->counts, f->oversized + 1));
    }
    BI_TRY(lay_out(ctx, f, slots));
    BI_TRY(bi_read_back(ctx, oversized, f->oversized, sizeof oversized));
    *fits = !oversized[0] && *slots <= bi_hash_max_slots(f->view.layout, f->load_factor, f->lists.n, f->view.runs);
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

/* HYBRID, FKS and CHAINED: orders the keys by run and fills the runs. */
static bosc_status order_by_run(bosc_ctx *ctx, struct bi_hash_slots_fill *f)
{
    const struct bi_core_ops *core = ctx->backend->core;
    int64_t n = f->lists.n, runs = f->view.runs;
    uint32_t *order;
    uint64_t slots;
    bool fits = false;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *f->bins, &f->bins));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *order, &order));
    BI_TRY(bi_scratch_of(ctx, runs + 1, sizeof *f->counts, &f->counts));
    BI_TRY(ctx->backend->fill(ctx, f->counts, 0, (size_t)(runs + 1) * sizeof *f->counts));
    /* 1. Try hashes until no run is too large; if none fits, make all runs linear. */
    for (int i = 0; i < BOSC_HASH_RUN_HASHES && !fits; i++) BI_TRY(try_run_hash(ctx, f, i, &slots, &fits));
    if (!fits && !f->distinct) {
        static const uint32_t yes = 1;
        return ctx->backend->copy(ctx, &f->report->oversized, &yes, sizeof yes);
    }
    if (!fits) {
        f->linear = true;
        BI_TRY(lay_out(ctx, f, &slots));
    }
    /* 2. Sort the rows by run, and turn counts of keys into starts. */
    struct bi_hash_number rows = {order};
    BI_TRY(BI_HASH_STEP(ctx, number, n, &rows));
    BI_TRY(core->sort_pairs(ctx, BOSC_U32, f->bins, sizeof(uint32_t), order, n, f->bins, order, 0,
                            bi_bit_length((uint64_t)runs - 1)));
    BI_TRY(scan_u64(ctx, f->counts, runs + 1));
    f->order = order, f->starts = f->counts;
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
