/* Groups barcodes by the methods of UMI-tools.
 *
 * Source: Smith, Heger, Sudbery, UMI-tools: Modeling Sequencing Errors in Unique Molecular Identifiers to Improve
 * Quantification Accuracy (2017). Barcodes are numbered by their reads, the most first: a smaller number precedes. */
#include <stdlib.h>
#include <string.h>

#include "tool/commands/umi.h"
#include "tool/job.h"

/* The barcodes within the distance of each, as CSR rows, and a queue of barcodes. */
struct network {
    const struct umi_barcode *barcodes;
    int64_t count;
    int64_t *offsets, *neighbours, *queue;
};

static int build_network(const struct umi_barcodes *b, struct network *w)
{
    w->barcodes = b->barcodes;
    w->count = b->count;
    w->offsets = job_alloc((size_t)b->count + 2, sizeof *w->offsets);
    w->neighbours = w->offsets ? job_alloc(2 * (size_t)b->pair_count, sizeof *w->neighbours) : NULL;
    w->queue = w->neighbours ? job_alloc((size_t)b->count, sizeof *w->queue) : NULL;
    if (!w->queue) return EXIT_FAILED;
    /* 1. Count; row v begins at offsets[v + 1] while rows are filled. */
    memset(w->offsets, 0, ((size_t)b->count + 2) * sizeof *w->offsets);
    for (int64_t i = 0; i < b->pair_count; i++) {
        w->offsets[b->pairs[i].a + 2]++;
        w->offsets[b->pairs[i].b + 2]++;
    }
    for (int64_t v = 2; v <= b->count + 1; v++) w->offsets[v] += w->offsets[v - 1];
    /* 2. Fill. */
    for (int64_t i = 0; i < b->pair_count; i++) {
        w->neighbours[w->offsets[b->pairs[i].a + 1]++] = b->pairs[i].b;
        w->neighbours[w->offsets[b->pairs[i].b + 1]++] = b->pairs[i].a;
    }
    return EXIT_DONE;
}

static void free_network(struct network *w)
{
    free(w->offsets);
    free(w->neighbours);
    free(w->queue);
}

/* True if reads of `to` may be errors of `from`: it has at least twice as many reads, less one. */
static bool is_directed(const struct network *w, int64_t from, int64_t to)
{
    return w->barcodes[to].reads <= (w->barcodes[from].reads + 1) / 2;
}

/* CLUSTER: each connected component is a group. DIRECTIONAL: a group is reached by directed edges from its
 * representative, without the barcodes that an earlier one has reached. */
static void group_reachable(struct network *w, bool directional, int64_t *representative)
{
    for (int64_t v = 0; v < w->count; v++) representative[v] = -1;
    for (int64_t v = 0; v < w->count; v++) {
        if (representative[v] >= 0) continue;
        int64_t queued = 0;
        representative[v] = v;
        w->queue[queued++] = v;
        for (int64_t at = 0; at < queued; at++) {
            const int64_t from = w->queue[at];
            for (int64_t k = w->offsets[from]; k < w->offsets[from + 1]; k++) {
                const int64_t to = w->neighbours[k];
                if (representative[to] >= 0 || (directional && !is_directed(w, from, to))) continue;
                representative[to] = v;
                w->queue[queued++] = to;
            }
        }
    }
}

/* Chooses the representatives of a component: the shortest prefix of its members that covers all, where a member covers
 * itself and its neighbours. The others join their first neighbour in it. representative: -1 for the members before. */
static void cover_component(const struct network *w, const int64_t *members, int64_t count, uint8_t *covered,
                            int64_t *representative)
{
    int64_t covered_count = 0, chosen = 0;
    /* 1. The prefix. */
    while (covered_count < count) {
        const int64_t v = members[chosen++];
        representative[v] = v;
        covered_count += !covered[v];
        covered[v] = 1;
        for (int64_t k = w->offsets[v]; k < w->offsets[v + 1]; k++) {
            covered_count += !covered[w->neighbours[k]];
            covered[w->neighbours[k]] = 1;
        }
    }
    /* 2. The other members. */
    for (int64_t i = 0; i < chosen; i++)
        for (int64_t k = w->offsets[members[i]]; k < w->offsets[members[i] + 1]; k++)
            if (representative[w->neighbours[k]] < 0) representative[w->neighbours[k]] = members[i];
}

/* ADJACENCY: covers each connected component. */
static int group_adjacent(struct network *w, int64_t *representative)
{
    const size_t count = (size_t)w->count;
    int64_t *begins = job_alloc(count + 1, sizeof *begins);
    uint8_t *covered = begins ? job_alloc(count, 1) : NULL;
    if (!covered) {
        free(begins);
        return EXIT_FAILED;
    }
    /* 1. Sort the barcodes by their component, in its smallest member; they stay in order within it. */
    group_reachable(w, false, representative);
    memset(begins, 0, (count + 1) * sizeof *begins);
    for (int64_t v = 0; v < w->count; v++) begins[representative[v] + 1]++;
    for (int64_t v = 0; v < w->count; v++) begins[v + 1] += begins[v];
    for (int64_t v = 0; v < w->count; v++) w->queue[begins[representative[v]]++] = v;
    /* 2. Cover the components; component c ends at begins[c] now. */
    memset(covered, 0, count);
    for (int64_t v = 0; v < w->count; v++) representative[v] = -1;
    for (int64_t c = 0, begin = 0; c < w->count; c++) {
        if (begins[c] > begin) cover_component(w, w->queue + begin, begins[c] - begin, covered, representative);
        begin = begins[c];
    }
    free(begins);
    free(covered);
    return EXIT_DONE;
}

/* Numbers the groups. A representative precedes the other members. */
static void number_groups(const struct umi_barcodes *barcodes, struct umi_groups *groups)
{
    for (int64_t v = 0; v < barcodes->count; v++)
        groups->number[v] =
            groups->representative[v] == v ? groups->count++ : groups->number[groups->representative[v]];
}

int umi_groups_find(const struct umi_barcodes *barcodes, enum umi_method method, struct umi_groups *groups)
{
    struct network w = {.count = 0};
    groups->representative = job_alloc((size_t)barcodes->count, sizeof *groups->representative);
    groups->number = groups->representative ? job_alloc((size_t)barcodes->count, sizeof *groups->number) : NULL;
    int code = groups->number ? build_network(barcodes, &w) : EXIT_FAILED;
    if (!code && method == UMI_UNIQUE)
        for (int64_t v = 0; v < barcodes->count; v++) groups->representative[v] = v;
    if (!code && method == UMI_ADJACENCY) code = group_adjacent(&w, groups->representative);
    if (!code && (method == UMI_DIRECTIONAL || method == UMI_CLUSTER))
        group_reachable(&w, method == UMI_DIRECTIONAL, groups->representative);
    if (!code) number_groups(barcodes, groups);
    free_network(&w);
    return code;
}

void umi_groups_free(struct umi_groups *groups)
{
    free(groups->representative);
    free(groups->number);
}
