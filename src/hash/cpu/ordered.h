/* ORDERED tables on the CPU: their build, and loops compiled for each level. */
#ifndef BI_HASH_CPU_ORDERED_H
#define BI_HASH_CPU_ORDERED_H

#include "core/cpu/level.h"
#include "hash/slots.h"

/* The byte above the bits of the ranges in an entry of the directory (device/hash_slots.h) first counts the pairs of
 * the home, later holds the distance of the first pair from its home. */
enum {
    BI_HASH_ORDERED_ONE = 1 << BOSC_HASH_HOME_RANGES,
    BI_HASH_ORDERED_LAST_RANGE = BI_HASH_ORDERED_ONE / 2,
    BI_HASH_ORDERED_RANGE_BITS = 8, /* low bits of a place, which hold the range */
    BI_HASH_ORDERED_BLOCK = 16,     /* pairs */
    BI_HASH_ORDERED_BATCH = 256,    /* pairs partitioned at once: whole blocks */
    BI_HASH_ORDERED_BEYOND = 16     /* rows written beyond the late pairs, as vectors are stored whole */
};

/* A build by one thread. A place is a home and a range in it (bosc_hash_place). */
struct bi_hash_ordered_job {
    bosc_hash_slots_view view;
    const char *keys, *values; /* in the order of the input; values of view.value_size bytes */
    int64_t n;
    bool stores_wait; /* as in a context: prefetch lines before writing them */
    /* Pairs of large tables are partitioned into groups of 1 << group_bits homes: each hash with its value behind it
     * in `hashes`, and its place. Group g has the rows from g * capacity, a multiple of a block, to ends[g] - 1. */
    uint32_t groups, capacity;
    int32_t group_bits;
    uint32_t *ends; /* (2 groups) ends of the rows so far, then of the capacity; NULL: one group, unordered */
    char *slots;
    uint64_t slot_count;
    uint32_t *directory; /* (slots) */
    uint32_t *late;      /* (n + BI_HASH_ORDERED_BEYOND) rows of late pairs: their range had a pair already */
    uint32_t *marked;    /* (n) homes whose last range must be marked: see bi_hash_ordered_place */
    uint32_t marked_count;
    /* Of whole blocks: places, home << BI_HASH_ORDERED_RANGE_BITS | range; hashes, or NULL: they are computed again. */
    uint32_t *places;
    char *hashes;
    /* Out. */
    bool failed; /* keys repeat, or the pairs do not fit: the table is unfinished */
    uint64_t extra_probes;
};

/* Entry of bi_hash_build_cpu. */
bosc_status bi_hash_build_ordered_cpu(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                                      struct bi_hash_report *found, enum bi_hash_outcome *outcome);
/* Entries of bi_hash_ops_cpu. */
size_t bi_hash_directory_bytes_cpu(const bosc_hash_opts *, int64_t n);
bosc_status bi_hash_index_slots_cpu(bosc_ctx *, const bosc_hash_slots_view *, uint64_t slots, uint32_t *directory);

/* Find: queries begin to end - 1, in a table with a directory. */
#define BI_HASH_ORDERED_DECLARE(level)                                \
    void bi_hash_build_ordered_##level(struct bi_hash_ordered_job *); \
    void bi_hash_find_ordered_##level(const struct bi_hash_slots_find *, int64_t begin, int64_t end);
BI_HASH_ORDERED_DECLARE(v1)
#if defined(__x86_64__)
BI_HASH_ORDERED_DECLARE(v3)
BI_HASH_ORDERED_DECLARE(v4)
#endif

#endif
