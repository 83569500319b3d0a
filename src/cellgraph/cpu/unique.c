/* Vertices on the CPU. Rows are partitioned by hash; within a partition equal keys are chained, and rows are
 * compared a while after prefetching them. If rows with equal keys differ, the partition is repeated with
 * comparisons at once. Partitions keep the order of the rows, so the first of a chain is the first of all equal
 * rows. A table of all words replaces the partitions. */
#include <string.h>

#include "base/atomic.h"
#include "base/fault.h"
#include "cellgraph/cpu/cpu.h"
#include "cellgraph/cpu/radix_partition.h"

/* ---- the sample ---- */

/* Counts pairs with equal hashes. */
static uint32_t equal_pairs(const struct bi_cellgraph_sample *sample, int32_t segment, uint32_t *largest)
{
    enum { SLOTS = 2 * BI_CELLGRAPH_CPU_SAMPLE };
    uint64_t hashes[SLOTS];
    uint16_t members[SLOTS]; /* sample vertices with the hash */
    uint32_t mask = 64, pairs = 0;
    while (mask < 2 * sample->count) mask *= 2;
    memset(members, 0, mask-- * sizeof *members);
    for (int64_t k = 0; k < sample->count; k++) {
        const uint64_t hash = bi_cellgraph_sample_hash(sample, k, segment);
        uint32_t slot = (uint32_t)(hash >> 32) & mask;
        while (members[slot] && hashes[slot] != hash) slot = (slot + 1) & mask;
        hashes[slot] = hash;
        pairs += members[slot]++;
        if (members[slot] > *largest) *largest = members[slot];
    }
    return pairs;
}

/* Fills the statistics of a sample of vertices. */
static void sample_vertices(const struct bi_cellgraph_view *view, struct bi_cellgraph_sample_stats *stats)
{
    const struct bi_cellgraph_sample sample = bi_cellgraph_sample_of(view, BI_CELLGRAPH_CPU_SAMPLE);
    for (int32_t g = 0; g < bi_cellgraph_segment_count(view->shape.words); g++)
        stats->pairs[g] = equal_pairs(&sample, g, &stats->largest[g]);
    for (int64_t k = 0; k < sample.count; k++) stats->leading += bi_cellgraph_common_prefix(&sample, k);
}

/* ---- vertices ---- */

enum { HEADS = 2 * BI_CELLGRAPH_PARTITION, QUEUE = BI_CELLGRAPH_QUEUE };
static const uint32_t NO_ENTRY = UINT32_MAX;

struct unique {
    struct bi_cellgraph_rows rows;
    struct bi_letters shape;
    struct bi_cellgraph_row_hash hashing;
    void (*hash_rows)(const struct bi_cellgraph_row_hash *, const uint64_t *rows, int64_t stride, int64_t count,
                      uint64_t *hashes);
    uint64_t *hashes; /* (rows); NULL: not computed, with a table */
    uint32_t *first;  /* (rows) representative of each: the first equal row; initially the row itself */
    uint32_t *next;   /* (rows) chains of entries of a partition */
    struct bi_cellgraph_partitioning partitioning;
    uint32_t *vertex_begin; /* (threads + 1) representatives of earlier threads; then the next vertex of each */
    uint32_t *vertex_of, *representative_ids, *multiplicities;
    uint64_t *vertex_hashes, *vectors;
    const struct bi_cellgraph_table *table; /* or NULL */
};

/* Computes the hashes of rows, or copies them on the second call. */
static void hash_rows(const void *user, int64_t first, int64_t count, bool again, uint64_t *hashes)
{
    const struct unique *u = user;
    if (again) {
        memcpy(hashes, u->hashes + first, (size_t)count * sizeof *hashes);
        return;
    }
    u->hash_rows(&u->hashing, u->rows.data + first * u->rows.stride, u->rows.stride, count, hashes);
    memcpy(u->hashes + first, hashes, (size_t)count * sizeof *hashes);
    for (int64_t k = 0; k < count; k++) u->first[first + k] = (uint32_t)(first + k);
}

static bool rows_equal(const struct unique *u, uint32_t i, uint32_t j)
{
    const uint64_t *x = u->rows.data + (int64_t)i * u->rows.stride, *y = u->rows.data + (int64_t)j * u->rows.stride;
    uint64_t differ = 0;
    for (int32_t s = 0; s < u->shape.words && !differ; s++) differ = (x[s] ^ y[s]) & bi_letters_mask(&u->shape, s);
    return differ == 0;
}

/* Rows to be compared with their representatives. */
struct queue {
    uint32_t rows[QUEUE];
    int count;
};

static bool compare_queued(const struct unique *u, struct queue *q)
{
    bool all = true;
    for (int k = 0; k < q->count; k++) all &= rows_equal(u, q->rows[k], u->first[q->rows[k]]);
    q->count = 0;
    return all;
}

static bool queue_row(const struct unique *u, struct queue *q, uint32_t row)
{
    __builtin_prefetch(u->rows.data + (int64_t)row * u->rows.stride);
    __builtin_prefetch(u->rows.data + (int64_t)u->first[row] * u->rows.stride);
    q->rows[q->count++] = row;
    return q->count < QUEUE || compare_queued(u, q);
}

/* Finds the representative of each row of a partition, by keys alone with later comparison, or (`exact`) by
 * comparing rows; false if rows with equal keys differ. */
static bool find_equal_rows(const struct unique *u, const struct bi_cellgraph_entry *entries, uint32_t size, bool exact)
{
    uint32_t heads[HEADS], mask = HEADS - 1, *next = u->next + (entries - u->partitioning.entries);
    struct queue q = {.count = 0};
    while (mask > 63 && mask / 4 > size) mask /= 2; /* small partitions clear fewer heads */
    memset(heads, 0xff, (mask + 1) * sizeof *heads);
    for (uint32_t i = 0; i < size; i++) {
        const uint32_t key = entries[i].key, row = entries[i].item;
        uint32_t k = heads[key & mask];
        while (k != NO_ENTRY && (entries[k].key != key || (exact && !rows_equal(u, row, entries[k].item)))) k = next[k];
        if (k == NO_ENTRY) {
            if (exact) u->first[row] = row;
            next[i] = heads[key & mask];
            heads[key & mask] = i;
            continue;
        }
        u->first[row] = entries[k].item;
        if (!exact && !queue_row(u, &q, row)) return false;
    }
    return compare_queued(u, &q);
}

static void match_partition(const struct unique *u, uint32_t partition)
{
    uint32_t size;
    const struct bi_cellgraph_entry *entries = bi_cellgraph_partition_entries(&u->partitioning, partition, &size);
    if (!find_equal_rows(u, entries, size, false)) find_equal_rows(u, entries, size, true);
}

/* An operation on the rows of a thread. */
typedef void (*row_pass)(const struct unique *u, int32_t thread, struct bi_span part);

/* Calls `rows` for the rows of each thread; costs `weight` simple items a row. */
static bosc_status pass_over_rows(bosc_ctx *ctx, const struct unique *u, row_pass rows, double weight)
{
    const int32_t threads = u->partitioning.threads;
    struct bi_batches p = bi_chunk_batches(ctx, u->rows.n, threads, weight);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(static, 1) num_threads(threads) if (threads > 1)
        for (int32_t t = 0; t < threads; t++) rows(u, t, bi_batch_of_chunk(u->rows.n, threads, t, &p));
    }
    return p.status;
}

/* Copies the representatives from the table, in steps between which prefetches arrive. */
static void read_table(const struct unique *u, int32_t thread, struct bi_span part)
{
    const uint32_t *slots = u->table->slots, *first = u->table->first;
    (void)thread;
    for (int64_t i = part.begin; i < part.end; i += BI_CELLGRAPH_BLOCK) {
        const int64_t end = i + BI_CELLGRAPH_BLOCK < part.end ? i + BI_CELLGRAPH_BLOCK : part.end;
        for (int64_t k = i; k < end; k++) __builtin_prefetch(&first[slots[k]]);
        for (int64_t k = i; k < end; k++) u->first[k] = first[slots[k]] - 1;
    }
}

static void count_representatives(const struct unique *u, int32_t thread, struct bi_span part)
{
    uint32_t count = 0;
    for (int64_t i = part.begin; i < part.end; i++) count += u->first[i] == (uint32_t)i;
    u->vertex_begin[thread + 1] += count;
}

/* Selects the representatives of a block of rows, or the other rows; returns their number. */
static int select_rows(const struct unique *u, int64_t begin, int64_t end, bool representatives, uint32_t *rows)
{
    int count = 0;
    for (int64_t i = begin; i < end; i++) {
        rows[count] = (uint32_t)i;
        count += (u->first[i] == (uint32_t)i) == representatives;
    }
    return count;
}

static void copy_row(const struct unique *u, uint32_t i, uint32_t vertex)
{
    const int32_t words = u->shape.words;
    const uint64_t *row = u->rows.data + i * u->rows.stride;
    uint64_t *to = u->vectors + (int64_t)vertex * words;
    for (int32_t s = 0; s + 1 < words; s++) to[s] = row[s] & u->shape.mask;
    to[words - 1] = row[words - 1] & u->shape.last_mask;
}

/* Numbers representatives as vertices, and copies them. */
static void number_vertices(const struct unique *u, int32_t thread, struct bi_span part)
{
    const int64_t end = part.end;
    uint32_t vertex = u->vertex_begin[thread], rows[BI_CELLGRAPH_BLOCK];
    for (int64_t i = part.begin; i < end; i += BI_CELLGRAPH_BLOCK) {
        const int count = select_rows(u, i, i + BI_CELLGRAPH_BLOCK < end ? i + BI_CELLGRAPH_BLOCK : end, true, rows);
        for (int k = 0; k < count; k++, vertex++) {
            copy_row(u, rows[k], vertex);
            if (u->hashes) u->vertex_hashes[vertex] = u->hashes[rows[k]];
            if (u->table) u->table->ids[u->table->slots[rows[k]]] = vertex;
            u->representative_ids[vertex] = rows[k];
            u->multiplicities[vertex] = 1;
            u->vertex_of[rows[k]] = vertex;
        }
    }
    u->vertex_begin[thread] = vertex;
}

/* Assigns vertices to the other rows, in steps between which prefetches arrive. */
static void assign_vertices(const struct unique *u, int32_t thread, struct bi_span part)
{
    const int64_t end = part.end;
    uint32_t rows[BI_CELLGRAPH_BLOCK];
    (void)thread;
    for (int64_t i = part.begin; i < end; i += BI_CELLGRAPH_BLOCK) {
        const int count = select_rows(u, i, i + BI_CELLGRAPH_BLOCK < end ? i + BI_CELLGRAPH_BLOCK : end, false, rows);
        for (int k = 0; k < count; k++) __builtin_prefetch(&u->vertex_of[u->first[rows[k]]]);
        for (int k = 0; k < count; k++) {
            const uint32_t vertex = u->vertex_of[u->first[rows[k]]];
            u->vertex_of[rows[k]] = vertex;
            __builtin_prefetch(&u->multiplicities[vertex], 1);
        }
        for (int k = 0; k < count; k++) bi_atomic_fetch_add_u32(&u->multiplicities[u->vertex_of[rows[k]]], 1);
    }
}

/* Finds the representative of each row by partitions. */
static bosc_status match_partitions(bosc_ctx *ctx, struct unique *u)
{
    const int32_t threads = u->partitioning.threads;
    const uint32_t partitions = bi_cellgraph_partition_count(&u->partitioning);
    BI_TRY(bi_cellgraph_partition(ctx, &u->partitioning));
    struct bi_batches p = bi_batches_of(ctx, partitions, 3 * (double)u->rows.n / (double)partitions);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
        for (int64_t k = p.begin; k < p.end; k++) match_partition(u, (uint32_t)k);
    }
    return p.status;
}

/* Finds the representative of each row, and counts those before each thread. */
static bosc_status find_representatives(bosc_ctx *ctx, struct unique *u)
{
    const int32_t threads = u->partitioning.threads;
    BI_TRY(u->table ? pass_over_rows(ctx, u, read_table, 2) : match_partitions(ctx, u));
    for (int32_t t = 0; t <= threads; t++) u->vertex_begin[t] = 0;
    BI_TRY(pass_over_rows(ctx, u, count_representatives, 1));
    for (int32_t t = 0; t < threads; t++) u->vertex_begin[t + 1] += u->vertex_begin[t];
    return BOSC_OK;
}

int64_t bi_cellgraph_cpu_unique_bytes(int64_t n, int32_t threads)
{
    return 16 * n + 4 * (threads + 1) + bi_cellgraph_partition_bytes(n, 1, threads);
}

static bosc_status write_seeds(bosc_ctx *ctx, bosc_cellgraph *graph)
{
    BI_TRY(bi_cellgraph_reserve_block(ctx, graph, BI_CELLGRAPH_SEEDS, graph->shape.words, 8));
    uint64_t *seeds = graph->blocks[BI_CELLGRAPH_SEEDS].data;
    for (int32_t s = 0; s < graph->shape.words; s++) seeds[s] = bi_cellgraph_seed(s);
    return BOSC_OK;
}

/* Allocates the scratch of partitions. */
static bosc_status open_partitions(bosc_ctx *ctx, const bosc_cellgraph *graph, struct unique *u)
{
    u->hash_rows = BI_LEVEL_PICK(ctx->level, bi_cellgraph_hash_rows);
    bi_cellgraph_row_hash_open(&u->hashing, &graph->shape, graph->blocks[BI_CELLGRAPH_SEEDS].data);
    u->partitioning = (struct bi_cellgraph_partitioning){.n = u->rows.n, .lists = 1, .hash = hash_rows, .user = u};
    BI_TRY(bi_scratch_of(ctx, u->rows.n, 8, &u->hashes));
    BI_TRY(bi_scratch_of(ctx, u->rows.n, 4, &u->next));
    return bi_cellgraph_partition_open(ctx, &u->partitioning);
}

/* There is at least one row. stats, or NULL: 0 in all fields before. After a failure the caller empties the graph. */
bosc_status bi_cellgraph_cpu_unique(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_rows *rows,
                                    struct bi_cellgraph_sample_stats *stats, struct bi_cellgraph_table *table)
{
    struct unique u = {.rows = *rows, .shape = graph->shape, .table = table};
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "unique: injected fault");
    /* 1. Seeds and scratch. A table needs no seeds, but bosc_cellgraph_reserve copies those of any graph. */
    BI_TRY(write_seeds(ctx, graph));
    BI_TRY(bi_scratch_of(ctx, rows->n, 4, &u.first));
    if (table)
        u.partitioning.threads = bi_thread_count(ctx, rows->n, BI_CELLGRAPH_PARTITION);
    else
        BI_TRY(open_partitions(ctx, graph, &u));
    BI_TRY(bi_scratch_of(ctx, u.partitioning.threads + 1, 4, &u.vertex_begin));
    /* 2. Find the representative of each row, and count them. */
    BI_TRY(find_representatives(ctx, &u));
    graph->vertices = u.vertex_begin[u.partitioning.threads];
    BI_TRY(bi_cellgraph_reserve_vertices(ctx, graph, rows->n, graph->vertices));
    /* 3. Number the representatives, then assign the other rows to them. */
    u.vertex_of = graph->blocks[BI_CELLGRAPH_VERTEX_OF].data;
    u.representative_ids = graph->blocks[BI_CELLGRAPH_REPRESENTATIVES].data;
    u.multiplicities = graph->blocks[BI_CELLGRAPH_MULTIPLICITIES].data;
    u.vertex_hashes = graph->blocks[BI_CELLGRAPH_HASHES].data;
    u.vectors = graph->blocks[BI_CELLGRAPH_VECTORS].data;
    BI_TRY(pass_over_rows(ctx, &u, number_vertices, 2));
    BI_TRY(pass_over_rows(ctx, &u, assign_vertices, 2));
    const struct bi_cellgraph_view view = bi_cellgraph_view_of(graph);
    if (stats) sample_vertices(&view, stats);
    return BOSC_OK;
}
