/* Edges on the CPU: partitioned by ranges of the vertex at one end, a word each, so that the tables of a range fit a
 * cache. From the ranges edges are sorted, and rows are written. */
#include <string.h>

#include "base/fault.h"
#include "base/search.h"
#include "cellgraph/cpu/cpu.h"
#include "cellgraph/cpu/radix_partition.h"
#include "cellgraph/handle.h"

/* Edges partitioned by ranges of the vertex at one end. The caller sets the fields up to by_higher. */
struct edge_partition {
    const uint64_t *edges;
    const uint32_t *positions;
    int64_t count; /* less than 2^32 - 1 */
    int32_t vertex_bits;
    bool by_higher; /* partition by higher vertices rather than lower ones */
    int32_t threads;
    uint32_t ranges;
    int32_t range_bits;    /* bits of a vertex in its range */
    int32_t position_bits; /* bits of a position */
    uint32_t *slots;       /* (threads x ranges) counts, then next slots of a thread */
    uint32_t *starts;      /* (ranges + 1) begins of the ranges */
    uint64_t *packed;      /* (count) by range, in order: vertex in the range, other vertex, position */
};

/* Fields of a packed edge: its vertex's number in the range, the other vertex, the position. */
static inline uint32_t edge_local(const struct edge_partition *r, uint64_t packed)
{
    return (uint32_t)(packed >> r->position_bits >> r->vertex_bits);
}
static inline uint32_t edge_other(const struct edge_partition *r, uint64_t packed)
{
    return (uint32_t)(packed >> r->position_bits & ((1ull << r->vertex_bits) - 1));
}
static inline uint32_t edge_position(const struct edge_partition *r, uint64_t packed)
{
    return (uint32_t)packed & ((1u << r->position_bits) - 1);
}

/* ---- partition ----
 *
 * Partitions edges by ranges of vertices: counts, a scan, and a scatter, by all threads. */

enum {
    RANGE_BITS = 8, /* aimed log2 of the number of ranges, so that the lines they write to fit the first-level cache.
                     * Measured on Zen 5, an entry of a partition: 256 ranges 1.5 to 1.9 ns, 512 3.6 */
    MIN_BITS = 12,  /* log2 of the vertices of a range, unless there are fewer: their counters are 16 KB */
    MAX_BITS = 16,  /* most: a packed edge has 64 bits: 16 of its vertex, 32 of the other, 16 of the position */
    THREAD_EDGES = BI_THREAD_ITEMS / 4 /* edges worth a thread */
};

/* The edge with the vertex by which it is partitioned in the upper bits. */
static uint64_t order_ends(const struct edge_partition *r, uint64_t edge)
{
    const uint64_t low = edge >> r->vertex_bits, high = edge ^ low << r->vertex_bits;
    return r->by_higher ? high << r->vertex_bits | low : edge;
}

static uint32_t range_of(const struct edge_partition *r, uint64_t edge)
{
    return (uint32_t)(edge >> r->vertex_bits >> r->range_bits);
}

static void count_edges(const struct edge_partition *r, int32_t thread, struct bi_span part)
{
    uint32_t *counts = r->slots + (size_t)thread * r->ranges;
    for (int64_t e = part.begin; e < part.end; e++) counts[range_of(r, order_ends(r, r->edges[e]))]++;
}

static void scatter_edges(const struct edge_partition *r, int32_t thread, struct bi_span part)
{
    uint32_t *slots = r->slots + (size_t)thread * r->ranges;
    const uint64_t mask = ((uint64_t)1 << (r->vertex_bits + r->range_bits)) - 1;
    for (int64_t e = part.begin; e < part.end; e++) {
        const uint64_t edge = order_ends(r, r->edges[e]);
        r->packed[slots[range_of(r, edge)]++] = (edge & mask) << r->position_bits | r->positions[e];
    }
}

/* Chooses the ranges, and allocates scratch. */
static bosc_status open_partition(bosc_ctx *ctx, struct edge_partition *r, int64_t vertices, int32_t length)
{
    r->threads = bi_thread_count(ctx, r->count, THREAD_EDGES);
    r->position_bits = bi_bit_length((uint64_t)length - 1);
    r->range_bits = r->vertex_bits - RANGE_BITS;
    if (r->range_bits < MIN_BITS) r->range_bits = r->vertex_bits < MIN_BITS ? r->vertex_bits : MIN_BITS;
    if (r->range_bits > MAX_BITS) r->range_bits = MAX_BITS;
    r->ranges = (uint32_t)bi_div_up(vertices, (int64_t)1 << r->range_bits);
    BI_TRY(bi_scratch_of(ctx, r->count, 8, &r->packed));
    BI_TRY(bi_scratch_of(ctx, (int64_t)r->ranges * r->threads, 4, &r->slots));
    return bi_scratch_of(ctx, (int64_t)r->ranges + 1, 4, &r->starts);
}

/* Calls `edges` for the edges of each thread. */
static bosc_status pass_over_edges(bosc_ctx *ctx, const struct edge_partition *r,
                                   void (*edges)(const struct edge_partition *, int32_t thread, struct bi_span))
{
    struct bi_batches p = bi_chunk_batches(ctx, r->count, r->threads, 2);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(static, 1) num_threads(r->threads) if (r->threads > 1)
        for (int32_t t = 0; t < r->threads; t++) edges(r, t, bi_batch_of_chunk(r->count, r->threads, t, &p));
    }
    return p.status;
}

/* Fills `packed` and `starts`. */
static bosc_status partition_edges(bosc_ctx *ctx, const struct edge_partition *r)
{
    memset(r->slots, 0, (size_t)r->threads * r->ranges * sizeof *r->slots);
    BI_TRY(pass_over_edges(ctx, r, count_edges));
    bi_cellgraph_scan_counts(r->slots, r->ranges, r->threads, r->ranges, r->starts);
    return pass_over_edges(ctx, r, scatter_edges);
}

/* ---- sorting ----
 *
 * Sorts edges on the CPU: partitioned by ranges of lower vertices, grouped by vertex, and sorted. */

struct order {
    struct edge_partition ranges;
    uint32_t *vertex_slots; /* (threads x vertices of a range) next slot of a vertex */
    uint64_t *edges;        /* out */
    uint32_t *positions;    /* out */
};

/* Groups the edges of a range by lower vertex; returns the largest group. */
static uint32_t group_by_vertex(const struct order *o, uint32_t range, uint32_t *slots)
{
    const struct edge_partition *r = &o->ranges;
    const uint32_t begin = r->starts[range], end = r->starts[range + 1];
    uint32_t sum = begin, most = 0;
    memset(slots, 0, sizeof *slots << r->range_bits);
    for (uint32_t i = begin; i < end; i++) slots[edge_local(r, r->packed[i])]++;
    for (uint32_t v = 0; v >> r->range_bits == 0; v++) {
        const uint32_t here = slots[v];
        if (here > most) most = here;
        slots[v] = sum;
        sum += here;
    }
    for (uint32_t i = begin; i < end; i++) o->edges[slots[edge_local(r, r->packed[i])]++] = r->packed[i];
    return most;
}

/* Sorts and unpacks the edges of a range. */
static void sort_range(const struct order *o, uint32_t range, uint32_t *slots)
{
    const struct edge_partition *r = &o->ranges;
    const uint32_t begin = r->starts[range], end = r->starts[range + 1];
    const uint64_t first = (uint64_t)range << r->range_bits << r->vertex_bits;
    if (group_by_vertex(o, range, slots) <= BI_CELLGRAPH_INSERTION_LIMIT) {
        bi_cellgraph_insertion_sort(o->edges + begin, end - begin); /* grouped: an edge moves within its group only */
    } else {
        for (uint32_t v = 0, from = begin; v >> r->range_bits == 0; from = slots[v++])
            if (slots[v] > from) bi_cellgraph_heapsort(o->edges + from, slots[v] - from);
    }
    for (uint32_t i = begin; i < end; i++) {
        o->positions[i] = edge_position(r, o->edges[i]);
        o->edges[i] = first + (o->edges[i] >> r->position_bits);
    }
}

/* Partitions the edges by lower vertices, and sorts each range into the graph. */
bosc_status bi_cellgraph_cpu_order(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_edge_list *found,
                                   int64_t count)
{
    struct order o = {.edges = graph->blocks[BI_CELLGRAPH_EDGES].data,
                      .positions = graph->blocks[BI_CELLGRAPH_POSITIONS].data};
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "order: injected fault");
    o.ranges = (struct edge_partition){
        .edges = found->edges, .positions = found->positions, .count = count, .vertex_bits = found->vertex_bits};
    BI_TRY(open_partition(ctx, &o.ranges, graph->vertices, graph->shape.length));
    const int32_t threads = o.ranges.threads;
    BI_TRY(bi_scratch_of(ctx, (int64_t)threads << o.ranges.range_bits, 4, &o.vertex_slots));
    BI_TRY(partition_edges(ctx, &o.ranges));
    struct bi_batches p = bi_batches_of(ctx, o.ranges.ranges, 8 * (double)count / (double)o.ranges.ranges);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) if (threads > 1)
        for (int64_t r = p.begin; r < p.end; r++)
            sort_range(&o, (uint32_t)r, o.vertex_slots + ((size_t)bi_thread_number() << o.ranges.range_bits));
    }
    return p.status;
}

/* ---- rows ----
 *
 * Adjacency on the CPU. Edges are sorted by lower vertex; they are partitioned by ranges of the higher one, keeping
 * that order. So the rows of a range are written entry by entry: first the lower neighbours of its vertices, then
 * the higher ones. */

/* The first edge whose lower vertex is at least `vertex`. */
static int64_t find_first_edge(const struct bi_cellgraph_edges *edges, uint64_t vertex)
{
    int64_t low = 0, high = edges->count; /* edges below low are before it, edges from high on are not */
    BI_PARTITION_POINT(low, high, middle, edges->edges[middle] >> edges->vertex_bits < vertex);
    return low;
}

static void write_neighbour(const struct bi_cellgraph_arcs *a, int64_t *slot, uint32_t neighbour, uint32_t position)
{
    const int64_t at = (*slot)++;
    if (a->neighbours) bi_set_word(a->neighbours, a->is_64bit, at, neighbour);
    if (a->positions) a->positions[at] = position;
}

/* Writes the rows of a range. ends[k]: next slot of the row of vertex `first` + k, at last its end. */
static void write_range(const struct bi_cellgraph_arcs *a, const struct edge_partition *r, uint32_t range,
                        int64_t vertices)
{
    const int64_t first = (int64_t)range << r->range_bits, left = vertices - first, whole = (int64_t)1 << r->range_bits;
    const int64_t count = left < whole ? left : whole;
    const int64_t begin = find_first_edge(&a->edges, (uint64_t)first);
    const int64_t end = find_first_edge(&a->edges, (uint64_t)(first + count));
    const uint64_t *edges = a->edges.edges, mask = (1ull << r->vertex_bits) - 1;
    /* 1. Count the neighbours of each vertex, and scan the counts. The sum begins with the arcs of earlier vertices: as
     * lower ends of edges, and as higher ends. */
    int64_t sum = begin + r->starts[range], *ends = a->offsets + first + 1;
    memset(ends, 0, (size_t)count * sizeof *ends);
    for (uint32_t i = r->starts[range]; i < r->starts[range + 1]; i++) ends[edge_local(r, r->packed[i])]++;
    for (int64_t e = begin; e < end; e++) ends[(int64_t)(edges[e] >> r->vertex_bits) - first]++;
    for (int64_t k = 0; k < count; k++) {
        const int64_t here = ends[k];
        ends[k] = sum;
        sum += here;
    }
    /* 2. Write lower neighbours, then higher ones. */
    for (uint32_t i = r->starts[range]; i < r->starts[range + 1]; i++)
        write_neighbour(a, &ends[edge_local(r, r->packed[i])], edge_other(r, r->packed[i]),
                        edge_position(r, r->packed[i]));
    for (int64_t e = begin; e < end; e++)
        write_neighbour(a, &ends[(int64_t)(edges[e] >> r->vertex_bits) - first], (uint32_t)(edges[e] & mask),
                        a->edges.positions[e]);
}

/* Partitions the edges by higher vertices, and writes the rows of each range. */
bosc_status bi_cellgraph_cpu_rows(bosc_ctx *ctx, const struct bi_cellgraph_arcs *a, int64_t vertices, int32_t length)
{
    struct edge_partition r = {.edges = a->edges.edges,
                               .positions = a->edges.positions,
                               .count = a->edges.count,
                               .vertex_bits = a->edges.vertex_bits,
                               .by_higher = true};
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "rows: injected fault");
    BI_TRY(open_partition(ctx, &r, vertices, length));
    BI_TRY(partition_edges(ctx, &r));
    a->offsets[0] = 0;
    struct bi_batches p = bi_batches_of(ctx, r.ranges, 8 * (double)r.count / (double)r.ranges);
    while (bi_next_batch(ctx, &p)) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(r.threads) if (r.threads > 1)
        for (int64_t k = p.begin; k < p.end; k++) write_range(a, &r, (uint32_t)k, vertices);
    }
    return p.status;
}
