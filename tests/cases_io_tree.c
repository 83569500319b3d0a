/* Saved trees as files: round trips, damage, faults. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fault.h"
#include "bytes.h"
#include "paths.h"

enum { N = 9, DIM = 2 };

static bosc_kdtree *make_tree(bosc_ctx *ctx, bosc_duplicates duplicates)
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
    CHECK_OK(ctx, bosc_kdtree_get_info(a, &ia));
    CHECK_OK(ctx, bosc_kdtree_get_info(b, &ib));
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
    for (int unique = 0; unique < 2; unique++) {
        bosc_kdtree *tree = make_tree(ctx, (bosc_duplicates)unique), *back = NULL, *again = NULL;
        bosc_array points = {0};
        CHECK_OK(ctx, bosc_kdtree_save(ctx, tree, path, &error));
        CHECK_OK(ctx, bosc_kdtree_load(ctx, path, &back, &error));
        check_equal(ctx, tree, back);
        CHECK_OK(ctx, bosc_kdtree_or_points_read(ctx, path, &again, &points, &error));
        CHECK(again && !points.data);
        check_equal(ctx, tree, again);
        bosc_kdtree_free(tree);
        bosc_kdtree_free(back);
        bosc_kdtree_free(again);
    }
    unlink(path);
    static const double rows[4] = {1, 2, 3, 4};
    bosc_array written = {.dtype = BOSC_F64, .rank = 2, .shape = {2, 2, 1, 1}, .data = (void *)rows}, read = {0};
    bosc_kdtree *none = NULL;
    CHECK_OK(ctx, bosc_npy_write(path, &written, &error));
    CHECK_OK(ctx, bosc_kdtree_or_points_read(ctx, path, &none, &read, &error));
    CHECK(!none && read.shape[0] == 2 && memcmp(read.data, rows, sizeof rows) == 0);
    bosc_array_free(&read);
    unlink(path);
}

/* The bytes of a saved tree. */
static struct bi_file save_to_memory(bosc_ctx *ctx, bosc_duplicates duplicates)
{
    char path[PATH_ROOM];
    struct bi_file file;
    bosc_kdtree *tree = make_tree(ctx, duplicates);
    fresh_path(path, ".bosc");
    CHECK_OK(ctx, bosc_kdtree_save(ctx, tree, path, NULL));
    CHECK_EQ(bi_file_open(path, &file, NULL), BOSC_OK);
    unlink(path);
    bosc_kdtree_free(tree);
    return file;
}

static void check_damaged(bosc_ctx *ctx, const char *bytes, size_t size)
{
    bosc_io_error error = {""};
    bosc_kdtree *tree = NULL;
    char *copy = suite_alloc(size);
    if (size) memcpy(copy, bytes, size);
    struct bi_bytes in = {.name = "F", .data = copy, .size = size};
    CHECK_EQ(bi_tree_parse(ctx, &in, &tree, &error), BOSC_ERR_FORMAT);
    CHECK(!tree && suite_begins(error.text, "F: "));
    free(copy);
}

/* Every truncation, every byte changed, one byte more. */
static void damage(bosc_ctx *ctx)
{
    for (int unique = 0; unique < 2; unique++) {
        struct bi_file file = save_to_memory(ctx, (bosc_duplicates)unique);
        size_t size = file.bytes.size;
        char *copy = suite_alloc(size + 1);
        memcpy(copy, file.bytes.data, size);
        copy[size] = 0;
        for (size_t k = 0; k < size; k++) check_damaged(ctx, copy, k);
        check_damaged(ctx, copy, size + 1);
        for (size_t k = 0; k < size; k++)
            for (int bit = k < 64 ? 0 : (int)k % 8; bit < 8; bit += k < 64 ? 1 : 8) { /* all of the header's bits */
                copy[k] ^= (char)(1 << bit);
                check_damaged(ctx, copy, size);
                copy[k] ^= (char)(1 << bit);
            }
        free(copy);
        bi_file_close(&file);
    }
}

static void bad_arguments(bosc_ctx *ctx)
{
    bosc_kdtree *tree = make_tree(ctx, BOSC_DUPLICATES_KEEP), *fresh = NULL;
    bosc_array points = {0};
    bosc_io_error failure;
    CHECK_TEXT(bosc_kdtree_save(NULL, tree, "none", error), "ctx");
    CHECK_TEXT(bosc_kdtree_save(ctx, NULL, "none", error), "tree");
    CHECK_TEXT(bosc_kdtree_save(ctx, tree, NULL, error), "path");
    CHECK_TEXT(bosc_kdtree_load(NULL, "none", &fresh, error), "ctx");
    CHECK_TEXT(bosc_kdtree_load(ctx, NULL, &fresh, error), "path");
    CHECK_TEXT(bosc_kdtree_load(ctx, "none", NULL, error), "tree");
    CHECK_TEXT(bosc_kdtree_or_points_read(NULL, "none", &fresh, &points, error), "ctx");
    CHECK_TEXT(bosc_kdtree_or_points_read(ctx, NULL, &fresh, &points, error), "path");
    CHECK_TEXT(bosc_kdtree_or_points_read(ctx, "none", NULL, &points, error), "tree");
    CHECK_TEXT(bosc_kdtree_or_points_read(ctx, "none", &fresh, NULL, error), "points");
    CHECK_EQ(bosc_kdtree_save(ctx, tree, "/nowhere/t.bosc", &failure), BOSC_ERR_IO);
    CHECK(suite_begins(failure.text, "/nowhere/t.bosc: cannot create"));
    CHECK_EQ(bosc_kdtree_load(ctx, "/nowhere/t.bosc", &fresh, &failure), BOSC_ERR_IO);
    CHECK_EQ(bosc_kdtree_or_points_read(ctx, "/nowhere/t.bosc", &fresh, &points, &failure), BOSC_ERR_IO);
    if (access("/dev/full", W_OK) == 0) {
        CHECK_EQ(bosc_kdtree_save(ctx, tree, "/dev/full", &failure), BOSC_ERR_IO);
        CHECK(strcmp(failure.text, "/dev/full: cannot write: No space left on device") == 0);
    }
    CHECK(!fresh && !points.data);
    bosc_kdtree_free(tree);
}

#ifdef BOSC_FAULTS
/* Saving and loading fail at every passage: with a text, nothing left, and the old file whole. */
static void faults(bosc_ctx *ctx)
{
    char path[PATH_ROOM];
    const uint32_t kinds = BI_FAULT_ALLOC | BI_FAULT_READ | BI_FAULT_WRITE | BI_FAULT_COPY;
    bosc_kdtree *tree = make_tree(ctx, BOSC_DUPLICATES_REMOVE), *old = make_tree(ctx, BOSC_DUPLICATES_KEEP);
    fresh_path(path, ".bosc");
    for (int for_good = 0; for_good < 2; for_good++)
        for (int64_t k = 0;; k++) {
            bosc_io_error error = {""};
            bosc_kdtree *back = NULL;
            CHECK_OK(ctx, bosc_kdtree_save(ctx, old, path, &error));
            bi_fault_arm(kinds, k, for_good);
            bosc_status saved = bosc_kdtree_save(ctx, tree, path, &error);
            bi_fault_disarm();
            if (saved != BOSC_OK) CHECK(suite_begins(error.text, path) || suite_begins(error.text, "out of memory"));
            CHECK_OK(ctx, bosc_kdtree_load(ctx, path, &back, &error));
            check_equal(ctx, saved == BOSC_OK ? tree : old, back);
            bosc_kdtree_free(back);
            back = NULL;
            bi_fault_arm(kinds, k, for_good);
            bosc_status loaded = bosc_kdtree_load(ctx, path, &back, &error);
            int64_t passages = bi_fault_passages();
            bi_fault_disarm();
            CHECK((loaded == BOSC_OK) == (back != NULL));
            if (loaded != BOSC_OK) CHECK(suite_begins(error.text, path));
            bosc_kdtree_free(back);
            CHECK(k < 500);
            if (saved == BOSC_OK && loaded == BOSC_OK && passages <= k) break;
        }
    bosc_kdtree_free(tree);
    bosc_kdtree_free(old);
    unlink(path);
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
