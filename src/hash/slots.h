/* The slots layouts (all but BUCKETED): runs of slots and their fill.
 *
 * Keys are ordered by run. The number of keys decides the number of slots of a run; a lane group then fills it. The
 * result depends on the keys and, in HYBRID, on their order in the list. Where too many keys choose a run, another hash
 * chooses runs (HYBRID, FKS, CHAINED); if the last one fails too, all runs are linear, with as many slots as keys. A
 * fill makes linear runs only if its keys are known to be distinct, from lists sorted by hash. CUCKOO and ORDERED have
 * one run and fill it in their own files (cuckoo.c, ordered.c). */
#ifndef BI_HASH_SLOTS_H
#define BI_HASH_SLOTS_H

#include <stdbool.h>

#include <boscage/device/hash_slots.h>

#include "base/atomic.h"
#include "base/bits.h"
#include "hash/hash.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BI_HASH_PERFECT_KEYS = 2048, /* of a run: the largest mean */
    /* Of the number of a run. With more than 2^31 keys runs get oversized, and linear. */
    BI_HASH_PERFECT_BITS = 20,
    BI_HASH_PERFECT_MAX_KEYS = 2048 + 8 * 45, /* eight standard deviations above the mean */
    BI_HASH_PERFECT_GROUP = 3,                /* keys of a group on average */
    /* Of a run, at most. */
    BI_HASH_PERFECT_GROUPS = (BI_HASH_PERFECT_KEYS + BI_HASH_PERFECT_GROUP - 1) / BI_HASH_PERFECT_GROUP,
    BI_HASH_PERFECT_PILOTS = 1 << 16,
    BI_HASH_HYBRID_KEYS = 409, /* of a run on average */
    BI_HASH_HYBRID_MAX_KEYS = 512,
    BI_HASH_HYBRID_SLOTS = 576,
    BI_HASH_HYBRID_ROUNDS = 3 * 25, /* of a seed: each subtable 25 times; the text leaves the number open */
    BI_HASH_FKS_KEYS = 3,           /* of a run on average: the load factor is then 1/4 */
    BI_HASH_FKS_MAX_KEYS = 32,
    BI_HASH_CHAINED_KEYS = 2,      /* of a bucket on average */
    BI_HASH_CHAINED_FUNCTIONS = 2, /* the default */
    BI_HASH_CHAINED_MAX_KEYS = 32, /* 7 were the most in 20 million keys */
    BI_HASH_CHAINED_BATCHES = 16,  /* in which keys choose their buckets */
    BI_HASH_CHAINED_MORE = 64,     /* with more than two choices or to the left: more keys of a batch choose alike */
    BI_HASH_UNSURE_SEEDS = 3       /* of a run, tried before the driver groups the keys, which may repeat */
};

/* A fill: arguments of the steps and of the lane groups that fill runs. */
struct bi_hash_slots_fill {
    bosc_hash_slots_view view; /* of the table under construction */
    uint64_t *descriptors;
    uint16_t *pilots;
    unsigned char *slots;
    uint32_t *directory; /* ORDERED: NULL, or to be made from the slots */
    struct bi_hash_lists lists;
    double load_factor;    /* PERFECT */
    const uint32_t *order; /* the rows of the lists by run; NULL: they are in order */
    const int64_t *starts; /* (runs + 1) of the runs in the order; NULL: those of the lists */
    uint64_t *first_slots; /* (runs + 1) slots of each run, then by a scan its first slot */
    uint32_t *bins;        /* (n) the run of each row */
    int64_t *counts;       /* (runs) keys */
    uint32_t *offsets;     /* HYBRID: (n) offset of each row in its run, in the order of the atomic additions */
    uint32_t *unsorted;    /* HYBRID: `order` to be sorted in each run by its lane group; NULL: it is sorted */
    uint64_t *extra;       /* CHAINED: (runs) the extra probes of a run's keys */
    int64_t batch;         /* CHAINED: the first row of the batch that chooses runs */
    uint32_t *oversized;   /* not 0: too many keys chose one run */
    bool distinct;         /* no key repeats */
    bool linear;           /* all runs are */
    struct bi_hash_report *report;
};

struct bi_hash_slots_find {
    bosc_hash_slots_view view;
    const void *queries;
    void *values;
    uint8_t *found;
    uint64_t slots; /* ORDERED, with homes */
    struct bi_hash_key_range key_range;
};

/* The plan of struct bi_hash_layout. */
void bi_hash_slots_plan(const bosc_hash_opts *opts, int64_t n, struct bi_hash_shape *shape,
                        size_t bytes[BI_HASH_BLOCKS]);

/* The view through which steps and kernels read a table of these layouts; n: its keys. */
bosc_hash_slots_view bi_hash_slots_view_of(const bosc_hash *table, int64_t n);
/* ORDERED: the homes of a table of n keys; 0: it has none. */
uint32_t bi_hash_homes(double load_factor, int64_t n);
/* The most slots that a table of n keys may have. */
uint64_t bi_hash_max_slots(bosc_hash_layout layout, double load_factor, int64_t n, int64_t runs);

/* The fill of struct bi_hash_layout: by runs (slots.c), which calls those of CUCKOO and ORDERED. */
bosc_status bi_hash_slots_fill_lists(bosc_ctx *ctx, const bosc_hash *table, const struct bi_hash_lists *lists,
                                     bool distinct, struct bi_hash_report *report);
bosc_status bi_hash_cuckoo_fill(bosc_ctx *ctx, const struct bi_hash_slots_fill *f);
bosc_status bi_hash_ordered_fill(bosc_ctx *ctx, const struct bi_hash_slots_fill *f);
/* Scratch of the fill, beside that of the backend's build_bytes. */
size_t bi_hash_slots_fill_bytes(const bosc_hash *table, int64_t n);
size_t bi_hash_cuckoo_fill_bytes(double load_factor, int64_t n);
size_t bi_hash_ordered_fill_bytes(int64_t n);
/* The build of struct bi_hash_layout for ORDERED: the backend's. Where that does not take the pairs, reports repeats,
 * so that the driver sorts them. */
bosc_status bi_hash_ordered_job(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values, int64_t n,
                                struct bi_hash_report *found, enum bi_hash_outcome *outcome);

#ifdef __cplusplus
}
#endif
#endif
