/* Arrangements of planes: all cells of small ones, the number of cells of others, near coincidences, refused input. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/arrangement.h"
#include "support/faults.h"
#include "support/suite.h"

enum { SMALL = 6, MANY = 14 };

static bosc_cellgraph *open_graph(bosc_ctx *ctx, int32_t n)
{
    const bosc_cellgraph_opts o = {.size = sizeof o, .length = n};
    bosc_cellgraph *graph = NULL;
    CHECK_OK(ctx, bosc_cellgraph_create(ctx, &o, &graph));
    return graph;
}

/* Plane k times `scale`, coordinates times 2^exponents. */
static void convert(const struct reference_planes *from, const double *scale, const int *exponents, double *planes)
{
    const int32_t width = from->dim + 1;
    for (int32_t k = 0; k < from->n; k++)
        for (int32_t c = 0; c < width; c++)
            planes[k * width + c] = ldexp((double)from->rows[k][c], exponents[c]) * scale[k];
}

/* Random planes with coefficients up to `largest`: if that is small, many are parallel, equal or share points. */
static struct reference_planes random_planes(struct suite_random *r, int32_t n, int32_t dim, int64_t largest)
{
    struct reference_planes p = {.n = n, .dim = dim};
    const uint64_t values = 2 * (uint64_t)largest + 1;
    for (int32_t k = 0; k < n; k++)
        for (bool is_plane = false; !is_plane;)
            for (int32_t c = 0; c <= dim; c++) {
                p.rows[k][c] = (int64_t)suite_below(r, values) - largest;
                is_plane |= c < dim && p.rows[k][c] != 0;
            }
    return p;
}

/* Multiples of a plane are refused. */
static bool has_equal_planes(const struct reference_planes *p)
{
    for (int32_t k = 0; k < p->n; k++)
        for (int32_t l = 0; l < k; l++) {
            bool differ = false;
            for (int32_t c = 0; c <= p->dim; c++)
                for (int32_t d = 0; d < c; d++)
                    differ |= p->rows[k][c] * p->rows[l][d] != p->rows[k][d] * p->rows[l][c];
            if (!differ) return true;
        }
    return false;
}

static void check_euler(const bosc_arrangement_info *info, bosc_ctx *ctx, const bosc_cellgraph *graph)
{
    bosc_cellgraph_info built = {.size = sizeof built};
    CHECK_OK(ctx, bosc_cellgraph_get_info(ctx, graph, &built));
    CHECK_EQ(built.vertices, info->cells);
    CHECK_EQ(built.n, info->cells);
    if (info->rank == 1) CHECK_EQ(info->cells, info->corners + 1);
    if (info->rank == 2) CHECK_EQ(info->corners - info->pieces + info->cells, 1);
}

/* Every vector of signs is a cell if and only if the plain elimination finds a point. */
static void all_cells(bosc_ctx *ctx)
{
    struct suite_random r = {5};
    for (int t = 0; t < 240; t++) {
        if (suite_leaves_out()) continue;
        /* 1. Planes, multiplied by powers of two, in coordinates multiplied by others. */
        const int32_t n = 1 + (int32_t)suite_below(&r, SMALL), dim = 1 + t % 3;
        const struct reference_planes p = random_planes(&r, n, dim, 1 + (int64_t)suite_below(&r, 3));
        double planes[SMALL * 4], scale[SMALL];
        uint64_t vectors[1 << SMALL], flips = 0, found = 0;
        int exponents[4];
        for (int32_t k = 0; k < n; k++) {
            const uint64_t negative = suite_below(&r, 2);
            scale[k] = ldexp(negative ? -1 : 1, (int)suite_below(&r, 60) - 30);
            flips |= negative << k;
        }
        for (int c = 0; c < 4; c++) exponents[c] = (int)suite_below(&r, 200) - 100;
        convert(&p, scale, exponents, planes);
        /* 2. Their cells. */
        bosc_cellgraph *graph = open_graph(ctx, n);
        bosc_arrangement_info info = {.size = sizeof info};
        const bool refused = has_equal_planes(&p);
        CHECK_STATUS(ctx, bosc_arrangement_build(ctx, planes, n, dim, graph, &info), refused ? BOSC_ERR_DATA : BOSC_OK);
        if (refused) {
            CHECK(suite_begins(bosc_ctx_message(ctx), "planes: plane "));
            bosc_cellgraph_free(graph);
            continue;
        }
        CHECK_EQ(info.dim, dim);
        check_euler(&info, ctx, graph);
        CHECK(info.cells <= 1 << n);
        CHECK_OK(ctx, bosc_cellgraph_get_vertices(ctx, graph, vectors, NULL, NULL, NULL));
        CHECK_OK(ctx, bosc_ctx_sync(ctx));
        /* 3. Each is found once, and all are. */
        for (int64_t v = 0; v < info.cells; v++) {
            CHECK(vectors[v] >> n == 0 && !(found >> (vectors[v] ^ flips) & 1));
            found |= 1ull << (vectors[v] ^ flips);
        }
        for (uint64_t signs = 0; signs < 1ull << n; signs++) CHECK_EQ(found >> signs & 1, reference_is_cell(&p, signs));
        bosc_cellgraph_free(graph);
    }
}

/* The walls that Euler's relation gives are the graph's edges, and all cells are connected. */
static void check_numbers(bosc_ctx *ctx, const struct reference_planes *p)
{
    double planes[REFERENCE_PLANES * 4], scale[REFERENCE_PLANES];
    const int exponents[4] = {0};
    bosc_cellgraph *graph = open_graph(ctx, p->n);
    bosc_arrangement_info info = {.size = sizeof info};
    bosc_cellgraph_info built = {.size = sizeof built};
    int64_t components;
    for (int32_t k = 0; k < p->n; k++) scale[k] = 1;
    convert(p, scale, exponents, planes);
    CHECK_OK(ctx, bosc_arrangement_build(ctx, planes, p->n, p->dim, graph, &info));
    check_euler(&info, ctx, graph);
    CHECK_EQ(info.cells, reference_count_cells(p));
    CHECK_OK(ctx, bosc_cellgraph_get_info(ctx, graph, &built));
    CHECK_OK(ctx, bosc_cellgraph_components(ctx, graph, NULL, &components));
    CHECK_EQ(built.edges, info.walls);
    CHECK_EQ(components, 1);
    bosc_cellgraph_free(graph);
}

static void numbers(bosc_ctx *ctx)
{
    struct suite_random r = {9};
    for (int t = 0; t < 60; t++) {
        if (suite_leaves_out()) continue;
        const int32_t n = 2 + (int32_t)suite_below(&r, suite_slow(ctx) ? 5 : MANY);
        const struct reference_planes p = random_planes(&r, n, 1 + t % 3, t % 2 ? 2 : 50);
        if (!has_equal_planes(&p)) check_numbers(ctx, &p);
    }
    /* Two words of signs: 1 + n + n (n - 1) / 2 cells of lines in general position: tangents of a parabola. */
    enum { N = 70 };
    double planes[N * 3];
    for (int k = 0; k < N; k++) {
        planes[3 * k] = 2 * k;
        planes[3 * k + 1] = -1;
        planes[3 * k + 2] = -(double)k * k;
    }
    bosc_cellgraph *graph = open_graph(ctx, N);
    bosc_arrangement_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_arrangement_build(ctx, planes, N, 2, graph, &info));
    CHECK_EQ(info.cells, 1 + N + N * (N - 1) / 2);
    CHECK_EQ(info.corners, N * (N - 1) / 2);
    CHECK_EQ(info.walls, N * N);
    CHECK_EQ(info.rank, 2);
    /* The same lines as planes of space that contain the third axis: rank 2. */
    double walls[N * 4] = {0};
    for (int k = 0; k < N; k++) {
        walls[4 * k] = planes[3 * k];
        walls[4 * k + 2] = planes[3 * k + 1];
        walls[4 * k + 3] = planes[3 * k + 2];
    }
    CHECK_OK(ctx, bosc_arrangement_build(ctx, walls, N, 3, graph, &info));
    CHECK_EQ(info.cells, 1 + N + N * (N - 1) / 2);
    CHECK_EQ(info.rank, 2);
    CHECK_EQ(info.dim, 3);
    bosc_cellgraph_free(graph);
}

/* Three lines, four planes through a point, and one of them moved by the least amount that its constant can show. */
static void near_points(bosc_ctx *ctx)
{
    const double lines[9] = {3, 1, -4, 1, -7, 6, 4, -6, 2};
    const double planes[16] = {3, 1, 1, -5, 1, -7, 2, 4, 1, 1, 1, -3, 5, -5, 4, -4};
    const int64_t cells[2][2] = {{6, 7}, {14, 15}};
    for (int dim = 2; dim <= 3; dim++)
        for (int moved = 0; moved < 3; moved++) {
            double input[16];
            const int n = dim + 1, last = n * (dim + 1) - 1;
            memcpy(input, dim == 2 ? lines : planes, sizeof(double) * (size_t)(last + 1));
            if (moved) input[last] = nextafter(input[last], moved == 1 ? 9 : -9);
            bosc_cellgraph *graph = open_graph(ctx, n);
            bosc_arrangement_info info = {.size = sizeof info};
            CHECK_OK(ctx, bosc_arrangement_build(ctx, input, n, dim, graph, &info));
            CHECK_EQ(info.cells, cells[dim - 2][moved > 0]);
            bosc_cellgraph_free(graph);
        }
}

/* Three lines through a point, with constants of up to 52 bits: rounding hides whether they are, and on which side of
 * the point a moved line is. */
static void rounded_points(bosc_ctx *ctx)
{
    struct suite_random r = {3};
    for (int t = 0; t < 60; t++) {
        if (suite_leaves_out()) continue;
        int64_t lines[3][3], x = (int64_t)suite_below(&r, 1 << 30), y = (int64_t)suite_below(&r, 1 << 30);
        double input[9];
        const int moved = (int)suite_below(&r, 3) - 1;
        for (int k = 0; k < 3; k++) {
            lines[k][0] = 1 + (int64_t)suite_below(&r, 1 << 20);
            lines[k][1] = (int64_t)suite_below(&r, 1 << 21) - (1 << 20);
            lines[k][2] = -(lines[k][0] * x + lines[k][1] * y) + (k == 2 ? moved : 0);
            for (int c = 0; c < 3; c++) input[3 * k + c] = (double)lines[k][c];
        }
        bosc_cellgraph *graph = open_graph(ctx, 3);
        bosc_arrangement_info info = {.size = sizeof info};
        uint64_t cells[8];
        CHECK_OK(ctx, bosc_arrangement_build(ctx, input, 3, 2, graph, &info));
        CHECK_EQ(info.cells, moved ? 7 : 6);
        /* The sum of line 2 where lines 0 and 1 cross is `moved`: four cells are on that side of line 2, three on the
         * other. Without a move there are three on each. */
        CHECK_OK(ctx, bosc_cellgraph_get_vertices(ctx, graph, cells, NULL, NULL, NULL));
        CHECK_OK(ctx, bosc_ctx_sync(ctx));
        int with_sign = 0;
        for (int64_t v = 0; v < info.cells; v++) with_sign += (cells[v] >> 2 & 1) == (moved > 0);
        CHECK_EQ(with_sign, moved ? 4 : 3);
        bosc_cellgraph_free(graph);
    }
}

static void refuses(bosc_ctx *ctx)
{
    const double planes[6] = {1, 0, 2, 0, 1, 3};
    static const double bad[] = {NAN, INFINITY, 0x1p201, -0x1p-201};
    bosc_cellgraph *graph = open_graph(ctx, 2), *other = open_graph(ctx, 3);
    bosc_arrangement_info info = {.size = sizeof info};
    /* 1. Arguments. */
    CHECK_EQ(bosc_arrangement_build(NULL, planes, 2, 2, graph, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_arrangement_build(ctx, NULL, 2, 2, graph, NULL), "planes");
    CHECK_ARG(ctx, bosc_arrangement_build(ctx, planes, 0, 2, graph, NULL), "n");
    CHECK_ARG(ctx, bosc_arrangement_build(ctx, planes, 65537, 2, graph, NULL), "n");
    CHECK_ARG(ctx, bosc_arrangement_build(ctx, planes, 2, 0, graph, NULL), "dim");
    CHECK_ARG(ctx, bosc_arrangement_build(ctx, planes, 2, 4, graph, NULL), "dim");
    CHECK_ARG(ctx, bosc_arrangement_build(ctx, planes, 2, 2, NULL, NULL), "graph");
    CHECK_ARG(ctx, bosc_arrangement_build(ctx, planes, 2, 2, other, NULL), "graph");
    info.size = 3;
    CHECK_ARG(ctx, bosc_arrangement_build(ctx, planes, 2, 2, graph, &info), "info");
    info.size = sizeof info;
    CHECK_OK(ctx, bosc_arrangement_build(ctx, planes, 2, 2, graph, &info));
    CHECK_EQ(info.cells, 4);
    /* 2. Planes. */
    for (int i = 0; i < 4; i++) {
        double input[6];
        memcpy(input, planes, sizeof input);
        input[4] = bad[i];
        CHECK_STATUS(ctx, bosc_arrangement_build(ctx, input, 2, 2, graph, NULL), BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), "planes: coefficient 1 of plane 1"));
    }
    const double flat[6] = {1, 0, 2, 0, 0, 3};
    CHECK_STATUS(ctx, bosc_arrangement_build(ctx, flat, 2, 2, graph, NULL), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "planes: the normal of plane 1"));
    const double equal[6] = {1, -3, 2, -2, 6, -4};
    CHECK_STATUS(ctx, bosc_arrangement_build(ctx, equal, 2, 2, graph, NULL), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "planes: plane 1 is equal to plane 0"));
    /* 3. The graph is unchanged. */
    bosc_cellgraph_info built = {.size = sizeof built};
    CHECK_OK(ctx, bosc_cellgraph_get_info(ctx, graph, &built));
    CHECK_EQ(built.vertices, 4);
    bosc_cellgraph_free(graph);
    bosc_cellgraph_free(other);
}

static const struct suite_case suite_cases_arrangement[] = {{"all cells", all_cells, NULL},
                                                            {"numbers", numbers, NULL},
                                                            {"near points", near_points, NULL},
                                                            {"rounded points", rounded_points, NULL},
                                                            {"refused arguments", refuses, NULL}};
SUITE(arrangement);
