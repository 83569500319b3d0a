/* Each allocation, copy and launch of the published build on ranks fails in turn on one of them: all end alike, and the
 * tree is as it was, or empty. */
#include "cases/ranks/ranks_faults.h"
#include "cases/ranks/ranks_kdtree_data.h"
#include "comm/comm.h"

enum { N = 40, DIM = 2 };

/* Tree of a rank, built of other points, and the points of the next build. */
struct half {
    bosc_ranks_kdtree *tree;
    struct reference_points points;
    int64_t before;
};

static int duplicates; /* of the sweep */

static void *open_half(struct rank *r)
{
    struct half *h = suite_alloc(sizeof *h);
    struct suite_random random = {(uint64_t)r->rank + 1};
    bosc_kdtree_opts opts = {.size = sizeof opts, .dim = DIM, .duplicates = (bosc_kdtree_duplicates)duplicates};
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    kd_set_builder(&opts, KD_BROWN_HALVES);
    *h = (struct half){.tree = NULL};
    h->points = kd_points(&random, BOSC_F32, DIM, N, DIM, duplicates ? KD_GRID : KD_RANDOM);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &opts, &h->tree));
    CHECK_OK(r->ctx, bosc_ranks_kdtree_build(r->ctx, h->tree, h->points.data, 5 + r->rank, 0));
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_info(r->ctx, h->tree, &info));
    h->before = info.n;
    return h;
}

static void close_half(struct rank *r, void *state)
{
    struct half *h = state;
    (void)r;
    bosc_ranks_kdtree_free(h->tree);
    free((void *)(uintptr_t)h->points.data);
    free(h);
}

/* Builds, and says where the shard is. */
static bosc_status build_half(struct rank *r, void *state, unsigned char *out)
{
    struct half *h = state;
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    const bosc_status status = bosc_ranks_kdtree_build(r->ctx, h->tree, h->points.data, N, 0);
    char message[256];
    snprintf(message, sizeof message, "%s", bosc_ctx_message(r->ctx));
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_info(r->ctx, h->tree, &info));
    CHECK(status == BOSC_OK || info.n == 0 || info.n == h->before);
    if (status == BOSC_OK) memcpy(out, &info.begin, 2 * sizeof info.begin);
    h->before = info.n;
    return status == BOSC_OK ? status : bi_fail(r->ctx, status, "%s", message);
}

static void sweep(bosc_ctx *ctx)
{
    for (duplicates = 0; duplicates < 2; duplicates++)
        for (int32_t ranks = 2; ranks <= 2 + 2 * duplicates; ranks *= 2) {
            struct ranks_fault f = {.open = open_half,
                                    .call = build_half,
                                    .close = close_half,
                                    .bytes = 2 * sizeof(int64_t),
                                    .rank_count = ranks};
            ranks_fault_sweep(ctx, &f);
        }
}

/* The tree's creation, which makes two trees of a rank. */
static bosc_status create_half(struct rank *r, void *state, unsigned char *out)
{
    bosc_ranks_kdtree *tree = NULL;
    bosc_kdtree_opts opts = {.size = sizeof opts, .dim = DIM};
    (void)state;
    kd_set_builder(&opts, KD_BROWN_HALVES);
    const bosc_status status = bosc_ranks_kdtree_create(r->ctx, r->comm, &opts, &tree);
    CHECK((status == BOSC_OK) == (tree != NULL));
    if (status == BOSC_OK) *out = 1;
    bosc_ranks_kdtree_free(tree);
    return status;
}

static void create(bosc_ctx *ctx)
{
    duplicates = 0;
    struct ranks_fault f = {.open = open_half, .call = create_half, .close = close_half, .bytes = 1, .rank_count = 2};
    ranks_fault_sweep(ctx, &f);
}

static const struct suite_case suite_cases_ranks_kdtree_published_faults[] = {
    {"sweep", sweep, NULL},
    {"create", create, NULL},
};
SUITE(ranks_kdtree_published_faults);
