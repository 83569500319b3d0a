/* The slots layouts on the CPU: one thread fills a run; look-ups go in batches whose reads overlap. */
#include "hash/cpu/bucketed.h"
#include "hash/slots.h"

#include "base/fault.h"
#include "core/cpu/collectives.h"
#include "hash/cpu/key_range.h"
#include "hash/cpu/ordered.h"
#include "hash/steps/hybrid_lane_group.h"
#include "hash/steps/perfect_lane_group.h"
#include "hash/steps/steps.h"

enum {
    BATCH = 32,      /* queries whose reads of memory overlap; not measured */
    PAIR_ITEMS = 16, /* cost of filling in or finding a pair, in simple items; */
    NEAR_ITEMS = 4,  /* of finding one by a directory, in a table that a core's caches hold, */
    FAR_ITEMS = 8    /* and in a larger one; measured: below 2^14 and 2^13 queries a thread that slept does not pay */
};

static void fill_run(const struct bi_hash_slots_fill *f, uint32_t run)
{
    union {
        struct bi_hash_perfect_work perfect;
        struct bi_hash_hybrid_work hybrid;
    } work;
    if (f->view.layout == BOSC_HASH_PERFECT)
        bi_hash_perfect_run(f, run, &work.perfect);
    else
        bi_hash_hybrid_run(f, run, &work.hybrid);
}

bosc_status bi_hash_fill_slots_cpu(bosc_ctx *ctx, const struct bi_hash_slots_fill *f)
{
    if (f->view.layout == BOSC_HASH_FKS) return ctx->ops->hash->steps->slots_fks(ctx, f->view.runs, f);
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash fill: injected fault");
    struct bi_batches p = bi_batches_of(ctx, f->view.runs, PAIR_ITEMS * (double)f->lists.n / f->view.runs);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(dynamic) num_threads(bi_thread_count(ctx, f->lists.n, BI_THREAD_ITEMS / 8))
        for (int64_t run = p.begin; run < p.end; run++) fill_run(f, (uint32_t)run);
    }
    return p.status;
}

struct batch {
    bosc_hash_word hash[BATCH];
    bosc_hash_run run[BATCH];
    uint32_t mixed[BATCH];
    uint32_t chains[BATCH][BOSC_HASH_FUNCTIONS]; /* CHAINED */
};

/* Hashes the queries and prefetches the descriptors of their runs. */
BI_FN void prefetch_runs(const struct bi_hash_slots_find *a, struct batch *b, int64_t from, int count)
{
    for (int i = 0; i < count; i++) {
        bosc_hash_word key = bosc_hash_word_at(a->queries, from + i, a->view.key_bits);
        b->hash[i] = bosc_hash_of(key, a->view.key_bits, a->view.seed);
        b->run[i].number = bosc_hash_run_of(&a->view, b->hash[i]);
        __builtin_prefetch(&a->view.descriptors[1 + (uint64_t)b->run[i].number]);
    }
}

/* Reads the descriptors; PERFECT: prefetches the pilots. */
BI_FN void prefetch_pilots(const bosc_hash_slots_view *v, struct batch *b, int count)
{
    for (int i = 0; i < count; i++) {
        b->run[i] = bosc_hash_run_at(v, b->run[i].number);
        b->mixed[i] = bosc_hash_remix(b->hash[i], v->key_bits, b->run[i].seed);
        if (v->layout != BOSC_HASH_PERFECT) continue;
        uint32_t group = bosc_hash_group_of(b->mixed[i], v->groups);
        __builtin_prefetch(&v->pilots[(uint64_t)b->run[i].number * v->groups + group]);
    }
}

/* Prefetches the slots that a look-up reads. */
BI_FN void prefetch_slots(const bosc_hash_slots_view *v, const struct batch *b, int count)
{
    uint32_t probes = v->layout == BOSC_HASH_HYBRID ? (uint32_t)BOSC_HASH_SUBTABLES : 1;
    for (int i = 0; i < count; i++)
        for (uint32_t p = 0; p < probes; p++)
            __builtin_prefetch(v->slots + bosc_hash_probe(v, &b->run[i], b->mixed[i], p) * (uint32_t)v->stride);
}

/* CUCKOO: prefetches all slots that a look-up may read, except that of the stash. */
BI_FN void prefetch_cuckoo(const struct bi_hash_slots_find *a, struct batch *b, int64_t from, int count)
{
    const bosc_hash_slots_view *v = &a->view;
    bosc_hash_run table = bosc_hash_run_at(v, 0);
    for (int i = 0; i < count; i++) {
        bosc_hash_word key = bosc_hash_word_at(a->queries, from + i, v->key_bits);
        b->hash[i] = bosc_hash_of(key, v->key_bits, v->seed);
        for (uint32_t f = 0; f < v->functions && table.size; f++) {
            uint64_t slot = bosc_hash_slot_by_function(b->hash[i], v->key_bits, table.seed, f, table.size);
            __builtin_prefetch(v->slots + slot * (uint32_t)v->stride);
        }
    }
}

/* CHAINED: prefetches the begins of all chains. */
BI_FN void prefetch_chains(const struct bi_hash_slots_find *a, struct batch *b, int64_t from, int count)
{
    const bosc_hash_slots_view *v = &a->view;
    for (int i = 0; i < count; i++) {
        b->hash[i] = bosc_hash_of(bosc_hash_word_at(a->queries, from + i, v->key_bits), v->key_bits, v->seed);
        for (uint32_t f = 0; f < v->functions; f++) {
            b->chains[i][f] = bosc_hash_run_by_function(v, b->hash[i], f);
            __builtin_prefetch(&v->descriptors[1 + (uint64_t)b->chains[i][f]]);
        }
    }
    for (int i = 0; v->slots && i < count; i++) /* an empty table has no slots */
        for (uint32_t f = 0; f < v->functions; f++)
            __builtin_prefetch(v->slots + bosc_hash_run_at(v, b->chains[i][f]).first * (uint32_t)v->stride);
}

/* ORDERED: prefetches the home. */
BI_FN void prefetch_homes(const struct bi_hash_slots_find *a, struct batch *b, int64_t from, int count)
{
    const bosc_hash_slots_view *v = &a->view;
    for (int i = 0; i < count; i++) {
        bosc_hash_word key = bosc_hash_word_at(a->queries, from + i, v->key_bits);
        b->hash[i] = bosc_hash_of(key, v->key_bits, v->seed);
        if (v->homes)
            __builtin_prefetch(v->slots + bosc_hash_home(b->hash[i], v->key_bits, v->homes) * (uint64_t)v->stride);
    }
}

/* Answers a batch of queries. Key width and layout are constants for the compiler. */
BI_FN void find_batch(const struct bi_hash_slots_find *find, int64_t from, int count, int32_t key_bits,
                      bosc_hash_layout layout)
{
    struct bi_hash_slots_find a = *find;
    struct batch b;
    a.view.key_bits = key_bits;
    a.view.layout = layout;
    if (layout == BOSC_HASH_CUCKOO || layout == BOSC_HASH_CHAINED) {
        layout == BOSC_HASH_CUCKOO ? prefetch_cuckoo(&a, &b, from, count) : prefetch_chains(&a, &b, from, count);
        for (int i = 0; i < count; i++) bi_hash_slots_answer(&a, from + i, bosc_hash_search(&a.view, b.hash[i]));
        return;
    }
    if (layout == BOSC_HASH_ORDERED) {
        prefetch_homes(&a, &b, from, count);
        for (int i = 0; i < count; i++) bi_hash_slots_answer(&a, from + i, bosc_hash_search(&a.view, b.hash[i]));
        return;
    }
    prefetch_runs(&a, &b, from, count);
    prefetch_pilots(&a.view, &b, count);
    prefetch_slots(&a.view, &b, count);
    for (int i = 0; i < count; i++)
        bi_hash_slots_answer(&a, from + i, bosc_hash_search_run(&a.view, &b.run[i], b.hash[i]));
}

BI_FN void find_batch_of(const struct bi_hash_slots_find *a, int64_t from, int count, int32_t key_bits)
{
    if (a->view.layout == BOSC_HASH_PERFECT)
        find_batch(a, from, count, key_bits, BOSC_HASH_PERFECT);
    else if (a->view.layout == BOSC_HASH_HYBRID)
        find_batch(a, from, count, key_bits, BOSC_HASH_HYBRID);
    else if (a->view.layout == BOSC_HASH_CUCKOO)
        find_batch(a, from, count, key_bits, BOSC_HASH_CUCKOO);
    else if (a->view.layout == BOSC_HASH_CHAINED)
        find_batch(a, from, count, key_bits, BOSC_HASH_CHAINED);
    else if (a->view.layout == BOSC_HASH_ORDERED)
        find_batch(a, from, count, key_bits, BOSC_HASH_ORDERED);
    else
        find_batch(a, from, count, key_bits, BOSC_HASH_FKS);
}

/* Looks up the queries that may be in the range of the table's keys. */
static void find_runs(const bosc_ctx *ctx, const struct bi_hash_slots_find *a, int64_t begin, int64_t end)
{
    const struct bi_hash_ranged_queries q = {a->key_range,       a->queries, a->view.key_bits,
                                             a->view.value_size, a->values,  a->found};
    int64_t run_end = end;
    for (; BI_LEVEL_PICK(ctx->level, bi_hash_next_run)(&q, &begin, end, &run_end); begin = run_end)
        BI_LEVEL_PICK(ctx->level, bi_hash_find_ordered)(a, begin, run_end);
}

/* ORDERED with a directory (hash/cpu/find_ordered_hot.c). */
static bosc_status find_indexed(bosc_ctx *ctx, const struct bi_hash_slots_find *a, int64_t query_count)
{
    const int64_t items = a->view.homes < BOSC_HASH_FAR_HOMES ? NEAR_ITEMS : FAR_ITEMS;
    struct bi_batches p = bi_batches_of(ctx, query_count, (double)items);
    while (bi_next_batch(ctx, &p)) {
        const int64_t count = p.end - p.begin;
        const int threads = bi_thread_count(ctx, count, BI_THREAD_ITEMS / items);
        BI_PARALLEL_FOR(threads, (static), t, 0, threads,
                        find_runs(ctx, a, p.begin + bi_chunk_begin(count, threads, t),
                                  p.begin + bi_chunk_begin(count, threads, t + 1)));
    }
    return p.status;
}

bosc_status bi_hash_find_slots_cpu(bosc_ctx *ctx, const struct bi_hash_slots_find *a, int64_t query_count)
{
    int64_t batches = bi_div_up(query_count, BATCH);
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash find: injected fault");
    if (a->view.directory) return find_indexed(ctx, a, query_count);
    double items = PAIR_ITEMS * (double)query_count;
    struct bi_batches p = bi_batches_of(ctx, batches, batches ? items / (double)batches : 1);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(static) num_threads(bi_thread_count(ctx, query_count, BI_THREAD_ITEMS / 8))
        for (int64_t k = p.begin; k < p.end; k++) {
            int64_t from = k * BATCH;
            int count = query_count - from < BATCH ? (int)(query_count - from) : BATCH;
            if (a->view.key_bits == 32)
                find_batch_of(a, from, count, 32);
            else if (a->view.key_bits == 64)
                find_batch_of(a, from, count, 64);
            else
                find_batch_of(a, from, count, 128);
        }
    }
    return p.status;
}
