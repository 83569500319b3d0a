/* Inputs: bytes, which parsers take, and files opened for reading. */
#ifndef BI_IO_FILE_FILE_H
#define BI_IO_FILE_FILE_H

#include <string.h>

#include "io/io.h"

/* A regular file whose first bytes are in memory. */
struct bi_backing_file {
    int fd;
    size_t size;       /* of the whole file */
    bool whole_needed; /* set by a parser at the end of the bytes in memory: it must run again on the whole file */
};

/* The bytes of an input: all in memory, or the first ones in memory and the others in a backing file. */
struct bi_bytes {
    const char *name; /* for messages */
    const char *data;
    size_t size;                     /* of data */
    struct bi_backing_file *backing; /* the file that data is the beginning of; NULL: data is complete */
    size_t chunk_bytes;              /* texts are parsed in chunks of about this size; 0: CHUNK_BYTES (chunks.c) */
    bosc_slice *slice;               /* of a list of edges only this slice is read; NULL: all */
    const char *columns;             /* of a list of edges these columns are read; NULL: as its first lines say */
    bool keeps_nan;                  /* of points: NaN is read, not refused */
};

/* Returns the size of the whole file. */
size_t bi_bytes_total(const struct bi_bytes *in);

/* True if the bytes begin with this magic number of `count` bytes. */
static inline bool bi_bytes_begin(const struct bi_bytes *in, const char *magic, size_t count)
{
    return in->size >= count && memcmp(in->data, magic, count) == 0;
}

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

/* Content of a file. A regular file is copied, or mapped where memory is short. Other inputs are read to their end, at
 * most 4 GiB and half of the machine's memory: BOSC_ERR_LIMIT beyond. "-" is standard input. Files packed by gzip or
 * zstd are unpacked, within the same limit. */
struct bi_file {
    struct bi_bytes bytes;
    void *map, *memory; /* one of them, or none for an empty file */
    struct bi_backing_file backing;
    bool opened; /* backing.fd must be closed */
};
bosc_status bi_file_open(const char *path, struct bi_file *file, bosc_io_error *error);

/* The same, but reads only the first bytes of a large regular file and sets bytes.backing. They are a copy, never a
 * map: if another process shortens the file, the result is an error and no SIGBUS. */
bosc_status bi_file_open_head(const char *path, struct bi_file *file, bosc_io_error *error);

/* Brings the whole file into memory. */
bosc_status bi_file_load(struct bi_file *file, bosc_io_error *error);
void bi_file_close(struct bi_file *file);

/* True if the parser must run again: it needed the whole file, which is now in memory. If loading fails, sets *status
 * and returns false. */
bool bi_file_reload(struct bi_file *file, bosc_status *status, bosc_io_error *error);

/* Reads to the end, which must come within `most` bytes. Requires file->bytes.name. */
bosc_status bi_file_read(int fd, size_t most, struct bi_file *file, bosc_io_error *error);

/* True if the path has this ending, in either case; ".gz" or ".zst" behind it is ignored. */
bool bi_path_ends_in(const char *path, const char *ending);

#endif
