/* Text with all columns and with two, and .xyz. Each number is compared with the C library, which rounds correctly. */
#include <string.h>

#include "fuzz.h"
#include "io/file/file.h"
#include "io/mesh/points.h"
#include "io/text/number.h"

static bosc_status parse_text(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    return bi_points_parse(BI_POINTS_TEXT, in, NULL, NULL, points, error);
}

static bosc_status parse_columns(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    return bi_points_parse(BI_POINTS_TEXT, in, "x,2", NULL, points, error);
}

static bosc_status parse_xyz(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error)
{
    return bi_points_parse(BI_POINTS_XYZ, in, NULL, NULL, points, error);
}

static void compare_number(const char *data, size_t size)
{
    char text[512];
    double value, expected;
    if (size >= sizeof text) return;
    const char *end = bi_number_read(data, data + size, &value);
    if (!end) return;
    size_t length = (size_t)(end - data);
    memcpy(text, data, length);
    text[length] = 0;
    for (char *p = text; *p; p++)
        if (*p == 'd' || *p == 'D') *p = 'e'; /* Fortran's exponent */
    expected = strtod(text, NULL);
    if (value == value && memcmp(&value, &expected, sizeof value) != 0) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    compare_number((const char *)data, size);
    fuzz_chunks(parse_text, data, size);
    fuzz_chunks(parse_columns, data, size);
    fuzz_chunks(parse_xyz, data, size);
    fuzz_parser(parse_text, data, size);
    fuzz_parser(parse_columns, data, size);
    return fuzz_parser(parse_xyz, data, size);
}
