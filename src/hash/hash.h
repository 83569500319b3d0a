/* Inside a hash table, and the table of its fused operations that each backend gives.
 *
 * How the buckets of a part are filled: by stable matching. The keys of a part offer themselves to their buckets, each
 * in the order first, second, first, second, ...; offer t has the priority t / 2. Of all offers that were ever made to
 * it a bucket keeps the BOSC_HASH_WIDTH highest, by (priority, earlier key of the part's list); the key of an offer
 * that is not kept makes its next one. The offers that are made in the end are the least set closed under this, so they
 * do not depend on the order in which keys are served: one thread and a thousand end with the same table (as in Gale
 * and Shapley's deferred acceptance). Priorities by age make the walks short: at a load of 0.97 a key makes 2.7 offers
 * on average. Where an offer of priority BI_HASH_PRIORITIES would be made, the part's next seed is tried; after
 * BOSC_HASH_SEEDS of them the part is linear: its keys lie one after the other. So is a part of so many keys that their
 * positions do not fit, at once.
 *
 * A key whose two buckets are the same one lies in its first. In a bucket the pairs stand by descending (priority,
 * earlier), then fillers; then, if it is full, the first two are exchanged where that is needed to tell whether it is
 * overflowed (see boscage/device/hash.h). Of a linear part the buckets are as many as of any other, but no key is in
 * its second one and none is overflowed: pairs stand in the order of the list. Seeds are tried from 0 on. */
#ifndef BI_HASH_HASH_H
#define BI_HASH_HASH_H

#include <boscage/device/hash.h>

#include "base/step.h"
#include "core/context.h"
#include "hash/key.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BI_HASH_PRIORITIES = 31,
    BI_HASH_POSITION_BITS = 27,  /* of a key in its part's list, from 0 to 2^27 - 2 */
    BI_HASH_PART_KEYS_32 = 8192, /* at most on average, for keys of 32 bits */
    BI_HASH_PART_KEYS = 4096     /* and for longer ones */
};

/* What the kernels and loops need to know of a table. */
struct bi_hash_shape {
    int32_t key_bits, key_bytes;
    int32_t value_bytes; /* stored with a key: the value, and 4 bytes of a count if counted; 8 of a multimap */
    int32_t stride;      /* of a bucket: 4 * (key_bytes + value_bytes), rounded up to the alignment of a key */
    int32_t part_bits;   /* 1 or more */
    double load;
    uint64_t seed;
};

enum { BI_HASH_PARTS, BI_HASH_TABLE, BI_HASH_EXTRA, BI_HASH_VALUES, BI_HASH_BLOCKS };

struct bosc_hash {
    const struct bi_hash_ops *ops;
    const struct bi_hash_layout *layout;
    struct bi_memory memory, host;
    bosc_hash_opts opts; /* every field set, defaults filled in */
    struct bi_hash_shape shape;
    int64_t keys, pairs;
    int64_t buckets; /* 0: a build failed, and there is nothing in the table */
    int64_t second;  /* keys that lie in their second bucket */
    int32_t reseeded, linear;
    /* PARTS: bosc_hash_part (2^part_bits). TABLE: the buckets. EXTRA: other layouts' own. VALUES: of a multimap,
     * grouped by key, keys by ascending hash. */
    struct bi_block blocks[BI_HASH_BLOCKS];
};

/* Pairs in the order of their parts, equal parts in the order of the input. All arrays are the backend's. */
struct bi_hash_lists {
    int64_t n;
    const void *hashes;     /* (n), of key_bytes */
    const void *payload;    /* (n) of payload_bytes: the values if those are 4 or 8 bytes, else uint32 row numbers */
    int32_t payload_bytes;  /* 0: a set */
    const void *values;     /* payload is row numbers: the values that they name, of value_bytes; else NULL */
    const uint32_t *starts; /* (2^part_bits + 1) */
    /* The parts stand already, with their first bucket and number of buckets: those with an empty list are left as they
     * are, and the others are filled anew. The report counts the latter alone, but buckets all. */
    bool in_place;
};

/* What filling found; backend memory, zeroed by the driver. */
struct bi_hash_report {
    uint32_t repeats;  /* not 0: a key repeats, or (unless `any`) a part is linear. The table is then unfinished */
    uint32_t crowded;  /* not 0: a part has more than bi_hash_crowd() keys. Those parts are unfinished unless `any` */
    uint32_t buckets;  /* in all */
    uint32_t reseeded; /* parts with another seed than 0 that are not linear */
    uint32_t linear;
    uint32_t beyond; /* not 0: a part has more buckets than bosc_hash_part can tell. The table is unfinished */
    uint32_t large;  /* CUDA: parts that shared memory has no room for */
    uint64_t second; /* keys in their second bucket */
};

struct bi_hash_steps; /* one bi_step_fn for each line of steps.def */

struct bi_hash_ops {
    const struct bi_hash_steps *steps;

    /* Hashes the keys and orders the pairs by part, stably. `lists` gets arrays of scratch. values may be NULL (a
     * set). */
    bosc_status (*partition)(bosc_ctx *, const struct bi_hash_shape *, const void *keys, const void *values, int64_t n,
                             struct bi_hash_lists *lists);

    /* Makes parts and buckets of a table from lists; *report (backend memory) gets what was found. any: crowded parts
     * are filled too, by a slower way (the lists are then known to be of distinct keys). */
    bosc_status (*fill)(bosc_ctx *, const bosc_hash *, const struct bi_hash_lists *lists, bool any,
                        struct bi_hash_report *report);

    /* As bosc_hash_find, with arrays in reach. Values have value_bytes. */
    bosc_status (*find)(bosc_ctx *, const bosc_hash *, const void *queries, int64_t m, void *values, uint8_t *found);

    /* Scratch of partition and fill for n pairs. */
    size_t (*build_bytes)(const bosc_ctx *, const struct bi_hash_shape *, int64_t n);
};

/* What a layout does apart; BUCKETED does it through the backend's table. */
struct bi_hash_layout {
    /* Sets what depends on the number of keys in the shape (part_bits), and the bytes of the blocks but VALUES. */
    void (*plan)(const bosc_hash_opts *opts, int64_t n, struct bi_hash_shape *shape, size_t bytes[BI_HASH_BLOCKS]);
    /* As those of bi_hash_ops; report->buckets becomes the table's `buckets`. A layout that cannot see repeated keys
     * reports them unless `any`. */
    bosc_status (*fill)(bosc_ctx *, const bosc_hash *, const struct bi_hash_lists *lists, bool any,
                        struct bi_hash_report *report);
    bosc_status (*find)(bosc_ctx *, const bosc_hash *, const void *queries, int64_t m, void *values, uint8_t *found);
    /* Every pair in the order of the table: hashes (keys, of key_bytes), values (keys x value_bytes, or NULL). */
    bosc_status (*pairs)(bosc_ctx *, const bosc_hash *, void *hashes, void *values);
    /* Scratch of fill, beside that of the backend's partition. */
    size_t (*fill_bytes)(const bosc_hash *, int64_t n);
    /* Fills in parts, places, probes_most and probes_hit; the rest stands. */
    bosc_status (*info)(bosc_ctx *, const bosc_hash *, bosc_hash_info *info);
    /* After a load: are look-ups safe, whatever the bytes of the blocks? NULL, or what is wrong. */
    bosc_status (*check)(bosc_ctx *, const bosc_hash *, const char **wrong);
};
extern const struct bi_hash_layout bi_hash_bucketed;
extern const struct bi_hash_layout bi_hash_placed; /* PERFECT, HYBRID, FKS */

extern const struct bi_hash_ops bi_hash_ops_cpu;
#ifdef BOSC_HAVE_CUDA
extern const struct bi_hash_ops bi_hash_ops_cuda;
#endif

/* What steps and kernels read a bucketed table through. */
static inline bosc_hash_view bi_hash_view(const bosc_hash *t)
{
    bosc_hash_view view;
    view.version = BOSC_HASH_VIEW_VERSION;
    view.key_bits = t->shape.key_bits;
    view.value_size = t->shape.value_bytes;
    view.stride = t->shape.stride;
    view.part_bits = t->shape.part_bits;
    view.seed = t->shape.seed;
    view.parts = (const bosc_hash_part *)t->blocks[BI_HASH_PARTS].data;
    view.buckets = (const unsigned char *)t->blocks[BI_HASH_TABLE].data;
    view.values = (const unsigned char *)t->blocks[BI_HASH_VALUES].data;
    return view;
}

/* The number of bits that choose the part of a table of n keys. */
static inline int32_t bi_hash_part_bits(int32_t key_bits, int64_t n)
{
    int64_t most = key_bits == 32 ? BI_HASH_PART_KEYS_32 : BI_HASH_PART_KEYS;
    int32_t bits = 1;
    while (n >> bits > most) bits++;
    return bits;
}

/* More keys than that in a part are no chance (eight standard deviations): they repeat, or were chosen to meet. Such
 * lists go by a sort first. The rule is one for all backends, since the order of the lists is part of the table. */
static inline uint32_t bi_hash_crowd(int32_t key_bits)
{
    return key_bits == 32 ? BI_HASH_PART_KEYS_32 + 8 * 91 : BI_HASH_PART_KEYS + 8 * 64;
}

/* What stands in the places of a part's bucket that hold no pair; their values, and bytes up to the stride, are 0. */
BI_FN bosc_hash_word bi_hash_filler(uint32_t part, int32_t key_bits, int32_t part_bits, bool overflowed)
{
    uint64_t top = (uint64_t)(part ^ 1) << (64 - part_bits);
    bosc_hash_word filler = {overflowed, 0};
    if (key_bits == 128)
        filler.high = top;
    else
        filler.low |= key_bits == 32 ? top >> 32 : top;
    return filler;
}

/* Buckets of a part of so many keys. */
BI_FN uint32_t bi_hash_part_buckets(double load, uint32_t keys)
{
    double exact = (double)keys / (load * BOSC_HASH_WIDTH);
    uint32_t buckets = (uint32_t)exact;
    if ((double)buckets < exact) buckets++;
    return buckets ? buckets : 1;
}

/* Whether that is more than bosc_hash_part can tell. */
BI_FN bool bi_hash_beyond(uint32_t buckets) { return buckets >> (32 - BOSC_HASH_SEED_BITS) != 0; }

#ifdef __cplusplus
}
#endif
#endif
