/* Files made in memory for the readers: each parse sees a block of exactly its bytes, so that a sanitizer finds any
 * look beyond. */
#ifndef TESTS_SUPPORT_BYTES_H
#define TESTS_SUPPORT_BYTES_H

#include <stdlib.h>
#include <string.h>

#include "io/io.h"
#include "support/suite.h"

/* The call is refused for its arguments, with a text that begins with the one at fault. It writes to `error`. */
#define CHECK_TEXT(call, argument)                                                                       \
    do {                                                                                                 \
        bosc_io_error suite_e_ = {""};                                                                   \
        bosc_io_error *error = &suite_e_;                                                                \
        CHECK_EQ(call, BOSC_ERR_ARG);                                                                    \
        if (!suite_begins(suite_e_.text, argument)) suite_fail(__FILE__, __LINE__, "%s", suite_e_.text); \
    } while (0)

typedef bosc_status (*parse_fn)(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error);

/* A file that must be refused, with a text that has `reason` in it. */
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

/* Refused: a text that begins with the file's name, and nothing in the array. */
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

/* Whatever the bytes, a parse ends well: refused with a text, or read with an array that can be summed. */
static inline bool check_survives(parse_fn parse, const void *bytes, size_t size)
{
    bosc_io_error error;
    bosc_array array = {0};
    size_t held = 0;
    if (parse_bytes(parse, bytes, size, &array, &error) != BOSC_OK) {
        CHECK(error.text[0] == 'F' && array.data == NULL);
        return false;
    }
    CHECK(bi_array_bytes(array.dtype, array.rank, array.shape, &held));
    CHECK(held <= 8 * size + 64);
    volatile unsigned sum = 0;
    for (size_t i = 0; i < held; i++) sum += ((const unsigned char *)array.data)[i];
    (void)sum;
    bosc_array_free(&array);
    return true;
}

/* Every truncation; those that leave less than `needed` bytes must be refused. */
static inline void check_truncations(parse_fn parse, const void *bytes, size_t size, size_t needed)
{
    for (size_t k = 0; k < size; k++) {
        bool read = check_survives(parse, bytes, k);
        if (read && k < needed) suite_fail(__FILE__, __LINE__, "read though cut after %zu of %zu bytes", k, size);
    }
}

/* Every value of every byte of the first `header` bytes. */
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

/* The text reads as these n x dim numbers, bit for bit. */
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
