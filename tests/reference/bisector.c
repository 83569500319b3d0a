#include "reference/bisector.h"

#include <stdlib.h>
#include <string.h>

static bool equal_points(const double a[3], const double b[3]) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

static void set_corners(double to[3][3], const double a[3], const double b[3], const double c[3])
{
    memcpy(to[0], a, sizeof to[0]);
    memcpy(to[1], b, sizeof to[1]);
    memcpy(to[2], c, sizeof to[2]);
}

/* Creates squares side by side, each of two roots with the diagonal as their base. */
static int64_t make_squares(int64_t count, double at[8][3][3])
{
    for (int64_t s = 0; s < count; s++) {
        const double x = (double)s;
        const double p[4][3] = {{x, 0, 0}, {x + 1, 0, 0}, {x + 1, 1, 0}, {x, 1, 0}};
        set_corners(at[2 * s], p[1], p[3], p[0]);
        set_corners(at[2 * s + 1], p[3], p[1], p[2]);
    }
    return 2 * count;
}

int64_t reference_bisector_roots(enum reference_mesh mesh, double at[8][3][3])
{
    static const double equator[4][3] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
    static const double poles[2][3] = {{0, 0, 1}, {0, 0, -1}};
    if (mesh == REFERENCE_SQUARE) return make_squares(1, at);
    if (mesh == REFERENCE_STRIP) return make_squares(3, at);
    if (mesh == REFERENCE_OCTAHEDRON) {
        for (int r = 0; r < 4; r++) {
            set_corners(at[r], equator[r], equator[(r + 1) % 4], poles[0]);
            set_corners(at[4 + r], equator[(r + 1) % 4], equator[r], poles[1]);
        }
        return 8;
    }
    set_corners(at[0], equator[0], equator[1], poles[0]);
    return 1;
}

void reference_bisector_glue(const double at[8][3][3], int64_t root_count, int64_t glued[24])
{
    for (int64_t a = 0; a < 3 * root_count; a++) {
        glued[a] = -1;
        for (int64_t b = 0; b < 3 * root_count; b++)
            if (equal_points(at[a / 3][a % 3], at[b / 3][(b + 1) % 3]) &&
                equal_points(at[a / 3][(a + 1) % 3], at[b / 3][b % 3]))
                glued[a] = b;
    }
}

static void append_leaf(struct reference_bisectors *b, const struct reference_triangle *t)
{
    if (b->n == b->room) {
        b->room = 2 * b->room + 16;
        b->leaves = realloc(b->leaves, (size_t)b->room * sizeof *b->leaves);
        if (!b->leaves) abort();
    }
    b->leaves[b->n++] = *t;
}

struct reference_bisectors reference_bisectors_make(enum reference_mesh mesh, int32_t depth)
{
    double at[8][3][3];
    struct reference_bisectors b = {.depth = depth};
    const int64_t roots = reference_bisector_roots(mesh, at);
    while ((int64_t)1 << b.root_bits < roots) b.root_bits++;
    for (int64_t r = 0; r < roots; r++) {
        struct reference_triangle t = {.node = ((uint64_t)1 << b.root_bits) + (uint64_t)r, .root = (int32_t)r};
        memcpy(t.at, at[r], sizeof t.at);
        append_leaf(&b, &t);
    }
    return b;
}

void reference_bisectors_free(struct reference_bisectors *b)
{
    free(b->leaves);
    b->leaves = NULL;
    b->n = b->room = 0;
}

int64_t reference_bisectors_neighbour(const struct reference_bisectors *b, int64_t leaf, int edge)
{
    const double(*at)[3] = (const double(*)[3])b->leaves[leaf].at;
    for (int64_t o = 0; o < b->n; o++)
        for (int f = 0; f < 3; f++)
            if (equal_points(at[edge], b->leaves[o].at[(f + 1) % 3]) &&
                equal_points(at[(edge + 1) % 3], b->leaves[o].at[f]))
                return 3 * o + f;
    return -1;
}

/* Bisects a leaf; the second half is appended. */
static void bisect(struct reference_bisectors *b, int64_t leaf)
{
    struct reference_triangle t = b->leaves[leaf], first = t, second = t;
    double middle[3];
    for (int d = 0; d < 3; d++) middle[d] = (t.at[0][d] + t.at[1][d]) / 2;
    set_corners(first.at, t.at[2], t.at[0], middle);
    set_corners(second.at, t.at[1], t.at[2], middle);
    first.node = 2 * t.node;
    second.node = 2 * t.node + 1;
    first.level = second.level = t.level + 1;
    first.split = second.split = true;
    b->leaves[leaf] = first;
    append_leaf(b, &second);
}

/* ROAM's forced split (Duchaineau et al. 1997): first splits a coarser triangle at the base, then both triangles that
 * share the base. */
static void force_split(struct reference_bisectors *b, int64_t leaf)
{
    int64_t neighbour = reference_bisectors_neighbour(b, leaf, 0);
    if (neighbour >= 0 && neighbour % 3 != 0) {
        force_split(b, neighbour / 3);
        neighbour = reference_bisectors_neighbour(b, leaf, 0);
    }
    bisect(b, leaf);
    if (neighbour >= 0) bisect(b, neighbour / 3);
}

/* True if all leaves around the leaf's newest vertex can merge and one of them has the command. */
static bool can_merge(const struct reference_bisectors *b, const uint8_t *commands, int64_t leaf)
{
    const struct reference_triangle *t = &b->leaves[leaf];
    bool commanded = false;
    if (t->level == 0) return false;
    for (int64_t o = 0; o < b->n; o++) {
        const struct reference_triangle *u = &b->leaves[o];
        if (!equal_points(u->at[0], t->at[2]) && !equal_points(u->at[1], t->at[2]) && !equal_points(u->at[2], t->at[2]))
            continue;
        if (!equal_points(u->at[2], t->at[2]) || u->level != t->level || u->split) return false;
        commanded |= commands[o] == 2;
    }
    return commanded;
}

static int compare_leaves(const void *a, const void *b)
{
    const struct reference_triangle *x = a, *y = b;
    if (x->root != y->root) return x->root < y->root ? -1 : 1;
    const uint64_t p = x->node << (60 - x->level), q = y->node << (60 - y->level);
    return p < q ? -1 : p > q;
}

void reference_bisectors_update(struct reference_bisectors *b, const uint8_t *commands)
{
    const int64_t n = b->n;
    struct reference_triangle *old_leaves = malloc((size_t)n * sizeof *old_leaves);
    bool *merged = calloc((size_t)n, sizeof *merged);
    if (!old_leaves || !merged) abort();
    for (int64_t l = 0; l < n; l++) {
        b->leaves[l].source = l;
        b->leaves[l].split = false;
    }
    memcpy(old_leaves, b->leaves, (size_t)n * sizeof *old_leaves);
    /* 1. Split. A leaf may already be split by a forced split. */
    for (int64_t l = 0; l < n; l++)
        if (commands[l] == 1 && old_leaves[l].level < b->depth && !b->leaves[l].split) force_split(b, l);
    /* 2. Merge pairs of old leaves: the first of a pair becomes the parent. */
    for (int64_t l = 0; l < n; l++) old_leaves[l].split = b->leaves[l].split;
    const struct reference_bisectors old = {.n = n, .leaves = old_leaves};
    for (int64_t l = 0; l < n; l++) merged[l] = can_merge(&old, commands, l);
    for (int64_t l = 0; l < n; l++) {
        struct reference_triangle *t = &b->leaves[l];
        if (!merged[l] || (t->node & 1)) continue;
        set_corners(t->at, old_leaves[l].at[1], old_leaves[l + 1].at[0], old_leaves[l].at[0]);
        t->node >>= 1;
        t->level--;
    }
    /* 3. Remove the second of each pair, and sort. */
    int64_t kept = 0;
    for (int64_t l = 0; l < b->n; l++)
        if (l >= n || !merged[l] || !(old_leaves[l].node & 1)) b->leaves[kept++] = b->leaves[l];
    b->n = kept;
    qsort(b->leaves, (size_t)b->n, sizeof *b->leaves, compare_leaves);
    free(old_leaves);
    free(merged);
}

int64_t reference_bisectors_vertices(const struct reference_bisectors *b)
{
    int64_t count = 0;
    for (int64_t c = 0; c < 3 * b->n; c++) {
        int64_t first = 0;
        while (first < c && !equal_points(b->leaves[first / 3].at[first % 3], b->leaves[c / 3].at[c % 3])) first++;
        count += first == c;
    }
    return count;
}
