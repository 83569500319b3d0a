/* Texts in chunks of whole lines, which threads read and parse in parallel. */
#ifndef BI_IO_FILE_CHUNKS_H
#define BI_IO_FILE_CHUNKS_H

#include "io/file/file.h"
#include "io/text/row.h"

struct bi_chunks {
    const struct bi_bytes *in;
    size_t begin, end;    /* range of the lines in the file */
    size_t each;          /* bytes of a chunk; a line belongs to the chunk in which it begins */
    int64_t first, count; /* range of chunks to read */
};

/* Splits the text from `lines` on, or the slice of it that `in` selects, into chunks. */
struct bi_chunks bi_chunks_split(const struct bi_bytes *in, const struct bi_lines *lines);

/* Adds the number of lines before those of the first chunk to *lines, which reads them. Returns 0 or an errno. */
int bi_chunks_count_lines_before(const struct bi_chunks *chunks, int64_t *lines);

/* The lines of a chunk, in the text or, if that is not in memory, in `memory`. All zeros at first. */
struct bi_chunk {
    int64_t index;
    const char *begin, *end;
    char *memory;
    size_t capacity;
};

/* Loads chunk `index`, which overwrites the previous one. Returns 0 or an errno for bi_bytes_fail. */
int bi_chunk_read(const struct bi_chunks *chunks, int64_t index, struct bi_chunk *chunk);

/* Callbacks of a parser. Threads parse chunks in parallel, each into `own`: `size` bytes, zero at first, reused for
 * later chunks. The results are then joined to `all` in the order of the text. */
struct bi_chunk_parser {
    size_t size;
    void (*parse)(void *own, const void *all, const struct bi_chunk *chunk);
    /* Called in order, one at a time. A failure ends the loop. */
    bosc_status (*join)(void *own, void *all, const struct bi_chunk *chunk, bosc_io_error *error);
    void (*copy)(void *own, void *all); /* after join, in any order, in parallel: copies the results; may be NULL */
    void (*free)(void *own);            /* releases the content; may be NULL */
};
bosc_status bi_chunks_parse(const struct bi_chunks *chunks, const struct bi_chunk_parser *parser, void *all,
                            bosc_io_error *error);

#endif
