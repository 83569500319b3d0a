/* Files opened for reading. */
#ifndef BI_IO_FILE_FILE_H
#define BI_IO_FILE_FILE_H

#include "io/file/bytes.h"

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
