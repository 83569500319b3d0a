/* Written files must read back unchanged: arrays as .npy and text, edges, heights, meshes. The first byte chooses
 * the kind and whether the file is packed; the other bytes give the content. Files are in /dev/shm if it exists. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "fuzz.h"

enum { NUMBERS = 64, SIDE = 8 };

static const char *make_path(const char *ending, bool packed)
{
    static char path[96];
    const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, sizeof path, "%s/boscage-fuzz-%ld%s%s", folder, (long)getpid(), ending, packed ? ".gz" : "");
    return path;
}

/* Returns true if written; a failure must refuse the data with a message. */
static bool is_written(bosc_status status, const bosc_io_error *error)
{
    if (status != BOSC_OK && ((status != BOSC_ERR_DATA && status != BOSC_ERR_ARG) || !error->text[0])) abort();
    return status == BOSC_OK;
}

static uint64_t read_bits(struct input *in)
{
    static const double reals[8] = {0.1, -0.0, 1e300, 5e-324, INFINITY, NAN, 123456.75, 1.0 / 3};
    uint64_t bits = next_byte(in);
    if (bits >= 192) {
        for (int i = 0; i < 7; i++) bits = bits << 8 | next_byte(in);
    } else if (bits >= 128) {
        memcpy(&bits, &reals[bits % 8], sizeof bits);
    }
    return bits;
}

/* ---- arrays ---- */

/* Returns an element as its text reads. */
static double read_element(const bosc_array *a, int64_t i)
{
    switch (a->dtype) {
    case BOSC_F32: return (double)((const float *)a->data)[i];
    case BOSC_F64: return ((const double *)a->data)[i];
    case BOSC_I8: return ((const int8_t *)a->data)[i];
    case BOSC_I16: return ((const int16_t *)a->data)[i];
    case BOSC_I32: return ((const int32_t *)a->data)[i];
    case BOSC_I64: return (double)((const int64_t *)a->data)[i];
    case BOSC_U8: return ((const uint8_t *)a->data)[i];
    case BOSC_U16: return ((const uint16_t *)a->data)[i];
    case BOSC_U32: return ((const uint32_t *)a->data)[i];
    default: return (double)((const uint64_t *)a->data)[i];
    }
}

static void compare_text(const char *path, const bosc_array *a, int64_t count)
{
    bosc_io_error error = {""};
    bosc_array back = {0};
    bool nan = false;
    for (int64_t i = 0; i < count; i++) nan = nan || isnan(read_element(a, i));
    bosc_status status = bosc_points_read(path, &back, &error);
    if (status != (nan ? BOSC_ERR_DATA : count == 0 ? BOSC_ERR_FORMAT : BOSC_OK)) abort();
    if (status != BOSC_OK) return;
    if (back.dtype != BOSC_F64 || back.shape[0] != a->shape[0] || back.shape[1] != a->shape[1]) abort();
    for (int64_t i = 0; i < count; i++) {
        double read = ((const double *)back.data)[i], is = read_element(a, i);
        if (a->dtype == BOSC_F32 ? (float)read != (float)is : read != is) abort();
        if (signbit(read) != signbit(is)) abort();
    }
    bosc_array_free(&back);
}

static void check_arrays(struct input *in, bool packed)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I8,  BOSC_I16, BOSC_I32,
                                        BOSC_I64, BOSC_U8,  BOSC_U16, BOSC_U32, BOSC_U64};
    static const char *const endings[] = {".npy", ".csv", ".tsv", ".txt"};
    uint64_t data[NUMBERS];
    uint32_t kind = next_byte(in);
    bosc_io_error error = {""};
    bosc_array a = {.dtype = dtypes[kind % 10], .rank = 1, .shape = {next_byte(in) % 9, 1, 1, 1}, .data = data},
               back = {0};
    a.rank += (int32_t)(kind / 10 % (kind % 4 ? 2 : 4));
    for (int32_t i = 1; i < a.rank; i++) a.shape[i] = next_byte(in) % (i == 1 ? 4 : 3);
    /* 1. The content. */
    int64_t count = a.shape[0] * a.shape[1] * a.shape[2] * a.shape[3];
    size_t size = bosc_dtype_size(a.dtype);
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = read_bits(in);
        memcpy((char *)data + (size_t)i * size, (const char *)&bits + (a.dtype == BOSC_F32 ? 4 : 0), size);
    }
    /* 2. Write. */
    const char *path = make_path(endings[kind % 4], packed);
    if (!is_written(bosc_arrays_write(&path, &a, 1, &error), &error)) return;
    /* 3. Read back text, or .npy. */
    if (kind % 4) {
        compare_text(path, &a, count);
        return;
    }
    if (bosc_npy_read(path, &back, &error) != BOSC_OK) abort();
    if (back.dtype != a.dtype || back.rank != a.rank || memcmp(back.shape, a.shape, sizeof a.shape) != 0) abort();
    if (memcmp(back.data, data, (size_t)count * size) != 0) abort();
    bosc_array_free(&back);
}

/* ---- edges ---- */

static double weight_of(const bosc_edges *e, int64_t i)
{
    bosc_array a = {.dtype = e->dtype, .data = e->weights};
    return e->weights ? read_element(&a, i) : 1;
}

static void check_edges(struct input *in, bool packed)
{
    static const bosc_dtype dtypes[] = {BOSC_I32, BOSC_U32, BOSC_F32, BOSC_I64, BOSC_U64, BOSC_F64};
    static const char *const endings[] = {".gr", ".mtx", ".txt", ".csv", ".tsv", ".el", ".snap"};
    uint32_t u[NUMBERS], v[NUMBERS], kind = next_byte(in);
    uint64_t weights[NUMBERS];
    bosc_io_error error = {""};
    bosc_edges e = {.n = 1 + next_byte(in), .m = next_byte(in) % NUMBERS, .dtype = dtypes[kind % 6], .u = u, .v = v},
               back = {0};
    const char *ending = endings[kind / 6 % 7], *path = make_path(ending, packed);
    bool list = kind / 6 % 7 > 1, mtx = kind / 6 % 7 == 1;
    e.weights = kind / 42 % 2 ? weights : NULL;
    size_t size = bosc_dtype_size(e.dtype);
    /* 1. The edges. */
    uint32_t largest = 0;
    for (int64_t i = 0; i < e.m; i++) {
        uint64_t bits = read_bits(in);
        u[i] = next_byte(in) % (uint32_t)e.n;
        v[i] = next_byte(in) % (uint32_t)e.n;
        largest = u[i] > largest ? u[i] : largest;
        largest = v[i] > largest ? v[i] : largest;
        memcpy((char *)weights + (size_t)i * size, (const char *)&bits + (e.dtype == BOSC_F32 ? 4 : 0), size);
    }
    /* 2. Write, read back and compare; .mtx stores the larger vertex first. */
    if (!is_written(bosc_edges_write(path, &e, &error), &error)) return;
    if (bosc_edges_read(path, &back, &error) != BOSC_OK) abort();
    if (back.m != e.m || back.n != (list ? (e.m ? (int64_t)largest + 1 : 0) : e.n)) abort();
    for (int64_t i = 0; i < e.m; i++) {
        bool swapped = mtx && u[i] < v[i];
        if (back.u[i] != (swapped ? v[i] : u[i]) || back.v[i] != (swapped ? u[i] : v[i])) abort();
        double is = weight_of(&e, i), read = weight_of(&back, i);
        if (e.dtype == BOSC_F32 && e.weights ? (float)is != (float)read : is != read) abort();
    }
    bosc_edges_free(&back);
}

/* ---- heights and meshes ---- */

static float read_height(struct input *in)
{
    uint32_t byte = next_byte(in);
    return byte < 200 ? (float)byte : (float)(next_byte(in) * 256 + next_byte(in)) / 64 - (byte < 228 ? 0 : 500);
}

static void check_heights(struct input *in, bool packed)
{
    static const char *const endings[] = {".npy", ".tif", ".png", ".pgm", ".hgt"};
    float data[SIDE * SIDE];
    uint32_t kind = next_byte(in);
    bosc_io_error error = {""};
    bosc_heights h = {.width = 1 + next_byte(in) % SIDE, .height = 1 + next_byte(in) % SIDE, .data = data}, back = {0};
    if (kind & 64) h.spacing = 1 + next_byte(in) / 16.0;
    if (kind & 128) h.spacing_y = 1 + next_byte(in) / 16.0;
    for (int64_t i = 0; i < h.width * h.height; i++) data[i] = read_height(in);
    const char *path = make_path(endings[kind % 5], packed);
    if (!is_written(bosc_heights_write(path, &h, &error), &error)) return;
    if (bosc_heights_read(path, BOSC_HEIGHTS_PLAIN, &back, &error) != BOSC_OK) abort();
    if (back.width != h.width || back.height != h.height || back.voids) abort();
    for (int64_t i = 0; i < h.width * h.height; i++)
        if (back.data[i] != (kind % 5 < 2 ? data[i] : floorf(data[i] + 0.5f))) abort();
    bosc_heights_free(&back);
}

static void check_meshes(struct input *in, bool packed)
{
    static const char *const endings[] = {".ply", ".obj"};
    float positions[3 * NUMBERS];
    uint32_t indices[3 * NUMBERS], kind = next_byte(in);
    bosc_io_error error = {""};
    bosc_array back = {0};
    bosc_mesh mesh = {.vertices = 1 + next_byte(in) % NUMBERS, .triangles = 1 + next_byte(in) % NUMBERS};
    mesh.positions = positions;
    mesh.indices = indices;
    mesh.map = kind & 64 ? 1 : 0;
    for (int64_t i = 0; i < 3 * mesh.vertices; i++) positions[i] = read_height(in) / 7;
    for (int64_t i = 0; i < 3 * mesh.triangles; i++) indices[i] = next_byte(in) % (uint32_t)mesh.vertices;
    const char *path = make_path(endings[kind % 2], packed);
    if (!is_written(bosc_mesh_write(path, &mesh, &error), &error)) return;
    if (bosc_points_read(path, &back, &error) != BOSC_OK) abort();
    if (back.shape[0] != mesh.vertices || back.shape[1] != 3) abort();
    for (int64_t i = 0; i < 3 * mesh.vertices; i++)
        if ((float)((const double *)back.data)[i] != positions[i]) abort();
    bosc_array_free(&back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    uint32_t what = next_byte(&in);
    bool packed = what & 4;
    switch (what % 4) {
    case 0: check_arrays(&in, packed); break;
    case 1: check_edges(&in, packed); break;
    case 2: check_heights(&in, packed); break;
    default: check_meshes(&in, packed); break;
    }
    return 0;
}
