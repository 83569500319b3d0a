/* Builds the constraints of a scene, and copies out what they are. */
#include <math.h>
#include <string.h>

#include "plan/handle.h"
#include "plan/maker.h"
#include "plan/scene.h"

static bosc_status take_scene(bosc_ctx *ctx, const bosc_plan_scene *scene, bosc_plan_scene *full)
{
    if (!scene) return bi_fail(ctx, BOSC_ERR_ARG, "scene: NULL");
    BI_TRY(bi_take_opts(ctx, "bosc_plan_scene", scene, full, sizeof *full));
    if (full->form_count < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "scene: form_count %lld is less than 0", (long long)full->form_count);
    if (full->form_count > BI_PLAN_MAX_CANDIDATES)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "scene: form_count %lld is over 2^22", (long long)full->form_count);
    if (full->form_count > 0 && !full->forms) return bi_fail(ctx, BOSC_ERR_ARG, "scene: forms NULL");
    BI_TRY(bi_check_aligned(ctx, "scene: forms", full->forms, sizeof *full->forms));
    for (int64_t k = 0; k < BI_PLAN_COEFFICIENTS * full->form_count; k++)
        if (!bi_plan_is_coordinate(full->forms[k]))
            return bi_fail(ctx, BOSC_ERR_DATA, "scene: form %lld holds %g, neither 0 nor of size 2^-110 to 2^100",
                           (long long)(k / BI_PLAN_COEFFICIENTS), full->forms[k]);
    return BOSC_OK;
}

static bosc_status set_order(struct bi_plan_maker *m)
{
    const struct bi_plan_surface *r = &m->robot.surface, *o = &m->obstacle.surface;
    const int64_t counts[5] = {m->robot.ball_count * m->obstacle.ball_count, (int64_t)r->vertex_count * o->facet_count,
                               (int64_t)r->facet_count * o->vertex_count, (int64_t)r->edge_count * o->edge_count,
                               m->scene->form_count};
    int64_t begins[6] = {0};
    if ((m->robot.ball_count > 0 && o->facet_count > 0) || (m->obstacle.ball_count > 0 && r->facet_count > 0))
        return bi_fail(m->ctx, BOSC_ERR_DATA, "scene: balls can only meet balls");
    for (int k = 0; k < 5; k++) begins[k + 1] = begins[k] + counts[k];
    if (begins[5] > BI_PLAN_MAX_CANDIDATES)
        return bi_fail(m->ctx, BOSC_ERR_LIMIT, "scene: %lld pairs of features are over 2^22", (long long)begins[5]);
    m->order = (struct bi_plan_order){begins[1], begins[2], begins[3], begins[4], begins[5]};
    return BOSC_OK;
}

/* ---- packing: one block in the backend's memory, and the same on the host ---- */

/* Pieces of a block. The first time they are counted, then laid out. */
struct packing {
    char *to; /* NULL: counting */
    size_t bytes;
};

static void *pack(struct packing *p, const void *from, int64_t count, size_t size)
{
    size_t bytes = (size_t)count * size, at = p->bytes;
    p->bytes += (bytes + 63) / 64 * 64;
    if (!p->to) return NULL;
    if (bytes > 0 && from) memcpy(p->to + at, from, bytes);
    return p->to + at;
}

#define PACK(p, field, count) ((field) = pack((p), (field), (count), sizeof *(field)))

static void pack_surface(struct packing *p, struct bi_plan_surface *s)
{
    PACK(p, s->vertices, 3 * (int64_t)s->vertex_count);
    PACK(p, s->edges, 2 * (int64_t)s->edge_count);
    PACK(p, s->facet_edges, s->facet_count > 0 ? s->facet_offsets[s->facet_count] : 0);
    PACK(p, s->facet_offsets, s->facet_count > 0 ? s->facet_count + 1 : 0);
    PACK(p, s->solid_offsets, s->solid_count > 0 ? s->solid_count + 1 : 0);
}

static void pack_pairs(struct packing *p, struct bi_plan_pairs *pairs, const struct bi_plan_list *from)
{
    pairs->list = from->block.data;
    pairs->count = from->count;
    PACK(p, pairs->list, 2 * pairs->count);
}

/* For unit quaternions, of whose products the squares are at most 1 and the others 1/2: coefficients, products, and ten
 * products of both are off by half a unit of the last place each, and so are nine sums. */
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

static void pack_rows(struct packing *p, const struct bi_plan_maker *m, struct bi_plan_forms *forms)
{
    int64_t rows = 64 * forms->words, count = forms->constraints;
    double *to = pack(p, NULL, rows, BI_PLAN_ROW * sizeof(double));
    float *fast = pack(p, NULL, rows, BI_PLAN_ROW * sizeof(float));
    forms->rows = to;
    forms->fast_rows = fast;
    if (!to) return;
    if (count > 0) memcpy(to, m->rows.block.data, (size_t)count * m->rows.item);
    memset(to + BI_PLAN_ROW * count, 0, (size_t)(rows - count) * m->rows.item);
    for (int64_t k = count; k < rows; k++) to[BI_PLAN_ROW * k + BI_PLAN_COEFFICIENTS] = -1;
    for (int64_t k = 0; k < rows; k++) set_fast_row(to + BI_PLAN_ROW * k, fast + BI_PLAN_ROW * k);
}

/* All that kernels read, and then what only callers ask for. */
static void pack_all(struct packing *p, const struct bi_plan_maker *m, bosc_plan *plan, size_t *of_kernels)
{
    struct bi_plan_forms *forms = &plan->forms;
    struct bi_plan_logic *logic = &plan->logic;
    struct bi_plan_lists *lists = &plan->lists;
    const struct bi_plan_side *sides[2] = {&m->robot, &m->obstacle};
    forms->constraints = m->rows.count;
    forms->words = (forms->constraints + 63) / 64;
    forms->exact_work = 4 * m->longest + 8;
    *logic = (struct bi_plan_logic){.robot = m->robot.surface,
                                    .obstacle = m->obstacle.surface,
                                    .order = m->order,
                                    .refs = bi_plan_refs_of(m),
                                    .flat = m->flat};
    pack_rows(p, m, forms);
    forms->offsets = m->offsets.block.data;
    forms->parts = m->parts.block.data;
    PACK(p, forms->offsets, m->offsets.count);
    PACK(p, forms->parts, m->parts.count);
    pack_surface(p, &logic->robot);
    pack_surface(p, &logic->obstacle);
    PACK(p, logic->refs, m->order.count);
    pack_pairs(p, &logic->edge_facet, &m->edge_facet);
    pack_pairs(p, &logic->facet_edge, &m->facet_edge);
    pack_pairs(p, &logic->vertex_solid, &m->vertex_solid);
    pack_pairs(p, &logic->solid_vertex, &m->solid_vertex);
    *of_kernels = p->bytes;
    lists->candidate_of = m->candidate_of.block.data;
    PACK(p, lists->candidate_of, m->candidate_of.count);
    lists->refs = logic->refs;
    lists->rows = forms->rows;
    for (int k = 0; k < 2; k++) {
        lists->vertices[k] = sides[k]->vertex_ids;
        PACK(p, lists->vertices[k], sides[k]->surface.vertex_count);
        lists->edges[k] = k ? logic->obstacle.edges : logic->robot.edges;
        lists->balls[k] = sides[k]->ball_count;
        lists->vertex_count[k] = sides[k]->surface.vertex_count;
        lists->edge_count[k] = sides[k]->surface.edge_count;
        lists->facet_count[k] = sides[k]->surface.facet_count;
    }
}

/* Pointers into the host's block become pointers to the same places of the other. */
static void rebase(const void **pointer, const char *from, const char *to)
{
    *pointer = to + ((const char *)*pointer - from);
}

static void rebase_all(bosc_plan *plan, const char *from, const char *to)
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
    for (size_t k = 0; k < sizeof pointers / sizeof pointers[0]; k++) rebase(pointers[k], from, to);
    for (int k = 0; k < 2; k++) {
        rebase((const void **)&surfaces[k]->vertices, from, to);
        rebase((const void **)&surfaces[k]->edges, from, to);
        rebase((const void **)&surfaces[k]->facet_edges, from, to);
        rebase((const void **)&surfaces[k]->facet_offsets, from, to);
        rebase((const void **)&surfaces[k]->solid_offsets, from, to);
    }
}

static void set_info(const struct bi_plan_maker *m, bosc_plan *plan)
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

/* Laid out in the blocks of before where they are large enough, so that only the device can fail from there on: then
 * the handle is empty. Else in others, and on failure it stays as it was. */
static bosc_status install(const struct bi_plan_maker *m, bosc_plan *plan)
{
    bosc_ctx *ctx = m->ctx;
    bosc_plan fresh = *plan;
    struct packing counting = {0};
    size_t of_kernels = 0;
    pack_all(&counting, m, &fresh, &of_kernels);
    const bool fits = counting.bytes <= plan->host_block.bytes && of_kernels <= plan->device_block.bytes;
    if (!fits) fresh.host_block = fresh.device_block = (struct bi_block){0};
    BI_TRY(bi_block_reserve(ctx, &plan->host, &fresh.host_block, counting.bytes));
    struct packing laying = {.to = fresh.host_block.data};
    pack_all(&laying, m, &fresh, &of_kernels);
    set_info(m, &fresh);
    bosc_status status = bi_block_reserve(ctx, &plan->memory, &fresh.device_block, of_kernels);
    if (status == BOSC_OK) status = ctx->backend->copy(ctx, fresh.device_block.data, fresh.host_block.data, of_kernels);
    if (status == BOSC_OK) status = ctx->backend->sync(ctx);
    if (status == BOSC_OK) rebase_all(&fresh, fresh.host_block.data, fresh.device_block.data);
    if (!fits) {
        bosc_plan *loser = status == BOSC_OK ? plan : &fresh;
        bi_block_free(&plan->memory, &loser->device_block);
        bi_block_free(&plan->host, &loser->host_block);
    } else if (status != BOSC_OK) {
        bi_plan_forget(plan);
    }
    if (status == BOSC_OK) *plan = fresh;
    return status;
}

static bosc_status make_and_install(struct bi_plan_maker *m, bosc_plan *plan)
{
    BI_TRY(bi_plan_make_side(m->ctx, m->host, "robot", &m->scene->robot, &m->robot));
    BI_TRY(bi_plan_make_side(m->ctx, m->host, "obstacle", &m->scene->obstacle, &m->obstacle));
    BI_TRY(set_order(m));
    bi_expect(m->ctx, 3.0 * (double)m->order.count);
    BI_TRY(bi_plan_make(m));
    return install(m, plan);
}

/* The blocks of a build, which the handle keeps for the next one. */
static void exchange_blocks(bosc_plan *plan, struct bi_plan_maker *m)
{
    struct bi_block *const blocks[BI_PLAN_WORK_BLOCKS] = {
        &m->signs,
        &m->needed,
        &m->refs,
        &m->slots,
        &m->rows.block,
        &m->offsets.block,
        &m->parts.block,
        &m->candidate_of.block,
        &m->hashes.block,
        &m->edge_facet.block,
        &m->facet_edge.block,
        &m->vertex_solid.block,
        &m->solid_vertex.block,
        &m->robot.numbers,
        &m->robot.doubles,
        &m->obstacle.numbers,
        &m->obstacle.doubles,
    };
    for (int b = 0; b < BI_PLAN_WORK_BLOCKS; b++) {
        const struct bi_block kept = plan->work[b];
        plan->work[b] = *blocks[b];
        *blocks[b] = kept;
    }
}

bosc_status bosc_plan_build(bosc_ctx *ctx, bosc_plan *plan, const bosc_plan_scene *scene)
{
    bosc_plan_scene full;
    BI_ENTER(ctx);
    BI_TRY(bi_plan_check(ctx, plan));
    BI_TRY(take_scene(ctx, scene, &full));
    struct bi_plan_maker m = {.ctx = ctx,
                              .host = &plan->host,
                              .scene = &full,
                              .keep_duplicates = plan->opts.keep_duplicates,
                              .rows = {.item = BI_PLAN_ROW * sizeof(double)},
                              .offsets = {.item = sizeof(int64_t)},
                              .parts = {.item = sizeof(double)},
                              .candidate_of = {.item = sizeof(int64_t)},
                              .hashes = {.item = sizeof(uint64_t)},
                              .edge_facet = {.item = 2 * sizeof(int32_t)},
                              .facet_edge = {.item = 2 * sizeof(int32_t)},
                              .vertex_solid = {.item = 2 * sizeof(int32_t)},
                              .solid_vertex = {.item = 2 * sizeof(int32_t)}};
    exchange_blocks(plan, &m);
    bosc_status status = make_and_install(&m, plan);
    exchange_blocks(plan, &m);
    return status;
}
