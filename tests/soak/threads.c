/* Operations by several threads at once, each with a context of its own; and one tree that all of them read. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/kdtree.h>

#include "soak/soak.h"

enum { THREADS = 4, POINTS = 3000, K = 3 };

struct reader {
    const bosc_kdtree *tree;
    const float *points;
    uint64_t seed;
    struct digest right;
    const int64_t *right_ids;
    bool good;
};

static void *read_all(void *user)
{
    struct reader *reader = user;
    struct suite_random r = {reader->seed};
    bosc_ctx_opts opts = {.size = sizeof opts, .threads = 1 + (int32_t)suite_below(&r, 3)};
    bosc_ctx *ctx = NULL;
    static const size_t bytes = POINTS * K * sizeof(int64_t);
    int64_t *ids = malloc(bytes);
    if (!ids || bosc_ctx_create(&opts, &ctx) != BOSC_OK) return NULL;
    reader->good = true;
    for (int time = 0; time < 5; time++) {
        struct digest got;
        reader->good &= operation_run(ctx, reader->seed, &got) == BOSC_OK && got.value == reader->right.value;
        reader->good &= bosc_kdtree_knn(ctx, reader->tree, reader->points, POINTS, 2, K, ids, NULL) == BOSC_OK;
        reader->good &= memcmp(ids, reader->right_ids, bytes) == 0;
    }
    bosc_ctx_free(ctx);
    free(ids);
    return NULL;
}

void soak_threads(uint64_t seed)
{
    static float points[POINTS * 2];
    static int64_t right_ids[POINTS * K];
    struct suite_random r = {seed};
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = 2};
    const bosc_ctx_opts alone = {.size = sizeof alone, .threads = 1};
    bosc_ctx *ctx = suite_open(&alone);
    bosc_kdtree *tree = NULL;
    for (int i = 0; i < POINTS * 2; i++) points[i] = (float)suite_unit(&r);
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, points, POINTS, 2));
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, points, POINTS, 2, K, right_ids, NULL));
    struct reader readers[THREADS];
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; t++) {
        readers[t] = (struct reader){.tree = tree, .points = points, .seed = suite_next(&r), .right_ids = right_ids};
        CHECK_OK(ctx, operation_run(ctx, readers[t].seed, &readers[t].right));
    }
    for (int t = 0; t < THREADS; t++) CHECK_EQ(pthread_create(&threads[t], NULL, read_all, &readers[t]), 0);
    for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
    for (int t = 0; t < THREADS; t++)
        if (!readers[t].good) suite_fail(__FILE__, __LINE__, "%s among threads", operation_name(readers[t].seed));
    bosc_kdtree_free(tree);
    bosc_ctx_free(ctx);
}
