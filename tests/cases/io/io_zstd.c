/* Files compressed by zstd, read and written, if libzstd is available. */
#include <stdio.h>
#include <unistd.h>

#include "base/fault.h"
#include "io/file/packed.h"
#include "io/file/array.h"
#include "io/file/file.h"
#include "support/bytes.h"
#include "support/paths.h"

/* "x,y\n", with a checksum of its own at the end; and 300,000 zeros. */
static const char small[] = "\x28\xb5\x2f\xfd\x04\x68\x21\0\0x,y\n\x38\x08\xa7\xc9";
static const char zeros[] =
    "\x28\xb5\x2f\xfd\x04\x58\x54\0\0\x10\0\0\1\0\xfb\xff\x39\xc0\2\2\0\x10\0\3\x9f\4\0\x2d\x28\xde\x26";

/* Decompresses to an array of bytes. */
static bosc_status unpack(const struct bi_bytes *in, bosc_array *bytes, bosc_io_error *error)
{
    struct bi_file file = {0};
    bosc_status status = bi_zstd_decompress(in, 300000, &file, error);
    if (status != BOSC_OK) return status;
    const int64_t size = (int64_t)file.bytes.size;
    status = bi_array_new(in->name, BOSC_U8, 1, &size, bytes, error);
    if (status == BOSC_OK && size) memcpy(bytes->data, file.bytes.data, (size_t)size);
    bi_file_close(&file);
    return status;
}

/* Without libzstd everything is refused, with the reason. */
static bool is_there(void)
{
    bosc_io_error error;
    bosc_array a = {0};
    bosc_status status = parse_bytes(unpack, small, sizeof small - 1, &a, &error);
    bosc_array_free(&a);
    if (status != BOSC_OK) CHECK(strstr(error.text, "F: packed by zstd, which was not there") != NULL);
    return status == BOSC_OK;
}

static void unpacked(void)
{
    enum { SMALL = sizeof small - 1, ZEROS = sizeof zeros - 1 };
    char two[SMALL + ZEROS + 1];
    bosc_io_error error;
    bosc_array a = {0};
    if (!is_there()) return;
    CHECK_EQ(parse_bytes(unpack, zeros, ZEROS, &a, &error), BOSC_OK);
    CHECK_EQ(a.shape[0], 300000);
    for (int64_t i = 0; i < a.shape[0]; i++) CHECK_EQ(((const char *)a.data)[i], 0);
    bosc_array_free(&a);
    memcpy(two, small, SMALL);
    memcpy(two + SMALL, small, SMALL);
    CHECK_EQ(parse_bytes(unpack, two, SMALL + SMALL, &a, &error), BOSC_OK);
    CHECK(a.shape[0] == 8 && memcmp(a.data, "x,y\nx,y\n", 8) == 0);
    bosc_array_free(&a);
    memcpy(two + SMALL, zeros, ZEROS);
    check_refused(unpack, two, SMALL + ZEROS, "F: unpacks to more than 300000 bytes");
    check_refused(unpack, two, SMALL + 4, "F: damaged zstd: truncated");
    check_refused(unpack, "x", 1, "F: damaged zstd");
    check_refused(unpack, "", 0, "F: damaged zstd: truncated");
    two[SMALL] = 'x';
    check_refused(unpack, two, SMALL + 5, "F: damaged zstd: ");
    two[SMALL - 1] ^= 1;
    check_refused(unpack, two, SMALL, "F: damaged zstd: ");
    check_truncations(unpack, small, SMALL, SMALL);
}

static void files(void)
{
    static const char text[] = "\x28\xb5\x2f\xfd\x04\x58\x91\0\0x,y\n0,0\n3,4\n3,4.5\n\xc0\x86\xbb\xc4";
    char path[PATH_ROOM];
    bosc_io_error failure = {""};
    bosc_array points = {0};
    fresh_path(path, ".csv.ZST");
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(text, 1, sizeof text - 1, f) == sizeof text - 1);
    CHECK_EQ(fclose(f), 0);
    CHECK_EQ(bosc_points_read(path, &points, &failure), is_there() ? BOSC_OK : BOSC_ERR_FORMAT);
    if (is_there()) CHECK(points.shape[0] == 3 && ((const double *)points.data)[5] == 4.5);
    bosc_array_free(&points);
    unlink(path);
}

/* Arrays are read back: small ones, ones of many buffers, and noise; the bytes of a file show that zstd compressed it.
 * */
static void written(void)
{
    enum { MOST = 40000 };
    static double many[MOST];
    struct suite_random r = {9};
    char path[PATH_ROOM], begin[4];
    fresh_path(path, ".npy.zst");
    for (int64_t n = 0; n <= MOST && is_there(); n += n < 2 ? 1 : MOST - 2) {
        bosc_io_error failure = {""};
        bosc_array a = {.dtype = BOSC_F64, .rank = 2, .shape = {n, 1, 1, 1}, .data = many}, b = {0};
        for (int64_t i = 0; i < n; i++) many[i] = i < MOST / 2 ? (double)(i / 100) : suite_unit(&r);
        CHECK_EQ(bosc_npy_write(path, &a, &failure), BOSC_OK);
        FILE *f = fopen(path, "rb");
        CHECK(f && fread(begin, 1, 4, f) == 4 && memcmp(begin, "\x28\xb5\x2f\xfd", 4) == 0);
        CHECK(fseek(f, 0, SEEK_END) == 0 && ftell(f) < 6 * n + 200);
        CHECK_EQ(fclose(f), 0);
        CHECK_EQ(bosc_points_read(path, &b, &failure), BOSC_OK);
        CHECK(b.shape[0] == n && memcmp(b.data, many, (size_t)n * sizeof *many) == 0);
        bosc_array_free(&b);
    }
    unlink(path);
    const char *paths[] = {path};
    bosc_array a = {.dtype = BOSC_F64, .rank = 1, .shape = {1, 1, 1, 1}, .data = (double[]){1}};
    if (!is_there()) CHECK_TEXT(bosc_arrays_write(paths, &a, 1, error), "path");
}

#ifdef BOSC_FAULTS
static void faults(void)
{
    for (int64_t k = 0; is_there(); k++) {
        bosc_io_error error = {""};
        bosc_array a = {0};
        bi_fault_arm(BI_FAULT_ALLOC, k, k % 2);
        bosc_status status = parse_bytes(unpack, zeros, sizeof zeros - 1, &a, &error);
        int64_t passages = bi_fault_passages();
        bi_fault_disarm();
        if (status != BOSC_OK)
            CHECK(status == BOSC_ERR_NOMEM && !a.data && suite_begins(error.text, "F: out of memory"));
        bosc_array_free(&a);
        if (passages <= k) break;
    }
}

/* No incomplete file appears. */
static void faults_of_writing(void)
{
    double x[3] = {1, 2, 3};
    char path[PATH_ROOM];
    fresh_path(path, ".npy.zst");
    for (int64_t k = 0; is_there(); k++) {
        bosc_io_error error = {""};
        bosc_array a = {.dtype = BOSC_F64, .rank = 2, .shape = {3, 1, 1, 1}, .data = x};
        bi_fault_arm(BI_FAULT_ALLOC | BI_FAULT_WRITE, k, false);
        bosc_status status = bosc_npy_write(path, &a, &error);
        int64_t passages = bi_fault_passages();
        bi_fault_disarm();
        CHECK(k < 100 && (access(path, F_OK) == 0) == (status == BOSC_OK) && (status == BOSC_OK) == !error.text[0]);
        unlink(path);
        if (passages <= k) break;
    }
}
#endif

static const struct suite_case suite_cases_io_zstd[] = {
    {"frames", NULL, unpacked}, {"files", NULL, files},
    {"written", NULL, written},
#ifdef BOSC_FAULTS
    {"faults", NULL, faults},   {"faults of writing", NULL, faults_of_writing},
#endif
};
SUITE(io_zstd);
