/* Files packed by gzip (.gz). All readers and writers accept them. */
#ifndef BI_IO_FILE_GZIP_H
#define BI_IO_FILE_GZIP_H

#include "io/file/bytes.h"
#include "io/file/file.h"

/* True if the bytes must be unpacked: the name ends in .gz, or standard input begins as gzip. */
bool bi_gzip_is(const struct bi_bytes *in);

/* Unpacks all members into memory of the file; BOSC_ERR_LIMIT beyond `most` bytes. */
bosc_status bi_gzip_decompress(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error);

/* A growing array of unpacked bytes. */
struct bi_growing_bytes {
    char *data;
    size_t size, capacity;
};
bool bi_growing_bytes_reserve(struct bi_growing_bytes *out); /* makes room; false: out of memory */

/* Compressor of the bytes written to a file. */
struct bi_gzip;
bool bi_gzip_is_named(const char *path); /* true for the ending .gz */
struct bi_gzip *bi_gzip_new(void);       /* NULL: out of memory */
/* Packs bytes and writes the result; `last`: these are the last ones. Returns nonzero if `write` failed. */
int bi_gzip_compress(struct bi_gzip *gzip, const void *bytes, size_t count, bool last, bosc_write_fn write, void *user);
void bi_gzip_free(struct bi_gzip *gzip);

#endif
