/* The driver that looks for a model: batches of scene bases vote, and the best of each batch are tried on the points.
 */
#include <string.h>

#include "core/call.h"
#include "geometric/finder.h"

enum {
    BATCH_ENTRIES = 1 << 22, /* coordinates looked up in a batch, votes expected, and counters, at most */
    NEAR_BATCH = 64,         /* where near points take part, a few bases often do; */
    NEAR_ENTRIES = 1 << 24   /* each of them has few coordinates, and fewer at once would leave a device idle */
};

static bosc_status take_host(struct bi_geo_finder *f)
{
    size_t n = (size_t)f->n, m = (size_t)f->m;
    f->bytes = 8 * (2 * m + m + 7 * n);
    f->memory = bi_host_alloc(f->ctx, f->bytes);
    if (!f->memory) return BOSC_ERR_NOMEM;
    f->scene = f->memory;
    f->dist2 = f->scene + 2 * m;
    f->ids = (int64_t *)(void *)(f->dist2 + n);
    f->last = f->ids + n;
    f->best = f->last + n;
    f->moved = (double *)(void *)(f->best + n);
    f->asked = (uint32_t *)(void *)(f->moved + 2 * n);
    f->nearest = f->asked + n;
    f->owner = (int64_t *)(void *)(f->nearest + n);
    f->model = f->table->copy.data;
    for (int64_t i = 0; i < f->n; i++) f->best[i] = -1;
    for (int64_t i = 0; i < f->m; i++) f->owner[i] = -1;
    return BOSC_OK;
}

/* Whether a better match would have been seen by now, but for one case in a thousand. Of a scene with more inliers than
 * the best match has, a basis of inliers alone is drawn at least as often as of those; a quarter of such bases will be
 * neither too short nor too blurred. Of near points: and in the table. Source of the rule: Fischler and Bolles, Random
 * Sample Consensus (1981). */
static bool is_certain(const struct bi_geo_finder *f)
{
    double inliers = (double)f->match.inliers, m = (double)f->m, drawn = 0.25, missed = 1;
    if (inliers >= f->table->opts.enough * (double)f->n) return true;
    if (inliers < f->table->opts.least * (double)f->n) return false;
    for (int c = 0; c < bi_geo_basis_size(f); c++) drawn *= (inliers - c) / (m - c);
    if (f->table->near) {
        struct bi_geo_near near = bi_geo_near_of(f->table->near, f->n, f->affine);
        drawn *= (double)f->table->bases / (double)bi_geo_count_bases(f->n, &near, f->affine);
    }
    double power = 1 - drawn;
    for (int64_t t = f->match.tried; t > 0; t /= 2, power *= power)
        if (t % 2) missed *= power;
    return missed <= 1e-3;
}

static bosc_status search(struct bi_geo_finder *f)
{
    for (int64_t from = 0; from < f->tries; from += f->batch) {
        int64_t count, asked;
        do {
            count = asked = f->tries - from < f->batch ? f->tries - from : f->batch;
            BI_TRY_WITH_SCRATCH(f->ctx, bi_geo_ballot(f, from, &count));
            if (count < asked) f->batch = count;
        } while (count < asked);
        BI_TRY(bi_geo_try_best(f, count));
        f->match.tried = from + count;
        if (is_certain(f)) break;
        BI_TRY(bi_progress(f->ctx, "match", (double)f->match.tried / (double)f->tries));
    }
    f->match.found = (double)f->match.inliers >= f->table->opts.least * (double)f->n;
    return BOSC_OK;
}

static bosc_status find(struct bi_geo_finder *f, const double *scene, int64_t *ids)
{
    const void *reachable;
    bool staged = false;
    BI_TRY(take_host(f));
    BI_TRY(bi_geo_fetch(f->ctx, "scene", scene, f->m, f->scene));
    if (f->tries > 0) {
        BI_TRY(bi_stage_in(f->ctx, scene, (size_t)f->m * 2 * sizeof *scene, &reachable, &staged));
        f->points = reachable;
        BI_TRY(bi_geo_make_tree(f->ctx, reachable, f->m, &f->tree));
        BI_TRY(search(f));
    }
    if (ids) BI_TRY(f->ctx->backend->copy(f->ctx, ids, f->best, (size_t)f->n * sizeof *ids));
    return f->ctx->backend->sync(f->ctx);
}

bosc_status bi_geo_find(bosc_ctx *ctx, const bosc_geometric *table, const double *scene, int64_t m, int64_t *ids,
                        bosc_geometric_match *match)
{
    struct bi_geo_finder f = {.ctx = ctx, .table = table, .n = table->n, .m = m, .per = m};
    f.affine = table->opts.kind == BOSC_GEOMETRIC_AFFINE;
    if (table->near && m > 0) f.near = bi_geo_near_of(table->near, m, f.affine);
    if (f.near.count) f.per = f.near.count;
    if (m >= bi_geo_basis_size(&f)) f.all = bi_geo_count_bases(m, &f.near, f.affine);
    f.tries = table->opts.tries > 0 ? table->opts.tries : table->near ? 1024 : 4096;
    if (f.all < (uint64_t)f.tries) f.tries = (int64_t)f.all;
    /* Entries lie in about ten units of area. */
    double near = 0.3 * table->vote * table->vote * (double)(table->bases * bi_geo_per(table));
    double entries = f.near.count ? NEAR_ENTRIES : BATCH_ENTRIES;
    double batch = entries / ((double)(m > 0 ? f.per : 1) * (1 + near));
    double most = entries / (double)table->bases;
    if (batch > most) batch = most;
    int64_t usual = f.near.count ? NEAR_BATCH : BI_GEOMETRIC_BATCH;
    f.batch = batch < 1 ? 1 : batch > (double)usual ? usual : (int64_t)batch;
    bosc_status status = find(&f, scene, ids);
    if (status == BOSC_OK) *match = f.match;
    bosc_kdtree_free(f.tree);
    bi_memory_release(&ctx->host, f.memory, f.bytes);
    return status;
}
