/* Texts that are parsed in small pieces, and files of which only the beginning is in memory: the same must come of them
 * as of the whole. */
#ifndef TESTS_SUPPORT_PIECES_H
#define TESTS_SUPPORT_PIECES_H

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/io.h"

typedef bosc_status (*piece_parse_fn)(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error);

/* What came of a parse. */
struct outcome {
    bosc_status status;
    bosc_array array;
    bosc_io_error error;
};

static inline struct outcome outcome_of(piece_parse_fn parse, const struct bi_bytes *in)
{
    struct outcome o = {.array = {0}, .error = {""}};
    o.status = parse(in, &o.array, &o.error);
    return o;
}

static inline bool outcome_is(const struct outcome *a, const struct outcome *b)
{
    size_t bytes = 0;
    if (a->status != b->status) return false;
    if (a->status != BOSC_OK) return strcmp(a->error.text, b->error.text) == 0;
    if (a->array.dtype != b->array.dtype || a->array.rank != b->array.rank) return false;
    if (memcmp(a->array.shape, b->array.shape, sizeof a->array.shape) != 0) return false;
    bi_array_bytes(a->array.dtype, a->array.rank, a->array.shape, &bytes);
    return bytes == 0 || memcmp(a->array.data, b->array.data, bytes) == 0;
}

/* A file without a name that holds these bytes. */
static inline int file_of(const void *bytes, size_t size)
{
    int fd = (int)syscall(SYS_memfd_create, "pieces", 0u);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size) abort();
    return fd;
}

/* Parses a file of which `head` bytes are in memory; the whole, as readers do, where those say too little. */
static inline struct outcome outcome_of_file(piece_parse_fn parse, int fd, const struct bi_bytes *whole, size_t head)
{
    struct bi_rest rest = {.fd = fd, .size = whole->size};
    struct bi_bytes in = *whole;
    char *copy = malloc(head + 1); /* a look behind it is found */
    if (!copy) abort();
    memcpy(copy, whole->data, head);
    in.data = copy;
    in.size = head;
    if (head < whole->size) in.rest = &rest;
    struct outcome o = outcome_of(parse, &in);
    if (rest.missed) {
        bosc_array_free(&o.array); /* none */
        o = outcome_of(parse, whole);
    }
    free(copy);
    return o;
}

/* The same whole, in pieces, and in pieces that are read. */
static inline bool same_in_pieces(piece_parse_fn parse, const void *bytes, size_t size, size_t piece, size_t head)
{
    struct bi_bytes whole = {.name = "F", .data = bytes, .size = size}, cut = whole;
    cut.piece = piece;
    int fd = file_of(bytes, size);
    struct outcome expected = outcome_of(parse, &whole), in_memory = outcome_of(parse, &cut);
    struct outcome read = outcome_of_file(parse, fd, &cut, head);
    bool same = outcome_is(&in_memory, &expected) && outcome_is(&read, &expected);
    bosc_array_free(&expected.array);
    bosc_array_free(&in_memory.array);
    bosc_array_free(&read.array);
    close(fd);
    return same;
}

#endif
