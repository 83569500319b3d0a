/* PNGs of any kind, made in memory, and checks of rasters of heights. */
#ifndef TESTS_CASES_IO_HEIGHTS_DATA_H
#define TESTS_CASES_IO_HEIGHTS_DATA_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "support/bytes.h"
#include "io/raster/heights.h"

struct buffer {
    unsigned char bytes[1 << 16];
    size_t size;
};

static inline void put_bytes(struct buffer *b, const void *bytes, size_t count)
{
    CHECK(b->size + count <= sizeof b->bytes);
    memcpy(b->bytes + b->size, bytes, count);
    b->size += count;
}

static inline void put_big(struct buffer *b, uint32_t x)
{
    const unsigned char four[4] = {(unsigned char)(x >> 24), (unsigned char)(x >> 16), (unsigned char)(x >> 8),
                                   (unsigned char)x};
    put_bytes(b, four, 4);
}

static inline void put_chunk(struct buffer *b, const char *name, const void *bytes, size_t count)
{
    put_big(b, (uint32_t)count);
    size_t begin = b->size;
    put_bytes(b, name, 4);
    if (count) put_bytes(b, bytes, count);
    put_big(b, (uint32_t)crc32(0, b->bytes + begin, (uInt)(b->size - begin)));
}

struct png_kind {
    uint32_t width, height;
    int depth, colour; /* colour: 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGB and alpha */
    int interlace;
};

static inline int png_bits(const struct png_kind *k)
{
    static const int channels[7] = {1, 0, 3, 1, 2, 0, 4};
    return k->depth * channels[k->colour];
}

/* A PNG of pixels of whole bytes (or without pixels), row by row. */
static inline void make_png(struct buffer *b, const struct png_kind *k, const unsigned char *pixels)
{
    /* First pixel and steps of the seven passes of Adam7. */
    static const int first[7][2] = {{0, 0}, {4, 0}, {0, 4}, {2, 0}, {0, 2}, {1, 0}, {0, 1}};
    static const int step[7][2] = {{8, 8}, {8, 8}, {4, 8}, {4, 4}, {2, 4}, {2, 2}, {1, 2}};
    static struct buffer raw, head;
    static unsigned char packed[1 << 16];
    size_t bytes = (size_t)(png_bits(k) + 7) / 8;
    raw.size = head.size = b->size = 0;
    /* 1. Pixels in the order of the passes, each row behind a filter byte of 0. */
    for (int pass = 0; pass < (k->interlace ? 7 : 1); pass++) {
        int x0 = k->interlace ? first[pass][0] : 0, y0 = k->interlace ? first[pass][1] : 0;
        int dx = k->interlace ? step[pass][0] : 1, dy = k->interlace ? step[pass][1] : 1;
        for (int y = y0; pixels && y < (int)k->height && x0 < (int)k->width; y += dy) {
            put_bytes(&raw, "", 1);
            for (int x = x0; x < (int)k->width; x += dx)
                put_bytes(&raw, pixels + ((size_t)y * k->width + (size_t)x) * bytes, bytes);
        }
    }
    /* 2. The header, and the palette if it needs one. */
    put_big(&head, k->width);
    put_big(&head, k->height);
    const unsigned char rest[5] = {(unsigned char)k->depth, (unsigned char)k->colour, 0, 0,
                                   (unsigned char)k->interlace};
    put_bytes(&head, rest, 5);
    put_bytes(b, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(b, "IHDR", head.bytes, head.size);
    if (k->colour == 3) put_chunk(b, "PLTE", "\0\0\0\xff\xff\xff", 6);
    /* 3. The compressed pixels. */
    uLongf length = sizeof packed;
    CHECK_EQ(compress(packed, &length, raw.bytes, (uLong)raw.size), Z_OK);
    put_chunk(b, "IDAT", packed, length);
    put_chunk(b, "IEND", NULL, 0);
}

static inline bosc_status parse_heights_opts(enum bi_heights_format format, const bosc_heights_opts *opts,
                                             const void *bytes, size_t size, bosc_heights *h, bosc_io_error *error)
{
    char *copy = malloc(size ? size : 1);
    if (!copy) abort();
    if (size) memcpy(copy, bytes, size);
    struct bi_bytes in = {.name = "F", .data = copy, .size = size};
    error->text[0] = 0;
    bosc_status status = bi_heights_parse(format, opts, &in, h, error);
    free(copy);
    return status;
}

static inline bosc_status parse_heights(enum bi_heights_format format, bosc_heights_encoding encoding,
                                        const void *bytes, size_t size, bosc_heights *h, bosc_io_error *error)
{
    const bosc_heights_opts opts = {.size = sizeof opts, .encoding = encoding};
    return parse_heights_opts(format, &opts, bytes, size, h, error);
}

#ifdef BOSC_FAULTS
/* Memory runs out at every allocation of a parse in turn: each parse fails without heights, until one passes fewer
 * allocations. */
static inline void check_heights_faults(enum bi_heights_format format, const void *bytes, size_t size)
{
    for (int64_t k = 0;; k++) {
        bosc_heights h = {0};
        bosc_io_error error;
        bi_fault_arm(BI_FAULT_ALLOC, k, false);
        const bosc_status status = parse_heights(format, BOSC_HEIGHTS_PLAIN, bytes, size, &h, &error);
        const int64_t passages = bi_fault_passages();
        bi_fault_disarm();
        CHECK(k < 100);
        if (status == BOSC_OK) {
            CHECK(k > 0 && passages <= k);
            bosc_heights_free(&h);
            return;
        }
        CHECK_EQ(status, BOSC_ERR_NOMEM);
        CHECK(suite_begins(error.text, "F: out of memory") && !h.data);
    }
}
#endif

/* The bytes parse to these heights, row by row. */
static inline void check_heights(enum bi_heights_format format, bosc_heights_encoding encoding, const void *bytes,
                                 size_t size, int64_t w, int64_t h, const float *expected)
{
    bosc_io_error error;
    bosc_heights got = {0};
    if (parse_heights(format, encoding, bytes, size, &got, &error) != BOSC_OK)
        suite_fail(__FILE__, __LINE__, "refused: %s", error.text);
    CHECK_EQ(got.width, w);
    CHECK_EQ(got.height, h);
    for (int64_t i = 0; i < w * h; i++)
        if (got.data[i] != expected[i])
            suite_fail(__FILE__, __LINE__, "sample %lld is %g, not %g", (long long)i, (double)got.data[i],
                       (double)expected[i]);
    bosc_heights_free(&got);
    CHECK(got.data == NULL);
}

static inline void check_no_heights(enum bi_heights_format format, bosc_heights_encoding encoding, const void *bytes,
                                    size_t size, const char *reason)
{
    bosc_io_error error;
    bosc_heights got = {0};
    bosc_status status = parse_heights(format, encoding, bytes, size, &got, &error);
    if (status == BOSC_OK) suite_fail(__FILE__, __LINE__, "read, though: %s", reason);
    if (got.data) suite_fail(__FILE__, __LINE__, "touched the heights, though: %s", reason);
    if (error.text[0] != 'F' || error.text[1] != ':' || !strstr(error.text, reason))
        suite_fail(__FILE__, __LINE__, "\"%s\" lacks \"%s\"", error.text, reason);
}

/* Any bytes are either refused with a message, or read with finite heights. */
static inline bool heights_survive(enum bi_heights_format format, bosc_heights_encoding encoding, const void *bytes,
                                   size_t size)
{
    bosc_io_error error;
    bosc_heights got = {0};
    if (parse_heights(format, encoding, bytes, size, &got, &error) != BOSC_OK) {
        CHECK(error.text[0] == 'F' && got.data == NULL);
        return false;
    }
    CHECK(got.width > 0 && got.height > 0 && got.spacing >= 0 && got.voids >= 0);
    for (int64_t i = 0; i < got.width * got.height; i++) CHECK(isfinite(got.data[i]));
    bosc_heights_free(&got);
    return true;
}

/* Every truncation is refused; no change of a byte does harm. */
static inline void heights_damaged(enum bi_heights_format format, bosc_heights_encoding encoding, const void *bytes,
                                   size_t size, size_t needed, int flip_step)
{
    for (size_t k = 0; k < size; k++)
        if (heights_survive(format, encoding, bytes, k) && k < needed)
            suite_fail(__FILE__, __LINE__, "read though cut after %zu of %zu bytes", k, size);
    unsigned char *copy = malloc(size);
    if (!copy) abort();
    memcpy(copy, bytes, size);
    for (size_t k = 0; k < size; k++) {
        for (int flip = 1; flip < 256; flip += flip_step) {
            copy[k] = (unsigned char)(((const unsigned char *)bytes)[k] ^ flip);
            (void)heights_survive(format, encoding, copy, size);
        }
        copy[k] = ((const unsigned char *)bytes)[k];
    }
    free(copy);
}

#endif
