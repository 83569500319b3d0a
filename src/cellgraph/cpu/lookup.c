/* Lookups on the CPU: a thread queues the vectors that pass the filter, and prefetches all index entries, then all
 * hashes, then all vertices, before it reads any. */
#include <string.h>

#include "base/atomic.h"
#include "cellgraph/cpu/cpu.h"

void bi_cellgraph_cpu_append(const struct bi_cellgraph_edge_list *to, const uint64_t *edges, const uint32_t *positions,
                             uint32_t count)
{
    if (count == 0) return;
    const uint64_t at = bi_atomic_fetch_add_u64(to->count, count), capacity = (uint64_t)to->capacity,
                   left = at < capacity ? capacity - at : 0;
    const size_t kept = left < count ? (size_t)left : count;
    if (kept == 0) return;
    memcpy(to->edges + at, edges, kept * sizeof *edges);
    memcpy(to->positions + at, positions, kept * sizeof *positions);
}

/* Vertices with the hashes of lookups. */
struct matches {
    int32_t count;
    uint8_t probes[BI_CELLGRAPH_PROBE_QUEUE];
    uint32_t vertices[BI_CELLGRAPH_PROBE_QUEUE];
};

/* Compares the vertices with the vectors looked up. */
static void compare_matches(const struct bi_cellgraph_probe *a, struct matches *matches)
{
    const struct bi_cellgraph_view *v = &a->view;
    uint64_t edges[BI_CELLGRAPH_PROBE_QUEUE];
    uint32_t positions[BI_CELLGRAPH_PROBE_QUEUE], found = 0;
    for (int32_t k = 0; k < matches->count; k++) {
        const int32_t s = a->pending->probes[matches->probes[k]].s;
        const uint64_t x = (uint64_t)a->pending->probes[matches->probes[k]].vertex, y = matches->vertices[k];
        const uint64_t *of_x = bi_cellgraph_row(v, (int64_t)x), *of_y = bi_cellgraph_row(v, (int64_t)y);
        const bool joined = of_y[s] == a->pending->probes[matches->probes[k]].word &&
                            bi_cellgraph_is_one_letter(of_x[s] ^ of_y[s], v->shape.letter_bits) &&
                            bi_cellgraph_equal_except(of_x, of_y, v->shape.words, s);
        if (!joined) continue;
        edges[found] = (x < y ? x : y) << a->found.vertex_bits | (x < y ? y : x);
        positions[found++] = bi_cellgraph_position(&v->shape, s, of_x[s] ^ of_y[s]);
    }
    bi_cellgraph_cpu_append(&a->found, edges, positions, found);
    matches->count = 0;
}

void bi_cellgraph_cpu_flush_probes(const struct bi_cellgraph_probe *a)
{
    const struct bi_cellgraph_dictionary *d = &a->dictionary;
    const int shift = 64 - d->index_bits;
    struct bi_cellgraph_probe_queue *w = a->pending;
    struct matches matches = {.count = 0};
    for (int32_t k = 0; k < w->count; k++) __builtin_prefetch(&d->starts[w->probes[k].hash >> shift]);
    for (int32_t k = 0; k < w->count; k++) {
        const uint32_t at = d->starts[w->probes[k].hash >> shift];
        __builtin_prefetch(&d->hashes[at]);
        __builtin_prefetch(&d->order[at]);
    }
    for (int32_t k = 0; k < w->count; k++) {
        const uint64_t hash = w->probes[k].hash, entry = hash >> shift;
        for (uint32_t q = d->starts[entry]; q < d->starts[entry + 1]; q++) {
            if (d->hashes[q] != hash || (int64_t)d->order[q] >= w->probes[k].limit) continue;
            __builtin_prefetch(bi_cellgraph_row(&a->view, d->order[q]));
            __builtin_prefetch(bi_cellgraph_row(&a->view, d->order[q]) + w->probes[k].s);
            matches.probes[matches.count] = (uint8_t)k;
            matches.vertices[matches.count++] = d->order[q];
            if (matches.count == BI_CELLGRAPH_PROBE_QUEUE) compare_matches(a, &matches);
        }
    }
    compare_matches(a, &matches);
    w->count = 0;
}
