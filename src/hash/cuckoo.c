/* CUCKOO: runs rounds until every key has a slot; then tries the stash; then the next seed. */
#include "hash/handle.h"
#include "hash/slots.h"

enum {
    ROUNDS_AT_ONCE = 8, /* queued between two reads of the number of waiting keys. More: fewer waits of the host, more
                         * rounds without keys. Not measured */
    /* After these, a seed that leaves more than 1/64 of the keys waiting is abandoned; 1/500 is usual. */
    TRIAL_ROUNDS = 256
};

/* Runs the rounds; *waiting: number of keys that have no slot after them. */
static bosc_status run_rounds(bosc_ctx *ctx, struct bi_hash_cuckoo *c, int64_t *waiting)
{
    *waiting = c->fill.lists.n;
    for (c->round = 0; c->round < BI_HASH_CUCKOO_ROUNDS && *waiting;) {
        uint32_t left;
        for (int k = 0; k < ROUNDS_AT_ONCE; k++, c->round++) BI_TRY(BI_HASH_STEP(ctx, cuckoo_round, *waiting, c));
        BI_TRY(bi_read_back(ctx, &left, c->counts + c->round, sizeof left));
        *waiting = left;
        if (c->round == TRIAL_ROUNDS && left > BOSC_HASH_STASH + c->fill.lists.n / 64) return BOSC_OK;
        /* Most repeated keys are reported by the first rounds: stop early. */
        if (c->round > ROUNDS_AT_ONCE || c->fill.distinct) continue;
        BI_TRY(bi_read_back(ctx, &left, &c->fill.report->repeats, sizeof left));
        if (left) return BOSC_OK;
    }
    return BOSC_OK;
}

/* Result of a seed: some key has no slot, or every key has one. */
enum seed_outcome { SEED_FAILED, SEED_ASSIGNED };

/* Assigns slots to all keys by the functions of a seed. */
static bosc_status try_seed(bosc_ctx *ctx, struct bi_hash_cuckoo *c, enum seed_outcome *outcome)
{
    int64_t waiting = 0;
    uint32_t collides = 0;
    *outcome = SEED_FAILED;
    BI_TRY(ctx->backend->fill(ctx, c->words, 0xff, (c->slots + BOSC_HASH_STASH) * sizeof *c->words));
    BI_TRY(ctx->backend->fill(ctx, c->counts, 0, (BI_HASH_CUCKOO_ROUNDS + 2) * sizeof *c->counts));
    BI_TRY(run_rounds(ctx, c, &waiting));
    c->rounds += c->round;
    c->stash = waiting ? BOSC_HASH_STASH : 0;
    if (waiting > BOSC_HASH_STASH) return BOSC_OK;
    if (waiting) {
        BI_TRY(BI_HASH_STEP(ctx, cuckoo_stash, waiting, c));
        BI_TRY(bi_read_back(ctx, &collides, c->collides, sizeof collides));
    }
    if (!collides) *outcome = SEED_ASSIGNED;
    return BOSC_OK;
}

/* Writes the slots, and zeros in the rest of the block. */
static bosc_status write_slots(bosc_ctx *ctx, const struct bi_hash_cuckoo *c)
{
    const struct bi_hash_slots_fill *f = &c->fill;
    uint64_t most = bi_hash_max_slots(f->view.layout, f->load_factor, f->lists.n, f->view.runs),
             used = c->slots + c->stash;
    uint64_t stride = (uint64_t)f->view.stride;
    BI_TRY(BI_HASH_STEP(ctx, cuckoo_describe, 1, c));
    BI_TRY(BI_HASH_STEP(ctx, cuckoo_write, (int64_t)used, c));
    if (most > used) BI_TRY(ctx->backend->fill(ctx, f->slots + used * stride, 0, (most - used) * stride));
    if (c->seed == BOSC_HASH_LINEAR) return BOSC_OK;
    BI_TRY(BI_HASH_STEP(ctx, cuckoo_extra, (int64_t)used, c));
    return ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U64, c->words, (int64_t)used, &f->report->extra_probes);
}

bosc_status bi_hash_cuckoo_fill(bosc_ctx *ctx, const struct bi_hash_slots_fill *f)
{
    static const uint32_t yes = 1;
    struct bi_hash_cuckoo c = {.fill = *f, .slots = bi_hash_slots_for(f->load_factor, (uint64_t)f->lists.n)};
    uint32_t seeds = f->distinct ? BOSC_HASH_SEEDS : BI_HASH_UNSURE_SEEDS;
    enum seed_outcome outcome = SEED_FAILED;
    BI_TRY(bi_scratch_of(ctx, (int64_t)c.slots + BOSC_HASH_STASH, sizeof *c.words, &c.words));
    BI_TRY(bi_scratch_of(ctx, f->lists.n, sizeof *c.waiting[0], &c.waiting[0]));
    BI_TRY(bi_scratch_of(ctx, f->lists.n, sizeof *c.waiting[1], &c.waiting[1]));
    BI_TRY(bi_scratch_of(ctx, BI_HASH_CUCKOO_ROUNDS + 2, sizeof *c.counts, &c.counts));
    c.collides = c.counts + BI_HASH_CUCKOO_ROUNDS + 1;
    for (; c.seed < seeds; c.seed++) {
        BI_TRY(try_seed(ctx, &c, &outcome));
        if (outcome == SEED_ASSIGNED) break;
    }
    if (outcome == SEED_FAILED && !f->distinct) return ctx->backend->copy(ctx, &f->report->repeats, &yes, sizeof yes);
    if (outcome == SEED_FAILED) {
        c.seed = BOSC_HASH_LINEAR;
        c.slots = (uint64_t)f->lists.n;
        c.stash = 0;
    }
    BI_TRY(ctx->backend->copy(ctx, &f->report->rounds, &c.rounds, sizeof c.rounds));
    BI_TRY(ctx->backend->sync(ctx)); /* c.rounds is on the stack */
    return write_slots(ctx, &c);
}

size_t bi_hash_cuckoo_fill_bytes(double load_factor, int64_t n)
{
    size_t slots = (size_t)bi_hash_slots_for(load_factor, (uint64_t)n) + BOSC_HASH_STASH;
    return (slots + 2 * (size_t)n) * sizeof(uint64_t) + (BI_HASH_CUCKOO_ROUNDS + 2) * sizeof(uint32_t) + 2048;
}
