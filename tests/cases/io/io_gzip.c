/* Files compressed by gzip, read and written. */
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#include "base/fault.h"
#include "support/bytes.h"
#include "support/paths.h"
#include "io/file/packed.h"
#include "io/file/array.h"
#include "io/file/file.h"

/* Compresses with zlib in the format of gzip. Returns the size at `to`. */
static size_t pack(const void *bytes, size_t size, char *to, size_t room)
{
    z_stream z = {0};
    CHECK_EQ(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)bytes;
    z.avail_in = (uInt)size;
    z.next_out = (Bytef *)to;
    z.avail_out = (uInt)room;
    CHECK_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

/* Decompresses to an array of bytes. */
static bosc_status unpack(const struct bi_bytes *in, bosc_array *bytes, bosc_io_error *error)
{
    struct bi_file file = {0};
    bosc_status status = bi_gzip_decompress(in, 200000, &file, error);
    if (status != BOSC_OK) return status;
    const int64_t size = (int64_t)file.bytes.size;
    status = bi_array_new(in->name, BOSC_U8, 1, &size, bytes, error);
    if (status == BOSC_OK && size) memcpy(bytes->data, file.bytes.data, (size_t)size);
    bi_file_close(&file);
    return status;
}

static void check_unpacks(const char *packed, size_t size, const char *expected, size_t length)
{
    bosc_io_error error;
    bosc_array a = {0};
    if (parse_bytes(unpack, packed, size, &a, &error) != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
    CHECK(a.shape[0] == (int64_t)length && memcmp(a.data, expected, length) == 0);
    bosc_array_free(&a);
}

static void unpacked(void)
{
    enum { LARGE = 200000 };
    static char packed[LARGE + 1000], large[LARGE + 1];
    struct suite_random r = {8};
    size_t first = pack("x,y\n", 4, packed, sizeof packed);
    check_unpacks(packed, first, "x,y\n", 4);
    size_t second = pack("1,2\n", 4, packed + first, sizeof packed - first);
    check_unpacks(packed, first + second, "x,y\n1,2\n", 8);
    check_unpacks(packed, pack("", 0, packed, sizeof packed), "", 0);
    for (int noise = 0; noise < 2; noise++) { /* more than the first memory holds, and just the limit */
        for (int i = 0; i < LARGE; i++) large[i] = (char)(noise ? suite_next(&r) : 7);
        check_unpacks(packed, pack(large, LARGE, packed, sizeof packed), large, LARGE);
        check_refused(unpack, packed, pack(large, LARGE + 1, packed, sizeof packed), "F: unpacks to more than 200000");
    }
}

static void damaged(void)
{
    char packed[200];
    size_t size = pack("0,0\n1,1\n2,2\n3,3\n", 16, packed, sizeof packed);
    check_truncations(unpack, packed, size, size);
    check_flips(unpack, packed, size, size);
    check_refused(unpack, "", 0, "F: damaged gzip: truncated");
    check_refused(unpack, "1,2\n3,4\n", 8, "F: damaged gzip: incorrect header check");
    memcpy(packed + size, "more", 4);
    check_refused(unpack, packed, size + 4, "F: 4 bytes follow what gzip has packed");
    memcpy(packed + size, "\x1f\x8b", 2);
    check_refused(unpack, packed, size + 2, "F: damaged gzip: truncated");
    packed[size - 1] ^= 1;
    check_refused(unpack, packed, size, "F: damaged gzip: incorrect length check");
    packed[size - 1] ^= 1;
    packed[size - 8] ^= 1;
    check_refused(unpack, packed, size, "F: damaged gzip: incorrect data check");
}

/* Each kind of file is read back, small and large, and written with the same bytes each time. */
static void written(void)
{
    static double many[30000];
    static char first[1 << 18], again[1 << 18];
    struct suite_random r = {9};
    for (size_t i = 0; i < sizeof many / sizeof *many; i++) many[i] = (double)suite_below(&r, 1000);
    for (int64_t n = 0; n <= 30000; n += n < 3 ? 1 : 29997) {
        char path[PATH_ROOM];
        bosc_io_error error;
        bosc_array a = {.dtype = BOSC_F64, .rank = 2, .shape = {n, 1, 1, 1}, .data = many}, b = {0};
        fresh_path(path, ".NPY.gz");
        size_t sizes[2];
        for (int time = 0; time < 2; time++) {
            if (bosc_npy_write(path, &a, &error) != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
            FILE *f = fopen(path, "rb");
            CHECK(f != NULL);
            sizes[time] = fread(time ? again : first, 1, sizeof first, f);
            fclose(f);
        }
        CHECK(sizes[0] == sizes[1] && memcmp(first, again, sizes[0]) == 0 && memcmp(first, "\x1f\x8b", 2) == 0);
        CHECK(sizes[0] < (size_t)n * 4 + 200);
        CHECK_EQ(bosc_points_read(path, &b, &error), BOSC_OK);
        CHECK(b.shape[0] == n && memcmp(b.data, many, (size_t)n * sizeof *many) == 0);
        bosc_array_free(&b);
        unlink(path);
    }
}

/* A file that a shell opened has no ending: its first bytes say how it is packed. */
static void opened(void)
{
    char path[PATH_ROOM], name[32];
    bosc_io_error error;
    double x[] = {3, 4};
    bosc_array a = {.dtype = BOSC_F64, .rank = 2, .shape = {2, 1, 1, 1}, .data = x}, b = {0};
    fresh_path(path, ".npy.gz");
    CHECK_EQ(bosc_npy_write(path, &a, &error), BOSC_OK);
    FILE *f = fopen(path, "rb");
    CHECK(f != NULL);
    snprintf(name, sizeof name, "/dev/fd/%d", fileno(f));
    CHECK_EQ(bosc_points_read(name, &b, &error), BOSC_OK);
    CHECK(b.shape[0] == 2 && memcmp(b.data, x, sizeof x) == 0);
    bosc_array_free(&b);
    fclose(f);
    unlink(path);
}

static void endings(void)
{
    char path[PATH_ROOM];
    bosc_io_error error;
    uint32_t u[] = {0, 1}, v[] = {1, 2};
    float z[] = {1, 2, 3, 4};
    static const char *const graphs[] = {".gr.gz", ".mtx.gz", ".csv.GZ", ".el.bgz"}, *const rasters[] = {".tif.gz",
                                                                                                         ".hgt.gz"};
    for (int i = 0; i < 4; i++) {
        bosc_edges edges = {3, 2, BOSC_I32, u, v, NULL}, back = {0};
        fresh_path(path, graphs[i]);
        CHECK(bosc_edges_write(path, &edges, &error) == BOSC_OK && bosc_edges_read(path, &back, &error) == BOSC_OK);
        CHECK(back.n == 3 && back.m == 2);
        bosc_edges_free(&back);
        unlink(path);
    }
    for (int i = 0; i < 2; i++) {
        bosc_heights heights = {.width = 2, .height = 2, .data = z}, back = {0};
        fresh_path(path, rasters[i]);
        CHECK_EQ(bosc_heights_write(path, &heights, &error), BOSC_OK);
        CHECK_EQ(bosc_heights_read(path, BOSC_HEIGHTS_PLAIN, &back, &error), BOSC_OK);
        CHECK(back.width == 2 && memcmp(back.data, z, sizeof z) == 0);
        bosc_heights_free(&back);
        unlink(path);
    }
    bosc_heights none = {.width = 2, .height = 2, .data = z};
    CHECK_EQ(bosc_heights_write("h.gz", &none, &error),
             BOSC_ERR_ARG); /* ".gz" alone does not say what the file holds */
}

#ifdef BOSC_FAULTS
/* Fails the k-th allocation, read or write, for every k: no file appears, or it is complete. */
static void faults(void)
{
    static double x[3] = {1, 2, 3};
    char path[PATH_ROOM];
    fresh_path(path, ".npy.gz");
    for (int64_t k = 0;; k++) {
        bosc_io_error error = {""};
        bosc_array a = {.dtype = BOSC_F64, .rank = 2, .shape = {3, 1, 1, 1}, .data = x}, b = {0};
        bi_fault_arm(BI_FAULT_ALLOC | BI_FAULT_READ | BI_FAULT_WRITE, k, false);
        bosc_status status = bosc_npy_write(path, &a, &error);
        bool kept = status == BOSC_OK;
        if (kept) status = bosc_points_read(path, &b, &error);
        int64_t passages = bi_fault_passages();
        bi_fault_disarm();
        CHECK(k < 100 && (access(path, F_OK) == 0) == kept);
        CHECK(status == BOSC_OK ? memcmp(b.data, x, sizeof x) == 0 : error.text[0] && !b.data);
        bosc_array_free(&b);
        unlink(path);
        if (status == BOSC_OK && passages <= k) break;
    }
}
#endif

static const struct suite_case suite_cases_io_gzip[] = {
    {"members are unpacked", NULL, unpacked},
    {"damaged files", NULL, damaged},
    {"arrays written and read", NULL, written},
    {"other formats", NULL, endings},
    {"opened files", NULL, opened},
#ifdef BOSC_FAULTS
    {"faults at every passage", NULL, faults},
#endif
};
SUITE(io_gzip);
