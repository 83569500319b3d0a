/* Saved trees as files: round trips, damage, faults. */
#include "support/saved_files.h"

enum { N = 9, DIM = 2 };

static bosc_kdtree *make_tree(bosc_ctx *ctx, bosc_kdtree_duplicates duplicates)
{
    static const float points[N * DIM] = {3, 1, 1, 2, 2, 2, 1, 2, 5, 0, -1, 4, 2, 2, 0, 0, 9, 9};
    bosc_kdtree_opts opts = {.size = sizeof opts, .dim = DIM, .duplicates = duplicates};
    bosc_kdtree *tree = NULL;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, points, N, 0));
    return tree;
}

static void check_equal(bosc_ctx *ctx, const bosc_kdtree *a, const bosc_kdtree *b)
{
    bosc_kdtree_info ia = {.size = sizeof ia}, ib = {.size = sizeof ib};
    float pa[N * DIM], pb[N * DIM];
    int64_t ids_a[N], ids_b[N];
    CHECK_OK(ctx, bosc_kdtree_get_info(ctx, a, &ia));
    CHECK_OK(ctx, bosc_kdtree_get_info(ctx, b, &ib));
    CHECK(ia.n == ib.n && ia.nodes == ib.nodes && ia.dim == ib.dim && ia.dtype == ib.dtype && ia.depth == ib.depth);
    CHECK_OK(ctx, bosc_kdtree_get_nodes(ctx, a, pa, ids_a));
    CHECK_OK(ctx, bosc_kdtree_get_nodes(ctx, b, pb, ids_b));
    CHECK(memcmp(pa, pb, (size_t)ia.nodes * DIM * sizeof *pa) == 0);
    CHECK(memcmp(ids_a, ids_b, (size_t)ia.nodes * sizeof *ids_a) == 0);
}

static void round_trips(bosc_ctx *ctx)
{
    char path[PATH_ROOM];
    bosc_io_error error;
    fresh_path(path, ".bosc");
    /* 1. A saved tree is read by both readers. */
    for (int unique = 0; unique < 2; unique++) {
        bosc_kdtree *tree = make_tree(ctx, (bosc_kdtree_duplicates)unique), *back = NULL, *again = NULL;
        bosc_array points = {0};
        CHECK_OK(ctx, bosc_kdtree_save(ctx, tree, path, &error));
        CHECK_OK(ctx, bosc_kdtree_load(ctx, path, &back, &error));
        check_equal(ctx, tree, back);
        CHECK_OK(ctx, bosc_kdtree_or_points_read(ctx, path, NULL, &again, &points, &error));
        CHECK(again && !points.data);
        check_equal(ctx, tree, again);
        bosc_kdtree_free(tree);
        bosc_kdtree_free(back);
        bosc_kdtree_free(again);
    }
    unlink(path);
    /* 2. Points in the same file are read as points. */
    static const double rows[4] = {1, 2, 3, 4};
    bosc_array written = {.dtype = BOSC_F64, .rank = 2, .shape = {2, 2, 1, 1}, .data = (void *)rows}, read = {0};
    bosc_kdtree *none = NULL;
    CHECK_OK(ctx, bosc_npy_write(path, &written, &error));
    CHECK_OK(ctx, bosc_kdtree_or_points_read(ctx, path, NULL, &none, &read, &error));
    CHECK(!none && read.shape[0] == 2 && memcmp(read.data, rows, sizeof rows) == 0);
    bosc_array_free(&read);
    unlink(path);
}

SAVED_FILE_KIND(kdtree, check_equal);

static void damage(bosc_ctx *ctx)
{
    for (int unique = 0; unique < 2; unique++) {
        bosc_kdtree *tree = make_tree(ctx, (bosc_kdtree_duplicates)unique);
        saved_file_damage(ctx, &saved_file_kdtree, tree, 64);
        bosc_kdtree_free(tree);
    }
}

static void bad_arguments(bosc_ctx *ctx)
{
    bosc_kdtree *tree = make_tree(ctx, BOSC_KDTREE_DUPLICATES_KEEP), *fresh = NULL;
    bosc_array points = {0};
    bosc_io_error failure;
    CHECK_TEXT(bosc_kdtree_save(NULL, tree, "none", error), "ctx");
    CHECK_TEXT(bosc_kdtree_save(ctx, NULL, "none", error), "tree");
    CHECK_TEXT(bosc_kdtree_save(ctx, tree, NULL, error), "path");
    CHECK_TEXT(bosc_kdtree_load(NULL, "none", &fresh, error), "ctx");
    CHECK_TEXT(bosc_kdtree_load(ctx, NULL, &fresh, error), "path");
    CHECK_TEXT(bosc_kdtree_load(ctx, "none", NULL, error), "tree");
    CHECK_TEXT(bosc_kdtree_or_points_read(NULL, "none", NULL, &fresh, &points, error), "ctx");
    CHECK_TEXT(bosc_kdtree_or_points_read(ctx, NULL, NULL, &fresh, &points, error), "path");
    CHECK_TEXT(bosc_kdtree_or_points_read(ctx, "none", NULL, NULL, &points, error), "tree");
    CHECK_TEXT(bosc_kdtree_or_points_read(ctx, "none", NULL, &fresh, NULL, error), "points");
    CHECK_EQ(bosc_kdtree_save(ctx, tree, "/nowhere/t.bosc", &failure), BOSC_ERR_IO);
    CHECK(suite_begins(failure.text, "/nowhere/t.bosc: cannot create"));
    CHECK_EQ(bosc_kdtree_load(ctx, "/nowhere/t.bosc", &fresh, &failure), BOSC_ERR_IO);
    CHECK_EQ(bosc_kdtree_or_points_read(ctx, "/nowhere/t.bosc", NULL, &fresh, &points, &failure), BOSC_ERR_IO);
    if (access("/dev/full", W_OK) == 0) {
        CHECK_EQ(bosc_kdtree_save(ctx, tree, "/dev/full", &failure), BOSC_ERR_IO);
        CHECK(strcmp(failure.text, "/dev/full: cannot write: No space left on device") == 0);
    }
    CHECK(!fresh && !points.data);
    bosc_kdtree_free(tree);
}

#ifdef BOSC_FAULTS
static void faults(bosc_ctx *ctx)
{
    bosc_kdtree *tree = make_tree(ctx, BOSC_KDTREE_DUPLICATES_REMOVE),
                *old = make_tree(ctx, BOSC_KDTREE_DUPLICATES_KEEP);
    saved_file_faults(ctx, &saved_file_kdtree, tree, old);
    bosc_kdtree_free(tree);
    bosc_kdtree_free(old);
}
#endif

static const struct suite_case suite_cases_io_tree[] = {
    {"round trips", round_trips, NULL},
    {"damage", damage, NULL},
    {"bad arguments", bad_arguments, NULL},
#ifdef BOSC_FAULTS
    {"saving and loading fail at every passage", faults, NULL},
#endif
};
SUITE(io_tree);
