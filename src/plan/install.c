/* Installs built constraints in the blocks of a handle: one in the backend's memory, and a copy on the host. */
#include <math.h>
#include <string.h>

#include "core/arena.h"
#include "core/carve.h"
#include "plan/handle.h"
#include "plan/builder.h"

/* Carves the next array of a block and copies `from` to it, unless only measuring. */
static void *pack_array(struct bi_carver *c, const void *from, int64_t count, size_t size)
{
    void *to = bi_carve(c, count, size);
    if (to && from && count > 0) memcpy(to, from, (size_t)count * size);
    return to;
}

#define PACK(carver, field, count) ((field) = pack_array((carver), (field), (count), sizeof *(field)))

static void pack_surface(struct bi_carver *c, struct bi_plan_surface *s)
{
    PACK(c, s->vertices, 3 * (int64_t)s->vertex_count);
    PACK(c, s->edges, 2 * (int64_t)s->edge_count);
    PACK(c, s->facet_edges, s->facet_count > 0 ? s->facet_offsets[s->facet_count] : 0);
    PACK(c, s->facet_offsets, s->facet_count > 0 ? s->facet_count + 1 : 0);
    PACK(c, s->solid_offsets, s->solid_count > 0 ? s->solid_count + 1 : 0);
}

static void pack_pairs(struct bi_carver *c, struct bi_plan_pairs *pairs, const struct bi_plan_list *from)
{
    pairs->list = from->block.data;
    pairs->count = from->count;
    PACK(c, pairs->list, 2 * pairs->count);
}

/* Scales a row for floats and bounds its error. Squares of a unit quaternion are at most 1, other products 1/2. The
 * coefficients, their products, ten products of both and nine sums each have an error of half a unit in the last place:
 * less than 2^-20 of the sum in all. */
static void set_fast_row(const double *row, float *fast)
{
    double most = 0, sum = 0;
    int exponent;
    for (int k = 0; k < BI_PLAN_COEFFICIENTS; k++) most = fmax(most, fabs(row[k]));
    frexp(most, &exponent);
    for (int k = 0; k < BI_PLAN_COEFFICIENTS; k++) {
        double coefficient = ldexp(row[k], -exponent);
        fast[k] = (float)coefficient;
        sum += fabs(coefficient) * (k == 0 || k == 4 || k == 7 || k == 9 ? 1 : 0.5);
    }
    fast[BI_PLAN_COEFFICIENTS] = row[BI_PLAN_COEFFICIENTS] < 0 ? -1 : (float)(0x1p-20 * sum);
    fast[BI_PLAN_COEFFICIENTS + 1] = 0;
}

/* Packs the rows of forms, in double and in float, padded to whole words. */
static void pack_rows(struct bi_carver *c, const struct bi_plan_builder *m, struct bi_plan_forms *forms)
{
    int64_t rows = 64 * forms->words, count = forms->constraints;
    double *to = pack_array(c, NULL, rows, BI_PLAN_ROW * sizeof(double));
    float *fast = pack_array(c, NULL, rows, BI_PLAN_ROW * sizeof(float));
    forms->rows = to;
    forms->fast_rows = fast;
    if (!to) return;
    if (count > 0) memcpy(to, m->rows.block.data, (size_t)count * m->rows.item);
    memset(to + BI_PLAN_ROW * count, 0, (size_t)(rows - count) * m->rows.item);
    for (int64_t k = count; k < rows; k++) to[BI_PLAN_ROW * k + BI_PLAN_COEFFICIENTS] = -1;
    for (int64_t k = 0; k < rows; k++) set_fast_row(to + BI_PLAN_ROW * k, fast + BI_PLAN_ROW * k);
}

/* Packs the arrays that kernels read, then those for callers only. *device_bytes: bytes of the first. A carver without
 * a base only measures, and all packed pointers become NULL. */
static void pack_all(struct bi_carver *c, const struct bi_plan_builder *m, bosc_plan *plan, size_t *device_bytes)
{
    struct bi_plan_forms *forms = &plan->forms;
    struct bi_plan_logic *logic = &plan->logic;
    struct bi_plan_lists *lists = &plan->lists;
    const struct bi_plan_side *sides[2] = {&m->robot, &m->obstacle};
    /* 1. Forms and logic, for kernels. */
    forms->constraints = m->rows.count;
    forms->words = (forms->constraints + 63) / 64;
    forms->exact_work = bi_plan_exact_work(m->longest);
    *logic = (struct bi_plan_logic){.robot = m->robot.surface,
                                    .obstacle = m->obstacle.surface,
                                    .order = m->order,
                                    .refs = bi_plan_refs_of(m),
                                    .flat = m->flat};
    pack_rows(c, m, forms);
    forms->offsets = m->offsets.block.data;
    forms->parts = m->parts.block.data;
    PACK(c, forms->offsets, m->offsets.count);
    PACK(c, forms->parts, m->parts.count);
    pack_surface(c, &logic->robot);
    pack_surface(c, &logic->obstacle);
    PACK(c, logic->refs, m->order.count);
    pack_pairs(c, &logic->edge_facet, &m->edge_facet);
    pack_pairs(c, &logic->facet_edge, &m->facet_edge);
    pack_pairs(c, &logic->vertex_solid, &m->vertex_solid);
    pack_pairs(c, &logic->solid_vertex, &m->solid_vertex);
    *device_bytes = c->used;
    /* 2. Lists, for callers. */
    lists->candidate_of = m->candidate_of.block.data;
    PACK(c, lists->candidate_of, m->candidate_of.count);
    lists->refs = logic->refs;
    lists->rows = forms->rows;
    for (int k = 0; k < 2; k++) {
        lists->vertices[k] = sides[k]->vertex_ids;
        PACK(c, lists->vertices[k], sides[k]->surface.vertex_count);
        lists->edges[k] = k ? logic->obstacle.edges : logic->robot.edges;
        lists->balls[k] = sides[k]->ball_count;
        lists->vertex_count[k] = sides[k]->surface.vertex_count;
        lists->edge_count[k] = sides[k]->surface.edge_count;
        lists->facet_count[k] = sides[k]->surface.facet_count;
    }
}

/* Moves a pointer from one block to the same offset in another. */
static void rebase_pointer(const void **pointer, const char *from, const char *to)
{
    *pointer = to + ((const char *)*pointer - from);
}

/* Points forms and logic to a block of the same content: from the host copy to the backend, or to a grown block. */
static void rebase_kernel_arrays(bosc_plan *plan, const char *from, const char *to)
{
    const void **pointers[] = {
        (const void **)&plan->forms.rows,
        (const void **)&plan->forms.fast_rows,
        (const void **)&plan->forms.offsets,
        (const void **)&plan->forms.parts,
        (const void **)&plan->logic.refs,
        (const void **)&plan->logic.edge_facet.list,
        (const void **)&plan->logic.facet_edge.list,
        (const void **)&plan->logic.vertex_solid.list,
        (const void **)&plan->logic.solid_vertex.list,
    };
    struct bi_plan_surface *surfaces[] = {&plan->logic.robot, &plan->logic.obstacle};
    for (size_t k = 0; k < sizeof pointers / sizeof pointers[0]; k++) rebase_pointer(pointers[k], from, to);
    for (int k = 0; k < 2; k++) {
        rebase_pointer((const void **)&surfaces[k]->vertices, from, to);
        rebase_pointer((const void **)&surfaces[k]->edges, from, to);
        rebase_pointer((const void **)&surfaces[k]->facet_edges, from, to);
        rebase_pointer((const void **)&surfaces[k]->facet_offsets, from, to);
        rebase_pointer((const void **)&surfaces[k]->solid_offsets, from, to);
    }
}

/* The same for the lists, which stay on the host. */
static void rebase_lists(struct bi_plan_lists *lists, const char *from, const char *to)
{
    const void **pointers[] = {(const void **)&lists->candidate_of, (const void **)&lists->refs,
                               (const void **)&lists->rows,         (const void **)&lists->vertices[0],
                               (const void **)&lists->vertices[1],  (const void **)&lists->edges[0],
                               (const void **)&lists->edges[1]};
    for (size_t k = 0; k < sizeof pointers / sizeof pointers[0]; k++) rebase_pointer(pointers[k], from, to);
}

/* Sets the info: counts of the build, and the constraints of each kind. */
static void set_info(const struct bi_plan_builder *m, bosc_plan *plan)
{
    bosc_plan_info *info = &plan->info;
    const bosc_plan_info none = {0};
    *info = none;
    info->constraints = plan->forms.constraints;
    info->words = plan->forms.words;
    info->candidates = m->order.count;
    info->culled = m->culled;
    info->merged = m->merged;
    info->robot_edges = m->robot.surface.edge_count;
    info->obstacle_edges = m->obstacle.surface.edge_count;
    info->always = m->always;
    for (int64_t k = 0; k < info->constraints; k++) {
        int64_t of = plan->lists.candidate_of[k];
        info->balls += of < m->order.vertex_facet;
        info->half_spaces += of >= m->order.vertex_facet && of < m->order.screw;
        info->screws += of >= m->order.screw && of < m->order.form;
        info->forms += of >= m->order.form;
    }
}

/* If the blocks fit, both reservations succeed and change nothing. plan->host and plan->memory are allocators without a
 * state of their own. bi_plan_clear keeps the blocks. */
bosc_status bi_plan_install(const struct bi_plan_builder *m, bosc_plan *plan)
{
    bosc_ctx *ctx = m->ctx;
    bosc_plan fresh = *plan;
    struct bi_carver measure = {NULL, 0};
    size_t device_bytes = 0;
    /* 1. Measure (without a base all pointers become NULL), and use the handle's blocks if they fit, else new ones. */
    pack_all(&measure, m, &fresh, &device_bytes);
    const bool fits = measure.used <= plan->host_block.bytes && device_bytes <= plan->device_block.bytes;
    if (!fits) fresh.host_block = fresh.device_block = (struct bi_block){0};
    BI_TRY(bi_block_reserve(ctx, &plan->host, &fresh.host_block, measure.used));
    /* 2. Pack on the host, copy to the backend, and point forms and logic there. */
    struct bi_carver layout = {fresh.host_block.data, 0};
    pack_all(&layout, m, &fresh, &device_bytes);
    set_info(m, &fresh);
    bosc_status status = bi_block_reserve(ctx, &plan->memory, &fresh.device_block, device_bytes);
    if (status == BOSC_OK)
        status = ctx->backend->copy(ctx, fresh.device_block.data, fresh.host_block.data, device_bytes);
    if (status == BOSC_OK) status = ctx->backend->sync(ctx);
    if (status == BOSC_OK) rebase_kernel_arrays(&fresh, fresh.host_block.data, fresh.device_block.data);
    /* 3. Free the old blocks, or on failure the new ones; a device failure in the handle's own blocks empties it. */
    if (!fits) {
        bosc_plan *replaced = status == BOSC_OK ? plan : &fresh;
        bi_block_free(&plan->memory, &replaced->device_block);
        bi_block_free(&plan->host, &replaced->host_block);
    } else if (status != BOSC_OK) {
        bi_plan_clear(plan);
    }
    if (status == BOSC_OK) *plan = fresh;
    return status;
}

struct bi_plan_bytes bi_plan_count_bytes(const struct bi_plan_builder *m)
{
    bosc_plan plan;
    struct bi_carver measure = {NULL, 0};
    struct bi_plan_bytes bytes;
    memset(&plan, 0, sizeof plan);
    pack_all(&measure, m, &plan, &bytes.device);
    bytes.host = measure.used;
    return bytes;
}

bosc_status bi_plan_grow_blocks(bosc_ctx *ctx, bosc_plan *plan, struct bi_plan_bytes bytes)
{
    struct bi_block *const host = &plan->host_block, *const device = &plan->device_block;
    const struct bi_block old_host = *host, old_device = *device;
    const bool holds = plan->forms.rows != NULL;
    const size_t used_host = holds ? old_host.bytes : 0, used_device = holds ? old_device.bytes : 0;
    BI_TRY(bi_blocks_grow(ctx, &plan->memory, &device, 1, &bytes.device, &used_device));
    if (holds) rebase_kernel_arrays(plan, old_device.data, device->data);
    BI_TRY(bi_blocks_grow(ctx, &plan->host, &host, 1, &bytes.host, &used_host));
    if (holds) rebase_lists(&plan->lists, old_host.data, host->data);
    return BOSC_OK;
}
