/* Culls candidates that no collision depends on. A point of the robot keeps its distance from the origin, so features
 * whose distances differ never touch and need no sign. */
#include <math.h>
#include <string.h>

#include "plan/builder.h"

void *bi_plan_list_extend(const struct bi_plan_builder *m, struct bi_plan_list *list, int64_t more)
{
    size_t need = (size_t)(list->count + more) * list->item, used = (size_t)list->count * list->item;
    if (need > list->block.bytes) {
        struct bi_block fresh = {0};
        if (bi_block_reserve(m->ctx, m->host, &fresh, need + need / 2 + 1024) != BOSC_OK) return NULL;
        if (used > 0) memcpy(fresh.data, list->block.data, used);
        bi_block_free(m->host, &list->block);
        list->block = fresh;
    }
    list->count += more;
    return (char *)list->block.data + used;
}

/* <u v', R> takes all values from -|u| |v| to |u| |v|, so c^2 is compared with |u|^2 |v|^2: in double, exactly if that
 * is
 * not certain. */
int bi_plan_constant_sign(const struct bi_exact *u, const struct bi_exact *v, const struct bi_exact *c)
{
    double uu = 0, vv = 0, cc = bi_exact_round(c) * bi_exact_round(c);
    for (int k = 0; k < 3; k++) {
        uu += bi_exact_round(&u[k]) * bi_exact_round(&u[k]);
        vv += bi_exact_round(&v[k]) * bi_exact_round(&v[k]);
    }
    double reach = uu * vv, sure = 0x1p-40 * (reach + cc);
    if (fabs(cc - reach) <= sure) {
        struct bi_exact size[2] = {{0}, {0}}, left = {0};
        for (int k = 0; k < 3; k++) {
            bi_exact_add_product(&size[0], &u[k], &u[k], 1);
            bi_exact_add_product(&size[1], &v[k], &v[k], 1);
        }
        bi_exact_add_product(&left, c, c, 1);
        bi_exact_add_product(&left, &size[0], &size[1], -1);
        if (reach == 0 && bi_exact_sign(c) == 0) return 0;
        return bi_exact_sign(&left) > 0 ? bi_exact_sign(c) : BI_PLAN_VARIES;
    }
    return cc > reach ? bi_exact_sign(c) : BI_PLAN_VARIES;
}

/* Computes the constant signs of the planes of `side` with the vertices of `other`. Candidates start at `first`, with
 * strides facet_step and vertex_step. */
static bosc_status find_half_spaces(struct bi_plan_builder *m, const struct bi_plan_side *side,
                                    const struct bi_plan_side *other, int64_t first, int64_t facet_step,
                                    int64_t vertex_step)
{
    const double *p = side->surface.vertices;
    struct bi_exact normal[3], c, v[3];
    for (int32_t f = 0; f < side->surface.facet_count; f++) {
        const int32_t *plane = side->planes + 3 * f;
        int8_t *signs = bi_plan_signs_of(m) + first + f * facet_step;
        bi_plan_exact_plane(p + 3 * plane[0], p + 3 * plane[1], p + 3 * plane[2], normal, &c);
        for (int32_t k = 0; k < other->surface.vertex_count; k++) {
            for (int i = 0; i < 3; i++) bi_exact_set(&v[i], other->surface.vertices[3 * k + i]);
            signs[k * vertex_step] = (int8_t)bi_plan_constant_sign(normal, v, &c);
        }
        BI_TRY(bi_progress_advance(m->ctx, other->surface.vertex_count));
    }
    return BOSC_OK;
}

static bool shells_overlap(struct bi_plan_shell a, struct bi_plan_shell b)
{
    return a.low <= b.high && b.low <= a.high;
}

static bosc_status list_pair(struct bi_plan_builder *m, struct bi_plan_list *list, int32_t first, int32_t second)
{
    int32_t *pair = bi_plan_list_extend(m, list, 1);
    if (!pair) return BOSC_ERR_NOMEM;
    pair[0] = first;
    pair[1] = second;
    return BOSC_OK;
}

/* Numbering of the half-spaces and screws of the edges of `side` and the facets of `other`. */
struct strides {
    int64_t half_space, vertex, facet; /* half_space + vertex v + facet f */
    int64_t screw, edge, other_edge;
};

/* Lists the edges and facets that may touch, and marks the candidates they need. */
static bosc_status list_pairs(struct bi_plan_builder *m, const struct bi_plan_side *side,
                              const struct bi_plan_side *other, const struct strides *at, struct bi_plan_list *list)
{
    const int8_t *signs = bi_plan_signs_of(m) + at->half_space;
    bool *needed = bi_plan_needed_of(m);
    for (int32_t e = 0; e < side->surface.edge_count; e++) {
        const int32_t *ends = side->surface.edges + 2 * e;
        for (int32_t f = 0; f < other->surface.facet_count; f++) {
            if (!shells_overlap(side->edge_shells[e], other->facet_shells[f])) continue;
            int64_t a = ends[0] * at->vertex + f * at->facet, b = ends[1] * at->vertex + f * at->facet;
            if (signs[a] == signs[b] && (signs[a] == 1 || signs[a] == -1)) continue;
            BI_TRY(list_pair(m, list, e, f));
            needed[at->half_space + a] = needed[at->half_space + b] = true;
            for (int32_t k = other->surface.facet_offsets[f]; k < other->surface.facet_offsets[f + 1]; k++)
                needed[at->screw + e * at->edge + (other->surface.facet_edges[k] >> 1) * at->other_edge] = true;
        }
        BI_TRY(bi_progress_advance(m->ctx, other->surface.facet_count));
    }
    return BOSC_OK;
}

/* Lists the vertices of `side` that may be in solids of `other`, and marks the candidates they need. */
static bosc_status list_inside(struct bi_plan_builder *m, const struct bi_plan_side *side,
                               const struct bi_plan_side *other, const struct strides *at, struct bi_plan_list *list)
{
    const int8_t *signs = bi_plan_signs_of(m) + at->half_space;
    const int32_t *solids = other->surface.solid_offsets;
    for (int32_t v = 0; v < side->surface.vertex_count; v++)
        for (int32_t s = 0; s < other->surface.solid_count; s++) {
            bool outside = false;
            double high = 0;
            for (int32_t f = solids[s]; f < solids[s + 1]; f++) {
                outside = outside || signs[v * at->vertex + f * at->facet] == 1;
                high = fmax(high, other->facet_shells[f].high);
            }
            if (outside || side->vertex_shells[v].low > high) continue;
            BI_TRY(list_pair(m, list, v, s));
            for (int32_t f = solids[s]; f < solids[s + 1]; f++)
                bi_plan_needed_of(m)[at->half_space + v * at->vertex + f * at->facet] = true;
        }
    return BOSC_OK;
}

bosc_status bi_plan_cull_candidates(struct bi_plan_builder *m)
{
    const struct bi_plan_surface *o = &m->obstacle.surface;
    const struct strides robot_first = {m->order.vertex_facet, o->facet_count, 1, m->order.screw, o->edge_count, 1};
    const struct strides robot_last = {m->order.facet_vertex, 1, o->vertex_count, m->order.screw, 1, o->edge_count};
    BI_TRY(find_half_spaces(m, &m->obstacle, &m->robot, m->order.vertex_facet, 1, o->facet_count));
    BI_TRY(find_half_spaces(m, &m->robot, &m->obstacle, m->order.facet_vertex, o->vertex_count, 1));
    BI_TRY(list_pairs(m, &m->robot, &m->obstacle, &robot_first, &m->edge_facet));
    BI_TRY(list_pairs(m, &m->obstacle, &m->robot, &robot_last, &m->facet_edge));
    BI_TRY(list_inside(m, &m->robot, &m->obstacle, &robot_first, &m->vertex_solid));
    return list_inside(m, &m->obstacle, &m->robot, &robot_last, &m->solid_vertex);
}
