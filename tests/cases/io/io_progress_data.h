/* The calls of io_progress.c: one of each reader and writer, in every format. */
#ifndef TESTS_CASES_IO_IO_PROGRESS_DATA_H
#define TESTS_CASES_IO_IO_PROGRESS_DATA_H

#include <math.h>
#include <stdio.h>

#include "support/bytes.h"
#include "support/paths.h"
#include "io/file/array.h"

enum { N = 20000, SIDE = 150, ANSWER = 1 << 22 };

/* ---- inputs and outputs ---- */

struct world {
    char folder[PATH_ROOM], path[PATH_ROOM + 64], second[PATH_ROOM + 64];
    double points[3 * N];
    uint32_t u[N], v[N];
    int32_t weights[N];
    float heights[SIDE * SIDE], positions[3 * N];
    uint32_t indices[3 * N];
    uint8_t rgb[3 * SIDE * SIDE];
    char text[ANSWER]; /* a file that no writer makes */
    char answer[ANSWER], copy[ANSWER];
    size_t size; /* bytes of the output */
};

static void make_world(struct world *w)
{
    struct suite_random r = {7};
    for (int i = 0; i < 3 * N; i++) w->points[i] = suite_unit(&r);
    for (int i = 0; i < N; i++) {
        w->u[i] = (uint32_t)i;
        w->v[i] = (uint32_t)((i + 1) % N);
        w->weights[i] = (int32_t)suite_below(&r, 1000000);
    }
    for (int i = 0; i < SIDE * SIDE; i++) w->heights[i] = (float)suite_below(&r, 30000);
    for (int i = 0; i < 3 * N; i++) w->positions[i] = (float)w->points[i];
    for (int i = 0; i < 3 * N; i++) w->indices[i] = (uint32_t)suite_below(&r, N);
    for (int i = 0; i < 3 * SIDE * SIDE; i++) w->rgb[i] = (uint8_t)suite_next(&r);
}

static bosc_array points_of(struct world *w)
{
    return (bosc_array){.dtype = BOSC_F64, .rank = 2, .shape = {N, 3, 1, 1}, .data = w->points};
}

static bosc_mesh mesh_of(struct world *w, bool normals)
{
    return (bosc_mesh){.vertices = N,
                       .triangles = N,
                       .positions = w->positions,
                       .normals = normals ? w->positions : NULL,
                       .indices = w->indices};
}

/* ---- writers ---- */

static bosc_status npy_write(struct world *w, bosc_io_error *error)
{
    bosc_array a = points_of(w);
    return bosc_npy_write(w->path, &a, error);
}
static bosc_status npy_write_all(struct world *w, bosc_io_error *error)
{
    const char *paths[2] = {w->path, w->second};
    const bosc_array arrays[2] = {points_of(w), points_of(w)};
    return bosc_npy_write_all(paths, arrays, 2, error);
}
static bosc_status arrays_write(struct world *w, bosc_io_error *error)
{
    const char *paths[2] = {w->path, w->second};
    const bosc_array arrays[2] = {points_of(w), points_of(w)};
    return bosc_arrays_write(paths, arrays, 2, error);
}
static bosc_status texts_write(struct world *w, bosc_io_error *error)
{
    const char *paths[2] = {w->path, w->second};
    const bosc_text texts[2] = {{(const char *)w->points, sizeof w->points}, {(const char *)w->u, sizeof w->u}};
    return bosc_texts_write(paths, texts, 2, error);
}
static bosc_status edges_write(struct world *w, bosc_io_error *error)
{
    const bosc_edges edges = {.n = N, .m = N, .dtype = BOSC_I32, .u = w->u, .v = w->v, .weights = w->weights};
    return bosc_edges_write(w->path, &edges, error);
}
static bosc_status heights_write(struct world *w, bosc_io_error *error)
{
    const bosc_heights h = {.width = SIDE, .height = SIDE, .data = w->heights};
    return bosc_heights_write(w->path, &h, error);
}
static bosc_status mesh_write(struct world *w, bosc_io_error *error)
{
    const bosc_mesh mesh = mesh_of(w, true);
    return bosc_mesh_write(w->path, &mesh, error);
}
static bosc_status png_write(struct world *w, bosc_io_error *error)
{
    return bosc_png_write(w->path, w->rgb, SIDE, SIDE, error);
}
static bosc_status mesh_and_png_write(struct world *w, bosc_io_error *error)
{
    const bosc_mesh mesh = mesh_of(w, false);
    return bosc_mesh_and_png_write(w->path, &mesh, w->second, w->rgb, SIDE, SIDE, error);
}

struct call {
    const char *stage, *ending;
    bosc_status (*run)(struct world *w, bosc_io_error *error);
    int least;                                                  /* minimum number of reports */
    const char *other;                                          /* ending of the second file, if there is one */
    bosc_status (*make)(struct world *w, bosc_io_error *error); /* a reader's file */
};

static const struct call writers[] = {
    {"npy_write", ".npy", npy_write, 3, NULL, NULL},
    {"npy_write", ".npy.gz", npy_write, 5, NULL, NULL},
    {"npy_write_all", ".npy", npy_write_all, 4, "b.npy", NULL},
    {"arrays_write", ".csv", arrays_write, 20, "b.npy", NULL},
    {"arrays_write", ".tsv.gz", arrays_write, 20, "b.txt", NULL},
    {"texts_write", ".txt.gz", texts_write, 2, "b.txt", NULL},
    {"edges_write", ".gr", edges_write, 4, NULL, NULL},
    {"edges_write", ".mtx.gz", edges_write, 4, NULL, NULL},
    {"heights_write", ".npy", heights_write, 3, NULL, NULL},
    {"heights_write", ".png", heights_write, SIDE, NULL, NULL},
    {"heights_write", ".pgm", heights_write, 3, NULL, NULL},
    {"heights_write", ".hgt", heights_write, 3, NULL, NULL},
    {"heights_write", ".tif", heights_write, 2, NULL, NULL},
    {"mesh_write", ".glb", mesh_write, 4, NULL, NULL},
    {"mesh_write", ".ply", mesh_write, 12, NULL, NULL},
    {"mesh_write", ".obj", mesh_write, 12, NULL, NULL},
    {"png_write", ".png", png_write, SIDE, NULL, NULL},
    {"mesh_and_png_write", ".ply", mesh_and_png_write, SIDE, "b.png", NULL},
};

/* ---- readers ---- */

static void append_output(struct world *w, const void *bytes, size_t size)
{
    CHECK(size <= ANSWER - w->size);
    if (size) memcpy(w->answer + w->size, bytes, size);
    w->size += size;
}

static void append_array(struct world *w, bosc_array *a)
{
    size_t bytes = 0;
    CHECK(bi_array_bytes(a->dtype, a->rank, a->shape, &bytes));
    append_output(w, a->data, bytes);
    bosc_array_free(a);
}

/* Appends an array that was read; after a failure the array must be unchanged. */
static bosc_status finish_array(struct world *w, bosc_array *a, bosc_status status)
{
    if (status == BOSC_OK)
        append_array(w, a);
    else
        CHECK(a->data == NULL && a->rank == 0);
    return status;
}

static bosc_status npy_read(struct world *w, bosc_io_error *error)
{
    bosc_array a = {0};
    return finish_array(w, &a, bosc_npy_read(w->path, &a, error));
}
static bosc_status npy_read_slice(struct world *w, bosc_io_error *error)
{
    bosc_array a = {0};
    bosc_slice slice = {.part = 1, .parts = 2};
    return finish_array(w, &a, bosc_npy_read_slice(w->path, &slice, &a, error));
}
static bosc_status points_read(struct world *w, bosc_io_error *error)
{
    bosc_array a = {0};
    return finish_array(w, &a, bosc_points_read(w->path, &a, error));
}
static bosc_status points_read_columns(struct world *w, bosc_io_error *error)
{
    bosc_array a = {0};
    return finish_array(w, &a, bosc_points_read_columns(w->path, "2,1", &a, error));
}
static bosc_status points_read_valid(struct world *w, bosc_io_error *error)
{
    bosc_array a = {0};
    return finish_array(w, &a, bosc_points_read_valid(w->path, NULL, &a, NULL, error));
}
static bosc_status points_read_slice(struct world *w, bosc_io_error *error)
{
    bosc_array a = {0};
    bosc_slice slice = {.part = 0, .parts = 2};
    return finish_array(w, &a, bosc_points_read_slice(w->path, NULL, &slice, &a, error));
}
static bosc_status edges_read(struct world *w, bosc_io_error *error)
{
    bosc_edges e = {0};
    bosc_status status = bosc_edges_read(w->path, &e, error);
    if (status != BOSC_OK) {
        CHECK(e.u == NULL && e.m == 0);
        return status;
    }
    append_output(w, e.u, (size_t)e.m * 4);
    append_output(w, e.v, (size_t)e.m * 4);
    if (e.weights) append_output(w, e.weights, (size_t)e.m * bosc_dtype_size(e.dtype));
    bosc_edges_free(&e);
    return status;
}
static bosc_status edges_read_names(struct world *w, bosc_io_error *error)
{
    bosc_edges e = {0};
    bosc_names names = {0};
    bosc_status status = bosc_edges_read_names(w->path, NULL, &e, &names, error);
    if (status != BOSC_OK) {
        CHECK(e.u == NULL && names.text == NULL);
        return status;
    }
    append_output(w, e.u, (size_t)e.m * 4);
    append_output(w, e.v, (size_t)e.m * 4);
    append_output(w, names.begins, (size_t)names.n * 8);
    bosc_edges_free(&e);
    bosc_names_free(&names);
    return status;
}
static bosc_status names_read(struct world *w, bosc_io_error *error)
{
    bosc_names names = {0};
    const bosc_status status = bosc_names_read(w->path, "2", &names, error);
    if (status != BOSC_OK) {
        CHECK(names.text == NULL && names.n == 0);
        return status;
    }
    CHECK_EQ(names.n, N);
    append_output(w, names.begins, (size_t)names.n * 8);
    bosc_names_free(&names);
    return status;
}
/* Appends the heights that were read, and frees them; returns the status. */
static bosc_status append_heights(struct world *w, bosc_heights *h, bosc_status status)
{
    if (status == BOSC_OK)
        append_output(w, h->data, (size_t)(h->width * h->height) * 4);
    else
        CHECK(h->data == NULL && h->width == 0);
    bosc_heights_free(h);
    return status;
}
static bosc_status heights_read(struct world *w, bosc_io_error *error)
{
    bosc_heights h = {0};
    return append_heights(w, &h, bosc_heights_read(w->path, BOSC_HEIGHTS_PLAIN, &h, error));
}
static bosc_status heights_read_opts(struct world *w, bosc_io_error *error)
{
    bosc_heights h = {0};
    const bosc_heights_opts opts = {.size = sizeof opts, .voids = BOSC_HEIGHTS_REFUSE_VOIDS};
    return append_heights(w, &h, bosc_heights_read_opts(w->path, &opts, &h, error));
}
/* Only every second sample has a height. */
static bosc_status heights_fill(struct world *w, bosc_io_error *error)
{
    float samples[SIDE * SIDE];
    bosc_heights h = {.width = SIDE, .height = SIDE, .data = samples, .voids = 7};
    for (int i = 0; i < SIDE * SIDE; i++) samples[i] = i % 2 ? NAN : w->heights[i];
    bosc_status status = bosc_heights_fill(&h, error);
    CHECK((h.voids == 7) == (status != BOSC_OK) && (isnan(samples[1]) != 0) == (status != BOSC_OK));
    append_output(w, samples, sizeof samples);
    return status;
}
/* Appends converted heights to the output; those of a failed conversion are as they were. Frees them. */
static bosc_status end_conversion(struct world *w, bosc_heights *h, bosc_status status)
{
    if (status == BOSC_OK)
        append_output(w, h->data, (size_t)(h->width * h->height) * 4);
    else
        CHECK(h->width == SIDE && h->data[1] == w->heights[1]);
    bosc_heights_free(h);
    return status;
}
static bosc_status heights_to_globe(struct world *w, bosc_io_error *error)
{
    static const double bounds[4] = {0, 0, 75, 75}; /* cells of half a degree */
    double change = -1;
    const bosc_globe_opts opts = {.size = sizeof opts, .bounds = bounds, .has_outside = 1, .max_change = &change};
    bosc_heights h = {.width = SIDE, .height = SIDE, .data = malloc(sizeof w->heights)};
    CHECK(h.data != NULL);
    memcpy(h.data, w->heights, sizeof w->heights);
    const bosc_status status = bosc_heights_to_globe(&h, &opts, error);
    CHECK((change >= 0) == (status == BOSC_OK));
    return end_conversion(w, &h, status);
}
static bosc_status heights_map_to_globe(struct world *w, bosc_io_error *error)
{
    double change = -1;
    const bosc_globe_opts opts = {.size = sizeof opts, .has_outside = 1, .max_change = &change};
    bosc_heights h = {.width = SIDE,
                      .height = SIDE,
                      .data = malloc(sizeof w->heights),
                      .edges = {-1e7, -1e7, 1e7, 1e7}, /* about 150 rows of the globe */
                      .crs = "EPSG:3857"};
    CHECK(h.data != NULL);
    memcpy(h.data, w->heights, sizeof w->heights);
    const bosc_status status = bosc_heights_to_globe(&h, &opts, error);
    CHECK((change >= 0) == (status == BOSC_OK));
    return end_conversion(w, &h, status);
}
static bosc_status heights_to_degrees(struct world *w, bosc_io_error *error)
{
    double change = -1;
    const bosc_globe_opts opts = {.size = sizeof opts, .max_change = &change};
    bosc_heights h = {.width = SIDE,
                      .height = SIDE,
                      .data = malloc(sizeof w->heights),
                      .edges = {6e6, 2e6, 8e6, 3e6},
                      .crs = "EPSG:3857"};
    CHECK(h.data != NULL);
    memcpy(h.data, w->heights, sizeof w->heights);
    const bosc_status status = bosc_heights_to_degrees(&h, &opts, error);
    CHECK((change >= 0) == (status == BOSC_OK));
    return end_conversion(w, &h, status);
}
static bosc_status mesh_read(struct world *w, bosc_io_error *error)
{
    bosc_array vertices = {0}, triangles = {0};
    bosc_status status = bosc_mesh_read(w->path, &vertices, &triangles, error);
    finish_array(w, &vertices, status);
    return finish_array(w, &triangles, status);
}
static bosc_status read_vectors(struct world *w, int32_t bits, bosc_io_error *error)
{
    bosc_vectors v = {0};
    const bosc_vectors_opts opts = {.size = sizeof opts, .bits = bits};
    bosc_status status = bosc_vectors_read(w->path, &opts, &v, error);
    if (status == BOSC_OK)
        append_output(w, v.rows, (size_t)(v.n * bosc_cellgraph_words(v.length, v.letter_bits)) * 8);
    else
        CHECK(v.rows == NULL && v.n == 0);
    bosc_vectors_free(&v);
    return status;
}
static bosc_status vectors_read(struct world *w, bosc_io_error *error) { return read_vectors(w, 0, error); }
static bosc_status vectors_read_packed(struct world *w, bosc_io_error *error) { return read_vectors(w, 192, error); }

static bosc_status sequences_read(struct world *w, bosc_io_error *error)
{
    bosc_sequences s = {0};
    bosc_status status = bosc_sequences_read(w->path, NULL, &s, error);
    if (status != BOSC_OK) {
        CHECK(s.letters == NULL && s.n == 0);
        return status;
    }
    append_output(w, s.letters, (size_t)s.offsets[s.n]);
    append_output(w, s.offsets, (size_t)(s.n + 1) * sizeof *s.offsets);
    append_output(w, s.counts, (size_t)s.n * sizeof *s.counts);
    bosc_sequences_free(&s);
    return status;
}

/* In place: an array that cannot be converted stays unchanged. */
static bosc_status array_convert(struct world *w, bosc_io_error *error)
{
    bosc_array a = points_of(w);
    a.data = suite_alloc(sizeof w->points);
    memcpy(a.data, w->points, sizeof w->points);
    bosc_status status = bosc_array_convert("A", &a, BOSC_F32, 1, error);
    if (status == BOSC_OK) {
        CHECK_EQ(a.dtype, BOSC_F32);
        append_array(w, &a);
        return status;
    }
    CHECK(a.dtype == BOSC_F64 && memcmp(a.data, w->points, sizeof w->points) == 0);
    free(a.data);
    return status;
}

/* ---- files that no writer makes ---- */

static bosc_status put_text(struct world *w, size_t size)
{
    FILE *f = fopen(w->path, "wb");
    CHECK(f && fwrite(w->text, 1, size, f) == size && fclose(f) == 0);
    return BOSC_OK;
}

static bosc_status make_off(struct world *w, bosc_io_error *error)
{
    char *p = w->text;
    (void)error;
    p += sprintf(p, "OFF\n%d %d 0\n", N, N);
    for (int i = 0; i < N; i++) p += sprintf(p, "%d %d %d\n", i, i % 7, i % 11);
    for (int i = 0; i < N; i++) p += sprintf(p, "3 %d %d 0\n", i, N - 1 - i);
    return put_text(w, (size_t)(p - w->text));
}
/* One face that is no fan: a comb. */
static bosc_status make_comb(struct world *w, bosc_io_error *error)
{
    enum { TEETH = 2000 };
    char *p = w->text;
    (void)error;
    p += sprintf(p, "OFF\n%d 1 0\n0 -1 0\n%d -1 0\n", 2 * TEETH + 2, TEETH);
    for (int i = TEETH; i-- > 0;) p += sprintf(p, "%d %d 0\n%d 5 0\n", i, i % 2, i);
    p += sprintf(p, "%d", 2 * TEETH + 2);
    for (int i = 0; i < 2 * TEETH + 2; i++) p += sprintf(p, " %d", i);
    return put_text(w, (size_t)(p - w->text) + (size_t)sprintf(p, "\n"));
}
static bosc_status make_stl(struct world *w, bosc_io_error *error)
{
    char *p = w->text;
    (void)error;
    p += sprintf(p, "solid\n");
    for (int i = 0; i < 5000; i++)
        p += sprintf(
            p, "facet normal 0 0 1\nouter loop\nvertex %d 0 0\nvertex 0 1 0\nvertex 0 0 1\nendloop\nendfacet\n", i);
    p += sprintf(p, "endsolid\n");
    return put_text(w, (size_t)(p - w->text));
}
static bosc_status make_stl_binary(struct world *w, bosc_io_error *error)
{
    const uint32_t facets = N;
    (void)error;
    memset(w->text, 0, 84 + 50 * (size_t)N);
    memcpy(w->text + 80, &facets, 4);
    return put_text(w, 84 + 50 * (size_t)N);
}
static bosc_status make_ply(struct world *w, bosc_io_error *error)
{
    char *p = w->text;
    (void)error;
    p += sprintf(p,
                 "ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
                 "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
                 N, N);
    for (int i = 0; i < N; i++) p += sprintf(p, "%d %d %d\n", i, i % 7, i % 11);
    for (int i = 0; i < N; i++) p += sprintf(p, "3 %d %d 0\n", i, N - 1 - i);
    return put_text(w, (size_t)(p - w->text));
}
/* N points, each field packed as plain bytes. */
static bosc_status make_pcd(struct world *w, bosc_io_error *error)
{
    uint32_t sizes[2] = {0, 12 * N};
    char *p = w->text, *packed;
    (void)error;
    p += sprintf(p, "FIELDS x y z\nSIZE 4 4 4\nTYPE U U U\nWIDTH %d\nDATA binary_compressed\n", N);
    packed = p += sizeof sizes;
    for (int i = 0; i < 3 * N; i++) {
        const uint32_t x = (uint32_t)i % N;
        *p++ = 3; /* 4 bytes follow */
        memcpy(p, &x, sizeof x);
        p += sizeof x;
    }
    sizes[0] = (uint32_t)(p - packed);
    memcpy(packed - sizeof sizes, sizes, sizeof sizes);
    return put_text(w, (size_t)(p - w->text));
}
static bosc_status make_molecule(struct world *w, bosc_io_error *error)
{
    char *p = w->text;
    (void)error;
    p += sprintf(p, "%d\n\n", N);
    for (int i = 0; i < N; i++) p += sprintf(p, "H %d %d %d\n", i, i % 7, i % 11);
    return put_text(w, (size_t)(p - w->text));
}
static bosc_status make_pgm(struct world *w, bosc_io_error *error)
{
    char *p = w->text;
    (void)error;
    p += sprintf(p, "P2\n%d %d\n65535\n", 2 * SIDE, SIDE);
    for (int i = 0; i < 2 * SIDE * SIDE; i++) p += sprintf(p, "%d\n", i % 65536);
    return put_text(w, (size_t)(p - w->text));
}
static bosc_status make_asc(struct world *w, bosc_io_error *error)
{
    char *p = w->text;
    (void)error;
    p += sprintf(p, "ncols %d\nnrows %d\ncellsize 2\n", 2 * SIDE, SIDE);
    for (int i = 0; i < 2 * SIDE * SIDE; i++) p += sprintf(p, "%d\n", i % 5000);
    return put_text(w, (size_t)(p - w->text));
}
static bosc_status make_metis(struct world *w, bosc_io_error *error)
{
    char *p = w->text;
    (void)error;
    p += sprintf(p, "%d %d\n", N, N); /* a ring */
    for (int i = 0; i < N; i++) p += sprintf(p, "%d %d\n", (i + N - 1) % N + 1, (i + 1) % N + 1);
    return put_text(w, (size_t)(p - w->text));
}
static bosc_status make_bases(struct world *w, bosc_io_error *error)
{
    char *p = w->text;
    (void)error;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 16; k++) *p++ = "ACGT"[i >> (k % 8) & 3];
        *p++ = '\n';
    }
    return put_text(w, (size_t)(p - w->text));
}
static bosc_status make_records(struct world *w, bosc_io_error *error)
{
    char *p = w->text;
    const char *path = w->path;
    for (int i = 0; i < N; i++) p += sprintf(p, "@%d\nACG%c\n+\nFFFF\n", i, "ACGT"[i % 4]);
    const bosc_text text = {w->text, p - w->text};
    return bosc_texts_write(&path, &text, 1, error);
}
static bosc_status make_packed(struct world *w, bosc_io_error *error)
{
    const bosc_array a = {.dtype = BOSC_U8, .rank = 2, .shape = {N, 24, 1, 1}, .data = w->points};
    _Static_assert(sizeof w->points >= 24 * N, "enough bytes");
    return bosc_npy_write(w->path, &a, error);
}
static bosc_status make_fortran(struct world *w, bosc_io_error *error)
{
    bosc_status status = npy_write(w, error);
    FILE *f = fopen(w->path, "r+b");
    char head[128];
    CHECK(f && fread(head, 1, sizeof head, f) == sizeof head);
    char *at = strstr(head + 10, "False");
    CHECK(at != NULL);
    memcpy(at, "True ", 5);
    rewind(f);
    CHECK(fwrite(head, 1, sizeof head, f) == sizeof head && fclose(f) == 0);
    return status;
}
/* Only every second sample has a height. */
static bosc_status make_voids(struct world *w, bosc_io_error *error)
{
    float samples[SIDE * SIDE];
    const bosc_array a = {.dtype = BOSC_F32, .rank = 2, .shape = {SIDE, SIDE, 1, 1}, .data = samples};
    for (int i = 0; i < SIDE * SIDE; i++) samples[i] = i % 2 ? NAN : w->heights[i];
    return bosc_npy_write(w->path, &a, error);
}

static const struct call readers[] = {
    {"npy_read", ".npy", npy_read, 1, NULL, npy_write},
    {"npy_read", ".npy.gz", npy_read, 2, NULL, npy_write},
    {"npy_read", ".npy", npy_read, 1, NULL, make_fortran},
    {"npy_read_slice", ".npy", npy_read_slice, 1, NULL, npy_write},
    {"points_read", ".npy", points_read, 1, NULL, npy_write},
    {"points_read", ".csv", points_read, 4, NULL, arrays_write},
    {"points_read", ".tsv.gz", points_read, 4, NULL, arrays_write},
    {"points_read", ".off", points_read, 10, NULL, make_off},
    {"points_read", ".pcd", points_read, 6, NULL, make_pcd},
    {"points_read", ".xyz", points_read, 10, NULL, make_molecule},
    {"points_read_columns", ".csv", points_read_columns, 4, NULL, arrays_write},
    {"points_read_valid", ".npy", points_read_valid, 1, NULL, npy_write},
    {"points_read_slice", ".npy", points_read_slice, 1, NULL, npy_write},
    {"edges_read", ".gr", edges_read, 1, NULL, edges_write},
    {"edges_read", ".mtx.gz", edges_read, 2, NULL, edges_write},
    {"edges_read_names", ".txt", edges_read_names, 2, NULL, edges_write},
    {"names_read", ".txt", names_read, 4, NULL, edges_write},
    {"edges_read", ".graph", edges_read, 2, NULL, make_metis},
    {"heights_read", ".png", heights_read, SIDE, NULL, heights_write},
    {"heights_read", ".pgm", heights_read, 2, NULL, make_pgm},
    {"heights_read_opts", ".asc", heights_read_opts, 2, NULL, make_asc},
    {"heights_fill", "", heights_fill, SIDE, NULL, NULL},
    {"heights_read", ".tif", heights_read, 1, NULL, heights_write},
    {"heights_read", ".npy", heights_read, SIDE, NULL, make_voids},
    /* Rows of the globe, then rows of the raster to measure the change. */
    {"heights_to_globe", ".npy", heights_to_globe, 360 + SIDE - 1, NULL, npy_write},
    {"heights_to_globe", ".npy", heights_map_to_globe, 120 + SIDE, NULL, npy_write},
    {"heights_to_degrees", ".npy", heights_to_degrees, 20 + SIDE, NULL, npy_write},
    {"mesh_read", ".obj", mesh_read, 10, NULL, mesh_write},
    {"mesh_read", ".ply", mesh_read, 4, NULL, mesh_write},
    {"mesh_read", ".glb", mesh_read, 4, NULL, mesh_write},
    {"mesh_read", ".ply", mesh_read, 10, NULL, make_ply},
    {"mesh_read", ".off", mesh_read, 10, NULL, make_off},
    {"mesh_read", ".off", mesh_read, 150, NULL, make_comb},
    {"mesh_read", ".stl", mesh_read, 10, NULL, make_stl},
    {"mesh_read", ".stl", mesh_read, 4, NULL, make_stl_binary},
    {"vectors_read", ".txt", vectors_read, 10, NULL, make_bases},
    {"vectors_read", ".npy", vectors_read_packed, 2, NULL, make_packed},
    {"sequences_read", ".txt", sequences_read, 10, NULL, make_bases},
    {"sequences_read", ".fastq.gz", sequences_read, 10, NULL, make_records},
    {"array_convert", "", array_convert, 1, NULL, NULL},
};

#endif
