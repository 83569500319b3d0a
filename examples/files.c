/* Points from a file, a tree saved and loaded, neighbours written as .npy: linked with boscage_io.
 *
 * usage: files [POINTS] [FOLDER]     without points, some are generated and written first */
#include <boscage/io.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 10000, DIM = 3, K = 4 };

/* Writes random points as a file for numpy and the tool. */
static bosc_status write_points(bosc_ctx *ctx, const char *path, bosc_io_error *error)
{
    bosc_array points = {.dtype = BOSC_F32, .rank = 2, .shape = {N, DIM, 1, 1}};
    points.data = malloc(sizeof(float) * N * DIM);
    bosc_status status = points.data ? BOSC_OK : BOSC_ERR_NOMEM;
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_CLUSTERED, 7, N, DIM, BOSC_F32, points.data);
    if (!status) status = bosc_npy_write(path, &points, error);
    bosc_array_free(&points);
    return status;
}

/* The tree gets the type and the dimension of the file's points. */
static bosc_status save_tree(bosc_ctx *ctx, const bosc_array *points, const char *path, bosc_io_error *error)
{
    bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = points->dtype, .dim = (int32_t)points->shape[1]};
    bosc_kdtree *tree = NULL;
    bosc_status status = bosc_kdtree_create(ctx, &opts, &tree);
    if (!status) status = bosc_kdtree_build(ctx, tree, points->data, points->shape[0], 0);
    if (!status) status = bosc_kdtree_save(ctx, tree, path, error);
    bosc_kdtree_free(tree);
    return status;
}

/* The K nearest points of each point, itself among them, by the loaded tree. */
static bosc_status write_neighbours(bosc_ctx *ctx, const bosc_array *points, const char *tree_path, const char *path,
                                    bosc_io_error *error)
{
    bosc_array ids = {.dtype = BOSC_I64, .rank = 2, .shape = {points->shape[0], K, 1, 1}};
    bosc_kdtree *tree = NULL;
    bosc_status status = bosc_kdtree_load(ctx, tree_path, &tree, error);
    ids.data = malloc(sizeof(int64_t) * K * (size_t)points->shape[0] + 1);
    if (!status && !ids.data) status = BOSC_ERR_NOMEM;
    if (!status) status = bosc_kdtree_knn(ctx, tree, points->data, points->shape[0], 0, K, ids.data, NULL);
    if (!status) status = bosc_npy_write(path, &ids, error);
    if (!status) printf("%lld points with %d neighbours each\n", (long long)ids.shape[0], K);
    bosc_array_free(&ids);
    bosc_kdtree_free(tree);
    return status;
}

int main(int argc, char **argv)
{
    const char *folder = argc > 2 ? argv[2] : ".";
    char points_path[1024], tree_path[1024], ids_path[1024];
    snprintf(points_path, sizeof points_path, "%s/points.npy", folder);
    snprintf(tree_path, sizeof tree_path, "%s/tree.bosc", folder);
    snprintf(ids_path, sizeof ids_path, "%s/neighbours.npy", folder);

    bosc_io_error error = {""};
    bosc_array points = {0};
    bosc_ctx *ctx = NULL;
    bosc_status status = bosc_ctx_create(NULL, &ctx);
    if (!status && argc < 2) status = write_points(ctx, points_path, &error);
    if (!status) status = bosc_points_read(argc > 1 ? argv[1] : points_path, &points, &error);
    if (!status) status = save_tree(ctx, &points, tree_path, &error);
    if (!status) status = write_neighbours(ctx, &points, tree_path, ids_path, &error);

    /* A failed call of io.h reports the file and the position; one of another header leaves its message in the
     * context. */
    const char *why = *error.text                     ? error.text
                      : ctx && *bosc_ctx_message(ctx) ? bosc_ctx_message(ctx)
                                                      : bosc_status_text(status);
    if (status) fprintf(stderr, "files: %s\n", why);
    bosc_array_free(&points);
    bosc_ctx_free(ctx);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
