/* The struct of a hash table, its layouts, and the operations that each backend provides.
 *
 * The buckets of a partition are filled by stable matching (Gale and Shapley's deferred acceptance). Each key proposes
 * to its two buckets in turn: first, second, first, second, ...; proposal t has the priority t / 2. Of all proposals
 * ever made to it a bucket accepts the BOSC_HASH_WIDTH highest, by (priority, earlier key of the partition's list); a
 * key whose proposal is rejected makes its next one. All proposals made form the least set closed under this rule, so
 * they do not depend on the order in which keys are served: one thread and a thousand end with the same table. Priority
 * by age keeps the walks short: at a load factor of 0.97 a key makes 2.7 proposals on average (measured:
 * docs/design/hash.md). A proposal of priority BI_HASH_PRIORITIES makes the partition start again with its next seed,
 * from 0 on. After BOSC_HASH_SEEDS seeds the partition is linear: its keys lie one after the other. A partition with
 * more keys than positions can number is linear at once.
 *
 * A key with two equal buckets is in its first one. The pairs of a bucket are ordered by descending (priority,
 * earlier), then fillers; in a full bucket the order of the first two encodes whether it is spilled (see
 * boscage/device/hash.h). A linear partition has as many buckets as any other of its size, but no key is in its second
 * bucket and no bucket is spilled: pairs are in the order of the list. */
#ifndef BI_HASH_HASH_H
#define BI_HASH_HASH_H

#include <boscage/device/hash_slots.h>

#include "base/step.h"
#include "core/call.h"
#include "hash/key.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BI_HASH_PRIORITIES = 31,          /* below 2^5: priority and position share a word of 32 bits */
    BI_HASH_POSITION_BITS = 27,       /* of a key in its partition's list, from 0 to 2^27 - 2 */
    BI_HASH_PARTITION_KEYS_32 = 8192, /* at most on average, for keys of 32 bits */
    BI_HASH_PARTITION_KEYS = 4096     /* and for longer ones */
};

/* Parameters of a table that kernels and loops read. */
struct bi_hash_shape {
    int32_t key_bits, key_bytes;
    int32_t value_bytes;    /* stored with a key: the value, and 4 bytes of a count if counted; 8 of a multimap */
    int32_t stride;         /* of a bucket: 4 * (key_bytes + value_bytes), rounded up to the alignment of a key */
    int32_t partition_bits; /* 1 or more */
    double load_factor;
    uint64_t seed;
};

/* DESCRIPTORS: bosc_hash_partition (2^partition_bits); slots layouts: a uint64_t for each run. TABLE: buckets or
 * slots. PILOTS: of PERFECT. VALUES: of a multimap, grouped by key, keys by ascending hash. DIRECTORY: of ORDERED where
 * the backend has one; it follows from the other blocks, which are the saved ones. */
enum {
    BI_HASH_DESCRIPTORS,
    BI_HASH_TABLE,
    BI_HASH_PILOTS,
    BI_HASH_VALUES,
    BI_HASH_DIRECTORY,
    BI_HASH_BLOCKS,
    BI_HASH_SAVED_BLOCKS = BI_HASH_DIRECTORY
};

/* Words of host memory to which a build on the device publishes its result. */
struct bi_hash_completion {
    void *words;  /* page-locked; NULL: a build of this table always waits */
    void *stream; /* that the build was launched on */
    uint32_t reports;
};

/* A launched build, until a call waits for it (bi_hash_wait_pending). The pairs are the caller's. */
struct bi_hash_pending {
    int32_t state;                                         /* by atomics */
    bosc_status (*finish)(bosc_ctx *, struct bosc_hash *); /* waits, and completes the build */
    const void *keys, *values;
    int64_t n;
    struct bi_hash_completion completion;
};
enum { BI_HASH_IDLE, BI_HASH_LAUNCHED, BI_HASH_FINISHING };

/* Bounds of a table's keys of 32 or 64 bits. */
struct bi_hash_key_range {
    bool known; /* false: keys may be any */
    uint64_t least, greatest;
};

struct bosc_hash {
    const struct bi_hash_ops *ops;
    const struct bi_hash_layout *layout;
    struct bi_memory memory, host;
    bosc_hash_opts opts; /* every field set, defaults filled in; opts.layout is that of the present table */
    bool automatic;      /* created as AUTO: each build chooses the layout (bi_hash_choose_layout) */
    struct bi_hash_shape shape;
    int64_t keys, pairs;
    int64_t buckets;      /* or runs; 0: nothing is built, or a build failed */
    int64_t extra_probes; /* probes beyond the first, over all keys; BUCKETED: one for each key in its second bucket */
    int32_t reseeded, linear, rounds;
    int64_t reduced_keys;  /* distinct keys of the last build, if keys repeated in it and reduce_repeats is for such
                           * tables: the next build then reduces first. Else 0 */
    int32_t sorted_builds; /* of a multimap: number of builds to come that sort at once, set when group_pairs declined;
                            * 0: the next build calls group_pairs */
    struct bi_hash_key_range key_range; /* set by builds, where the backend has find_key_range */
    struct bi_block blocks[BI_HASH_BLOCKS];
    struct bi_hash_pending pending; /* bi_hash_replace leaves this and the rest unchanged */
    struct bi_block words;          /* scratch words of builds on the device */
};

/* Pairs by partition, within one in the order of the input. All arrays are the backend's. */
struct bi_hash_lists {
    int64_t n;
    const void *hashes;    /* (n), of key_bytes */
    const void *payload;   /* (n) of payload_bytes: the values if those are 4 or 8 bytes, else uint32 row numbers */
    int32_t payload_bytes; /* 0: a set */
    const void *values; /* of value_bytes, indexed by the row numbers of the payload; NULL: the payload holds values */
    const uint32_t *starts; /* (2^partition_bits + 1) */
    /* The partitions already have a first bucket and a number of buckets. Those with an empty list stay, the others are
     * filled again; the report counts the latter only, but all buckets. */
    bool in_place;
    bool *overwritten; /* NULL, or: a fill on CUDA sets it before launches, which may lack memory, write to blocks */
    /* The payload is uint32 positions: a pair's value is its own and the distance to the next. Hashes and payload are
     * in 2^piece_bits pieces by the top bits of the hashes; piece_bits is at least the shape's partition_bits. */
    bool spans;
    int32_t piece_bits;
    const uint32_t *piece_begins; /* (2^piece_bits + 1) index of a piece in both arrays, position of its first pair */
    const uint32_t *piece_starts; /* (2^piece_bits + 1) number of pairs in earlier pieces */
    /* With spans: NULL, or values of the multimap that the fill copies to their block, a multiple of 4 bytes. */
    const void *carried;
    void *carried_to;
    size_t carried_bytes;
};

/* The progress of a build whose calls return BOSC_OK. After a failure: UNTOUCHED, or blocks were written to. */
enum bi_hash_outcome {
    BI_HASH_UNTOUCHED,      /* no block of the table was written to */
    BI_HASH_UNFINISHED,     /* blocks may be written to; another form of the build has to take these pairs */
    BI_HASH_NEEDS_GROUPING, /* a key repeats or a partition is oversized: to be built again, from groups */
    BI_HASH_PENDING,        /* launched; await_build completes it */
    BI_HASH_BUILT
};

/* Result of a fill; in backend memory, zeroed by the driver. */
struct bi_hash_report {
    /* Not 0: a key repeats, or (unless `distinct`) a partition is linear. The table is then unfinished. */
    uint32_t repeats;
    /* Not 0: a partition has more than bi_hash_max_partition_keys() keys, and is unfinished unless `distinct`. */
    uint32_t oversized;
    uint32_t buckets;  /* in all */
    uint32_t reseeded; /* partitions with a seed other than 0, linear ones excluded */
    uint32_t rounds;   /* CUCKOO: of all seeds that were tried */
    uint32_t linear;
    uint32_t too_large; /* not 0: a partition has more buckets than its descriptor can hold. The table is unfinished */
    uint32_t large;     /* CUDA: partitions that do not fit in shared memory */
    uint64_t extra_probes;
};

/* Distinct keys in the order of their first rows (number_keys). Arrays are the backend's, in scratch. */
struct bi_hash_numbering {
    int64_t count;
    const void *keys;                       /* (count) of key_bits */
    const uint32_t *first_rows, *last_rows; /* (count) */
    const uint32_t *numbers;                /* (n) of each row's key */
};
/* The result of number_keys beside the keys and their first rows. */
enum bi_hash_numbered { BI_HASH_FIRST_ROWS, BI_HASH_LAST_ROWS, BI_HASH_ROW_NUMBERS };

/* A reduction of pairs to one a key (reduce_repeats): what the driver knows, and the result. */
struct bi_hash_reduction {
    int64_t expected;    /* number of keys; 0: unknown */
    int64_t max_ordered; /* up to this many keys the table is built, ORDERED; its blocks have room. -1: the pairs are
                          * listed in any case */
    int64_t keys;        /* distinct ones */
    bool listed;         /* false: the table is built, and its figures are in `found` */
    bool rows;           /* the payload of the list is row numbers, else values */
    struct bi_hash_report found;
    const void *list_keys, *list_payload; /* (keys) by ascending hash, in scratch */
};

struct bi_hash_steps; /* one bi_step_fn for each line of steps.def */
struct bi_hash_slots_fill;
struct bi_hash_slots_find;
struct bi_hash_groups; /* hash/handle.h */

struct bi_hash_ops {
    const struct bi_hash_steps *steps;

    /* Hashes the keys and orders the pairs by partition, stably. `lists` gets arrays of scratch. values may be NULL (a
     * set). */
    bosc_status (*partition)(bosc_ctx *, const struct bi_hash_shape *, const void *keys, const void *values, int64_t n,
                             struct bi_hash_lists *lists);

    /* Builds the partitions and buckets of a table from lists; *report is backend memory. distinct: no key repeats, and
     * oversized partitions are filled too, more slowly. */
    bosc_status (*fill)(bosc_ctx *, const bosc_hash *, const struct bi_hash_lists *lists, bool distinct,
                        struct bi_hash_report *report);

    /* NULL, or: partition and fill in one operation, not `distinct`. *outcome: BUILT, or UNFINISHED for sizes that it
     * does not take; the driver then calls the two. *found (host memory): the result. */
    bosc_status (*build)(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                         struct bi_hash_report *found, enum bi_hash_outcome *outcome);

    /* NULL, or: the same in two calls. The first only launches (*outcome: PENDING, or UNFINISHED for sizes that it
     * does not take), the second waits (BUILT, or UNFINISHED where a partition was left out). Until then only later
     * work on the same stream may reuse its scratch and the caller's arrays. */
    bosc_status (*launch_build)(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                                struct bi_hash_completion *completion, enum bi_hash_outcome *outcome);
    bosc_status (*await_build)(bosc_ctx *, const struct bi_hash_completion *completion, struct bi_hash_report *found,
                               enum bi_hash_outcome *outcome);
    /* Allocates the words of a completion; frees them when all launched builds are done. NULL where launch_build is. */
    bosc_status (*open_completion)(bosc_ctx *, struct bi_hash_completion *completion);
    void (*close_completion)(const struct bosc_hash *);

    /* As bosc_hash_find, with arrays that the backend can reach. Values have value_bytes. */
    bosc_status (*find)(bosc_ctx *, const bosc_hash *, const void *queries, int64_t query_count, void *values,
                        uint8_t *found);

    /* Words of the backend's memory that a table keeps for its builds, all 0 at first. */
    size_t (*words_bytes)(const bosc_hash_opts *);

    /* Scratch of partition and fill, or of build, for n pairs. */
    size_t (*build_bytes)(const bosc_ctx *, const struct bi_hash_shape *, int64_t n);

    /* Slots layouts (hash/slots.h): fills all runs; answers queries. */
    bosc_status (*fill_slots)(bosc_ctx *, const struct bi_hash_slots_fill *);
    bosc_status (*find_slots)(bosc_ctx *, const struct bi_hash_slots_find *, int64_t query_count);

    /* NULL, or: bytes of the directory of a table of n keys; builds it from the slots. */
    size_t (*directory_bytes)(const bosc_hash_opts *, int64_t n);
    bosc_status (*index_slots)(bosc_ctx *, const bosc_hash_slots_view *, uint64_t slots, uint32_t *directory);

    /* NULL, or: numbers the distinct keys of n rows without a sort. *numbered: false, and *found is not set, for no
     * rows, and where it declines: keys are too many for the rows, or collide by design. */
    bosc_status (*number_keys)(bosc_ctx *, int32_t key_bits, const void *keys, int64_t n,
                               enum bi_hash_numbered requested, struct bi_hash_numbering *found, bool *numbered);

    /* NULL, or: reduces the pairs of a map that is not counted to one a key, the last one under LAST, else the first.
     * Then builds the table as ORDERED, or lists the pairs. *fits: false where it declines: keys of 128 bits, too many
     * keys, keys that collide by design, too little shared memory. Blocks of the table may then be written to. */
    bosc_status (*reduce_repeats)(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                                  struct bi_hash_reduction *, bool *fits);

    /* NULL, or: groups pairs by key as a multimap stores them: sets hashes, values, count, and rows or carried of *g,
     * in scratch. values: NULL, or (n x value_size). *grouped: false where it declines: few pairs, keys of 128 bits,
     * keys that fill many rows or collide by design, too little shared memory. */
    bosc_status (*group_pairs)(bosc_ctx *, const struct bi_hash_shape *, const void *keys, const void *values,
                               int32_t value_size, int64_t n, struct bi_hash_groups *, bool *grouped);

    /* NULL, or: true if keys repeat in a sample of the rows. */
    bool (*has_repeats)(const void *keys, int64_t n, int32_t key_bits);

    /* NULL, or: finds the range of the keys of a build, which `find` and find_slots use. */
    void (*find_key_range)(const bosc_ctx *, const void *keys, int64_t n, int32_t key_bits, struct bi_hash_key_range *);
};

/* Operations of a layout. */
struct bi_hash_layout {
    /* Sets shape->partition_bits for n keys, and the bytes of the blocks except VALUES and DIRECTORY (bi_hash_plan). */
    void (*plan)(const bosc_hash_opts *opts, int64_t n, struct bi_hash_shape *shape, size_t bytes[BI_HASH_BLOCKS]);
    /* As those of bi_hash_ops; report->buckets becomes the table's `buckets`. A layout that cannot detect repeated keys
     * reports them unless `distinct`. */
    bosc_status (*fill)(bosc_ctx *, const bosc_hash *, const struct bi_hash_lists *lists, bool distinct,
                        struct bi_hash_report *report);
    bosc_status (*find)(bosc_ctx *, const bosc_hash *, const void *queries, int64_t query_count, void *values,
                        uint8_t *found);
    /* NULL, or as that of bi_hash_ops. */
    bosc_status (*build)(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                         struct bi_hash_report *found, enum bi_hash_outcome *outcome);
    bool launches; /* builds may return before they are done, where the backend launches them */
    /* Every pair in the order of the table: hashes (keys, of key_bytes), values (keys x value_bytes, or NULL). */
    bosc_status (*pairs)(bosc_ctx *, const bosc_hash *, void *hashes, void *values);
    /* Scratch of fill, beside that of the backend's build_bytes. */
    size_t (*fill_bytes)(const bosc_hash *, int64_t n);
    /* Fills in partitions, slots, max_probes and mean_probes only. */
    bosc_status (*info)(bosc_ctx *, const bosc_hash *, bosc_hash_info *info);
    /* Checks a table that was read from a file: *wrong: NULL if look-ups are safe, else the reason. */
    bosc_status (*check)(bosc_ctx *, const bosc_hash *, const char **wrong);
};
extern const struct bi_hash_layout bi_hash_bucketed_layout;
extern const struct bi_hash_layout bi_hash_slots_layout; /* PERFECT, HYBRID, FKS, CUCKOO, CHAINED */
extern const struct bi_hash_layout bi_hash_ordered_layout;

extern const struct bi_hash_ops bi_hash_ops_cpu;
#ifdef BOSC_HAVE_CUDA
extern const struct bi_hash_ops bi_hash_ops_cuda;
#endif

/* Returns the view through which steps and kernels read a bucketed table. */
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

/* True if the payload of a pair in lists can be its value; else it is the number of its row. */
static inline bool bi_hash_fits_payload(int32_t value_bytes)
{
    return value_bytes == 0 || value_bytes == 4 || value_bytes == 8;
}

/* Returns the number of hash bits that choose the partition in a table of n keys. */
static inline int32_t bi_hash_partition_bits(int32_t key_bits, int64_t n)
{
    int64_t most = key_bits == 32 ? BI_HASH_PARTITION_KEYS_32 : BI_HASH_PARTITION_KEYS;
    int32_t bits = 1;
    while (n >> bits > most) bits++;
    return bits;
}

/* Returns the mean and eight standard deviations: more keys in a partition repeat or are adversarial. The pairs are
 * then sorted by hash first. All backends share the rule, since the order of the lists decides the bytes of the
 * table. */
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

/* Returns the number of buckets of a partition with `keys` keys. */
BI_FN uint32_t bi_hash_partition_buckets(double load_factor, uint32_t keys)
{
    double exact = (double)keys / (load_factor * BOSC_HASH_WIDTH);
    uint32_t buckets = (uint32_t)exact;
    if ((double)buckets < exact) buckets++;
    return buckets ? buckets : 1;
}

/* True if bosc_hash_partition cannot hold this number of buckets. */
BI_FN bool bi_hash_too_many_buckets(uint32_t buckets) { return buckets >> (32 - BOSC_HASH_SEED_BITS) != 0; }

#ifdef __cplusplus
}
#endif
#endif
