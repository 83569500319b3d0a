/* Items partitioned by the top bits of hashes of theirs, so that equal hashes come together in a partition that fits a
 * cache. An item may be in several lists, each with a hash of its own. Source: Manegold, Boncz, Kersten,
 * Optimizing Main-Memory Join on Modern Hardware (2002). */
#ifndef BI_CELLGRAPH_CPU_RADIX_PARTITION_H
#define BI_CELLGRAPH_CPU_RADIX_PARTITION_H

#include "cellgraph/cpu/row_hash.h"

enum {
    BI_CELLGRAPH_PARTITION = 4096, /* items of a partition, on average at most */
    BI_CELLGRAPH_LISTS = BI_CELLGRAPH_SEGMENTS
};

struct bi_cellgraph_entry {
    uint32_t key; /* low bits of the hash */
    uint32_t item;
};

struct bi_cellgraph_partitioning {
    int64_t n;
    int32_t lists, threads, partition_bits;
    /* Hash k of list l is for item `first` + k: hashes[l * BI_CELLGRAPH_BLOCK + k]. Each is asked for twice. */
    void (*hash)(const void *user, int64_t first, int64_t count, bool again, uint64_t *hashes);
    const void *user;
    uint32_t *places;                   /* (threads x lists x partitions) counts, then where a thread puts its items */
    uint32_t *starts;                   /* (lists x (partitions + 1)) of a list's partitions in its entries */
    struct bi_cellgraph_entry *entries; /* (lists x n), of a partition in the order of the items */
};

/* Counts (threads x stride, of which the first `partitions` are meant) become where each thread's items of a partition
 * go; starts (partitions + 1) get those of the partitions. */
void bi_cellgraph_sum_counts(uint32_t *places, int64_t stride, int32_t threads, uint32_t partitions, uint32_t *starts);

/* Takes scratch; n, lists, hash and user are set before. */
bosc_status bi_cellgraph_partition_open(bosc_ctx *ctx, struct bi_cellgraph_partitioning *d);

/* Bytes of it. */
int64_t bi_cellgraph_partition_bytes(int64_t n, int32_t lists, int32_t threads);

bosc_status bi_cellgraph_partition(bosc_ctx *ctx, struct bi_cellgraph_partitioning *d);

/* Parts of all lists, and one of them. */
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
