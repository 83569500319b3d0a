/* Radix partition by all threads: counts, a scan, and a scatter. */
#include <string.h>

#include "cellgraph/cpu/cpu.h"
#include "cellgraph/cpu/radix_partition.h"

static uint32_t partition_of(const struct bi_cellgraph_partitioning *d, uint64_t hash)
{
    return (uint32_t)(hash >> 1 >> (63 - d->partition_bits)); /* in two shifts, as one by 64 bits is undefined */
}

static uint32_t *slots_of(const struct bi_cellgraph_partitioning *d, int32_t thread, int32_t list)
{
    return d->slots + ((size_t)(thread * d->lists + list) << d->partition_bits);
}

/* Counts the items of a thread in each partition of each list. */
static void count_items(const struct bi_cellgraph_partitioning *d, int32_t thread, struct bi_span part)
{
    uint64_t hashes[BI_CELLGRAPH_LISTS * BI_CELLGRAPH_BLOCK];
    for (int64_t i = part.begin; i < part.end; i += BI_CELLGRAPH_BLOCK) {
        const int64_t block = part.end - i < BI_CELLGRAPH_BLOCK ? part.end - i : BI_CELLGRAPH_BLOCK;
        d->hash(d->user, i, block, false, hashes);
        for (int32_t l = 0; l < d->lists; l++) {
            uint32_t *counts = slots_of(d, thread, l);
            for (int64_t k = 0; k < block; k++) counts[partition_of(d, hashes[l * BI_CELLGRAPH_BLOCK + k])]++;
        }
    }
}

void bi_cellgraph_scan_counts(uint32_t *slots, int64_t stride, int32_t threads, uint32_t partitions, uint32_t *starts)
{
    uint32_t sum = 0;
    for (uint32_t p = 0; p < partitions; p++) {
        starts[p] = sum;
        for (int32_t t = 0; t < threads; t++) {
            const uint32_t here = slots[t * stride + p];
            slots[t * stride + p] = sum;
            sum += here;
        }
    }
    starts[partitions] = sum;
}

static void scan_counts(const struct bi_cellgraph_partitioning *d)
{
    const uint32_t partitions = 1u << d->partition_bits;
    for (int32_t l = 0; l < d->lists; l++)
        bi_cellgraph_scan_counts(slots_of(d, 0, l), (int64_t)d->lists * partitions, d->threads, partitions,
                                 d->starts + (size_t)l * (partitions + 1));
}

/* Writes the items of a thread to their partitions, in order. */
static void scatter_items(const struct bi_cellgraph_partitioning *d, int32_t thread, struct bi_span part)
{
    uint64_t hashes[BI_CELLGRAPH_LISTS * BI_CELLGRAPH_BLOCK];
    for (int64_t i = part.begin; i < part.end; i += BI_CELLGRAPH_BLOCK) {
        const int64_t block = part.end - i < BI_CELLGRAPH_BLOCK ? part.end - i : BI_CELLGRAPH_BLOCK;
        d->hash(d->user, i, block, true, hashes);
        for (int32_t l = 0; l < d->lists; l++) {
            uint32_t *slots = slots_of(d, thread, l);
            struct bi_cellgraph_entry *entries = d->entries + (size_t)l * (size_t)d->n;
            for (int64_t k = 0; k < block; k++) {
                const uint64_t hash = hashes[l * BI_CELLGRAPH_BLOCK + k];
                entries[slots[partition_of(d, hash)]++] =
                    (struct bi_cellgraph_entry){(uint32_t)hash, (uint32_t)(i + k)};
            }
        }
    }
}

static int32_t partition_bits_for(int64_t n)
{
    int32_t bits = 0;
    while (n >> bits > BI_CELLGRAPH_PARTITION) bits++;
    return bits;
}

int64_t bi_cellgraph_partition_bytes(int64_t n, int32_t lists, int32_t threads)
{
    const int64_t partitions = (int64_t)lists << partition_bits_for(n);
    return n * lists * (int64_t)sizeof(struct bi_cellgraph_entry) + (partitions * (threads + 1) + lists) * 4;
}

bosc_status bi_cellgraph_partition_open(bosc_ctx *ctx, struct bi_cellgraph_partitioning *d)
{
    d->partition_bits = partition_bits_for(d->n);
    d->threads = bi_thread_count(ctx, d->n, BI_CELLGRAPH_PARTITION);
    BI_TRY(bi_scratch_of(ctx, d->n * d->lists, sizeof *d->entries, &d->entries));
    BI_TRY(bi_scratch_of(ctx, (int64_t)bi_cellgraph_partition_count(d) * d->threads, sizeof *d->slots, &d->slots));
    return bi_scratch_of(ctx, (int64_t)bi_cellgraph_partition_count(d) + d->lists, sizeof *d->starts, &d->starts);
}

/* Calls `items` for the items of each thread. */
static bosc_status pass_over_items(bosc_ctx *ctx, const struct bi_cellgraph_partitioning *d,
                                   void (*items)(const struct bi_cellgraph_partitioning *, int32_t thread,
                                                 struct bi_span part))
{
    struct bi_batches p = bi_chunk_batches(ctx, d->n, d->threads, 4 * (double)d->lists);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(static, 1) num_threads(d->threads) if (d->threads > 1)
        for (int32_t t = 0; t < d->threads; t++) items(d, t, bi_batch_of_chunk(d->n, d->threads, t, &p));
    }
    return p.status;
}

bosc_status bi_cellgraph_partition(bosc_ctx *ctx, struct bi_cellgraph_partitioning *d)
{
    memset(d->slots, 0, (size_t)d->threads * bi_cellgraph_partition_count(d) * sizeof *d->slots);
    BI_TRY(pass_over_items(ctx, d, count_items));
    scan_counts(d);
    return pass_over_items(ctx, d, scatter_items);
}
