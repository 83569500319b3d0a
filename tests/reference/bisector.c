#include "reference/bisector.h"

#include <stdlib.h>
#include <string.h>

static bool same(const double a[3], const double b[3]) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

static void put(double to[3][3], const double a[3], const double b[3], const double c[3])
{
    memcpy(to[0], a, sizeof to[0]);
    memcpy(to[1], b, sizeof to[1]);
    memcpy(to[2], c, sizeof to[2]);
}

/* Squares side by side, two roots each, whose base is the diagonal. */
static int64_t squares(int64_t count, double at[8][3][3])
{
    for (int64_t s = 0; s < count; s++) {
        const double x = (double)s;
        const double p[4][3] = {{x, 0, 0}, {x + 1, 0, 0}, {x + 1, 1, 0}, {x, 1, 0}};
        put(at[2 * s], p[1], p[3], p[0]);
        put(at[2 * s + 1], p[3], p[1], p[2]);
    }
    return 2 * count;
}

int64_t reference_bisector_roots(enum reference_mesh mesh, double at[8][3][3])
{
    static const double equator[4][3] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
    static const double poles[2][3] = {{0, 0, 1}, {0, 0, -1}};
    if (mesh == REFERENCE_SQUARE) return squares(1, at);
    if (mesh == REFERENCE_STRIP) return squares(3, at);
    if (mesh == REFERENCE_OCTAHEDRON) {
        for (int r = 0; r < 4; r++) {
            put(at[r], equator[r], equator[(r + 1) % 4], poles[0]);
            put(at[4 + r], equator[(r + 1) % 4], equator[r], poles[1]);
        }
        return 8;
    }
    put(at[0], equator[0], equator[1], poles[0]);
    return 1;
}

void reference_bisector_glue(const double at[8][3][3], int64_t root_count, int64_t glued[24])
{
    for (int64_t a = 0; a < 3 * root_count; a++) {
        glued[a] = -1;
        for (int64_t b = 0; b < 3 * root_count; b++)
            if (same(at[a / 3][a % 3], at[b / 3][(b + 1) % 3]) && same(at[a / 3][(a + 1) % 3], at[b / 3][b % 3]))
                glued[a] = b;
    }
}

static void append(struct reference_bisectors *b, const struct reference_triangle *t)
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
        append(&b, &t);
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
            if (same(at[edge], b->leaves[o].at[(f + 1) % 3]) && same(at[(edge + 1) % 3], b->leaves[o].at[f]))
                return 3 * o + f;
    return -1;
}

/* Into two: the second one goes to the end. */
static void bisect(struct reference_bisectors *b, int64_t leaf)
{
    struct reference_triangle t = b->leaves[leaf], first = t, second = t;
    double middle[3];
    for (int d = 0; d < 3; d++) middle[d] = (t.at[0][d] + t.at[1][d]) / 2;
    put(first.at, t.at[2], t.at[0], middle);
    put(second.at, t.at[1], t.at[2], middle);
    first.node = 2 * t.node;
    second.node = 2 * t.node + 1;
    first.level = second.level = t.level + 1;
    first.split = second.split = true;
    b->leaves[leaf] = first;
    append(b, &second);
}

/* ROAM's forced split: first the coarser triangle at the base, then both that share it. */
static void force(struct reference_bisectors *b, int64_t leaf)
{
    int64_t beside = reference_bisectors_neighbour(b, leaf, 0);
    if (beside >= 0 && beside % 3 != 0) {
        force(b, beside / 3);
        beside = reference_bisectors_neighbour(b, leaf, 0);
    }
    bisect(b, leaf);
    if (beside >= 0) bisect(b, beside / 3);
}

/* Whether the leaves around the midpoint that a leaf ends in may be merged, and one of them is to be. */
static bool merges(const struct reference_bisectors *b, const uint8_t *commands, int64_t leaf)
{
    const struct reference_triangle *t = &b->leaves[leaf];
    bool wanted = false;
    if (t->level == 0) return false;
    for (int64_t o = 0; o < b->n; o++) {
        const struct reference_triangle *u = &b->leaves[o];
        if (!same(u->at[0], t->at[2]) && !same(u->at[1], t->at[2]) && !same(u->at[2], t->at[2])) continue;
        if (!same(u->at[2], t->at[2]) || u->level != t->level || u->split) return false;
        wanted |= commands[o] == 2;
    }
    return wanted;
}

static int in_order(const void *a, const void *b)
{
    const struct reference_triangle *x = a, *y = b;
    if (x->root != y->root) return x->root < y->root ? -1 : 1;
    const uint64_t p = x->node << (60 - x->level), q = y->node << (60 - y->level);
    return p < q ? -1 : p > q;
}

void reference_bisectors_update(struct reference_bisectors *b, const uint8_t *commands)
{
    const int64_t n = b->n;
    struct reference_triangle *before = malloc((size_t)n * sizeof *before);
    bool *goes = calloc((size_t)n, sizeof *goes);
    if (!before || !goes) abort();
    for (int64_t l = 0; l < n; l++) {
        b->leaves[l].source = l;
        b->leaves[l].split = false;
    }
    memcpy(before, b->leaves, (size_t)n * sizeof *before);
    for (int64_t l = 0; l < n; l++) /* a leaf that was split already, by another one, is no leaf any more */
        if (commands[l] == 1 && before[l].level < b->depth && !b->leaves[l].split) force(b, l);
    for (int64_t l = 0; l < n; l++) before[l].split = b->leaves[l].split;
    const struct reference_bisectors old = {.n = n, .leaves = before};
    for (int64_t l = 0; l < n; l++) goes[l] = merges(&old, commands, l);
    for (int64_t l = 0; l < n; l++) {
        struct reference_triangle *t = &b->leaves[l];
        if (!goes[l] || (t->node & 1)) continue;
        put(t->at, before[l].at[1], before[l + 1].at[0], before[l].at[0]);
        t->node >>= 1;
        t->level--;
    }
    int64_t kept = 0;
    for (int64_t l = 0; l < b->n; l++)
        if (l >= n || !goes[l] || !(before[l].node & 1)) b->leaves[kept++] = b->leaves[l];
    b->n = kept;
    qsort(b->leaves, (size_t)b->n, sizeof *b->leaves, in_order);
    free(before);
    free(goes);
}

int64_t reference_bisectors_vertices(const struct reference_bisectors *b)
{
    int64_t count = 0;
    for (int64_t c = 0; c < 3 * b->n; c++) {
        int64_t before = 0;
        while (before < c && !same(b->leaves[before / 3].at[before % 3], b->leaves[c / 3].at[c % 3])) before++;
        count += before == c;
    }
    return count;
}
