/* Items partitioned by the top bits of their hashes, so that equal hashes share a partition that fits a cache. An
 * item may be in several lists, each with its own hash. Source: Manegold, Boncz, Kersten, Optimizing Main-Memory
 * Join on Modern Hardware (2002). */
#ifndef BI_CELLGRAPH_CPU_RADIX_PARTITION_H
#define BI_CELLGRAPH_CPU_RADIX_PARTITION_H

#include "cellgraph/cpu/row_hash.h"

enum {
    BI_CELLGRAPH_PARTITION = 4096, /* most items of a partition on average: 32 KB, a first-level cache */
    /* Prefetched pairs, compared later. Measured, 250,000 vectors: 16.4 ms, without a queue 21. More: rows leave the
     * cache too early; less: they have not arrived. Other lengths are not measured. */
    BI_CELLGRAPH_QUEUE = 256,
    BI_CELLGRAPH_LISTS = BI_CELLGRAPH_SEGMENTS
};

struct bi_cellgraph_entry {
    uint32_t key; /* low bits of the hash */
    uint32_t item;
};

struct bi_cellgraph_partitioning {
    int64_t n;
    int32_t lists, threads, partition_bits;
    /* Sets hashes[l * BI_CELLGRAPH_BLOCK + k] to the hash of item `first` + k in list l. Called twice for each item. */
    void (*hash)(const void *user, int64_t first, int64_t count, bool again, uint64_t *hashes);
    const void *user;
    uint32_t *slots;                    /* (threads x lists x partitions) counts, then next slots of a thread */
    uint32_t *starts;                   /* (lists x (partitions + 1)) begins in a list's entries */
    struct bi_cellgraph_entry *entries; /* (lists x n) by partition, in item order */
};

/* Turns counts (threads x stride, the first `partitions` used) into first slots of each thread, and starts
 * (partitions + 1) into begins of the partitions. */
void bi_cellgraph_scan_counts(uint32_t *slots, int64_t stride, int32_t threads, uint32_t partitions, uint32_t *starts);

/* Allocates scratch; n, lists, hash and user are set by the caller. */
bosc_status bi_cellgraph_partition_open(bosc_ctx *ctx, struct bi_cellgraph_partitioning *d);

/* Bytes of that scratch. */
int64_t bi_cellgraph_partition_bytes(int64_t n, int32_t lists, int32_t threads);

bosc_status bi_cellgraph_partition(bosc_ctx *ctx, struct bi_cellgraph_partitioning *d);

/* Number of partitions of all lists; entries of one. */
static inline uint32_t bi_cellgraph_partition_count(const struct bi_cellgraph_partitioning *d)
{
    return (uint32_t)d->lists << d->partition_bits;
}
static inline struct bi_cellgraph_entry *bi_cellgraph_partition_entries(const struct bi_cellgraph_partitioning *d,
                                                                        uint32_t partition, uint32_t *size)
{
    const uint32_t list = partition >> d->partition_bits, *start = d->starts + partition + list;
    *size = start[1] - start[0];
    return d->entries + (size_t)list * (size_t)d->n + start[0];
}

#endif
