/* HDBSCAN* in plain form: Prim's method over all pairs, merges of vertex lists, and rows of the condensed tree. */
#include "reference/hdbscan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"

struct edge {
    double d;
    int64_t i, j;
};

static int by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static int by_length(const void *x, const void *y)
{
    const struct edge *a = x, *b = y;
    if (a->d != b->d) return a->d < b->d ? -1 : 1;
    if (a->i != b->i) return a->i < b->i ? -1 : 1;
    return a->j < b->j ? -1 : a->j > b->j;
}

/* Prim's method. */
static void find_tree(int64_t n, const double *d, const double *core, struct edge *tree)
{
    struct edge *best = malloc((size_t)n * sizeof *best);
    char *in = calloc((size_t)n, 1);
    int64_t at = 0;
    for (int64_t v = 0; v < n; v++) best[v] = (struct edge){INFINITY, INT64_MAX, INT64_MAX};
    for (int64_t t = 0; t < n - 1; t++) {
        int64_t next = -1;
        in[at] = 1;
        for (int64_t v = 0; v < n; v++) {
            if (in[v]) continue;
            const struct edge e = {fmax(d[v * n + at], fmax(core[v], core[at])), at < v ? at : v, at < v ? v : at};
            if (by_length(&e, &best[v]) < 0) best[v] = e;
            if (next < 0 || by_length(&best[v], &best[next]) < 0) next = v;
        }
        tree[t] = best[next];
        at = next;
    }
    free(best);
    free(in);
}

void reference_mutual_linkage(int64_t n, const double *d, int64_t min_samples, double *z)
{
    double *core = malloc((size_t)n * sizeof *core), *row = malloc((size_t)n * sizeof *row);
    struct edge *tree = malloc((size_t)n * sizeof *tree);
    int64_t *cluster = malloc((size_t)n * sizeof *cluster);
    /* 1. Core distances. */
    for (int64_t i = 0; i < n; i++) {
        memcpy(row, d + i * n, (size_t)n * sizeof *row);
        qsort(row, (size_t)n, sizeof *row, by_value);
        core[i] = row[min_samples - 1];
        cluster[i] = i;
    }
    /* 2. The tree, and its merges from the shortest edge on. */
    find_tree(n, d, core, tree);
    qsort(tree, (size_t)(n - 1), sizeof *tree, by_length);
    for (int64_t t = 0; t < n - 1; t++) {
        const int64_t a = cluster[tree[t].i], b = cluster[tree[t].j];
        int64_t size = 0;
        for (int64_t v = 0; v < n; v++)
            if (cluster[v] == a || cluster[v] == b) {
                cluster[v] = n + t;
                size++;
            }
        z[4 * t] = (double)(a < b ? a : b);
        z[4 * t + 1] = (double)(a < b ? b : a);
        z[4 * t + 2] = sqrt(tree[t].d);
        z[4 * t + 3] = (double)size;
    }
    free(core);
    free(row);
    free(tree);
    free(cluster);
}

/* The condensed tree: rows (parent, child, density, size). Points are 0 to n - 1, clusters follow; the root is n. */
struct condensed {
    int64_t n, rows, clusters;
    int64_t *parent, *child;
    double *density, *size;
    double *stability, *birth;
    char *chosen;
    int64_t *top;    /* by cluster: the node of the dendrogram */
    int64_t *number; /* by cluster: of the selected clusters; -1: no point */
};

static void add_row(struct condensed *c, int64_t parent, int64_t child, double density, double size)
{
    c->parent[c->rows] = parent;
    c->child[c->rows] = child;
    c->density[c->rows] = density;
    c->size[c->rows++] = size;
}

static double size_of(int64_t n, const double *z, int64_t node) { return node < n ? 1 : z[4 * (node - n) + 3]; }

/* Adds a row for each point of a node. */
static void add_points(struct condensed *c, const double *z, int64_t parent, int64_t node, double density)
{
    if (node < c->n) {
        add_row(c, parent, node, density, 1);
        return;
    }
    add_points(c, z, parent, (int64_t)z[4 * (node - c->n)], density);
    add_points(c, z, parent, (int64_t)z[4 * (node - c->n) + 1], density);
}

/* Condenses the merges from the last one down. Row by row, as points leave and clusters split. */
static void condense(struct condensed *c, const double *z, double least)
{
    int64_t *name = malloc((size_t)(2 * c->n) * sizeof *name);
    for (int64_t i = 0; i < 2 * c->n; i++) name[i] = -1;
    name[2 * c->n - 2] = c->n;
    c->top[0] = 2 * c->n - 2;
    c->clusters = 1;
    for (int64_t t = c->n - 2; t >= 0; t--) {
        const int64_t parent = name[c->n + t], node[2] = {(int64_t)z[4 * t], (int64_t)z[4 * t + 1]};
        const double density = z[4 * t + 2] > 0 ? 1 / z[4 * t + 2] : INFINITY;
        if (parent < 0) continue; /* in a node whose points have left */
        const int big[2] = {size_of(c->n, z, node[0]) >= least, size_of(c->n, z, node[1]) >= least};
        for (int k = 0; k < 2; k++) {
            if (big[0] && big[1]) {
                c->top[c->clusters] = node[k];
                name[node[k]] = c->n + c->clusters++;
                add_row(c, parent, name[node[k]], density, size_of(c->n, z, node[k]));
            } else if (big[k]) {
                name[node[k]] = parent;
            } else {
                add_points(c, z, parent, node[k], density);
            }
        }
    }
    free(name);
}

/* The stabilities of clusters: sums over the rows of each. */
static void measure(struct condensed *c)
{
    for (int64_t k = 0; k < c->clusters; k++) c->stability[k] = c->birth[k] = 0;
    for (int64_t r = 0; r < c->rows; r++)
        if (c->child[r] >= c->n) c->birth[c->child[r] - c->n] = c->density[r];
    for (int64_t r = c->rows - 1; r >= 0; r--) {
        const int64_t k = c->parent[r] - c->n;
        c->stability[k] += (c->density[r] - c->birth[k]) * c->size[r];
    }
}

static int64_t parent_of(const struct condensed *c, int64_t cluster)
{
    for (int64_t r = 0; r < c->rows; r++)
        if (c->child[r] == cluster + c->n) return c->parent[r] - c->n;
    return -1;
}

static int is_below(const struct condensed *c, int64_t cluster, int64_t above)
{
    for (int64_t k = parent_of(c, cluster); k >= 0; k = parent_of(c, k))
        if (k == above) return 1;
    return 0;
}

/* Sums the stabilities of the clusters split from k, and their sizes; returns their number. */
static int64_t sum_below(const struct condensed *c, int64_t k, double *stability, double *size)
{
    int64_t count = 0;
    *stability = *size = 0;
    for (int64_t r = 0; r < c->rows; r++) {
        if (c->parent[r] != k + c->n || c->child[r] < c->n) continue;
        *stability += c->stability[c->child[r] - c->n];
        *size += c->size[r];
        count++;
    }
    return count;
}

static double own_size(const struct condensed *c, int64_t k)
{
    for (int64_t r = 0; r < c->rows; r++)
        if (c->child[r] == k + c->n) return c->size[r];
    return 0;
}

static void choose_eom(struct condensed *c, const bosc_hdbscan_opts *o)
{
    const double most = o->max_cluster_size ? (double)o->max_cluster_size : (double)c->n + 1;
    for (int64_t k = 0; k < c->clusters; k++) c->chosen[k] = k > 0 || o->allow_single_cluster;
    for (int64_t k = c->clusters - 1; k >= (o->allow_single_cluster ? 0 : 1); k--) {
        double below, size;
        sum_below(c, k, &below, &size);
        if (below > c->stability[k] || (k ? own_size(c, k) : size) > most) {
            c->chosen[k] = 0;
            c->stability[k] = below;
        } else {
            for (int64_t j = 0; j < c->clusters; j++)
                if (is_below(c, j, k)) c->chosen[j] = 0;
        }
    }
}

static void choose_leaves(struct condensed *c)
{
    double below, size;
    for (int64_t k = 0; k < c->clusters; k++) c->chosen[k] = c->clusters > 1 && sum_below(c, k, &below, &size) == 0;
}

/* scikit-learn's epsilon_search. */
static void join_near(struct condensed *c, const bosc_hdbscan_opts *o)
{
    char *result = calloc((size_t)c->clusters, 1), *processed = calloc((size_t)c->clusters, 1);
    for (int64_t k = 0; k < c->clusters; k++) {
        int64_t at = k, parent;
        if (!c->chosen[k]) continue;
        if (!(1 / c->birth[k] < o->epsilon)) {
            result[k] = 1;
            continue;
        }
        if (processed[k]) continue;
        /* Ascend to a cluster that separates farther than epsilon. */
        for (;;) {
            parent = parent_of(c, at);
            if (parent == 0) {
                if (o->allow_single_cluster) at = 0;
                break;
            }
            at = parent;
            if (1 / c->birth[at] > o->epsilon) break;
        }
        result[at] = 1;
        for (int64_t j = 0; j < c->clusters; j++)
            if (is_below(c, j, at)) processed[j] = 1;
    }
    memcpy(c->chosen, result, (size_t)c->clusters);
    free(result);
    free(processed);
}

/* The greatest density among the rows of a cluster; `all`: and of clusters below. */
static double greatest(const struct condensed *c, int64_t k, int all)
{
    double most = 0;
    for (int64_t r = 0; r < c->rows; r++)
        if (c->parent[r] - c->n == k || (all && is_below(c, c->parent[r] - c->n, k))) most = fmax(most, c->density[r]);
    return most;
}

/* Labels the points; clusters are numbered by their first points. */
static int64_t label(const struct condensed *c, const bosc_hdbscan_opts *o, int64_t *labels, double *probabilities,
                     double *scores)
{
    int64_t *number = c->number, count = 0, chosen = 0;
    for (int64_t k = 0; k < c->clusters; k++) {
        number[k] = -1;
        chosen += c->chosen[k];
    }
    for (int64_t v = 0; v < c->n; v++) {
        int64_t r = 0, k;
        while (c->child[r] != v) r++;
        k = c->parent[r] - c->n;
        const double all = greatest(c, k, 1), density = c->density[r];
        scores[v] = all == 0 || !isfinite(density) ? 0 : isfinite(all) ? (all - density) / all : 1;
        while (k >= 0 && !c->chosen[k]) k = parent_of(c, k);
        if (k == 0 && (chosen > 1 || !(density >= (o->epsilon != 0 ? 1 / o->epsilon : greatest(c, 0, 0))))) k = -1;
        labels[v] = -1;
        probabilities[v] = 0;
        if (k < 0) continue;
        if (number[k] < 0) number[k] = count++;
        labels[v] = number[k];
        const double most = greatest(c, k, 0);
        probabilities[v] = most == 0 || !isfinite(density) ? 1 : fmin(density, most) / most;
    }
    return count;
}

static void free_condensed(const struct condensed *c)
{
    free(c->parent);
    free(c->child);
    free(c->density);
    free(c->size);
    free(c->stability);
    free(c->birth);
    free(c->chosen);
    free(c->top);
    free(c->number);
}

/* Makes the condensed tree, with the stabilities of all clusters. */
static struct condensed make_condensed(int64_t n, const double *z, const bosc_hdbscan_opts *opts)
{
    const size_t room = (size_t)(2 * n) * sizeof(double);
    struct condensed c = {.n = n,
                          .parent = malloc(room),
                          .child = malloc(room),
                          .density = malloc(room),
                          .size = malloc(room),
                          .stability = malloc(room),
                          .birth = malloc(room),
                          .chosen = calloc((size_t)(2 * n), 1),
                          .top = malloc(room),
                          .number = malloc(room)};
    condense(&c, z, (double)opts->min_cluster_size);
    measure(&c);
    return c;
}

/* Selects clusters, and labels the points. */
static int64_t select_and_label(struct condensed *c, const bosc_hdbscan_opts *opts, int64_t *labels,
                                double *probabilities, double *outlier_scores)
{
    if (opts->selection == BOSC_HDBSCAN_LEAF)
        choose_leaves(c);
    else
        choose_eom(c, opts);
    if (opts->epsilon != 0 && c->clusters > 1 && !c->chosen[0]) join_near(c, opts);
    return label(c, opts, labels, probabilities, outlier_scores);
}

int64_t reference_hdbscan(int64_t n, const double *z, const bosc_hdbscan_opts *opts, int64_t *labels,
                          double *probabilities, double *outlier_scores)
{
    struct condensed c = make_condensed(n, z, opts);
    const int64_t count = select_and_label(&c, opts, labels, probabilities, outlier_scores);
    free_condensed(&c);
    return count;
}

/* The position of cluster k: after all clusters with later top merges. */
static int64_t position_of(const struct condensed *c, int64_t k)
{
    int64_t position = 0;
    for (int64_t j = 0; j < c->clusters; j++) position += c->top[j] > c->top[k];
    return position;
}

int64_t reference_condense(int64_t n, const double *z, const bosc_hdbscan_opts *opts, int64_t *leaves,
                           double *densities, bosc_hdbscan_cluster *clusters)
{
    struct condensed c = make_condensed(n, z, opts);
    const size_t room = (size_t)n * sizeof(double);
    int64_t *labels = malloc(room);
    double *values[] = {malloc(room), malloc(room)};
    /* 1. All but labels. */
    for (int64_t k = 0; k < c.clusters; k++) {
        const int64_t above = parent_of(&c, k);
        clusters[position_of(&c, k)] = (bosc_hdbscan_cluster){.parent = above < 0 ? -1 : position_of(&c, above),
                                                              .label = -1,
                                                              .points = k ? (int64_t)own_size(&c, k) : n,
                                                              .birth = c.birth[k],
                                                              .death = greatest(&c, k, 0),
                                                              .stability = c.stability[k]};
    }
    for (int64_t r = 0; r < c.rows; r++) {
        if (c.child[r] >= n) continue;
        leaves[c.child[r]] = position_of(&c, c.parent[r] - n);
        densities[c.child[r]] = c.density[r];
    }
    /* 2. Labels: the selection changes the stabilities. */
    select_and_label(&c, opts, labels, values[0], values[1]);
    for (int64_t k = 0; k < c.clusters; k++) {
        int64_t chosen = k;
        while (chosen >= 0 && !c.chosen[chosen]) chosen = parent_of(&c, chosen);
        if (chosen >= 0) clusters[position_of(&c, k)].label = c.number[chosen];
    }
    const int64_t count = c.clusters;
    free(labels);
    free(values[0]);
    free(values[1]);
    free_condensed(&c);
    return count;
}

/* The selected cluster that holds cluster c, by the labels of the clusters above. */
static int64_t selected_over(const bosc_hdbscan_cluster *clusters, int64_t c)
{
    const int64_t parent = clusters[c].parent;
    if (parent < 0 || clusters[parent].label != clusters[c].label) return c;
    return selected_over(clusters, parent);
}

int64_t reference_nearest(int64_t n, const double *d, const double *core, int64_t min_samples, double *length)
{
    char *used = calloc((size_t)n, 1);
    int64_t best = -1, near[2] = {-1, -1};
    double own = 0;
    *length = INFINITY;
    /* 1. The core distance of the point, which counts itself: of the (min_samples - 1)-th nearest. */
    for (int64_t k = 1; k < min_samples; k++) {
        near[0] = -1;
        for (int64_t j = 0; j < n; j++)
            if (!used[j] && (near[0] < 0 || d[j] < d[near[0]])) near[0] = j;
        used[near[0]] = 1;
        own = d[near[0]];
    }
    /* 2. The nearest by mutual reachability among the 2 min_samples nearest. */
    memset(used, 0, (size_t)n);
    for (int64_t k = 0; k < 2 * min_samples && k < n; k++) {
        near[1] = -1;
        for (int64_t j = 0; j < n; j++)
            if (!used[j] && (near[1] < 0 || d[j] < d[near[1]])) near[1] = j;
        used[near[1]] = 1;
        const double mutual = fmax(fmax(d[near[1]], core[near[1]]), own);
        if (best < 0 || mutual < *length) {
            best = near[1];
            *length = mutual;
        }
    }
    free(used);
    return best;
}

int64_t reference_predict(int64_t n, const double *d, const double *core, const int64_t *leaves,
                          const double *densities, const bosc_hdbscan_cluster *clusters, const bosc_hdbscan_opts *opts,
                          double *probability)
{
    double length;
    const int64_t best = reference_nearest(n, d, core, opts->min_samples, &length);
    *probability = 0;
    /* The cluster at that density. */
    const double density = length > 0 ? 1 / sqrt(length) : INFINITY;
    int64_t c = leaves[best];
    while (density <= densities[best] && clusters[c].parent >= 0 && clusters[c].birth >= density)
        c = clusters[c].parent;
    if (clusters[c].label < 0) return -1;
    const int64_t top = selected_over(clusters, c);
    const double most = clusters[top].death, least = opts->epsilon != 0 ? 1 / opts->epsilon : clusters[0].death;
    if (top == 0 && !(fmin(density, densities[best]) >= least)) return -1;
    *probability = most == 0 || density >= most ? 1 : density / most;
    return clusters[c].label;
}

/* --- Memberships -------------------------------------------------------------------------------------------------- */

int64_t reference_exemplars(int64_t n, const int64_t *leaves, const double *densities,
                            const bosc_hdbscan_cluster *clusters, int64_t count, int64_t k, int64_t *rows)
{
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++) {
        bool is_split = leaves[i] < 0;
        for (int64_t c = 0; c < count; c++) is_split = is_split || clusters[c].parent == leaves[i];
        if (!is_split && clusters[leaves[i]].label == k && densities[i] == clusters[leaves[i]].death) rows[found++] = i;
    }
    return found;
}

/* The selected condensed cluster with label k; -1: none. */
static int64_t chosen_for(const bosc_hdbscan_cluster *clusters, int64_t count, int64_t k)
{
    for (int64_t c = 0; c < count; c++)
        if (clusters[c].label == k) return c;
    return -1;
}

/* True if condensed cluster c is `above` or below it. */
static bool lies_in(const bosc_hdbscan_cluster *clusters, int64_t c, int64_t above)
{
    while (c > above) c = clusters[c].parent;
    return c == above;
}

/* The density at which a point of cluster c joins cluster k: the birth of the highest cluster above k without c. */
static double joins_at(const bosc_hdbscan_cluster *clusters, int64_t c, double density, int64_t k)
{
    if (lies_in(clusters, c, k) || lies_in(clusters, k, c)) return density;
    while (!lies_in(clusters, c, clusters[k].parent)) k = clusters[k].parent;
    return clusters[k].birth;
}

static double ratio(double x, double y) { return x == y ? x > 0 : x / y; }

/* The score of a join, before its exponential. */
static double score(double most, double h, int is_query)
{
    if (!is_query) return h > 0 ? bi_exp_f64(-ratio(most * (1 + 1e-8), h)) : 0;
    if (most == INFINITY) return h < INFINITY ? 1 : 0x1.fffffffffffffp1023;
    return most > h ? most / (most - h) : 1 / 1e-8;
}

void reference_membership(int64_t n, const double *d2, const int64_t *leaves, const double *densities,
                          const bosc_hdbscan_cluster *clusters, int64_t count, int64_t labels,
                          struct reference_member point, double *to)
{
    const double most = clusters[point.leaf].death, slack = point.is_query ? 1 + 1e-8 : 1;
    int64_t *rows = malloc((size_t)n * 8), nearest = -1;
    double *part = malloc((size_t)labels * 8), sums[3] = {0, 0, 0}, shift = -INFINITY, height = 0;
    /* 1. Distances to exemplars. */
    for (int64_t k = 0; k < labels; k++) {
        const int64_t found = reference_exemplars(n, leaves, densities, clusters, count, k, rows);
        double least = INFINITY;
        for (int64_t e = 0; e < found; e++) least = fmin(least, d2[rows[e]]);
        to[k] = fmin(least > 0 ? 1 / sqrt(least) : INFINITY, 0x1.fffffffffffffp1023 / (double)labels);
        sums[0] += to[k];
    }
    /* 2. Densities of joins. */
    for (int64_t k = 0; k < labels; k++) {
        const int64_t chosen = chosen_for(clusters, count, k);
        const double h = chosen < 0 ? 0 : joins_at(clusters, point.leaf, point.density, chosen);
        part[k] = score(most, h, point.is_query);
        if (point.is_query) shift = fmax(shift, part[k]);
        if (chosen < 0 || h < height || (nearest >= 0 && h == height && chosen > nearest)) continue;
        nearest = chosen;
        height = h;
    }
    if (!point.is_query) shift = 0;
    for (int64_t k = 0; k < labels; k++) sums[1] += part[k] = bi_exp_f64(part[k] - shift);
    /* 3. Their product, and the probability of any cluster. */
    for (int64_t k = 0; k < labels; k++) {
        const double near = sums[0] > 0 ? to[k] / sums[0] : 0, joins = part[k] / sums[1];
        to[k] = point.is_query ? sqrt(near) * (joins * joins) : near * joins;
        sums[2] += to[k];
    }
    const double top = fmax(nearest < 0 ? 0 : clusters[nearest].death, point.density);
    const double whole = point.is_query && height == 0x1.fffffffffffffp1023 ? 1 : ratio(height, top * slack);
    for (int64_t k = 0; k < labels; k++) to[k] = sums[2] > 0 ? to[k] / sums[2] * whole : 0;
    free(rows);
    free(part);
}
