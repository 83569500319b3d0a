/* Compares Euclidean minimum spanning trees with Kruskal's method over all pairs, and checks their dendrogram and
 * tour. The first bytes choose the type and the dimension. */
#include <boscage/forest.h>

#include "points.h"

enum { PAIRS_MOST = POINTS_MOST * POINTS_MOST };

struct edge {
    double dist2;
    int64_t i, j;
};

static int by_length(const void *x, const void *y)
{
    const struct edge *a = x, *b = y;
    if (a->dist2 != b->dist2) return a->dist2 < b->dist2 ? -1 : 1;
    if (a->i != b->i) return a->i < b->i ? -1 : 1;
    return (a->j > b->j) - (a->j < b->j);
}

static int by_ends(const void *x, const void *y)
{
    const struct edge *a = x, *b = y;
    if (a->i != b->i) return a->i < b->i ? -1 : 1;
    return (a->j > b->j) - (a->j < b->j);
}

/* Computes the edges of the tree, sorted by their ends. */
static void find_expected_tree(const struct reference_points *p, struct edge *tree)
{
    static struct edge edges[PAIRS_MOST];
    int64_t labels[POINTS_MOST], count = 0, kept = 0;
    for (int64_t i = 0; i < p->n; i++) {
        labels[i] = i;
        for (int64_t j = i + 1; j < p->n; j++)
            edges[count++] = (struct edge){reference_dist2(p, j, point_of(p, i)), i, j};
    }
    qsort(edges, (size_t)count, sizeof *edges, by_length);
    for (int64_t e = 0; e < count; e++) {
        int64_t from = labels[edges[e].i], to = labels[edges[e].j];
        if (from == to) continue;
        tree[kept++] = edges[e];
        for (int64_t i = 0; i < p->n; i++)
            if (labels[i] == from) labels[i] = to;
    }
    qsort(tree, (size_t)kept, sizeof *tree, by_ends);
}

/* Clusters must merge at ascending distances, up to one with all points; a tour must visit each point once. */
static void check_linkage_and_tour(const void *pairs, int32_t id_bits, const struct edge *tree, int64_t n)
{
    bosc_linkage_opts linkage = {.size = sizeof linkage, .id_bits = id_bits};
    bosc_tour_opts tour = {.size = sizeof tour, .id_bits = id_bits};
    double lengths[POINTS_MOST], z[4 * POINTS_MOST];
    int64_t order[POINTS_MOST];
    bool seen[POINTS_MOST] = {false};
    for (int64_t e = 0; e + 1 < n; e++) lengths[e] = sqrt(tree[e].dist2);
    require_ok(bosc_linkage_compute(fuzz_context(), pairs, lengths, n, &linkage, z));
    for (int64_t t = 0; t + 1 < n; t++)
        if ((t > 0 && z[4 * t + 2] < z[4 * t - 2]) || !(z[4 * t] < z[4 * t + 1])) abort();
    if (n > 1 && z[4 * (n - 2) + 3] != (double)n) abort();
    require_ok(bosc_tour_compute(fuzz_context(), pairs, n, &tour, order));
    for (int64_t k = 0; k < n; k++) {
        int64_t at = id_at(order, id_bits, k);
        if (at < 0 || at >= n || seen[at]) abort();
        seen[at] = true;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct point_set set;
    struct input in = {data, size};
    bosc_emst_opts opts = {.size = sizeof opts, .dtype = read_dtype(&in)};
    struct edge tree[POINTS_MOST];
    int64_t pairs[2 * POINTS_MOST];
    double dist2[POINTS_MOST];
    uint32_t kind = next_byte(&in);
    opts.dim = 1 + (int32_t)(kind % DIM_MOST);
    opts.id_bits = kind / 8 % 2 ? 32 : 64;
    while (in.size) {
        const struct reference_points *p = &set.p;
        read_points(&in, opts.dtype, opts.dim, &set);
        require_ok(bosc_emst_compute(fuzz_context(), p->data, p->n, p->stride, &opts, pairs, dist2));
        find_expected_tree(p, tree);
        for (int64_t e = 0; e + 1 < p->n; e++) {
            if (id_at(pairs, opts.id_bits, 2 * e) != tree[e].i || id_at(pairs, opts.id_bits, 2 * e + 1) != tree[e].j)
                abort();
            if (distance_at(p->dtype, dist2, e) != tree[e].dist2) abort();
        }
        check_linkage_and_tour(pairs, opts.id_bits, tree, p->n);
    }
    return 0;
}
