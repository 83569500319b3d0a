/* Four ranks, each with a quarter of a million points, find the neighbours of all points. */
#include <boscage/boscage.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { RANKS = 4, N = 50000, DIM = 3, K = 4 };

struct rank {
    bosc_comm *comm;
    uint64_t number;
    int64_t elsewhere; /* neighbours on other ranks */
    bosc_status status;
};

/* All ranks make the same calls, each with its own context and points. */
static bosc_status find_neighbours(struct rank *r, bosc_ctx *ctx, float *points, int64_t *ids)
{
    bosc_ranks_kdtree *tree = NULL;
    bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = DIM};
    bosc_status status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, r->number, N, DIM, BOSC_F32, points);
    if (!status) status = bosc_ranks_kdtree_create(ctx, r->comm, &opts, &tree);
    if (!status) status = bosc_ranks_kdtree_build(ctx, tree, points, N, 0);
    if (!status) status = bosc_ranks_kdtree_knn(ctx, tree, points, N, 0, K, ids, NULL);
    bosc_ranks_kdtree_free(tree);
    if (status) fprintf(stderr, "dist: %s\n", bosc_ctx_message(ctx));
    return status;
}

static void *run_rank(void *user)
{
    struct rank *r = user;
    bosc_ctx *ctx = NULL;
    bosc_ctx_opts opts = {.size = sizeof opts, .threads = 1}; /* or .backend = BOSC_BACKEND_CUDA, .device = r->number */
    float *points = malloc(sizeof(float) * N * DIM);
    int64_t *ids = malloc(sizeof(int64_t) * N * K);
    r->status = points && ids ? bosc_ctx_create(&opts, &ctx) : BOSC_ERR_NOMEM;
    if (!r->status) r->status = find_neighbours(r, ctx, points, ids);
    for (int64_t i = 0; i < N * K && !r->status; i++) r->elsewhere += ids[i] / N != (int64_t)r->number;
    bosc_comm_free(r->comm); /* other ranks notice if one ends early */
    bosc_ctx_free(ctx);
    free(points);
    free(ids);
    return NULL;
}

int main(void)
{
    struct rank ranks[RANKS] = {0};
    bosc_comm *comms[RANKS];
    pthread_t threads[RANKS];
    int64_t elsewhere = 0;
    bosc_ctx *ctx = NULL;
    bosc_status status = bosc_ctx_create(NULL, &ctx);
    if (!status) status = bosc_comm_create_threads(ctx, RANKS, NULL, comms);
    for (int r = 0; r < RANKS && !status; r++) {
        ranks[r] = (struct rank){.comm = comms[r], .number = (uint64_t)r};
        if (pthread_create(&threads[r], NULL, run_rank, &ranks[r]) != 0) return EXIT_FAILURE;
    }
    for (int r = 0; r < RANKS && !status; r++) pthread_join(threads[r], NULL);
    for (int r = 0; r < RANKS; r++) {
        if (ranks[r].status) status = ranks[r].status;
        elsewhere += ranks[r].elsewhere;
    }
    if (!status)
        printf("%d points on %d ranks: %lld of %d neighbours are on another rank\n", RANKS * N, RANKS,
               (long long)elsewhere, RANKS * N * K);
    bosc_ctx_free(ctx);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
