/* Files in memory for the readers. Each parse gets a block of exactly its bytes, so that a sanitizer finds reads
 * beyond the end. */
#ifndef TESTS_SUPPORT_BYTES_H
#define TESTS_SUPPORT_BYTES_H

#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "io/file/array.h"
#include "io/file/file.h"
#include "support/suite.h"

/* Checks that the call, which uses `error`, fails with BOSC_ERR_ARG and a message that begins with the argument. */
#define CHECK_TEXT(call, argument)                                                                       \
    do {                                                                                                 \
        bosc_io_error suite_e_ = {""};                                                                   \
        bosc_io_error *error = &suite_e_;                                                                \
        CHECK_EQ(call, BOSC_ERR_ARG);                                                                    \
        if (!suite_begins(suite_e_.text, argument)) suite_fail(__FILE__, __LINE__, "%s", suite_e_.text); \
    } while (0)

typedef bosc_status (*parse_fn)(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error);

/* A file that must be refused, with a message that contains `reason`. */
struct malformed {
    const char *reason, *bytes;
    size_t size; /* 0: the length of the text */
};

static inline bosc_status parse_bytes(parse_fn parse, const void *bytes, size_t size, bosc_array *array,
                                      bosc_io_error *error)
{
    char *copy = malloc(size ? size : 1);
    if (!copy) abort();
    if (size) memcpy(copy, bytes, size);
    struct bi_bytes in = {.name = "F", .data = copy, .size = size};
    error->text[0] = 0;
    bosc_status status = parse(&in, array, error);
    free(copy);
    return status;
}

/* Checks that the bytes are refused, with a message that begins with the file's name, and an unchanged array. */
static inline void check_refused(parse_fn parse, const void *bytes, size_t size, const char *reason)
{
    bosc_io_error error;
    bosc_array array = {0};
    bosc_status status = parse_bytes(parse, bytes, size, &array, &error);
    if (status == BOSC_OK) suite_fail(__FILE__, __LINE__, "read, though: %s", reason);
    if (array.data) suite_fail(__FILE__, __LINE__, "touched the array, though: %s", reason);
    if (error.text[0] != 'F' || error.text[1] != ':' || !strstr(error.text, reason))
        suite_fail(__FILE__, __LINE__, "\"%s\" lacks \"%s\"", error.text, reason);
}

static inline void check_all_refused(parse_fn parse, const struct malformed *files, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_refused(parse, files[i].bytes, files[i].size ? files[i].size : strlen(files[i].bytes), files[i].reason);
}

/* Checks that a parse of any bytes fails with a message, or returns a readable array. Returns true if it was read. */
static inline bool check_survives(parse_fn parse, const void *bytes, size_t size)
{
    bosc_io_error error;
    bosc_array array = {0};
    size_t array_bytes = 0;
    if (parse_bytes(parse, bytes, size, &array, &error) != BOSC_OK) {
        CHECK(error.text[0] == 'F' && array.data == NULL);
        return false;
    }
    CHECK(bi_array_bytes(array.dtype, array.rank, array.shape, &array_bytes));
    CHECK(array_bytes <= 8 * size + 64);
    volatile unsigned sum = 0;
    for (size_t i = 0; i < array_bytes; i++) sum += ((const unsigned char *)array.data)[i];
    (void)sum;
    bosc_array_free(&array);
    return true;
}

#ifdef BOSC_FAULTS
/* Memory runs out at every allocation of a parse in turn: each parse fails without an array, until one passes fewer
 * allocations. */
static inline void check_memory_faults(parse_fn parse, const void *bytes, size_t size)
{
    for (int64_t k = 0;; k++) {
        bosc_io_error error;
        bosc_array array = {0};
        bi_fault_arm(BI_FAULT_ALLOC, k, false);
        const bosc_status status = parse_bytes(parse, bytes, size, &array, &error);
        const int64_t passages = bi_fault_passages();
        bi_fault_disarm();
        CHECK(k < 100);
        if (status == BOSC_OK) {
            CHECK(passages <= k && k > 0);
            bosc_array_free(&array);
            return;
        }
        CHECK_EQ(status, BOSC_ERR_NOMEM);
        CHECK(array.data == NULL && strstr(error.text, "out of memory"));
    }
}
#endif

/* Checks every truncation; those to fewer than `needed` bytes must be refused. */
static inline void check_truncations(parse_fn parse, const void *bytes, size_t size, size_t needed)
{
    for (size_t k = 0; k < size; k++) {
        bool read = check_survives(parse, bytes, k);
        if (read && k < needed) suite_fail(__FILE__, __LINE__, "read though cut after %zu of %zu bytes", k, size);
    }
}

/* Checks every value of each of the first `header` bytes. */
static inline void check_flips(parse_fn parse, const void *bytes, size_t size, size_t header)
{
    char *copy = malloc(size);
    if (!copy) abort();
    memcpy(copy, bytes, size);
    for (size_t k = 0; k < header; k++) {
        for (int flip = 1; flip < 256; flip++) {
            copy[k] = (char)(((const char *)bytes)[k] ^ flip);
            (void)check_survives(parse, copy, size);
        }
        copy[k] = ((const char *)bytes)[k];
    }
    free(copy);
}

/* Checks that the text reads as these n x dim numbers, bit for bit. */
static inline void check_rows(parse_fn parse, const void *bytes, size_t size, int64_t n, int64_t dim,
                              const double *expected)
{
    bosc_io_error error;
    bosc_array a = {0};
    if (parse_bytes(parse, bytes, size, &a, &error) != BOSC_OK)
        suite_fail(__FILE__, __LINE__, "refused: %s", error.text);
    CHECK_EQ(a.dtype, BOSC_F64);
    CHECK_EQ(a.rank, 2);
    CHECK_EQ(a.shape[0], n);
    CHECK_EQ(a.shape[1], dim);
    CHECK(memcmp(a.data, expected, (size_t)(n * dim) * sizeof *expected) == 0);
    bosc_array_free(&a);
}

#endif
