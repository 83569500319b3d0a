/* Tables of the layout ORDERED on the CPU: their build, and loops that are compiled for each level. */
#ifndef BI_HASH_CPU_ORDERED_H
#define BI_HASH_CPU_ORDERED_H

#include "core/cpu/level.h"
#include "hash/slots.h"

/* A number of pairs in a home stands above the bits of its ranges (device/hash_slots.h), later by how much its first
 * one is pushed on. */
enum {
    BI_HASH_ORDERED_ONE = 1 << BOSC_HASH_HOME_RANGES,
    BI_HASH_ORDERED_LAST_RANGE = BI_HASH_ORDERED_ONE / 2,
    BI_HASH_ORDERED_RANGE_BITS = 8, /* of a place */
    BI_HASH_ORDERED_BLOCK = 16,     /* pairs */
    BI_HASH_ORDERED_BATCH = 256,    /* pairs that are dealt at once: whole blocks */
    BI_HASH_ORDERED_BEYOND = 16     /* rows that are written beyond those of late pairs */
};

/* A table that one thread builds at once. */
struct bi_hash_ordered_build {
    bosc_hash_slots_view view;
    const char *keys, *values; /* as they come, values of view.value_size bytes */
    int64_t n;
    bool stores_wait; /* as in a context: lines are asked for ahead */
    /* Pairs of large tables are dealt to groups of 1 << group_bits homes, each with its hash and then its value in
     * `hashes`, and its place. Group g has the rows from g * capacity, a multiple of a block, to ends[g] - 1. */
    uint32_t groups, capacity;
    int32_t group_bits;
    uint32_t *ends; /* (2 groups) g * capacity, then limits: (g + 1) * capacity; NULL: one group, as they come */
    char *slots;
    uint64_t slot_count;
    uint32_t *directory; /* (slots) */
    uint32_t *late;      /* (n + BI_HASH_ORDERED_BEYOND) rows of the pairs in a range that had one */
    uint32_t *marked;    /* (n) homes before those of pairs that are looked for there */
    uint32_t marked_count;
    /* Whole blocks: places, home << BI_HASH_ORDERED_RANGE_BITS | range; and hashes, or NULL: they are made again. */
    uint32_t *places;
    char *hashes;
    /* Out. */
    bool failed; /* keys repeat, or pairs do not fit in: the table is unfinished */
    uint64_t extra_probes;
};

/* Entry of bi_hash_build_cpu. */
bosc_status bi_hash_build_ordered_cpu(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                                      struct bi_hash_report *found, bool *built);
/* Entries of bi_hash_ops_cpu. */
size_t bi_hash_directory_bytes_cpu(const bosc_hash_opts *, int64_t n);
bosc_status bi_hash_index_slots_cpu(bosc_ctx *, const bosc_hash_slots_view *, uint64_t slots, uint32_t *directory);

/* Find: queries begin to end - 1, in a table with a directory. */
#define BI_HASH_ORDERED_DECLARE(level)                                  \
    void bi_hash_build_ordered_##level(struct bi_hash_ordered_build *); \
    void bi_hash_find_ordered_##level(const struct bi_hash_slots_find *, int64_t begin, int64_t end);
BI_HASH_ORDERED_DECLARE(v1)
#if defined(__x86_64__)
BI_HASH_ORDERED_DECLARE(v3)
BI_HASH_ORDERED_DECLARE(v4)
#endif

#endif
