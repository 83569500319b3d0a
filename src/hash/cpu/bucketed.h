/* The bucketed layout on the CPU: entries of bi_hash_ops_cpu, and loops compiled for each level. */
#ifndef BI_HASH_CPU_BUCKETED_H
#define BI_HASH_CPU_BUCKETED_H

#include "core/cpu/level.h"
#include "hash/hash.h"

enum {
    BI_HASH_GRAIN = BI_THREAD_ITEMS / 2, /* pairs that justify one more thread; a pair costs two items or more */
    BI_HASH_PAIR_ITEMS = 8               /* cost of filling in or finding a pair, in simple items; estimated */
};
enum { BI_HASH_LINE = 64, BI_HASH_CHUNK = 64, BI_HASH_FILL_WORDS = 5 };

static inline size_t bi_hash_partition_count(const struct bi_hash_shape *s) { return (size_t)1 << s->partition_bits; }

/* A thread's share of the radix partition: pairs [begin, end). */
struct bi_hash_share {
    const struct bi_hash_shape *shape;
    const void *keys, *values;
    int64_t begin, end;
    int32_t payload_bytes;
    bool rows;           /* the payload is row numbers */
    bool streams;        /* the output is larger than the caches: whole lines bypass them */
    uint32_t *positions; /* (partitions) counts, then where the thread's next pair of each partition goes */
    uint32_t *begins;    /* (partitions) position of the share's first pair; with regions: the limit of the region */
    char *lines;         /* (partitions x 2 x BI_HASH_LINE) write-combining lines for hashes and payloads */
    void *hashes, *payload;
};

/* Lists made without a count. Each thread has scattered its pairs to regions of its own; the regions of a partition
 * are adjacent, in the order of the threads. */
struct bi_hash_regions {
    const struct bi_hash_share *shares; /* (threads) with the limits of the used part of each region in `positions` */
    int threads;
    uint32_t capacity; /* of a region */
    bool paired;       /* each value, of as many bytes, follows its hash */
};

/* A job: fills one partition. */
struct bi_hash_fill_job {
    const bosc_hash *table;
    const struct bi_hash_lists *lists;
    uint32_t partition;
    int64_t begin; /* of its list */
    uint32_t keys;
    bosc_hash_partition *descriptor; /* `first` and the number of buckets are set */
    bool distinct;
    bool paired; /* `hashes` holds each hash with its payload behind it */
    /* Scratch for the largest partition. */
    uint32_t *codes;         /* (buckets x 4) */
    uint32_t *first_buckets; /* (BI_HASH_FILL_WORDS x capacity) five arrays of keys: see matching_of */
    uint32_t capacity;       /* maximum of keys of a partition, plus 1 */
    uint8_t *marks;          /* (buckets) */
    /* Out. */
    bool repeats;
    uint32_t second;
};

/* Entries of bi_hash_ops_cpu. */
bosc_status bi_hash_partition_cpu(bosc_ctx *, const struct bi_hash_shape *, const void *keys, const void *values,
                                  int64_t n, struct bi_hash_lists *lists);
bosc_status bi_hash_fill_cpu(bosc_ctx *, const bosc_hash *, const struct bi_hash_lists *lists, bool distinct,
                             struct bi_hash_report *report);
bosc_status bi_hash_build_cpu(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                              struct bi_hash_report *found, enum bi_hash_outcome *outcome);
bosc_status bi_hash_fill_slots_cpu(bosc_ctx *, const struct bi_hash_slots_fill *);
bosc_status bi_hash_find_slots_cpu(bosc_ctx *, const struct bi_hash_slots_find *, int64_t query_count);
bosc_status bi_hash_find_cpu(bosc_ctx *, const bosc_hash *, const void *queries, int64_t query_count, void *values,
                             uint8_t *found);
bosc_status bi_hash_number_keys_cpu(bosc_ctx *, int32_t key_bits, const void *keys, int64_t n,
                                    enum bi_hash_numbered requested, struct bi_hash_numbering *found, bool *numbered);
bool bi_hash_has_repeats_cpu(const void *keys, int64_t n, int32_t key_bits);
bosc_status bi_hash_reduce_repeats_cpu(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                                       struct bi_hash_reduction *, bool *fits);
/* The same on one thread, with a list made row by row; *fits: false also for tables of other layouts than
 * ORDERED. Allocates scratch. */
bosc_status bi_hash_reduce_in_order_cpu(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                                        struct bi_hash_reduction *, bool *fits);

size_t bi_hash_build_bytes_cpu(const bosc_ctx *, const struct bi_hash_shape *, int64_t n);

#define BI_HASH_CPU_DECLARE(level)                                                                              \
    void bi_hash_count_##level(const struct bi_hash_share *);                                                   \
    void bi_hash_scatter_##level(const struct bi_hash_share *);                                                 \
    void bi_hash_scatter_regions_##level(const struct bi_hash_share *);                                         \
    void bi_hash_fill_##level(struct bi_hash_fill_job *);                                                       \
    void bi_hash_find_##level(const bosc_hash *, const void *queries, int64_t begin, int64_t end, void *values, \
                              uint8_t *found);
BI_HASH_CPU_DECLARE(v1)
#if defined(__x86_64__)
BI_HASH_CPU_DECLARE(v3)
BI_HASH_CPU_DECLARE(v4)
#endif

/* Runs the statement with the constant KEY: bytes of a key. */
#define BI_HASH_BY_KEY(key_bits, ...)  \
    do {                               \
        if ((key_bits) == 32) {        \
            enum { KEY = 4 };          \
            __VA_ARGS__;               \
        } else if ((key_bits) == 64) { \
            enum { KEY = 8 };          \
            __VA_ARGS__;               \
        } else {                       \
            enum { KEY = 16 };         \
            __VA_ARGS__;               \
        }                              \
    } while (0)

#endif
