/* Writes clusterings, the same bytes on every backend, and reads them without trust in the input: arrays grow as bytes
 * arrive, the checksum is verified, and all trees are made again from checked arrays. */
#include "cluster/save.h"

#include "cluster/hdbscan.h"
#include "cluster/steps/steps.h"
#include "core/check.h"

/* Sizes of the arrays of n points. */
struct sizes {
    size_t points, z, core;
};

static struct sizes sizes_of(const bosc_hdbscan_opts *o, int64_t n)
{
    const size_t rows = (size_t)n;
    return (struct sizes){rows * (size_t)o->dim * bosc_dtype_size(o->dtype),
                          (n > 0 ? rows - 1 : 0) * 4 * sizeof(double),
                          rows * (o->dtype == BOSC_F32 ? sizeof(float) : sizeof(double))};
}

static double saved_items(const struct sizes *s) { return bi_save_items(s->points + s->z + s->core); }

/* --- Writing ------------------------------------------------------------------------------------------------------ */

static bosc_status save_clustering(struct bi_saver *s, const void *structure)
{
    const bosc_hdbscan *c = structure;
    const bosc_hdbscan_opts *o = &c->opts;
    const struct sizes sizes = sizes_of(o, c->n);
    struct bi_clustering_rows rows = {.is_64bit = bosc_dtype_size(o->dtype) == 8, .dim = o->dim};
    struct bi_clustering_header h = {.selection = (uint32_t)o->selection,
                                     .dtype = (uint32_t)o->dtype,
                                     .dim = (uint32_t)o->dim,
                                     .label_bits = (uint32_t)o->label_bits,
                                     .allow_single_cluster = o->allow_single_cluster != 0,
                                     .n = c->n,
                                     .min_cluster_size = o->min_cluster_size,
                                     .min_samples = o->min_samples,
                                     .max_cluster_size = o->max_cluster_size,
                                     .epsilon = o->epsilon};
    int64_t *ids;
    void *nodes;
    /* 1. The points by row: those of the tree. */
    bi_progress_set_total(s->ctx, (double)c->n + saved_items(&sizes));
    BI_TRY(bi_scratch(s->ctx, sizes.points, &nodes));
    BI_TRY(bi_scratch(s->ctx, sizes.points, &rows.to));
    BI_TRY(bi_scratch_of(s->ctx, c->n, sizeof *ids, &ids));
    if (c->n > 0) BI_TRY(bosc_kdtree_get_nodes(s->ctx, c->tree, nodes, ids));
    rows.nodes = nodes;
    rows.ids = ids;
    BI_TRY(s->ctx->ops->cluster->steps->clustering_rows(s->ctx, c->n, &rows));
    /* 2. The stream. */
    BI_TRY(bi_save_header(s, &h, sizeof h, BI_CLUSTERING_SAVE_MAGIC, BI_CLUSTERING_SAVE_VERSION));
    BI_TRY(bi_save_array(s, rows.to, sizes.points));
    BI_TRY(bi_save_array(s, c->z.data, sizes.z));
    return bi_save_array(s, c->core.data, sizes.core);
}

bosc_status bosc_hdbscan_write(bosc_ctx *ctx, const bosc_hdbscan *clustering, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    BI_TRY(bi_check_handle(ctx, "clustering", clustering ? &clustering->memory : NULL));
    return bi_save(ctx, write, user, save_clustering, clustering);
}

/* --- Reading ------------------------------------------------------------------------------------------------------ */

enum { POINTS, MERGES, CORES, ARRAYS };

struct reader {
    struct bi_loader loader; /* first: see bi_load_structure */
    struct bi_clustering_header header;
    bosc_hdbscan_opts opts;
    struct bi_loaded arrays[ARRAYS];
};

static bosc_status fail_malformed(struct reader *r, const char *reason)
{
    return bi_load_malformed(&r->loader, reason);
}

/* Reports BOSC_ERR_ARG and BOSC_ERR_DATA of a call on the contents as damage of the file. */
static bosc_status report_damage(struct reader *r, bosc_status status, const char *reason)
{
    return status == BOSC_ERR_ARG || status == BOSC_ERR_DATA ? fail_malformed(r, reason) : status;
}

static bosc_status read_header(struct reader *r)
{
    struct bi_clustering_header *h = &r->header;
    BI_TRY(bi_load_header(&r->loader, h, sizeof *h, BI_CLUSTERING_SAVE_MAGIC, BI_CLUSTERING_SAVE_VERSION));
    if (h->dtype < BOSC_F32 || h->dtype > BOSC_I64) return fail_malformed(r, "the type of its elements is unknown");
    if (h->dim < 1 || h->dim > 1024) return fail_malformed(r, "its dimension is not in 1 to 1024");
    if (h->selection > BOSC_HDBSCAN_LEAF || h->allow_single_cluster > 1 || h->min_cluster_size < 2 ||
        h->min_samples < 1 || h->label_bits == 0 || h->label_bits > 64)
        return fail_malformed(r, "its options are unknown");
    if (h->n < 0 || h->n > (int64_t)1 << 31) return fail_malformed(r, "its size is out of range");
    if (h->n > 0 && h->min_samples > h->n) return fail_malformed(r, "it has fewer points than min_samples");
    const bosc_hdbscan_opts opts = {.size = sizeof opts,
                                    .dtype = (bosc_dtype)h->dtype,
                                    .dim = (int32_t)h->dim,
                                    .label_bits = (int32_t)h->label_bits,
                                    .selection = (bosc_hdbscan_selection)h->selection,
                                    .allow_single_cluster = (int32_t)h->allow_single_cluster,
                                    .min_cluster_size = h->min_cluster_size,
                                    .min_samples = h->min_samples,
                                    .max_cluster_size = h->max_cluster_size,
                                    .epsilon = h->epsilon};
    return report_damage(r, bi_hdbscan_check_opts(r->loader.ctx, &opts, &r->opts), "its options are unknown");
}

/* Fails unless all core distances are 0 or more. */
static bosc_status check_cores(struct reader *r)
{
    const void *data = r->arrays[CORES].data;
    for (int64_t i = 0; i < r->header.n; i++) {
        const double d = r->opts.dtype == BOSC_F32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
        if (!(d >= 0)) return fail_malformed(r, "a core distance is less than 0");
    }
    return BOSC_OK;
}

static bosc_status read_arrays(void *state)
{
    struct reader *r = state;
    BI_TRY(read_header(r));
    const struct sizes sizes = sizes_of(&r->opts, r->header.n);
    bi_progress_set_total(r->loader.ctx, 60 * (double)r->header.n + saved_items(&sizes));
    BI_TRY(bi_load_array(&r->loader, &r->arrays[POINTS], sizes.points, "points"));
    BI_TRY(bi_load_array(&r->loader, &r->arrays[MERGES], sizes.z, "dendrogram"));
    BI_TRY(bi_load_array(&r->loader, &r->arrays[CORES], sizes.core, "core distances"));
    BI_TRY(bi_load_hash(&r->loader));
    return check_cores(r);
}

static bosc_status create_clustering(void *state, void **fresh)
{
    struct reader *r = state;
    bosc_hdbscan *clustering;
    BI_TRY(bi_clustering_new(r->loader.ctx, &r->opts, &clustering));
    *fresh = clustering;
    return BOSC_OK;
}

static bosc_status fill_clustering(void *state, void *fresh)
{
    struct reader *r = state;
    bosc_ctx *ctx = r->loader.ctx;
    bosc_hdbscan *c = fresh;
    const struct bi_loaded *points = &r->arrays[POINTS], *z = &r->arrays[MERGES], *core = &r->arrays[CORES];
    BI_TRY(report_damage(r, bi_clustering_set_points(ctx, c, points->data, r->header.n, 0), "a point is no number"));
    if (z->bytes) BI_TRY(ctx->backend->copy(ctx, c->z.data, z->data, z->bytes));
    if (core->bytes) BI_TRY(ctx->backend->copy(ctx, c->core.data, core->data, core->bytes));
    BI_TRY(report_damage(r, bi_clustering_condense(ctx, c), "its dendrogram is none"));
    return ctx->backend->sync(ctx);
}

static void free_clustering(void *clustering) { bosc_hdbscan_free(clustering); }

bosc_status bosc_hdbscan_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_hdbscan **clustering)
{
    static const struct bi_load_kind kind = {.argument = "clustering",
                                             .what = "saved clustering",
                                             .parse = read_arrays,
                                             .create = create_clustering,
                                             .fill = fill_clustering,
                                             .free = free_clustering};
    struct reader r = {.header = {.version = 0}};
    BI_ENTER(ctx);
    return bi_load_structure(ctx, read, user, &kind, &r, r.arrays, ARRAYS, clustering);
}
