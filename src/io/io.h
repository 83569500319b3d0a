/* Inside libboscage_io: a file's bytes, the parsers that read them, and the sink that writers fill. Parsers take
 * bytes, not paths, so that tests and fuzzers need no files; of large files, those that can take only the beginning in
 * memory, and read the rest where it is needed. Outputs are untouched on failure. */
#ifndef BI_IO_IO_H
#define BI_IO_IO_H

#include <stdbool.h>

#include <boscage/io.h>

#include "base/caller.h"
#include "base/threads.h"
#include "io/file/progress.h"

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

/* The first statement of every public function that reads or writes: its caller keeps its errno and floating point, and
 * hears how far it is. */
#define BI_IO_ENTER                       \
    BI_KEEP_CALLER(bi_threads_default()); \
    const struct bi_io_call bi_io_call_ __attribute__((cleanup(bi_io_leave), unused)) = bi_io_begin(__func__)

/* The threads of a loop over so many items: BI_CHUNKS_MAX at most. */
enum { BI_CHUNKS_MAX = 64 };
int bi_io_threads(size_t items);

/* malloc and realloc behind the fault points; NULL when there is none, though the system may promise it. */
void *bi_io_alloc(size_t bytes);
void *bi_io_realloc(void *memory, size_t bytes);
/* Is so much more memory there? Systems that promise more than they have end some process when it is written to; the
 * numbers of a large text would come to that. Asked of large blocks alone, and true where the system does not say. */
bool bi_io_has_room(size_t more);

/* Whether a path ends so, in either case; ".gz" or ".zst" behind it does not count. */
bool bi_path_ends_in(const char *path, const char *ending);

/* ---- input ---- */

/* A regular file of which only the beginning is in memory. */
struct bi_rest {
    int fd;
    size_t size; /* of the whole file */
    bool missed; /* a reader of lines has come to the end of what is in memory */
};

struct bi_bytes {
    const char *name; /* for messages */
    const char *data;
    size_t size;          /* of data */
    struct bi_rest *rest; /* the file that data begins; NULL: data is all of it */
    size_t piece;         /* texts are parsed in pieces of about this many bytes; 0: PIECE_BYTES (pieces.c) */
    bosc_slice *slice;    /* of lines of edges only this part is read; NULL: all */
};
size_t bi_bytes_total(const struct bi_bytes *in); /* of the whole file */
bool bi_bytes_missed(const struct bi_bytes *in);  /* whether to give up, to be asked again with all in memory */

/* Copies `count` bytes from byte `at` of the file on. The first is for loops over pieces, and returns 0 or an errno
 * (ENODATA: the file has become shorter; ECANCELED: the caller wants to stop) that bi_bytes_fail tells; the second
 * shares many bytes, which are items of the phase, among threads. */
int bi_bytes_copy(const struct bi_bytes *in, size_t at, void *to, size_t count);
bosc_status bi_bytes_read(const struct bi_bytes *in, size_t at, void *to, size_t count, bosc_io_error *error);
bosc_status bi_bytes_fail(const struct bi_bytes *in, int number, bosc_io_error *error);

/* Asked when all has been read: BOSC_ERR_IO if the file has another size than before. */
bosc_status bi_bytes_unchanged(const struct bi_bytes *in, bosc_io_error *error);

/* A file's content: a copy of a regular file (or a map, where memory is short); what else is read to its end, if that
 * comes within 4 GiB (and half of the machine's memory): BOSC_ERR_LIMIT for what is longer. "-" is standard input. What
 * gzip or zstd has packed is unpacked, within the same limit. */
struct bi_file {
    struct bi_bytes bytes;
    void *map, *memory; /* one of them, or none for an empty file */
    struct bi_rest rest;
    bool opened; /* rest.fd is to be closed */
};
bosc_status bi_file_open(const char *path, struct bi_file *file, bosc_io_error *error);
/* The same, but of a large regular file only the beginning is read; bytes.rest is the rest. It is a copy all the same,
 * never a map: a file that another process shortens is an error then, and no SIGBUS. */
bosc_status bi_file_open_head(const char *path, struct bi_file *file, bosc_io_error *error);
bosc_status bi_file_load(struct bi_file *file, bosc_io_error *error); /* brings the rest into memory */
void bi_file_close(struct bi_file *file);

/* Whether to parse again: a reader of lines found too few in memory, and now all are there. Where they cannot be
 * brought there, *status says so. */
bool bi_file_again(struct bi_file *file, bosc_status *status, bosc_io_error *error);

/* Reads to the end, of which no more than `most` bytes are before it. file->bytes.name is set. */
bosc_status bi_file_read(int fd, size_t most, struct bi_file *file, bosc_io_error *error);

/* ---- parsers ---- */

enum bi_points_format {
    BI_POINTS_UNKNOWN,
    BI_POINTS_NPY,
    BI_POINTS_TEXT,
    BI_POINTS_XYZ,
    BI_POINTS_OFF,
    BI_POINTS_PLY,
    BI_POINTS_OBJ
};
/* By the path's ending; "-" and unknown endings by their first bytes. */
enum bi_points_format bi_points_format_of(const char *path, const struct bi_bytes *in);
bosc_status bi_points_parse(enum bi_points_format format, const struct bi_bytes *in, const char *columns,
                            bosc_slice *slice, bosc_array *points, bosc_io_error *error);

const char *bi_npy_code(bosc_dtype dtype); /* "f4" */
bool bi_npy_is(const struct bi_bytes *in);

/* A .npy file whose header has been read and whose size is right. */
struct bi_npy {
    bosc_dtype dtype;  /* of the array that it becomes */
    char kind;         /* 'f', 'i' or 'u' */
    int width;         /* bytes of an element in the file: those of dtype, or 2 for half floats */
    bool big, fortran; /* of several bytes, the most significant comes first; of the indices, the first runs fastest */
    int32_t rank;
    int64_t shape[4];
    size_t at, bytes; /* where the elements are in the file, not aligned */
};
bosc_status bi_npy_open(const struct bi_bytes *in, struct bi_npy *npy, bosc_io_error *error);
bool bi_npy_is_plain(const struct bi_npy *npy); /* the elements lie as in memory */
/* What is not plain, as an array of dtype in C order. False: the caller wants to stop. */
bool bi_npy_gather(const struct bi_npy *npy, const void *elements, void *array);
bosc_status bi_npy_parse(const struct bi_bytes *in, bosc_array *array, bosc_io_error *error);
/* slice: NULL: the whole array. */
bosc_status bi_npy_parse_slice(const struct bi_bytes *in, bosc_slice *slice, bosc_array *array, bosc_io_error *error);

/* slice.c: the arguments; how many of n rows a slice has, whose begin and rows are set; an array of its slice alone. */
bosc_status bi_slice_check(const bosc_slice *slice, bosc_io_error *error);
int64_t bi_slice_take(bosc_slice *slice, int64_t n);
void bi_array_keep_slice(bosc_array *array, bosc_slice *slice);

/* What is read of a text: all zeros, all of it. */
struct bi_text_opts {
    const char *columns; /* names or numbers from 1, with commas between */
    int64_t most;        /* of more numbers in a row, so many are kept; 0: all */
};
bosc_status bi_text_parse(const struct bi_bytes *in, const struct bi_text_opts *opts, bosc_array *points,
                          bosc_io_error *error);
bosc_status bi_xyz_parse(const struct bi_bytes *in, const char *columns, bosc_array *points, bosc_io_error *error);
bosc_status bi_off_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error);
bosc_status bi_ply_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error);
bosc_status bi_obj_parse(const struct bi_bytes *in, bosc_array *points, bosc_io_error *error);

/* Refuses a NaN in rows of floats: "NAME: row 7: NaN", where row 0 is called `first`. Other types pass. */
bosc_status bi_refuse_nan(const struct bi_bytes *in, const bosc_array *rows, int64_t first, bosc_io_error *error);

/* As bosc_array_convert, of arguments that are right, where row 0 is called `first`. */
bosc_status bi_array_convert(const char *name, bosc_array *array, int64_t first, bosc_dtype dtype, bool round,
                             bosc_io_error *error);

/* An array of this shape without content. Products are checked for overflow. */
bosc_status bi_array_new(const char *name, bosc_dtype dtype, int32_t rank, const int64_t *shape, bosc_array *array,
                         bosc_io_error *error);

/* Ends a public call that made an array: it becomes *array, or, where the call failed, nothing. */
bosc_status bi_array_end(bosc_status status, bosc_array *fresh, bosc_array *array, bosc_io_error *error);

/* Refuses a caller's array that is none: BOSC_ERR_ARG. */
bosc_status bi_array_check(const bosc_array *array, bosc_io_error *error);

/* *bytes = what the elements take; false where that is beyond any memory. */
bool bi_array_bytes(bosc_dtype dtype, int32_t rank, const int64_t *shape, size_t *bytes);

/* ---- output ---- */

/* A file that replaces another when it is whole: beside its target, without a name where the file system can do that,
 * under a temporary one elsewhere. All strings are NULL where there are none. */
struct bi_replacement {
    char *target, *temporary; /* whole paths, links followed */
    int fd;                   /* -1: none */
    bool named;               /* `temporary` is in the folder */
    /* SWAPPED: what was there has the temporary name. REPLACED: it is gone; some file systems do no better. */
    enum { BI_NOT_COMMITTED, BI_CREATED, BI_SWAPPED, BI_REPLACED } state;
};
/* These return 0 or an errno. `mode`: of the file that is there, 0 where none is. */
int bi_replacement_open(struct bi_replacement *r, const char *path, uint32_t mode);
/* Takes the target's name. EBUSY: the target is a mount point (in containers, often), which keeps its name. */
int bi_replacement_commit(struct bi_replacement *r);
int bi_replacement_overwrite(struct bi_replacement *r); /* for those: what is in the target is replaced */
void bi_replacement_undo(struct bi_replacement *r);     /* the target is what it was */
void bi_replacement_discard(struct bi_replacement *r);  /* after any of the above; idempotent */

/* A file being written: a replacement of `path`, or standard output ("-"), or straight into what is no regular file (a
 * device, a pipe). */
struct bi_sink {
    const char *name;
    struct bi_replacement file; /* without a target where `fd` is written to directly */
    int fd, error_number;       /* fd -1: closed; error_number: of the first failed write */
    struct bi_gzip *gzip;       /* packs what is written; NULL: it does not */
    struct bi_zstd *zstd;       /* likewise */
    bool standard;              /* fd is standard output, which stays open */
    size_t used;
    char buffer[1 << 16];
};
bosc_status bi_sink_open(struct bi_sink *sink, const char *path, bosc_io_error *error);
int bi_sink_write(void *sink, const void *bytes, size_t count);                  /* a bosc_write_fn */
void bi_sink_write_array(struct bi_sink *sink, const void *bytes, size_t count); /* which are items of the phase */
bosc_status bi_sink_finish(struct bi_sink *sink, bosc_io_error *error);          /* all bytes are where they stay */
void bi_sink_discard(struct bi_sink *sink); /* after any of the above; idempotent */

/* A file to be written: `fill` puts what is in it into a sink, and tells of so many items. That the sink failed need
 * not be told. */
struct bi_output {
    const char *path;
    bosc_status (*fill)(struct bi_sink *sink, const void *what, bosc_io_error *error);
    const void *what;
    double items; /* an item takes about as long as a byte that is copied */
};

/* Writes all of them before the first takes its name, and gives the names back if one cannot: all appear or none. */
bosc_status bi_outputs_write(const struct bi_output *outputs, int32_t count, bosc_io_error *error);

/* An array that has been checked, as .npy and, if it has one dimension or two, as text. */
bosc_status bi_npy_fill(struct bi_sink *sink, const void *array, bosc_io_error *error);

/* An 8-bit RGB picture, as an output. */
struct bi_rgb {
    const uint8_t *rgb;
    int32_t width, height;
};
bosc_status bi_rgb_check(const struct bi_rgb *picture, bosc_io_error *error);
double bi_rgb_items(const struct bi_rgb *picture);
bosc_status bi_rgb_fill(struct bi_sink *sink, const void *picture, bosc_io_error *error);

#endif
