/* Slices of graph files: all slices in order make up the whole, and messages name lines of the whole. */
#include <stdio.h>
#include <unistd.h>

#include "support/bytes.h"
#include "support/paths.h"

static const int64_t part_counts[] = {1, 2, 3, 7, 64, 5000};

static void put_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0);
    CHECK_EQ(fclose(file), 0);
}

/* The weight of an edge, whatever the slice's type. */
static double weight_of(const bosc_edges *e, int64_t i)
{
    if (!e->weights) return 1;
    if (e->dtype == BOSC_I32) return ((const int32_t *)e->weights)[i];
    return e->dtype == BOSC_I64 ? (double)((const int64_t *)e->weights)[i] : ((const double *)e->weights)[i];
}

/* Entry `at` of the whole is entry 0 of the slice. */
static void check_part(const bosc_edges *part, const bosc_edges *whole, int64_t at)
{
    CHECK(!part->weights == !whole->weights || part->m == 0);
    for (int64_t i = 0; i < part->m; i++) {
        CHECK(part->u[i] == whole->u[at + i] && part->v[i] == whole->v[at + i]);
        CHECK(weight_of(part, i) == weight_of(whole, at + i));
    }
}

static void check_parts(const char *path, const char *columns, const bosc_edges *whole, int64_t parts, bool is_list,
                        bool by_lines)
{
    int64_t at = 0, n = 0;
    bosc_dtype widest = BOSC_I32;
    for (int64_t k = 0; k < parts; k++) {
        bosc_slice slice = {.part = k, .parts = parts};
        bosc_edges e = {0};
        bosc_io_error error;
        if (bosc_edges_read_slice(path, columns, &slice, &e, &error) != BOSC_OK)
            suite_fail(__FILE__, __LINE__, "%s", error.text);
        CHECK_EQ(slice.rows, is_list ? -1 : whole->m);
        CHECK_EQ(slice.begin, by_lines ? -1 : at);
        CHECK(at + e.m <= whole->m && (is_list || e.n == whole->n));
        check_part(&e, whole, at);
        at += e.m;
        if (e.n > n) n = e.n;
        if (e.m && (e.dtype == BOSC_F64 || widest == BOSC_I32)) widest = e.dtype;
        bosc_edges_free(&e);
    }
    CHECK_EQ(at, whole->m);
    CHECK_EQ(n, whole->n);
    CHECK(whole->m == 0 || widest == whole->dtype);
}

static void check_file(const char *path, const char *columns, bool is_list, bool by_lines)
{
    bosc_edges whole = {0};
    bosc_io_error error;
    if (bosc_edges_read_columns(path, columns, &whole, &error) != BOSC_OK)
        suite_fail(__FILE__, __LINE__, "%s", error.text);
    for (size_t i = 0; i < sizeof part_counts / sizeof part_counts[0]; i++)
        check_parts(path, columns, &whole, part_counts[i], is_list, by_lines);
    bosc_edges_free(&whole);
}

/* Files written in each format; only the last lines have weights that need a wider type. */
static void formats(void)
{
    enum { N = 300, M = 700 };
    static const char *const endings[] = {".gr", ".mtx", ".el", ".csv"};
    static uint32_t u[M], v[M];
    static double w[M];
    bosc_io_error error;
    char path[PATH_ROOM];
    for (int64_t i = 0; i < M; i++) u[i] = (uint32_t)(i * 7 % N), v[i] = (uint32_t)(i * i % N), w[i] = (double)(i % 50);
    for (size_t i = 0; i < 4; i++)
        for (int wide = 0; wide < 3; wide++) {
            w[M - 1] = wide == 2 ? 0.5 : wide ? 1e12 : 3;
            bosc_edges e = {.n = N, .m = M, .dtype = BOSC_F64, .u = u, .v = v, .weights = w};
            fresh_path(path, endings[i]);
            CHECK_EQ(bosc_edges_write(path, &e, &error), BOSC_OK);
            check_file(path, NULL, i >= 2, true);
            e.weights = NULL;
            if (wide == 0) CHECK_EQ(bosc_edges_write(path, &e, &error), BOSC_OK);
            if (wide == 0) check_file(path, NULL, i >= 2, true);
            unlink(path);
        }
}

/* Comments, blank lines, long lines, a last line without an end; rows of METIS. */
static void odd_lines(void)
{
    static const struct {
        const char *ending, *text;
        bool is_list, by_lines;
        const char *columns;
    } files[] = {
        {".gr",
         "c first\np sp 4 3\nc a comment that is much longer than the edges about it\n\na 1 2 5\na 3 4 -1\na 4 1 7",
         false, true, NULL},
        {".gr", "p sp 2 0\n", false, true, NULL},
        {".el", "# none\n", true, true, NULL},
        {".el", "0 1\n\n\n# x\n2 3\n1 1", true, true, NULL},
        {".csv", "source,target,weight\n0,1,2\n3,1,4\n", true, true, NULL},
        {".csv", "id,v,w,u\n7,1,2,0\n8,3,4,1\n9,0,5,3\n", true, true, "u,v,w"}, /* names are in the first slice */
        {".graph", "4 3\n2 3\n1\n1 4\n3\n", false, false, NULL},
    };
    char path[PATH_ROOM];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        fresh_path(path, files[i].ending);
        put_text(path, files[i].text);
        check_file(path, files[i].columns, files[i].is_list, files[i].by_lines);
        unlink(path);
    }
}

/* The slice that contains a bad line reports it, with its number in the file. */
static void bad_lines(void)
{
    static const char text[] = "c 1\np sp 9 6\na 1 2 3\nc 4\na 2 3 4\na 3 4 5\na 4 x 6\na 5 6 7\na 6 7 8\n";
    char path[PATH_ROOM];
    fresh_path(path, ".gr");
    put_text(path, text);
    for (size_t i = 0; i < sizeof part_counts / sizeof part_counts[0]; i++) {
        int failed = 0;
        for (int64_t k = 0; k < part_counts[i]; k++) {
            bosc_slice slice = {.part = k, .parts = part_counts[i]};
            bosc_edges e = {0};
            bosc_io_error error;
            if (bosc_edges_read_slice(path, NULL, &slice, &e, &error) == BOSC_OK) {
                bosc_edges_free(&e);
                continue;
            }
            failed++;
            CHECK(strstr(error.text, ".gr:7: ") && !e.u);
        }
        CHECK_EQ(failed, 1);
    }
    unlink(path);
}

static void arguments(void)
{
    bosc_slice slice = {.part = 0, .parts = 1};
    bosc_edges e;
    CHECK_TEXT(bosc_edges_read_slice("x.gr", NULL, NULL, &e, error), "slice");
    CHECK_TEXT(bosc_edges_read_slice("x.gr", NULL, &slice, NULL, error), "edges");
    CHECK_TEXT(bosc_edges_read_slice(NULL, NULL, &slice, &e, error), "path");
    slice.part = 1;
    CHECK_TEXT(bosc_edges_read_slice("x.gr", NULL, &slice, &e, error), "slice: part 1 of 1");
}

static const struct suite_case suite_cases_io_edge_slices[] = {
    {"formats", NULL, formats},
    {"odd", NULL, odd_lines},
    {"bad lines", NULL, bad_lines},
    {"arguments", NULL, arguments},
};
SUITE(io_edge_slices);
