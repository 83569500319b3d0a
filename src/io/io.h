/* Inside libboscage_io: a file's bytes, the parsers that read them, and the sink that writers fill. Parsers take
 * bytes, not paths, so that tests and fuzzers need no files. Outputs are untouched on failure. */
#ifndef BI_IO_IO_H
#define BI_IO_IO_H

#include <stdbool.h>

#include <boscage/io.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the formats are little-endian, and so must the machine be"
#endif

/* Sets the text (error may be NULL) and returns the status. */
bosc_status bi_io_fail(bosc_io_error *error, bosc_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "NAME: row 7: NaN" and the like need no more than this. */
struct bi_reason {
    char text[160];
};

/* malloc and realloc behind the fault points; NULL when there is none, though the system may promise it. */
void *bi_io_alloc(size_t bytes);
void *bi_io_realloc(void *memory, size_t bytes);

/* ---- input ---- */

struct bi_bytes {
    const char *name; /* for messages */
    const char *data;
    size_t size;
};

/* A file's content: mapped where it is a regular file, read to its end otherwise, if that comes within 4 GiB (and half
 * of the machine's memory): BOSC_ERR_LIMIT for what is longer. "-" is standard input. */
struct bi_file {
    struct bi_bytes bytes;
    void *map, *memory; /* one of them, or none for an empty file */
};
bosc_status bi_file_open(const char *path, struct bi_file *file, bosc_io_error *error);
void bi_file_close(struct bi_file *file);

/* Reads to the end, of which no more than `most` bytes are before it. file->bytes.name is set. */
bosc_status bi_file_read(int fd, size_t most, struct bi_file *file, bosc_io_error *error);

/* ---- parsers ---- */

enum bi_points_format {
    BI_POINTS_UNKNOWN,
    BI_POINTS_NPY,
    BI_POINTS_CSV, /* text that may begin with a line of words */
    BI_POINTS_TEXT,
    BI_POINTS_OFF,
    BI_POINTS_PLY,
    BI_POINTS_OBJ
};
/* By the path's ending; "-" and unknown endings by their first bytes. */
enum bi_points_format bi_points_format_of(const char *path, const struct bi_bytes *in);
bosc_status bi_points_parse(enum bi_points_format format, const struct bi_bytes *in, bosc_array *points,
                            bosc_io_error *error);

const char *bi_npy_code(bosc_dtype dtype); /* "f4" */
bool bi_npy_is(const struct bi_bytes *in);

/* A .npy file whose header has been read and whose size is right. */
struct bi_npy {
    bosc_dtype dtype; /* 0: a short integer */
    char kind;        /* 'f', 'i' or 'u' */
    int width;        /* bytes of an element */
    int32_t rank;
    int64_t shape[4];
    const char *data; /* in the file, not aligned */
    size_t bytes;
};
bosc_status bi_npy_open(const struct bi_bytes *in, struct bi_npy *npy, bosc_io_error *error);
bosc_status bi_npy_parse(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error);
bosc_status bi_text_parse(const struct bi_bytes *in, bool header, bosc_array *points, bosc_io_error *error);
bosc_status bi_off_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error);
bosc_status bi_ply_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error);
bosc_status bi_obj_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error);

/* Refuses a NaN in rows of floats: "NAME: row 7: NaN", rows counted from 0. Other types pass. */
bosc_status bi_refuse_nan(const struct bi_bytes *in, const bosc_array *rows, bosc_io_error *error);

/* An array of this shape without content. Products are checked for overflow. */
bosc_status bi_array_new(const char *name, bosc_dtype dtype, int32_t rank, const int64_t *shape, bosc_array *array,
                         bosc_io_error *error);

/* *bytes = what the elements take; false where that is beyond any memory. */
bool bi_array_bytes(bosc_dtype dtype, int32_t rank, const int64_t *shape, size_t *bytes);

/* ---- output ---- */

/* A file being written: beside its target under a temporary name until bi_sink_commit, or standard output ("-"), or
 * straight into what is no regular file (a device, a pipe). */
struct bi_sink {
    const char *name;
    char *target, *temporary; /* temporary is NULL where there is none */
    int fd, error_number;     /* fd -1: closed; error_number: of the first failed write */
    bool standard;            /* fd is standard output, which stays open */
    size_t used;
    char buffer[1 << 16];
};
bosc_status bi_sink_open(struct bi_sink *sink, const char *path, bosc_io_error *error);
int bi_sink_write(void *sink, const void *bytes, size_t count);         /* a bosc_write_fn */
bosc_status bi_sink_finish(struct bi_sink *sink, bosc_io_error *error); /* all bytes handed to the system */
bosc_status bi_sink_commit(struct bi_sink *sink, bosc_io_error *error); /* after finish: takes the target's name */
void bi_sink_discard(struct bi_sink *sink);                             /* after any of the above; idempotent */

/* A file to be written: `fill` puts what is in it into a sink. That the sink failed need not be told. */
struct bi_output {
    const char *path;
    bosc_status (*fill)(struct bi_sink *sink, const void *what, bosc_io_error *error);
    const void *what;
};

/* Writes all of them before the first takes its name, so that all appear or, unless a renaming fails, none. */
bosc_status bi_outputs_write(const struct bi_output *outputs, int32_t count, bosc_io_error *error);

/* An 8-bit RGB picture, as an output. */
struct bi_rgb {
    const uint8_t *rgb;
    int32_t width, height;
};
bosc_status bi_rgb_check(const struct bi_rgb *picture, bosc_io_error *error);
bosc_status bi_rgb_fill(struct bi_sink *sink, const void *picture, bosc_io_error *error);

#endif
