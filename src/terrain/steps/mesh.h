/* Steps that read meshes: vertices and triangles, corners, points, neighbours. */
#ifndef BI_TERRAIN_STEPS_MESH_H
#define BI_TERRAIN_STEPS_MESH_H

#include "base/elementary.h"
#include "terrain/steps/refine.h"

/* Samples lie in blocks of 8 x 8, row after row, and in them in rows: a word of 64 bits each. */
struct bi_terrain_mesh {
    struct bi_terrain_grid grid;
    bosc_cbt_view view;
    const float *heights;
    double spacing;
    int32_t across;      /* blocks of samples in a row of them */
    int64_t words;       /* blocks of samples */
    uint64_t *used;      /* (words) a bit for each sample: is it a vertex? */
    uint32_t *before;    /* (words + 1) vertices before the block */
    const int64_t *live; /* (blocks + 1) triangles before the block of the tree */
    int64_t *counts;     /* (blocks) of them, to be made `live` */
    int64_t *totals;     /* (2) */
    float *vertices, *normals;
    uint32_t *triangles;
};

BI_FN void bi_terrain_use(const struct bi_terrain_mesh *a, int32_t x, int32_t y)
{
    const struct bi_terrain_grid *g = &a->grid;
    x = bi_terrain_min(x, g->last_x);
    y = bi_terrain_min(y, g->last_y);
    bi_atomic_or_u64(a->used + (int64_t)(y >> 3) * a->across + (x >> 3), (uint64_t)1 << ((y & 7) * 8 + (x & 7)));
}

/* Which samples are vertices: the middles of diamonds that are split, and the corners of roots. Items are words of the
 * tree. */
BI_FN void bi_step_terrain_use(const struct bi_terrain_mesh *a, int64_t word)
{
    const struct bi_terrain_grid *g = &a->grid;
    struct bi_terrain_word w = bi_terrain_word_of(g, word);
    struct bi_terrain_point m;
    for (uint64_t left = a->view.bits[word]; bi_terrain_next_middle(g, &w, &left, &m);) bi_terrain_use(a, m.x, m.y);
}

/* Item i: corner i of the squares. Of a half only three. */
BI_FN void bi_step_terrain_use_corners(const struct bi_terrain_mesh *a, int64_t i)
{
    const struct bi_terrain_grid *g = &a->grid;
    int32_t along = (int32_t)(i >> 1) << g->side, across = (i & 1) << g->side;
    if (g->half && along == 0 && across != 0) return;
    bi_terrain_use(a, g->tall ? across : along, g->tall ? along : across);
}

/* How many leaves of a block of the tree are in the mesh. */
BI_FN void bi_step_terrain_live(const struct bi_terrain_mesh *a, int64_t block)
{
    int64_t live = 0;
    for (int64_t word = block * BOSC_CBT_BLOCK_WORDS; word < (block + 1) * BOSC_CBT_BLOCK_WORDS; word++) {
        struct bi_terrain_word w = bi_terrain_word_of(&a->grid, word);
        struct bi_terrain_triangle t;
        for (uint64_t left = a->view.bits[word]; bi_terrain_next_leaf(&a->grid, &a->view, &w, &left, &t);)
            live += bi_terrain_live(&a->grid, &t);
    }
    a->counts[block] = live;
}

BI_FN void bi_step_terrain_count(const struct bi_terrain_mesh *a, int64_t word)
{
    a->before[word] = (uint32_t)bosc_cbt_ones(a->used[word]);
}

BI_FN void bi_step_terrain_totals(const struct bi_terrain_mesh *a, int64_t i)
{
    a->totals[i] = i == 0 ? (int64_t)a->before[a->words] : a->live[a->view.blocks];
}

/* The normal at a sample: of the parabolas through its neighbours; at a border, of the line to the one there is. */
BI_FN void bi_terrain_normal(const struct bi_terrain_mesh *a, int32_t x, int32_t y, float *normal)
{
    const struct bi_terrain_grid *g = &a->grid;
    const float *z = a->heights + bi_terrain_sample(g, x, y);
    int32_t west = x > 0, east = x<g->last_x, south = y> 0, north = y < g->last_y;
    double dx = ((double)z[east] - z[-west]) / ((west + east) * a->spacing);
    double dy = ((double)z[north * (int64_t)g->w] - z[-south * (int64_t)g->w]) / ((south + north) * a->spacing);
    double most = dx < 0 ? -dx : dx, off = dy < 0 ? -dy : dy;
    most = off > most ? off : most;
    most = most > 1 ? most : 1; /* so that squares stay finite */
    dx /= most;
    dy /= most;
    double up = 1 / most, length = bi_sqrt(dx * dx + dy * dy + up * up);
    normal[0] = (float)(-dx / length);
    normal[1] = (float)(-dy / length);
    normal[2] = (float)(up / length);
}

/* Vertex number `vertex`, which is sample `bit` of a block of them. */
BI_FN void bi_terrain_put_vertex(const struct bi_terrain_mesh *a, int64_t word, int32_t bit, int64_t vertex)
{
    int32_t x = (int32_t)(word % a->across) * 8 + (bit & 7), y = (int32_t)(word / a->across) * 8 + (bit >> 3);
    if (a->vertices) {
        a->vertices[3 * vertex] = (float)(x * a->spacing);
        a->vertices[3 * vertex + 1] = (float)(y * a->spacing);
        a->vertices[3 * vertex + 2] = a->heights[bi_terrain_sample(&a->grid, x, y)];
    }
    if (a->normals) bi_terrain_normal(a, x, y, a->normals + 3 * vertex);
}

BI_FN void bi_step_terrain_vertices(const struct bi_terrain_mesh *a, int64_t word)
{
    int64_t vertex = a->before[word];
    for (uint64_t left = a->used[word]; left; left &= left - 1)
        bi_terrain_put_vertex(a, word, bosc_cbt_low_zeros(left), vertex++);
}

BI_FN uint32_t bi_terrain_vertex(const struct bi_terrain_mesh *a, int32_t x, int32_t y)
{
    x = bi_terrain_min(x, a->grid.last_x);
    y = bi_terrain_min(y, a->grid.last_y);
    int64_t word = (int64_t)(y >> 3) * a->across + (x >> 3);
    uint64_t earlier = ((uint64_t)1 << ((y & 7) * 8 + (x & 7))) - 1;
    return a->before[word] + (uint32_t)bosc_cbt_ones(a->used[word] & earlier);
}

BI_FN void bi_terrain_put_triangle(const struct bi_terrain_mesh *a, const struct bi_terrain_triangle *t, int64_t number)
{
    a->triangles[3 * number] = bi_terrain_vertex(a, t->lx, t->ly);
    a->triangles[3 * number + 1] = bi_terrain_vertex(a, t->rx, t->ry);
    a->triangles[3 * number + 2] = bi_terrain_vertex(a, t->px, t->py);
}

/* Items are blocks of the tree. */
BI_FN void bi_step_terrain_triangles(const struct bi_terrain_mesh *a, int64_t block)
{
    int64_t number = a->live[block];
    for (int64_t word = block * BOSC_CBT_BLOCK_WORDS; word < (block + 1) * BOSC_CBT_BLOCK_WORDS; word++) {
        struct bi_terrain_word w = bi_terrain_word_of(&a->grid, word);
        struct bi_terrain_triangle t;
        for (uint64_t left = a->view.bits[word]; bi_terrain_next_leaf(&a->grid, &a->view, &w, &left, &t);)
            if (bi_terrain_live(&a->grid, &t)) bi_terrain_put_triangle(a, &t, number++);
    }
}

/* Questions. Item i: leaf first + i, point i, leaf i. */
struct bi_terrain_ask {
    struct bi_terrain_grid grid;
    bosc_cbt_view view;
    const float *samples;
    double spacing;
    int64_t first;
    const double *points;
    const int64_t *leaves;
    int64_t *answers;
    double *heights;
};

BI_FN void bi_step_terrain_corners(const struct bi_terrain_ask *a, int64_t i)
{
    const struct bi_terrain_grid *g = &a->grid;
    uint64_t node = bosc_cbt_find(&a->view, a->first + i);
    int64_t *to = a->answers + 3 * i;
    to[0] = to[1] = to[2] = -1;
    if (!node) return;
    struct bi_terrain_triangle t = bi_terrain_of_node(g, node);
    if (!bi_terrain_live(g, &t)) return;
    to[0] = bi_terrain_sample(g, t.lx, t.ly);
    to[1] = bi_terrain_sample(g, t.rx, t.ry);
    to[2] = bi_terrain_sample(g, t.px, t.py);
}

BI_FN void bi_step_terrain_locate(const struct bi_terrain_ask *a, int64_t i)
{
    const struct bi_terrain_grid *g = &a->grid;
    double x = a->points[2 * i] / a->spacing, y = a->points[2 * i + 1] / a->spacing;
    bool in = x >= 0 && y >= 0 && x <= g->last_x && y <= g->last_y && (!g->half || x >= y);
    if (!in) {
        if (a->answers) a->answers[i] = -1;
        if (a->heights) a->heights[i] = BI_QUIET_NAN;
        return;
    }
    struct bi_terrain_place place = bi_terrain_find(g, &a->view, x, y);
    if (a->answers) a->answers[i] = bosc_cbt_number(&a->view, place.node);
    struct bi_terrain_plane plane = bi_terrain_plane_of(g, a->samples, &place.t);
    if (a->heights) a->heights[i] = bi_terrain_over(&plane, x, y);
}

/* The leaf just beyond the edge from a to b, which is where the right isosceles triangle over that edge is: either that
 * is a leaf, or its parent, or it is in a larger one. Six times coordinates, since its middle is not a sample. */
BI_FN int64_t bi_terrain_beyond(const struct bi_terrain_ask *a, int32_t ax, int32_t ay, int32_t bx, int32_t by)
{
    const struct bi_terrain_grid *g = &a->grid;
    int64_t x = 3 * ((int64_t)ax + bx) + (by - ay), y = 3 * ((int64_t)ay + by) - (bx - ax);
    int64_t along = (g->tall ? y : x) / 6, across = g->tall ? x : y, last = g->tall ? g->last_y : g->last_x;
    if (x < 0 || y < 0 || across > (int64_t)6 << g->side) return -1;
    if (g->half && y > x) return -1;
    uint64_t node = 1;
    int64_t square = along >> g->side;
    if (square > (last - 1) >> g->side) return -1;
    struct bi_terrain_triangle t = bi_terrain_root(g, (int32_t)square, 0);
    if (!g->half) {
        int64_t ex = t.rx - t.lx, ey = t.ry - t.ly;
        bool second = ex * (y - 6 * (int64_t)t.ly) - ey * (x - 6 * (int64_t)t.lx) < 0;
        if (second) t = bi_terrain_root(g, (int32_t)square, 1);
        node = ((uint64_t)1 << g->first) + 2 * (uint64_t)square + second;
    }
    while (bi_terrain_is_split(&a->view, node)) {
        int64_t ex = (int64_t)t.lx + t.rx - 2 * (int64_t)t.px, ey = (int64_t)t.ly + t.ry - 2 * (int64_t)t.py;
        uint64_t which = ex * (y - 6 * (int64_t)t.py) - ey * (x - 6 * (int64_t)t.px) > 0;
        t = bi_terrain_child(&t, which);
        node = 2 * node + which;
    }
    return bi_terrain_live(g, &t) ? bosc_cbt_number(&a->view, node) : -1;
}

BI_FN void bi_step_terrain_neighbours(const struct bi_terrain_ask *a, int64_t i)
{
    const struct bi_terrain_grid *g = &a->grid;
    uint64_t node = bosc_cbt_find(&a->view, a->leaves[i]);
    int64_t *to = a->answers + 3 * i;
    to[0] = to[1] = to[2] = -1;
    if (!node) return;
    struct bi_terrain_triangle t = bi_terrain_of_node(g, node);
    if (!bi_terrain_live(g, &t)) return;
    to[0] = bi_terrain_beyond(a, t.lx, t.ly, t.rx, t.ry);
    to[1] = bi_terrain_beyond(a, t.rx, t.ry, t.px, t.py);
    to[2] = bi_terrain_beyond(a, t.px, t.py, t.lx, t.ly);
}

#endif
