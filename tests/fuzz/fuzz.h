/* What the fuzz targets of parsers share. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdlib.h>

#include "io/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Parses the bytes. What is read must be a whole array no larger than the bytes can say, what is refused has a text. */
static inline int fuzz_parser(bosc_status (*parse)(const struct bi_bytes *, bosc_array *, bosc_io_error *),
                              const uint8_t *data, size_t size)
{
    struct bi_bytes in = {.name = "F", .data = (const char *)data, .size = size};
    bosc_io_error error = {""};
    bosc_array a = {0};
    size_t held = 0;
    if (parse(&in, &a, &error) != BOSC_OK) {
        if (a.data || error.text[0] != 'F') abort();
        return 0;
    }
    if (!bi_array_bytes(a.dtype, a.rank, a.shape, &held) || held > 8 * size + 64) abort();
    volatile uint8_t sum = 0;
    for (size_t i = 0; i < held; i++) sum = (uint8_t)(sum + ((const uint8_t *)a.data)[i]);
    bosc_array_free(&a);
    return 0;
}

#endif
