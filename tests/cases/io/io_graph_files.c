/* Complete graph files: texts read by several threads, round trips, endings, faults, bad arguments. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include "base/fault.h"
#include "support/bytes.h"
#include "support/edges_array.h"
#include "support/paths.h"

static void set_threads(int threads)
{
#ifdef _OPENMP
    omp_set_num_threads(threads);
#else
    (void)threads;
#endif
}

/* ---- texts of several parts ---- */

enum { EDGES = 200000, TEXT_ROOM = 8 << 20 };

/* A text under construction. */
struct text {
    char *bytes;
    size_t size;
    int64_t lines;
};

#define ADD(t, ...)                                                                                \
    do {                                                                                           \
        (t)->size += (size_t)snprintf((t)->bytes + (t)->size, TEXT_ROOM - (t)->size, __VA_ARGS__); \
        (t)->lines++;                                                                              \
    } while (0)

static void make_edge(int64_t i, long long *u, long long *v, long long *w)
{
    struct suite_random r = {(uint64_t)i};
    *u = (long long)suite_below(&r, 1000000) + 1;
    *v = (long long)suite_below(&r, 1000000) + 1;
    *w = (long long)suite_below(&r, 1000000) - 500000;
}

/* EDGES edges in DIMACS's form, with comments here and there; line `at` (0: none) reads `instead`. */
static struct text make_gr(int64_t at, const char *instead)
{
    struct text t = {.bytes = suite_alloc(TEXT_ROOM)};
    ADD(&t, "p sp 1000000 %d\n", EDGES);
    for (int64_t i = 0; i < EDGES; i++) {
        long long u, v, w;
        make_edge(i, &u, &v, &w);
        if (i % 1000 == 17) ADD(&t, "c%s\n", i % 3000 == 17 ? "" : " words");
        if (i % 1111 == 3) ADD(&t, "%s\n", i % 3333 == 3 ? "" : "  \r");
        if (t.lines + 1 == at)
            ADD(&t, "%s\n", instead);
        else
            ADD(&t, "a %lld %lld %lld%s\n", u, v, w, i % 7 ? "" : "\r");
    }
    return t;
}

static void check_gr(const bosc_edges *edges)
{
    CHECK_EQ(edges->n, 1000000);
    CHECK_EQ(edges->m, EDGES);
    CHECK_EQ(edges->dtype, BOSC_I32);
    for (int64_t i = 0; i < EDGES; i++) {
        long long u, v, w;
        make_edge(i, &u, &v, &w);
        if (edges->u[i] != u - 1 || edges->v[i] != v - 1 || ((const int32_t *)edges->weights)[i] != w)
            suite_fail(__FILE__, __LINE__, "edge %lld", (long long)i);
    }
}

static void parts(void)
{
    struct text t = make_gr(0, "");
    struct bi_bytes in = {.name = "F", .data = t.bytes, .size = t.size};
    CHECK(t.size > 3 << 20);
    for (int threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5) {
        bosc_edges edges = {0};
        bosc_io_error error;
        set_threads(threads);
        if (bi_gr_parse(&in, &edges, &error) != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
        check_gr(&edges);
        bosc_edges_free(&edges);
    }
    free(t.bytes);
    set_threads(4);
}

/* A bad line is reported whichever thread reads it, and the first of several. */
static void lines_at_fault(void)
{
    static const struct {
        const char *instead, *reason;
    } faults[] = {{"a 1 2 x", "the weight 'x' is not a number"}, {"a 0 2 1", "vertex '0' is not from 1 to 1000000"}};
    /* 1. One bad line, at every part of the file, and rubbish at its end. */
    for (int64_t at = 2; at < EDGES; at += at < 3 ? 1 : 23999)
        for (size_t f = 0; f < 2; f++)
            for (int threads = 1; threads <= 8; threads += 7) {
                struct text t = make_gr(at, faults[f].instead);
                struct bi_bytes in = {.name = "F", .data = t.bytes, .size = t.size};
                bosc_edges edges = {0};
                bosc_io_error error;
                char expected[128];
                ADD(&t, "rubbish at the end\n");
                set_threads(threads);
                snprintf(expected, sizeof expected, "F:%lld: %s", (long long)at, faults[f].reason);
                CHECK_EQ(bi_gr_parse(&in, &edges, &error), BOSC_ERR_FORMAT);
                if (strcmp(error.text, expected) != 0)
                    suite_fail(__FILE__, __LINE__, "\"%s\", not \"%s\"", error.text, expected);
                free(t.bytes);
            }
    /* 2. A line too few, and lines too many. */
    for (int threads = 1; threads <= 8; threads += 7) {
        struct text few = make_gr(100000, ""), many = make_gr(100000, "a 1 2 3\na 4 5 6");
        bosc_edges edges = {0};
        bosc_io_error error;
        char expected[128];
        set_threads(threads);
        struct bi_bytes in = {.name = "F", .data = few.bytes, .size = few.size};
        CHECK_EQ(bi_gr_parse(&in, &edges, &error), BOSC_ERR_FORMAT);
        CHECK(strcmp(error.text, "F: ends after 199999 of 200000 edges") == 0);
        ADD(&many, "a 0 0 0\n");
        in = (struct bi_bytes){.name = "F", .data = many.bytes, .size = many.size};
        snprintf(expected, sizeof expected, "F:%lld: more than the 200000 edges", (long long)many.lines);
        CHECK_EQ(bi_gr_parse(&in, &edges, &error), BOSC_ERR_FORMAT);
        CHECK(suite_begins(error.text, expected));
        CHECK(!edges.u && !edges.v && !edges.weights);
        free(few.bytes);
        free(many.bytes);
    }
    set_threads(4);
}

/* One weight, anywhere, determines the type of all. */
static void one_weight_sets_the_type(void)
{
    static const struct {
        const char *weight;
        bosc_dtype dtype;
        double value;
    } weights[] = {{"-2147483648", BOSC_I32, -2147483648.0},
                   {"4294967296", BOSC_I64, 4294967296.0},
                   {"9223372036854775808", BOSC_F64, 0x1p63},
                   {"0.5", BOSC_F64, 0.5}};
    for (size_t w = 0; w < 4; w++)
        for (int64_t at = 0; at < 3; at++) {
            struct text t = {.bytes = suite_alloc(TEXT_ROOM)};
            bosc_edges edges = {0};
            /* The odd weight is at the start, in the middle or near the end. */
            int64_t place = at * (EDGES / 2 - 1);
            for (int64_t i = 0; i < EDGES; i++)
                ADD(&t, "%lld\t%lld\t%s\n", (long long)i, (long long)(i * 7 % 1000),
                    i == place ? weights[w].weight : "-42");
            struct bi_bytes in = {.name = "F", .data = t.bytes, .size = t.size};
            CHECK_EQ(bi_edge_list_parse(&in, &edges, NULL), BOSC_OK);
            CHECK_EQ(edges.dtype, weights[w].dtype);
            CHECK_EQ(edges.n, EDGES);
            for (int64_t i = 0; i < EDGES; i++)
                CHECK(edges.u[i] == i && edges.v[i] == i * 7 % 1000 &&
                      edges_weight(&edges, i) == (i == place ? weights[w].value : -42));
            bosc_edges_free(&edges);
            free(t.bytes);
        }
}

/* A ring in METIS format: rows read by several threads, with comments among them. */
static void metis_parts(void)
{
    enum { N = 150000 };
    struct text t = {.bytes = suite_alloc(TEXT_ROOM)};
    bosc_edges edges = {0};
    bosc_io_error error;
    ADD(&t, "%d %d 001\n", N, N);
    for (int64_t i = 0; i < N; i++) {
        if (i % 777 == 5) ADD(&t, "%% comment\n");
        ADD(&t, "%lld %lld %lld %lld\n", (long long)((i + 1) % N + 1), (long long)i, (long long)((i + N - 1) % N + 1),
            (long long)((i + N - 1) % N));
    }
    CHECK(t.size > 3 << 20);
    for (int threads = 1; threads <= 8; threads += 7) {
        struct bi_bytes in = {.name = "F", .data = t.bytes, .size = t.size};
        set_threads(threads);
        if (bi_metis_parse(&in, &edges, &error) != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
        CHECK(edges.n == N && edges.m == N && edges.dtype == BOSC_I32);
        for (int64_t k = 0; k < N; k++) { /* row 0 has both of its neighbours, N - 1 after 1 */
            int64_t u = k < 2 ? 0 : k - 1, v = k == 0 ? 1 : k == 1 ? N - 1 : k;
            CHECK(edges.u[k] == u && edges.v[k] == v && ((int32_t *)edges.weights)[k] == (k == 1 ? N - 1 : u));
        }
        bosc_edges_free(&edges);
        int64_t line = t.lines;
        size_t size = t.size;
        ADD(&t, "1 x\n");
        in.size = t.size;
        CHECK_EQ(bi_metis_parse(&in, &edges, &error), BOSC_ERR_FORMAT);
        char expected[64];
        snprintf(expected, sizeof expected, "F:%lld: a row more than", (long long)line + 1);
        CHECK(suite_begins(error.text, expected));
        t.size = size;
        t.lines = line;
    }
    free(t.bytes);
    set_threads(4);
}

/* ---- files ---- */

static const char *const endings[] = {".gr", ".mtx", ".txt", ".el", ".snap", ".TSV", ".csv"};

static void check_round_trip(const bosc_edges *edges, const char *ending, bosc_dtype expected)
{
    char path[PATH_ROOM];
    bosc_io_error error;
    bosc_edges back = {0};
    bool larger_first = strcmp(ending, ".mtx") == 0, list = !larger_first && strcmp(ending, ".gr") != 0;
    fresh_path(path, ending);
    if (bosc_edges_write(path, edges, &error) != BOSC_OK || bosc_edges_read(path, &back, &error) != BOSC_OK)
        suite_fail(__FILE__, __LINE__, "%s", error.text);
    unlink(path);
    CHECK_EQ(back.m, edges->m);
    if (!list) CHECK_EQ(back.n, edges->n);
    CHECK(!back.weights == (!edges->weights && strcmp(ending, ".gr") != 0));
    if (back.weights) CHECK_EQ(back.dtype, expected);
    for (int64_t i = 0; i < edges->m; i++) {
        bool swap = larger_first && edges->u[i] < edges->v[i];
        CHECK_EQ(back.u[i], swap ? edges->v[i] : edges->u[i]);
        CHECK_EQ(back.v[i], swap ? edges->u[i] : edges->v[i]);
        double x = edges_weight(edges, i), y = edges_weight(&back, i);
        if (edges->weights && edges->dtype == BOSC_F32) y = (double)(float)y;
        if (memcmp(&x, &y, sizeof x) != 0) suite_fail(__FILE__, __LINE__, "%s: %.17g came back as %.17g", ending, x, y);
    }
    bosc_edges_free(&back);
}

static void round_trips(void)
{
    static uint32_t u[] = {0, 5, 3, 3, 4294967293u, 7, 2, 1, 0}, v[] = {1, 0, 3, 2, 4294967293u, 0, 2, 1, 6};
    static int32_t i32[] = {0, 1, -1, INT32_MAX, INT32_MIN, 42, 10, 100, -99};
    static int64_t i64[] = {0, 1, -1, INT64_MAX, INT64_MIN, INT64_C(1) << 40, 7, 8, 9};
    static uint32_t u32[] = {0, 1, 2, UINT32_MAX, 9, 8, 7, 6, 5};
    static uint64_t u64[] = {0, 1, 2, UINT64_C(1) << 63, 9, 8, 7, 6, 5};
    static double f64[] = {0.1, -0.0, 3, 1e300, -4.9e-324, 1e15, (double)INFINITY, -(double)INFINITY, 1 / 3.0};
    static float f32[] = {0.1f, -0.0f, 3, 1e30f, -1e-45f, 1e15f, (float)INFINITY, -(float)INFINITY, 1 / 3.0f};
    const struct {
        bosc_dtype dtype, expected;
        void *weights;
    } kinds[] = {{BOSC_I32, BOSC_I32, i32}, {BOSC_I64, BOSC_I64, i64}, {BOSC_U32, BOSC_I64, u32},
                 {BOSC_F64, BOSC_F64, f64}, {BOSC_F32, BOSC_F64, f32}, {BOSC_I32, BOSC_I32, NULL}};
    for (size_t e = 0; e < sizeof endings / sizeof endings[0]; e++) {
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            for (int64_t m = 0; m <= 9; m += m ? 8 : 1) {
                bosc_edges edges = {4294967294, m, kinds[k].dtype, u, v, kinds[k].weights};
                bosc_dtype expected = kinds[k].expected;
                if (m < 9 && expected == BOSC_I64) expected = BOSC_I32;
                if (m == 0 && !suite_begins(endings[e], ".mtx")) expected = BOSC_I32;
                if (m == 0 && kinds[k].weights && !suite_begins(endings[e], ".mtx") && strcmp(endings[e], ".gr") != 0)
                    edges.weights = NULL; /* an edge list without edges does not say whether it has weights */
                check_round_trip(&edges, endings[e], expected);
            }
        bosc_edges wide = {8, 3, BOSC_U64, u, v, u64};
        check_round_trip(&wide, endings[e], BOSC_I32);
        wide.m = 4; /* beyond INT64_MAX: read as a real */
        check_round_trip(&wide, endings[e], BOSC_F64);
    }
}

/* More lines than one batch of the writer, random reals of all magnitudes. */
static void large_round_trip(void)
{
    enum { M = 50000 };
    struct suite_random r = {11};
    bosc_edges edges = {1000, M, BOSC_F64, suite_alloc(M * 4), suite_alloc(M * 4), suite_alloc(M * 8)};
    for (int64_t i = 0; i < M; i++) {
        double *x = (double *)edges.weights + i;
        edges.u[i] = (uint32_t)suite_below(&r, 1000);
        edges.v[i] = (uint32_t)suite_below(&r, 1000);
        do {
            uint64_t bits = suite_next(&r);
            memcpy(x, &bits, sizeof bits);
        } while (isnan(*x));
        if (i % 3 == 0) *x = suite_unit(&r);
        if (i % 5 == 0)
            *x = ((double)suite_below(&r, 1 << 30) - 1e8) / (double[]){1, 10, 100, 1000, 1e6, 1e7, 3}[i % 7];
    }
    check_round_trip(&edges, ".gr", BOSC_F64);
    check_round_trip(&edges, ".mtx", BOSC_F64);
    bosc_edges_free(&edges);
}

static void check_format(const char *path, const char *bytes, enum bi_edges_format format)
{
    struct bi_bytes in = {.name = path, .data = bytes, .size = strlen(bytes)};
    CHECK_EQ(bi_edges_format_of(path, &in), format);
}

static void formats(void)
{
    check_format("a.gr", "1 2\n", BI_EDGES_GR);
    check_format("a.GR", "", BI_EDGES_GR);
    check_format("gr", "", BI_EDGES_UNKNOWN);
    check_format("a.mtx.txt", "%%MatrixMarket", BI_EDGES_LIST);
    check_format("a.graph", "", BI_EDGES_METIS);
    check_format("a.metis", "", BI_EDGES_METIS);
    check_format("-", "c x\n", BI_EDGES_GR);
    check_format("-", "\n\np sp 1 0", BI_EDGES_GR);
    check_format("-", "c", BI_EDGES_GR);
    check_format("-", "cabbage", BI_EDGES_UNKNOWN);
    check_format("-", "%%matrixmarket", BI_EDGES_MTX);
    check_format("-", "# x\n", BI_EDGES_LIST);
    check_format("a.edges", "7 8\n", BI_EDGES_LIST);
    check_format("-", "", BI_EDGES_UNKNOWN);
    check_format("-", " \n", BI_EDGES_UNKNOWN);
    check_format("-", "{", BI_EDGES_UNKNOWN);
    check_format("a.col", "p edge 1 0", BI_EDGES_GR);
    CHECK_EQ(bi_edges_format_of("a.bosc", NULL), BI_EDGES_SAVED);
    CHECK_EQ(bi_edges_format_of("a.dat", NULL), BI_EDGES_UNKNOWN);
    bosc_edges edges = {0};
    bosc_io_error error;
    CHECK_EQ(bosc_edges_read("/dev/null", &edges, &error), BOSC_ERR_FORMAT);
    CHECK(suite_begins(error.text, "/dev/null: not a graph by its ending"));
    CHECK_EQ(bosc_edges_read("/nowhere/g.gr", &edges, &error), BOSC_ERR_IO);
}

static void bad_arguments(void)
{
    static uint32_t u[] = {0, 1}, v[] = {1, 2}, beyond[] = {1, 3};
    static int32_t w[] = {5, 6};
    static double nan[] = {1, (double)NAN};
    char path[PATH_ROOM];
    bosc_edges good = {3, 2, BOSC_I32, u, v, w}, edges = {0};
    bosc_io_error failure;
    fresh_path(path, ".gr");
    /* Missing arguments, and endings without a writer. */
    CHECK_TEXT(bosc_edges_read(NULL, &edges, error), "path");
    CHECK_TEXT(bosc_edges_read(path, NULL, error), "edges");
    CHECK_TEXT(bosc_edges_write(NULL, &good, error), "path");
    CHECK_TEXT(bosc_edges_write(path, NULL, error), "edges");
    CHECK_TEXT(bosc_edges_write("", &good, error), "path");
    CHECK_TEXT(bosc_edges_write("g", &good, error), "path");
    CHECK_TEXT(bosc_edges_write("g.npy", &good, error), "path");
    CHECK_TEXT(bosc_edges_write("g.graph", &good, error), "path");
    CHECK_TEXT(bosc_edges_write("g.bosc", &good, error), "path");
    /* One wrong member at a time. */
    bosc_edges bad[12];
    for (int i = 0; i < 12; i++) bad[i] = good;
    bad[0].n = -1;
    bad[1].n = 4294967295;
    bad[2].n = 2;
    bad[3].n = 0;
    bad[4].m = -1;
    bad[5].m = INT64_MAX;
    bad[6].u = NULL;
    bad[7].v = NULL;
    bad[8].dtype = BOSC_U8;
    bad[9].dtype = (bosc_dtype)0;
    bad[10].dtype = (bosc_dtype)99;
    bad[11].v = beyond;
    for (int i = 0; i < 12; i++) CHECK_TEXT(bosc_edges_write(path, &bad[i], error), "edges");
    /* A NaN is reported with its row, a bad folder with its path. */
    bosc_edges without = {.n = 3, .m = 2, .dtype = BOSC_F64, .u = u, .v = v, .weights = nan};
    CHECK_EQ(bosc_edges_write(path, &without, &failure), BOSC_ERR_DATA);
    CHECK(strcmp(failure.text, "edges: row 1: NaN") == 0);
    CHECK(access(path, F_OK) != 0);
    CHECK_EQ(bosc_edges_write("/nowhere/g.gr", &good, &failure), BOSC_ERR_IO);
    CHECK(suite_begins(failure.text, "/nowhere/g.gr: cannot create"));
    bosc_edges_free(NULL);
    bosc_edges_free(&edges);
}

#ifdef BOSC_FAULTS
/* Memory runs out at every allocation of every parser; a file fails at every read and write. */
static void faults(void)
{
    static const struct {
        enum bi_edges_format format;
        const char *text;
    } files[] = {{BI_EDGES_GR, "p sp 2 1\na 1 2 3000000000\n"},
                 {BI_EDGES_MTX, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 .5\n"},
                 {BI_EDGES_LIST, "0 1\n"},
                 {BI_EDGES_METIS, "2 1 1\n2 5\n1 5\n"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        for (int for_good = 0; for_good < 2; for_good++)
            for (int64_t k = 0;; k++) {
                struct bi_bytes in = {.name = "F", .data = files[i].text, .size = strlen(files[i].text)};
                bosc_io_error error = {""};
                bosc_edges edges = {0};
                bi_fault_arm(BI_FAULT_ALLOC, k, for_good);
                bosc_status status = bi_edges_parse(files[i].format, &in, &edges, &error);
                int64_t passages = bi_fault_passages();
                bi_fault_disarm();
                if (status == BOSC_OK) CHECK(edges.n == 2 && edges.m == 1 && edges.u[0] == 0 && edges.v[0] == 1);
                if (status != BOSC_OK) CHECK(status == BOSC_ERR_NOMEM && !edges.u && suite_begins(error.text, "F:"));
                bosc_edges_free(&edges);
                if (status == BOSC_OK && passages <= k) break; /* a block that cannot shrink is kept */
            }
    static uint32_t u[] = {0, 1}, v[] = {1, 2};
    bosc_edges first = {3, 1, BOSC_I32, u, v, NULL}, second = {3, 2, BOSC_I32, u, v, NULL};
    char path[PATH_ROOM];
    fresh_path(path, ".gr");
    for (int for_good = 0; for_good < 2; for_good++)
        for (int64_t k = 0;; k++) {
            bosc_io_error error = {""};
            bosc_edges back = {0};
            CHECK_EQ(bosc_edges_write(path, &first, &error), BOSC_OK);
            bi_fault_arm(BI_FAULT_ALLOC | BI_FAULT_READ | BI_FAULT_WRITE, k, for_good);
            bosc_status written = bosc_edges_write(path, &second, &error);
            bi_fault_disarm();
            if (written != BOSC_OK) CHECK(suite_begins(error.text, path));
            CHECK_EQ(bosc_edges_read(path, &back, &error), BOSC_OK); /* the new file or the old one */
            CHECK_EQ(back.m, written == BOSC_OK ? 2 : 1);
            bosc_edges_free(&back);
            bi_fault_arm(BI_FAULT_ALLOC | BI_FAULT_READ | BI_FAULT_WRITE, k, for_good);
            bosc_status read = bosc_edges_read(path, &back, &error);
            int64_t passages = bi_fault_passages();
            bi_fault_disarm();
            CHECK((read == BOSC_OK) == (back.u != NULL));
            if (read != BOSC_OK) CHECK(suite_begins(error.text, path));
            bosc_edges_free(&back);
            CHECK(k < 100);
            if (written == BOSC_OK && read == BOSC_OK && passages <= k) break;
        }
    unlink(path);
}
#endif

static const struct suite_case suite_cases_io_graph_files[] = {
    {"texts of several parts", NULL, parts},
    {"lines at fault", NULL, lines_at_fault},
    {"kinds of weights in several parts", NULL, one_weight_sets_the_type},
    {"METIS rows of several parts", NULL, metis_parts},
    {"round trips", NULL, round_trips},
    {"a large round trip", NULL, large_round_trip},
    {"formats", NULL, formats},
    {"bad arguments", NULL, bad_arguments},
#ifdef BOSC_FAULTS
    {"faults at every passage", NULL, faults},
#endif
};
SUITE(io_graph_files);
