/* Shared by all fuzz targets. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdlib.h>

#include "support/chunks.h"
#include "support/saved.h"
#include "io/mesh/faces.h"
#include "io/file/array.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The allocator of the plain versions (tests/reference). */
void *suite_alloc(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p) abort();
    return p;
}

static inline void require_ok(bosc_status status)
{
    if (status != BOSC_OK) abort();
}

/* The input, a program for the target. */
struct input {
    const uint8_t *data;
    size_t size;
};

/* Returns the next byte; 0 behind the last. */
static inline uint32_t next_byte(struct input *in)
{
    if (in->size == 0) return 0;
    in->size--;
    return *in->data++;
}

/* Requires equal results for the whole text and for small chunks of it, in memory and from a file. Two bytes of the
 * input choose the sizes. */
static inline void fuzz_chunks(chunk_parse_fn parse, const uint8_t *data, size_t size)
{
    size_t chunk = size ? 1 + data[size / 2] % 24 : 1, head = size ? data[size - 1] * 7 % (size + 1) : 0;
    if (!same_in_chunks(parse, data, size, chunk, head)) abort();
}

/* Parses the bytes. A result must be a complete array whose size the input bounds; a failure must have a message. */
static inline int fuzz_parser(bosc_status (*parse)(const struct bi_bytes *, bosc_array *, bosc_io_error *),
                              const uint8_t *data, size_t size)
{
    struct bi_bytes in = {.name = "F", .data = (const char *)data, .size = size};
    bosc_io_error error = {""};
    bosc_array a = {0};
    size_t bytes = 0;
    if (parse(&in, &a, &error) != BOSC_OK) {
        if (a.data || error.text[0] != 'F') abort();
        return 0;
    }
    if (!bi_array_bytes(a.dtype, a.rank, a.shape, &bytes) || bytes > 8 * size + 64) abort();
    volatile uint8_t sum = 0;
    for (size_t i = 0; i < bytes; i++) sum = (uint8_t)(sum + ((const uint8_t *)a.data)[i]);
    bosc_array_free(&a);
    return 0;
}

/* Reads the bytes as a mesh, whose triangles must refer to its vertices. most: vertices, and triangles. */
static inline int fuzz_mesh_within(bi_mesh_fn read, const uint8_t *data, size_t size, size_t most)
{
    struct bi_bytes in = {.name = "F", .data = (const char *)data, .size = size};
    bosc_io_error error = {""};
    bosc_array vertices = {0}, triangles = {0};
    if (bi_mesh_parse(read, &in, &vertices, &triangles, &error) != BOSC_OK) {
        if (vertices.data || triangles.data || error.text[0] != 'F') abort();
        return 0;
    }
    if (triangles.shape[0] < 1 || (size_t)triangles.shape[0] > most || (size_t)vertices.shape[0] > most) abort();
    for (int64_t i = 0; i < 3 * triangles.shape[0]; i++)
        if ((int64_t)((const uint32_t *)triangles.data)[i] >= vertices.shape[0]) abort();
    bosc_array_free(&vertices);
    bosc_array_free(&triangles);
    return 0;
}

static inline int fuzz_mesh(bi_mesh_fn read, const uint8_t *data, size_t size)
{
    return fuzz_mesh_within(read, data, size, size);
}

/* Returns the context, with one thread, which all inputs share. */
static inline bosc_ctx *fuzz_context(void)
{
    static bosc_ctx *ctx;
    bosc_ctx_opts opts = {.size = sizeof opts, .threads = 1, .cpu_level = BOSC_CPU_V1};
    if (!ctx && bosc_ctx_create(&opts, &ctx) != BOSC_OK) abort();
    return ctx;
}

/* Reads a saved structure from the bytes, and again with corrected hashes, which lets damaged content pass the
 * check. header: offset of the header's hash. */
static inline int fuzz_saved(void (*parse)(const uint8_t *data, size_t size), size_t header, const uint8_t *data,
                             size_t size)
{
    parse(data, size);
    if (size < header + 2 * sizeof(uint64_t)) return 0;
    uint8_t *copy = malloc(size);
    if (!copy) return 0;
    memcpy(copy, data, size);
    saved_seal(copy, size, header);
    parse(copy, size);
    free(copy);
    return 0;
}

#endif
