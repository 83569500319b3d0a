/* Tables of the layout ORDERED on the CPU: their build, and loops that are compiled for each level. */
#ifndef BI_HASH_CPU_ORDERED_H
#define BI_HASH_CPU_ORDERED_H

#include "core/cpu/level.h"
#include "hash/slots.h"

/* A home is parted into 8 equal ranges of hashes, a bit of a byte for each; the last slot has such a byte too. */
enum {
    BI_HASH_ORDERED_RANGES = 8,
    BI_HASH_ORDERED_CHUNK = 64, /* pairs hashed at once */
    BI_HASH_ORDERED_BEYOND = 16 /* rows that are written beyond those of late pairs */
};

/* Pairs on their way: their hashes, their homes, and the bits of their ranges. */
struct bi_hash_ordered_chunk {
    uint64_t hashes[BI_HASH_ORDERED_CHUNK];
    uint32_t homes[BI_HASH_ORDERED_CHUNK];
    uint8_t bits[BI_HASH_ORDERED_CHUNK];
};

/* A table that one thread builds at once. */
struct bi_hash_ordered_build {
    bosc_hash_slots_view view;
    const char *keys, *values; /* as they come, values of view.value_size bytes */
    int64_t n;
    char *slots;
    uint64_t slot_count;
    uint8_t *taken;   /* (slots) zeros; the ranges that have a pair, from the lowest bit on */
    uint8_t *further; /* (slots) zeros; pairs in a range that had one; then how far a home's first is pushed on */
    uint32_t *late;   /* (n + BI_HASH_ORDERED_BEYOND) rows of the pairs in a range that had one */
    struct bi_hash_ordered_chunk *chunks; /* of all pairs if they are kept, else one */
    bool keeps;
    /* Out. */
    bool failed; /* keys repeat, or pairs do not fit in: the table is unfinished */
    uint64_t extra_probes;
};

/* Entry of bi_hash_build_cpu. */
bosc_status bi_hash_build_ordered_cpu(bosc_ctx *, const bosc_hash *, const void *keys, const void *values, int64_t n,
                                      struct bi_hash_report *found, bool *built);

/* Find: queries begin to end - 1 of keys of 32 or 64 bits, in a table of BOSC_HASH_LEAST_HOMES or more. */
#define BI_HASH_ORDERED_DECLARE(level)                                  \
    void bi_hash_build_ordered_##level(struct bi_hash_ordered_build *); \
    void bi_hash_find_ordered_##level(const struct bi_hash_slots_find *, int64_t begin, int64_t end);
BI_HASH_ORDERED_DECLARE(v1)
#if defined(__x86_64__)
BI_HASH_ORDERED_DECLARE(v3)
BI_HASH_ORDERED_DECLARE(v4)
#endif

#endif
