/* Files that gzip packs: read and written wherever others are, by the ending .gz. */
#ifndef BI_IO_FILE_GZIP_H
#define BI_IO_FILE_GZIP_H

#include "io/io.h"

/* Whether the bytes are to be unpacked: their name ends in .gz, or they come from standard input and begin as gzip. */
bool bi_gzip_is(const struct bi_bytes *in);

/* Unpacks all members into memory of the file, no more than `most` bytes in all: BOSC_ERR_LIMIT. */
bosc_status bi_gzip_unpack(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error);

/* Bytes that have been unpacked, and room for more, which is made where there is none. */
struct bi_unpacked {
    char *data;
    size_t size, capacity;
};
bool bi_unpacked_grow(struct bi_unpacked *out); /* false: no memory */

/* What packs the bytes that go to a file. */
struct bi_gzip;
bool bi_gzip_is_named(const char *path); /* whether the ending asks for it */
struct bi_gzip *bi_gzip_new(void);       /* NULL: no memory */
/* Packs more bytes, the last ones included if `last`, and writes what comes of it. Not 0: the writing failed. */
int bi_gzip_put(struct bi_gzip *gzip, const void *bytes, size_t count, bool last, bosc_write_fn write, void *user);
void bi_gzip_free(struct bi_gzip *gzip);

#endif
