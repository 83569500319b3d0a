/* The bytes of an input: all in memory, or the first ones in memory and the others in a backing file. */
#ifndef BI_IO_FILE_BYTES_H
#define BI_IO_FILE_BYTES_H

#include "io/io.h"

/* A regular file whose first bytes are in memory. */
struct bi_backing_file {
    int fd;
    size_t size;       /* of the whole file */
    bool whole_needed; /* set by a parser at the end of the bytes in memory: it must run again on the whole file */
};

struct bi_bytes {
    const char *name; /* for messages */
    const char *data;
    size_t size;                     /* of data */
    struct bi_backing_file *backing; /* the file that data is the beginning of; NULL: data is complete */
    size_t chunk_bytes;              /* texts are parsed in chunks of about this size; 0: CHUNK_BYTES (chunks.c) */
    bosc_slice *slice;               /* of a list of edges only this slice is read; NULL: all */
};

/* Returns the size of the whole file. */
size_t bi_bytes_total(const struct bi_bytes *in);

/* True if the parser must stop with any failure, since it runs again with the whole file in memory. */
bool bi_bytes_whole_needed(const struct bi_bytes *in);

/* Copies `count` bytes from offset `at` of the file, for loops over chunks. Returns 0 or an errno for bi_bytes_fail:
 * ENODATA if the file became shorter, ECANCELED if the call was cancelled. */
int bi_bytes_copy(const struct bi_bytes *in, size_t at, void *to, size_t count);

/* The same for many bytes, shared among threads. Each byte is an item of the progress phase. */
bosc_status bi_bytes_read(const struct bi_bytes *in, size_t at, void *to, size_t count, bosc_io_error *error);

/* Turns an errno of bi_bytes_copy into a status and a message. */
bosc_status bi_bytes_fail(const struct bi_bytes *in, int number, bosc_io_error *error);

/* Called after the last read: BOSC_ERR_IO if the size of the file has changed. */
bosc_status bi_bytes_unchanged(const struct bi_bytes *in, bosc_io_error *error);

#endif
