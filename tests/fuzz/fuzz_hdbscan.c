/* Saved clusterings, also with corrected checksums. One that was read must support predictions, and be written back
 * unchanged. */
#include "fuzz.h"
#include "cluster/save.h"

enum { QUERIES = 2, WORDS = 1024 };

/* Predicts the clusters of the first bytes of the input. */
static void predict(bosc_ctx *ctx, const bosc_hdbscan *clustering, const uint8_t *data, size_t size)
{
    static double queries[QUERIES * WORDS], memberships[QUERIES * WORDS];
    bosc_hdbscan_model m = {.size = sizeof m};
    bosc_hdbscan_opts o = {.size = sizeof o};
    bosc_hdbscan_info info = {.size = sizeof info};
    int64_t labels[QUERIES];
    require_ok(bosc_hdbscan_get_model(ctx, clustering, &m, &o, &info, NULL));
    memcpy(queries, data, size < sizeof queries ? size : sizeof queries);
    o.label_bits = 64;
    const bosc_status status = bosc_hdbscan_predict(ctx, &m, &o, queries, QUERIES, 0, labels, NULL);
    if (status != BOSC_OK) { /* a NaN, or squares out of range */
        if (bosc_ctx_message(ctx)[0] == 0) abort();
        return;
    }
    for (int q = 0; q < QUERIES; q++)
        if (labels[q] < -1 || labels[q] >= info.clusters) abort();
    if (info.clusters > WORDS) return;
    require_ok(bosc_hdbscan_predict_memberships(ctx, &m, &o, queries, QUERIES, 0, info.clusters, memberships));
    for (int64_t i = 0; i < QUERIES * info.clusters; i++)
        if (!(memberships[i] >= 0 && memberships[i] <= 1.001)) abort();
}

static void parse(const uint8_t *data, size_t size)
{
    bosc_ctx *ctx = fuzz_context();
    struct saved f = {.bytes = (char *)(uintptr_t)data, .size = size}, g = {0}, h = {0};
    bosc_hdbscan *clustering = NULL, *again = NULL;
    if (bosc_hdbscan_read(ctx, saved_deliver, &f, &clustering) != BOSC_OK) {
        if (clustering || bosc_ctx_message(ctx)[0] == 0) abort();
        return;
    }
    predict(ctx, clustering, data, size);
    /* -0 is stored as 0: the second writing has the bytes of the first. */
    require_ok(bosc_hdbscan_write(ctx, clustering, saved_append, &g));
    require_ok(bosc_hdbscan_read(ctx, saved_deliver, &g, &again));
    require_ok(bosc_hdbscan_write(ctx, again, saved_append, &h));
    if (g.size != f.at || h.size != g.size || memcmp(g.bytes, h.bytes, g.size) != 0) abort();
    bosc_hdbscan_free(clustering);
    bosc_hdbscan_free(again);
    free(g.bytes);
    free(h.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_saved(parse, offsetof(struct bi_clustering_header, hash), data, size);
}
