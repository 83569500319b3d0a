/* Inside a hash table, and the table of operations that each backend gives.
 *
 * The buckets of a partition are filled by stable matching (Gale and Shapley's deferred acceptance). Each key proposes
 * to its two buckets in turn: first, second, first, second, ...; proposal t has the priority t / 2. Of all proposals
 * ever made to it a bucket accepts the BOSC_HASH_WIDTH highest, by (priority, earlier key of the partition's list); a
 * key whose proposal is rejected makes its next one. The proposals made in the end are the least set closed under this
 * rule, so they do not depend on the order in which keys are served: one thread and a thousand end with the same table.
 * Priority by age keeps the walks short: at a load factor of 0.97 a key makes 2.7 proposals on average. Where a
 * proposal of priority BI_HASH_PRIORITIES would be made, the partition's next seed is tried, from 0 on; after
 * BOSC_HASH_SEEDS of them the partition is linear: its keys lie one after the other. A partition with more keys than
 * positions can number is linear at once.
 *
 * A key whose two buckets are the same one lies in its first. In a bucket the pairs stand by descending (priority,
 * earlier), then fillers; if it is full, the first two are exchanged where their order must tell whether it is
 * spilled (see boscage/device/hash.h). A linear partition has as many buckets as any other of its size, but no key
 * is in its second bucket and no bucket is spilled: pairs stand in the order of the list. */
#ifndef BI_HASH_HASH_H
#define BI_HASH_HASH_H

#include <boscage/device/hash_slots.h>

#include "base/step.h"
#include "core/context.h"
#include "hash/key.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BI_HASH_PRIORITIES = 31,
    BI_HASH_POSITION_BITS = 27,       /* of a key in its partition's list, from 0 to 2^27 - 2 */
    BI_HASH_PARTITION_KEYS_32 = 8192, /* at most on average, for keys of 32 bits */
    BI_HASH_PARTITION_KEYS = 4096     /* and for longer ones */
};

/* What the kernels and loops need to know of a table. */
struct bi_hash_shape {
    int32_t key_bits, key_bytes;
    int32_t value_bytes;    /* stored with a key: the value, and 4 bytes of a count if counted; 8 of a multimap */
    int32_t stride;         /* of a bucket: 4 * (key_bytes + value_bytes), rounded up to the alignment of a key */
    int32_t partition_bits; /* 1 or more */
    double load;
    uint64_t seed;
};

/* DESCRIPTORS: bosc_hash_partition (2^partition_bits); of the slots layouts, uint64_t of the runs. TABLE: the buckets,
 * or the slots. PILOTS: of PERFECT. VALUES: of a multimap, grouped by key, keys by ascending hash. DIRECTORY: of
 * ORDERED, where the backend has one; the others tell all of it, and are what is saved. */
enum {
    BI_HASH_DESCRIPTORS,
    BI_HASH_TABLE,
    BI_HASH_PILOTS,
    BI_HASH_VALUES,
    BI_HASH_DIRECTORY,
    BI_HASH_BLOCKS,
    BI_HASH_SAVED_BLOCKS = BI_HASH_DIRECTORY
};

/* Where a build on the device tells how it went. */
struct bi_hash_outcome {
    void *words;  /* page-locked; NULL: a build of this table always waits */
    void *stream; /* that the build was launched on */
    uint32_t reports;
};

/* A build that was not waited for, until a call settles it (handle.h). The pairs are those of the caller. */
struct bi_hash_pending {
    int32_t state;                                         /* by atomics */
    bosc_status (*finish)(bosc_ctx *, struct bosc_hash *); /* waits, and makes what was not made */
    const void *keys, *values;
    int64_t n;
    struct bi_hash_outcome outcome;
};
enum { BI_HASH_SETTLED, BI_HASH_LAUNCHED, BI_HASH_SETTLING };

struct bosc_hash {
    const struct bi_hash_ops *ops;
    const struct bi_hash_layout *layout;
    struct bi_memory memory, host;
    bosc_hash_opts opts; /* every field set, defaults filled in */
    struct bi_hash_shape shape;
    int64_t keys, pairs;
    int64_t buckets;      /* or runs; 0: nothing is built, or a build failed */
    int64_t extra_probes; /* over all keys, those after the first: BUCKETED has one for each key in its second bucket */
    int32_t reseeded, linear;
    struct bi_block blocks[BI_HASH_BLOCKS];
    struct bi_hash_pending pending; /* this and what follows bi_hash_replace leaves alone */
    struct bi_block words;          /* that builds on the device need */
};

/* Pairs by partition, within one in the order of the input. All arrays are the backend's. */
struct bi_hash_lists {
    int64_t n;
    const void *hashes;     /* (n), of key_bytes */
    const void *payload;    /* (n) of payload_bytes: the values if those are 4 or 8 bytes, else uint32 row numbers */
    int32_t payload_bytes;  /* 0: a set */
    const void *values;     /* if the payload is row numbers: the values that they name, of value_bytes; else NULL */
    const uint32_t *starts; /* (2^partition_bits + 1) */
    /* The partitions stand already, with their first bucket and number of buckets: those with an empty list are left
     * alone, the others are filled again. The report counts the latter only, but all buckets. */
    bool in_place;
};

/* What filling found; backend memory, zeroed by the driver. */
struct bi_hash_report {
    /* Not 0: a key repeats, or (unless `distinct`) a partition is linear. The table is then unfinished. */
    uint32_t repeats;
    /* Not 0: a partition has more than bi_hash_max_partition_keys() keys, and is unfinished unless `distinct`. */
    uint32_t oversized;
    uint32_t buckets;  /* in all */
    uint32_t reseeded; /* partitions with another seed than 0 that are not linear */
    uint32_t linear;
    uint32_t too_large; /* not 0: a partition has more buckets than its descriptor can hold. The table is unfinished */
    uint32_t large;     /* CUDA: partitions that do not fit in shared memory */
    uint64_t extra_probes;
};

struct bi_hash_steps; /* one bi_step_fn for each line of steps.def */
struct bi_hash_slots_fill;
struct bi_hash_slots_find;

struct bi_hash_ops {
    const struct bi_hash_steps *steps;

    /* Hashes the keys and orders the pairs by partition, stably. `lists` gets arrays of scratch. values may be NULL (a
     * set). */
    bosc_status (*partition)(bosc_ctx *, const struct bi_hash_shape *, const void *keys, const void *values, int64_t n,
                             struct bi_hash_lists *lists);

    /* Makes the partitions and buckets of a table from lists; *report (backend memory) gets what was found. distinct:
     * no key repeats, and oversized partitions are filled too, more slowly. */
    bosc_status (*fill)(bosc_ctx *, const bosc_hash *, const struct bi_hash_lists *lists, bool distinct,
                        struct bi_hash_report *report);

    /* NULL, or: partition and fill at once, not `distinct`, for the sizes that it takes. *built: it did, and *found, in
     * host memory, tells how it went; else the table is unfinished and is to be made by those two. */
    bosc_status (*build)(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                         struct bi_hash_report *found, bool *built);

    /* NULL, or: the same in two calls, of which the first only launches (*launched: it did), and the second waits. What
     * the first takes of scratch and of the caller is used until then, save by what comes after it on its stream. */
    bosc_status (*launch_build)(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                                struct bi_hash_outcome *outcome, bool *launched);
    bosc_status (*await_build)(bosc_ctx *, const struct bi_hash_outcome *outcome, struct bi_hash_report *found,
                               bool *built);
    /* Memory for an outcome; NULL where launch_build is. Frees it, when all launched builds are done. */
    bosc_status (*open_outcome)(bosc_ctx *, struct bi_hash_outcome *outcome);
    void (*close_outcome)(const struct bosc_hash *);

    /* As bosc_hash_find, with arrays in reach. Values have value_bytes. */
    bosc_status (*find)(bosc_ctx *, const bosc_hash *, const void *queries, int64_t query_count, void *values,
                        uint8_t *found);

    /* Words of the backend's memory that a table keeps for its builds, all 0 at first. */
    size_t (*words_bytes)(const bosc_hash_opts *);

    /* Scratch of partition and fill, or of build, for n pairs. */
    size_t (*build_bytes)(const bosc_ctx *, const struct bi_hash_shape *, int64_t n);

    /* The slots layouts (hash/slots.h): fills all runs; answers queries. */
    bosc_status (*fill_slots)(bosc_ctx *, const struct bi_hash_slots_fill *);
    bosc_status (*find_slots)(bosc_ctx *, const struct bi_hash_slots_find *, int64_t query_count);

    /* NULL, or: the bytes of the directory of a table of n keys; makes it from the slots. */
    size_t (*directory_bytes)(const bosc_hash_opts *, int64_t n);
    bosc_status (*index_slots)(bosc_ctx *, const bosc_hash_slots_view *, uint64_t slots, uint32_t *directory);
};

/* What the layouts do differently. */
struct bi_hash_layout {
    /* Sets what depends on the number of keys in the shape (partition_bits), and the bytes of the blocks but VALUES and
     * DIRECTORY (see bi_hash_plan). */
    void (*plan)(const bosc_hash_opts *opts, int64_t n, struct bi_hash_shape *shape, size_t bytes[BI_HASH_BLOCKS]);
    /* As those of bi_hash_ops; report->buckets becomes the table's `buckets`. A layout that cannot see repeated keys
     * reports them unless `distinct`. */
    bosc_status (*fill)(bosc_ctx *, const bosc_hash *, const struct bi_hash_lists *lists, bool distinct,
                        struct bi_hash_report *report);
    bosc_status (*find)(bosc_ctx *, const bosc_hash *, const void *queries, int64_t query_count, void *values,
                        uint8_t *found);
    /* NULL, or as that of bi_hash_ops. */
    bosc_status (*build)(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                         struct bi_hash_report *found, bool *built);
    bool launches; /* builds need not be waited for, where the backend launches them */
    /* Every pair in the order of the table: hashes (keys, of key_bytes), values (keys x value_bytes, or NULL). */
    bosc_status (*pairs)(bosc_ctx *, const bosc_hash *, void *hashes, void *values);
    /* Scratch of fill, beside that of the backend's build_bytes. */
    size_t (*fill_bytes)(const bosc_hash *, int64_t n);
    /* Fills in partitions, slots, max_probes and mean_probes; the rest stands. */
    bosc_status (*info)(bosc_ctx *, const bosc_hash *, bosc_hash_info *info);
    /* After a read: are look-ups safe, whatever the bytes of the blocks? NULL, or what is wrong. */
    bosc_status (*check)(bosc_ctx *, const bosc_hash *, const char **wrong);
};
extern const struct bi_hash_layout bi_hash_bucketed_layout;
extern const struct bi_hash_layout bi_hash_slots_layout; /* PERFECT, HYBRID, FKS, CUCKOO, CHAINED */
extern const struct bi_hash_layout bi_hash_ordered_layout;

extern const struct bi_hash_ops bi_hash_ops_cpu;
#ifdef BOSC_HAVE_CUDA
extern const struct bi_hash_ops bi_hash_ops_cuda;
#endif

/* The view through which steps and kernels read a bucketed table. */
static inline bosc_hash_view bi_hash_view_of(const bosc_hash *t)
{
    bosc_hash_view view;
    view.version = BOSC_HASH_VIEW_VERSION;
    view.key_bits = t->shape.key_bits;
    view.value_size = t->shape.value_bytes;
    view.stride = t->shape.stride;
    view.partition_bits = t->shape.partition_bits;
    view.seed = t->shape.seed;
    view.partitions = (const bosc_hash_partition *)t->blocks[BI_HASH_DESCRIPTORS].data;
    view.buckets = (const unsigned char *)t->blocks[BI_HASH_TABLE].data;
    view.values = (const unsigned char *)t->blocks[BI_HASH_VALUES].data;
    return view;
}

/* The number of hash bits that choose the partition in a table of n keys. */
static inline int32_t bi_hash_partition_bits(int32_t key_bits, int64_t n)
{
    int64_t most = key_bits == 32 ? BI_HASH_PARTITION_KEYS_32 : BI_HASH_PARTITION_KEYS;
    int32_t bits = 1;
    while (n >> bits > most) bits++;
    return bits;
}

/* More keys than this in a partition are no accident (eight standard deviations): they repeat, or were chosen to meet.
 * The pairs are then sorted by hash first. All backends share the rule, since the order of the lists decides the bytes
 * of the table. */
static inline uint32_t bi_hash_max_partition_keys(int32_t key_bits)
{
    return key_bits == 32 ? BI_HASH_PARTITION_KEYS_32 + 8 * 91 : BI_HASH_PARTITION_KEYS + 8 * 64;
}

/* The hash in empty slots of a partition's bucket; their values, and the bytes up to the stride, are 0. */
BI_FN bosc_hash_word bi_hash_filler(uint32_t partition, int32_t key_bits, int32_t partition_bits, bool spilled)
{
    uint64_t top = (uint64_t)(partition ^ 1) << (64 - partition_bits);
    bosc_hash_word filler = {spilled, 0};
    if (key_bits == 128)
        filler.high = top;
    else
        filler.low |= key_bits == 32 ? top >> 32 : top;
    return filler;
}

/* The buckets of a partition with this many keys. */
BI_FN uint32_t bi_hash_partition_buckets(double load, uint32_t keys)
{
    double exact = (double)keys / (load * BOSC_HASH_WIDTH);
    uint32_t buckets = (uint32_t)exact;
    if ((double)buckets < exact) buckets++;
    return buckets ? buckets : 1;
}

/* Whether they are more than bosc_hash_partition can hold. */
BI_FN bool bi_hash_too_many_buckets(uint32_t buckets) { return buckets >> (32 - BOSC_HASH_SEED_BITS) != 0; }

#ifdef __cplusplus
}
#endif
#endif
