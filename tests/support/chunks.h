/* Compares three ways of parsing a text, which must give equal results: as a whole, in small chunks, and from a file
 * with only the first bytes in memory. */
#ifndef TESTS_SUPPORT_CHUNKS_H
#define TESTS_SUPPORT_CHUNKS_H

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/file/array.h"
#include "io/file/file.h"

typedef bosc_status (*chunk_parse_fn)(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error);

/* Result of a parse. */
struct outcome {
    bosc_status status;
    bosc_array array;
    bosc_io_error error;
};

static inline struct outcome parse_bytes_of(chunk_parse_fn parse, const struct bi_bytes *in)
{
    struct outcome o = {.array = {0}, .error = {""}};
    o.status = parse(in, &o.array, &o.error);
    return o;
}

static inline bool outcomes_equal(const struct outcome *a, const struct outcome *b)
{
    size_t bytes = 0;
    if (a->status != b->status) return false;
    if (a->status != BOSC_OK) return strcmp(a->error.text, b->error.text) == 0;
    if (a->array.dtype != b->array.dtype || a->array.rank != b->array.rank) return false;
    if (memcmp(a->array.shape, b->array.shape, sizeof a->array.shape) != 0) return false;
    bi_array_bytes(a->array.dtype, a->array.rank, a->array.shape, &bytes);
    return bytes == 0 || memcmp(a->array.data, b->array.data, bytes) == 0;
}

/* Creates a file without a name with these bytes. */
static inline int create_file(const void *bytes, size_t size)
{
    int fd = (int)syscall(SYS_memfd_create, "pieces", 0u);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) abort();
    return fd;
}

/* Parses a file with `head` bytes in memory; then all bytes if the parser needs them, as readers do. */
static inline struct outcome parse_file(chunk_parse_fn parse, int fd, const struct bi_bytes *whole, size_t head)
{
    struct bi_backing_file backing = {.fd = fd, .size = whole->size};
    struct bi_bytes in = *whole;
    char *copy = malloc(head + 1); /* its own block, so a sanitizer finds reads beyond the end */
    if (!copy) abort();
    memcpy(copy, whole->data, head);
    in.data = copy;
    in.size = head;
    if (head < whole->size) in.backing = &backing;
    struct outcome o = parse_bytes_of(parse, &in);
    if (backing.whole_needed) {
        bosc_array_free(&o.array); /* none */
        o = parse_bytes_of(parse, whole);
    }
    free(copy);
    return o;
}

/* True if the three results are equal. */
static inline bool same_in_chunks(chunk_parse_fn parse, const void *bytes, size_t size, size_t chunk, size_t head)
{
    struct bi_bytes whole = {.name = "F", .data = bytes, .size = size}, cut = whole;
    cut.chunk_bytes = chunk;
    int fd = create_file(bytes, size);
    struct outcome expected = parse_bytes_of(parse, &whole), in_memory = parse_bytes_of(parse, &cut);
    struct outcome read = parse_file(parse, fd, &cut, head);
    bool same = outcomes_equal(&in_memory, &expected) && outcomes_equal(&read, &expected);
    bosc_array_free(&expected.array);
    bosc_array_free(&in_memory.array);
    bosc_array_free(&read.array);
    close(fd);
    return same;
}

#endif
