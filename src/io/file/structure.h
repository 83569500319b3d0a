/* Saved structures as files, whatever they are. */
#ifndef BI_IO_FILE_STRUCTURE_H
#define BI_IO_FILE_STRUCTURE_H

#include "io/io.h"

enum bi_structure {
#define STRUCTURE(type, argument, magic, name) BI_STRUCTURE_##type,
#include "io/file/structures.def"
#undef STRUCTURE
    BI_STRUCTURES
};

/* Whether the bytes begin as a file of this structure. */
bool bi_structure_is(enum bi_structure which, const struct bi_bytes *in);

/* What reads a structure out of a file's bytes, a bosc_read_fn with this; and what is said once it has, with `status`.
 */
struct bi_structure_cursor {
    const struct bi_bytes *in;
    size_t at;
    bosc_io_error error; /* what failed in reading the file */
};
int bi_structure_deliver(void *cursor, void *bytes, size_t count);
bosc_status bi_structure_ended(const struct bi_structure_cursor *cursor, enum bi_structure which, bosc_ctx *ctx,
                               bosc_status status, bosc_io_error *error);

/* *handle = the structure that all of the bytes are; nothing may follow it. */
bosc_status bi_structure_parse(enum bi_structure which, bosc_ctx *ctx, const struct bi_bytes *in, void **handle,
                               bosc_io_error *error);

#endif
