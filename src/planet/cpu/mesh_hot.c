/* The loops of a frame on the CPU. Meshes: each vertex is visited once, from the first leaf that reaches it. That leaf
 * owns the vertex; the visit marks the corners of all leaves around it, so that later leaves skip them. Commands: one
 * leaf decides for the four that merge. New leaves: recent vertices are looked up instead of computed again. */
#include <string.h>

#include "planet/cpu/kernels.h"

enum { AHEAD = 12 }; /* leaves between a prefetch and its use; other distances are not measured */

/* ---- owners ---- */

static uint32_t own_corners(const struct bi_planet_mesh *a, struct bi_span chunk, struct bi_span part)
{
    uint32_t count = 0;
    for (int64_t leaf = part.begin; leaf < part.end; leaf++) {
        for (int v = 0; v < 3; v++) {
            if (a->owned[leaf] & BI_PLANET_VISITED << v) continue;
            struct bi_planet_corner at = {leaf, v};
            bool first = true;
            do {
                if (at.leaf >= chunk.begin && at.leaf < chunk.end)
                    a->owned[at.leaf] |= (uint8_t)(BI_PLANET_VISITED << at.v);
                first &= at.leaf >= leaf;
                at = bi_planet_next_corner(a, at);
            } while (at.leaf != leaf);
            if (first) a->owned[leaf] |= (uint8_t)(BI_PLANET_OWNED << v);
            count += first;
        }
    }
    return count;
}

/* ---- vertices ---- */

#if BI_LEVEL >= 3
/* A vector of three numbers; the fourth lane is arbitrary. */
typedef double vector __attribute__((vector_size(32)));
typedef float vector_f32 __attribute__((vector_size(16)));
typedef int64_t vector_mask __attribute__((vector_size(32)));

/* Corner v of a leaf; the fourth lane is the number behind it in the array. */
BI_FN vector load_corner(const struct bi_planet_leaf *leaf, int v)
{
    vector p;
    memcpy(&p, leaf->position[0] + 3 * v, sizeof p);
    return p;
}

BI_FN vector rotate_lanes(vector a) { return __builtin_shufflevector(a, a, 1, 2, 0, 3); }

BI_FN void store_f32(float *to, vector a)
{
    const vector_f32 narrow = __builtin_convertvector(a, vector_f32);
    memcpy(to, &narrow, 3 * sizeof *to);
}

/* A sum of cross products, in lanes z, x, y: bi_planet_circulate_vertex adds the same numbers in the same order. */
struct normal {
    vector p, before, sum; /* the vertex; the edge from it to the next corner's right end */
};

BI_FN struct normal normal_at(const struct bi_planet_leaf *leaf, int v)
{
    const struct normal n = {load_corner(leaf, v), load_corner(leaf, v == 2 ? 0 : v + 1), {0, 0, 0, 0}};
    const struct normal around = {n.p, n.before - n.p, n.sum};
    return around;
}

/* Adds the triangle of a leaf around the vertex. Its left end is the right end of the one before. */
BI_FN void add_triangle(struct normal *n, const struct bi_planet_leaf *leaf, int v)
{
    const vector left = load_corner(leaf, v == 0 ? 2 : v - 1) - n->p;
    n->sum += n->before * rotate_lanes(left) - rotate_lanes(n->before) * left;
    n->before = left;
}

/* As bi_planet_write_normal. */
BI_FN void write_normal(float *to, const struct normal *n)
{
    const vector sum = __builtin_shufflevector(n->sum, n->sum, 1, 2, 0, 0);
    const vector_mask bits = (vector_mask)sum & INT64_MAX;
    const vector size = (vector)bits;
    double largest = size[0] > 0 ? size[0] : 0;
    largest = size[1] > largest ? size[1] : largest;
    largest = size[2] > largest ? size[2] : largest;
    const vector unit = largest > 0 ? sum / largest : n->p;
    const vector squares = unit * unit;
    store_f32(to, unit / bi_sqrt(squares[0] + squares[1] + squares[2]));
}
#else
struct normal {
    const double *p;
    double before[3], sum[3];
};

BI_FN struct normal normal_at(const struct bi_planet_leaf *leaf, int v)
{
    struct normal n = {.p = leaf->position[v]};
    for (int c = 0; c < 3; c++) n.before[c] = leaf->position[v == 2 ? 0 : v + 1][c] - n.p[c];
    return n;
}

BI_FN void add_triangle(struct normal *n, const struct bi_planet_leaf *leaf, int v)
{
    double left[3];
    for (int c = 0; c < 3; c++) left[c] = leaf->position[v == 0 ? 2 : v - 1][c] - n->p[c];
    for (int c = 0; c < 3; c++) {
        const int d = c == 2 ? 0 : c + 1, e = c == 0 ? 2 : c - 1;
        n->sum[c] += n->before[d] * left[e] - n->before[e] * left[d];
    }
    memcpy(n->before, left, sizeof left);
}

BI_FN void write_normal(float *to, const struct normal *n) { bi_planet_write_normal(to, n->sum, n->p); }
#endif

/* Visits the leaves around corner v of a leaf: marks the corners, writes the number of the vertex, sums the normal. */
BI_FN struct normal visit_vertex(const struct bi_planet_mesh *a, int64_t leaf, int v, uint32_t number, bool counted,
                                 bool normals)
{
    struct bi_planet_corner at = {leaf, v};
    struct normal normal = normal_at(a->leaves + leaf, v);
    do {
        if (!counted) a->owned[at.leaf] |= (uint8_t)(BI_PLANET_VISITED << at.v);
        if (a->triangles) a->triangles[3 * at.leaf + at.v] = number;
        if (normals) add_triangle(&normal, a->leaves + at.leaf, at.v);
        at = bi_planet_next_corner(a, at);
    } while (at.leaf != leaf);
    return normal;
}

/* Prefetches the leaves across the edges of a later leaf, which lie anywhere along the curve of bisection. */
BI_FN void prefetch_around(const struct bi_planet_mesh *a, int64_t leaf)
{
    if (leaf >= a->end) return;
    for (int e = 0; e < 3; e++) {
        const char *across = (const char *)(a->leaves + (a->neighbours[3 * leaf + e] >> 2));
        __builtin_prefetch(across);
        __builtin_prefetch(across + 64);
    }
}

BI_FN uint32_t write_part(const struct bi_planet_mesh *a, struct bi_span part, uint32_t number, bool counted,
                          bool normals)
{
    for (int64_t leaf = part.begin; leaf < part.end; leaf++) {
        if (normals) prefetch_around(a, leaf + AHEAD);
        for (int v = 0; v < 3; v++) {
            const uint32_t marks = (uint32_t)a->owned[leaf] >> v;
            if (counted ? !(marks & BI_PLANET_OWNED) : (marks & BI_PLANET_VISITED) != 0) continue;
            const double *p = a->leaves[leaf].position[v];
            const struct normal normal = visit_vertex(a, leaf, v, number, counted, normals);
            for (int c = 0; c < 3; c++) {
                if (a->vertices) a->vertices[3 * (int64_t)number + c] = (float)(p[c] - a->origin[c]);
                if (a->positions) a->positions[3 * (int64_t)number + c] = p[c];
            }
            if (normals) write_normal(a->normals + 3 * (int64_t)number, &normal);
            number++;
        }
    }
    return number;
}

static uint32_t write_vertices(const struct bi_planet_mesh *a, struct bi_span part, uint32_t number, bool counted)
{
    if (a->normals) return counted ? write_part(a, part, number, true, true) : write_part(a, part, number, false, true);
    return counted ? write_part(a, part, number, true, false) : write_part(a, part, number, false, false);
}

/* ---- commands ---- */

/* True if the leaf is the lowest of four leaves around its v2 that may be merged. The four share the base of their
 * parents, by which a merge is decided, and a merge commanded for one of them is one of all. */
BI_FN bool leads_diamond(const struct bi_planet_mark *a, int64_t leaf)
{
    const uint32_t *own = a->neighbours + 3 * leaf, *sibling = own + 3;
    if (a->nodes[leaf] & 1 || (own[2] & 3) == 0) return false;
    return (own[1] & 3) != 0 && (sibling[2] & 3) != 0 && own[1] >> 2 > leaf;
}

/* As bi_planet_command, but commands a merge only where it may happen, and by one leaf of the four. */
BI_FN uint8_t command_of(const struct bi_planet_mark *a, int64_t i)
{
    const struct bi_planet_criterion *by = &a->criterion;
    const struct bi_planet_leaf *leaf = a->leaves + i;
    if (leaf->level > by->level) return BOSC_BISECTOR_MERGE;
    if (leaf->level < by->level && bi_planet_exceeds(by, &by->split, leaf->position[0], leaf->position[1], leaf->error))
        return BOSC_BISECTOR_SPLIT;
    if (leaf->level == 0 || a->splits_alone || !leads_diamond(a, i)) return BOSC_BISECTOR_KEEP;
    /* The first child's corner 1 and position 3 are the ends of the parent's base. */
    const bool far = !bi_planet_exceeds(by, &by->merge, leaf->position[1], leaf->position[3], leaf->parent_error);
    return far ? BOSC_BISECTOR_MERGE : BOSC_BISECTOR_KEEP;
}

static void mark_leaves(const struct bi_planet_mark *a, struct bi_span part)
{
    if (a->errors)
        for (int64_t i = part.begin; i < part.end; i++) bi_step_planet_mark(a, i);
    else
        for (int64_t i = part.begin; i < part.end; i++) a->commands[i] = command_of(a, i);
}

/* ---- new leaves ---- */

static bool derive_leaves(const struct bi_planet_shape *a, struct bi_span part)
{
    struct bi_planet_recent recent;
    bool changed = false;
    memset(&recent, 0, sizeof recent);
    for (int64_t i = part.begin; i < part.end; i++) {
        const struct bi_planet_leaf *source = a->old_leaves + a->sources[i];
        if (bi_bisector_level(&a->pool, a->pool.nodes[i]) == source->level) {
            a->leaves[i] = *source;
            continue;
        }
        bi_planet_derive_new(a, &recent, i);
        changed = true;
    }
    return changed;
}

const struct bi_planet_kernels BI_LEVEL_NAME(bi_planet_kernels) = {mark_leaves, derive_leaves, own_corners,
                                                                   write_vertices};
