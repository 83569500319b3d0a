/* Steps that number the vertices and triangles of meshes and write them; and the step that measures the largest
 * distance of a mesh from its raster. */
#ifndef BI_TERRAIN_STEPS_MESH_H
#define BI_TERRAIN_STEPS_MESH_H

#include "base/atomic.h"
#include "base/elementary.h"
#include "terrain/steps/point.h"
#include "terrain/steps/word.h"

/* Samples are grouped in blocks of 8 x 8, row after row: a word of 64 bits each, its rows of samples in order. */
struct bi_terrain_mesh {
    struct bi_terrain_grid grid;
    bosc_cbt_view view;
    const float *heights;
    double spacing_x, spacing_y;
    int32_t across;                /* blocks of samples in a row of them */
    int64_t words;                 /* blocks of samples */
    uint64_t *vertex_bits;         /* (words) a bit a sample: 1 if it is a vertex */
    uint32_t *first_vertex;        /* (words + 1) number of vertices before the block of samples */
    const int64_t *first_triangle; /* (blocks + 1) number of triangles before the block of the tree */
    int64_t *counts;               /* (blocks + 1) triangles of the block; their scan is first_triangle */
    int64_t *totals;               /* (2) vertices, triangles */
    float *vertices, *normals;
    uint32_t *triangles;
};

BI_FN void bi_terrain_mark_vertex(const struct bi_terrain_mesh *a, int32_t x, int32_t y)
{
    const struct bi_terrain_grid *g = &a->grid;
    x = bi_terrain_min(x, g->last_x);
    y = bi_terrain_min(y, g->last_y);
    bi_atomic_or_u64(a->vertex_bits + (int64_t)(y >> 3) * a->across + (x >> 3), (uint64_t)1 << ((y & 7) * 8 + (x & 7)));
}

/* Marks the vertices of the mesh: the middles of split diamonds. Items are words of the tree. */
BI_FN void bi_step_terrain_mark_vertices(const struct bi_terrain_mesh *a, int64_t word)
{
    const struct bi_terrain_grid *g = &a->grid;
    struct bi_terrain_word w = bi_terrain_word_of(g, word);
    struct bi_terrain_point m;
    for (uint64_t left = a->view.bits[word]; bi_terrain_next_midpoint(g, &w, &left, &m);)
        bi_terrain_mark_vertex(a, m.x, m.y);
}

/* Marks the corners of the root triangles. Item i: corner i of the squares; the half square has three. */
BI_FN void bi_step_terrain_mark_corners(const struct bi_terrain_mesh *a, int64_t i)
{
    const struct bi_terrain_grid *g = &a->grid;
    int32_t along = (int32_t)(i >> 1) << g->side, across = (i & 1) << g->side;
    if (g->half && along == 0 && across != 0) return;
    bi_terrain_mark_vertex(a, g->tall ? across : along, g->tall ? along : across);
}

/* Counts the live leaves of a block of the tree. */
BI_FN void bi_step_terrain_count_triangles(const struct bi_terrain_mesh *a, int64_t block)
{
    int64_t live = 0;
    for (int64_t word = block * BOSC_CBT_BLOCK_WORDS; word < (block + 1) * BOSC_CBT_BLOCK_WORDS; word++) {
        struct bi_terrain_word w = bi_terrain_word_of(&a->grid, word);
        struct bi_terrain_triangle t;
        for (uint64_t left = a->view.bits[word]; bi_terrain_next_leaf(&a->grid, &a->view, &w, &left, &t);)
            live += bi_terrain_has_area(&a->grid, &t);
    }
    a->counts[block] = live;
}

BI_FN void bi_step_terrain_count_vertices(const struct bi_terrain_mesh *a, int64_t word)
{
    a->first_vertex[word] = (uint32_t)bosc_cbt_popcount(a->vertex_bits[word]);
}

BI_FN void bi_step_terrain_get_totals(const struct bi_terrain_mesh *a, int64_t i)
{
    a->totals[i] = i == 0 ? (int64_t)a->first_vertex[a->words] : a->first_triangle[a->view.blocks];
}

/* The normal at a sample, from central differences; from one-sided differences at a border. */
BI_FN void bi_terrain_normal(const struct bi_terrain_mesh *a, int32_t x, int32_t y, float *normal)
{
    const struct bi_terrain_grid *g = &a->grid;
    const float *z = a->heights + bi_terrain_sample(g, x, y);
    int32_t west = (x > 0), east = (x < g->last_x), south = (y > 0), north = (y < g->last_y);
    double dx = ((double)z[east] - z[-west]) / ((west + east) * a->spacing_x);
    double dy =
        ((double)z[north * (int64_t)g->width] - z[-south * (int64_t)g->width]) / ((south + north) * a->spacing_y);
    double length = bi_sqrt(dx * dx + dy * dy + 1); /* slopes are below 2^230 */
    normal[0] = (float)(-dx / length);
    normal[1] = (float)(-dy / length);
    normal[2] = (float)(1 / length);
}

/* Writes vertex number `vertex`: sample `bit` of block `word`. */
BI_FN void bi_terrain_write_vertex(const struct bi_terrain_mesh *a, int64_t word, int32_t bit, int64_t vertex)
{
    int32_t x = (int32_t)(word % a->across) * 8 + (bit & 7), y = (int32_t)(word / a->across) * 8 + (bit >> 3);
    if (a->vertices) {
        a->vertices[3 * vertex] = (float)(x * a->spacing_x);
        a->vertices[3 * vertex + 1] = (float)(y * a->spacing_y);
        a->vertices[3 * vertex + 2] = a->heights[bi_terrain_sample(&a->grid, x, y)];
    }
    if (a->normals) bi_terrain_normal(a, x, y, a->normals + 3 * vertex);
}

BI_FN void bi_step_terrain_write_vertices(const struct bi_terrain_mesh *a, int64_t word)
{
    int64_t vertex = a->first_vertex[word];
    for (uint64_t left = a->vertex_bits[word]; left; left &= left - 1)
        bi_terrain_write_vertex(a, word, bosc_cbt_trailing_zeros(left), vertex++);
}

BI_FN uint32_t bi_terrain_vertex_index(const struct bi_terrain_mesh *a, int32_t x, int32_t y)
{
    x = bi_terrain_min(x, a->grid.last_x);
    y = bi_terrain_min(y, a->grid.last_y);
    int64_t word = (int64_t)(y >> 3) * a->across + (x >> 3);
    uint64_t earlier = ((uint64_t)1 << ((y & 7) * 8 + (x & 7))) - 1;
    return a->first_vertex[word] + (uint32_t)bosc_cbt_popcount(a->vertex_bits[word] & earlier);
}

BI_FN void bi_terrain_write_triangle(const struct bi_terrain_mesh *a, const struct bi_terrain_triangle *t,
                                     int64_t number)
{
    a->triangles[3 * number] = bi_terrain_vertex_index(a, t->lx, t->ly);
    a->triangles[3 * number + 1] = bi_terrain_vertex_index(a, t->rx, t->ry);
    a->triangles[3 * number + 2] = bi_terrain_vertex_index(a, t->px, t->py);
}

/* Items are blocks of the tree. */
BI_FN void bi_step_terrain_write_triangles(const struct bi_terrain_mesh *a, int64_t block)
{
    int64_t number = a->first_triangle[block];
    for (int64_t word = block * BOSC_CBT_BLOCK_WORDS; word < (block + 1) * BOSC_CBT_BLOCK_WORDS; word++) {
        struct bi_terrain_word w = bi_terrain_word_of(&a->grid, word);
        struct bi_terrain_triangle t;
        for (uint64_t left = a->view.bits[word]; bi_terrain_next_leaf(&a->grid, &a->view, &w, &left, &t);)
            if (bi_terrain_has_area(&a->grid, &t)) bi_terrain_write_triangle(a, &t, number++);
    }
}

/* ---- measuring ---- */

/* The largest distance of a sample from the mesh, as bits of a float, and the level of the deepest leaf. */
struct bi_terrain_measure {
    struct bi_terrain_grid grid;
    bosc_cbt_view view;
    const float *heights;
    uint32_t *largest; /* (2) error, level */
};

BI_FN bool bi_terrain_is_corner(const struct bi_terrain_grid *g, const struct bi_terrain_triangle *t, int64_t sample)
{
    return sample == bi_terrain_sample(g, t->lx, t->ly) || sample == bi_terrain_sample(g, t->rx, t->ry) ||
           sample == bi_terrain_sample(g, t->px, t->py);
}

BI_FN void bi_step_terrain_measure(const struct bi_terrain_measure *a, int64_t i)
{
    const struct bi_terrain_grid *g = &a->grid;
    const int64_t row = i / g->width;
    double x = (double)(i - row * g->width), y = (double)row;
    if (g->half && y > x) return;
    struct bi_terrain_location location = bi_terrain_locate_leaf(g, &a->view, x, y);
    struct bi_terrain_plane plane = bi_terrain_plane_of(g, a->heights, &location.t);
    double error =
        bi_terrain_is_corner(g, &location.t, i) ? 0 : bi_terrain_height_at(&plane, x, y) - (double)a->heights[i];
    bi_atomic_max_u32(a->largest, bi_f32_bits(bi_f32_round_up(error < 0 ? -error : error)));
    bi_atomic_max_u32(a->largest + 1, (uint32_t)bosc_cbt_level(location.node));
}

#endif
