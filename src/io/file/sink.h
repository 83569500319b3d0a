/* Sinks: outputs being written. */
#ifndef BI_IO_FILE_SINK_H
#define BI_IO_FILE_SINK_H

#include "io/io.h"

/* A new file in the folder of its target. It has no name where the file system supports that, else a temporary one.
 * Unset strings are NULL. */
struct bi_replacement {
    char *target, *temporary; /* absolute paths, links resolved */
    int fd;                   /* -1: none */
    bool named;               /* `temporary` exists in the folder */
    /* SWAPPED: the previous file has the temporary name. REPLACED: it is deleted, on file systems that cannot swap. */
    enum { BI_NOT_COMMITTED, BI_CREATED, BI_SWAPPED, BI_REPLACED } state;
};

struct bi_packer;

/* A replacement of `path`, standard output ("-"), or an existing device or pipe, written directly. */
struct bi_sink {
    const char *name;
    struct bi_replacement file; /* no target if `fd` is written directly */
    int fd, error_number;       /* fd -1: closed; error_number: of the first failed write */
    struct bi_packer *packer;   /* compressor; NULL: none */
    bool standard;              /* fd is standard output, which is not closed */
    size_t used;
    char buffer[1 << 16];
};
bosc_status bi_sink_open(struct bi_sink *sink, const char *path, bosc_io_error *error);

/* A bosc_write_fn. */
int bi_sink_write(void *sink, const void *bytes, size_t count);

/* The same for many bytes. Each is an item of the progress phase. */
void bi_sink_write_array(struct bi_sink *sink, const void *bytes, size_t count);

/* Flushes; a file is then on the disk. */
bosc_status bi_sink_finish(struct bi_sink *sink, bosc_io_error *error);

/* Releases the sink, after any of the above; idempotent. */
void bi_sink_discard(struct bi_sink *sink);

/* A file to be written: `fill` writes the content to a sink and reports `items` items of progress. It need not report a
 * failure of the sink. */
struct bi_output {
    const char *path;
    bosc_status (*fill)(struct bi_sink *sink, const void *what, bosc_io_error *error);
    const void *what;
    double items; /* an item costs about as much as copying a byte */
};

/* Writes all files before the first is renamed to its target, and restores the targets if one fails: all appear or
 * none. */
bosc_status bi_outputs_write(const struct bi_output *outputs, int32_t count, bosc_io_error *error);

#endif
