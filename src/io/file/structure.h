/* Saved structures as files: one implementation for all types. */
#ifndef BI_IO_FILE_STRUCTURE_H
#define BI_IO_FILE_STRUCTURE_H

#include "io/file/bytes.h"

enum bi_structure {
#define STRUCTURE(type, argument, magic, name) BI_STRUCTURE_##type,
#include "io/file/structures.def"
#undef STRUCTURE
    BI_STRUCTURES
};

/* True if the bytes begin as a file of this structure. */
bool bi_structure_is(enum bi_structure structure, const struct bi_bytes *in);

/* Position of a structure's reader in the bytes of a file. */
struct bi_structure_cursor {
    const struct bi_bytes *in;
    size_t at;
    bosc_io_error error; /* of a failed read of the file */
};

/* A bosc_read_fn, with a cursor. */
int bi_structure_copy_bytes(void *cursor, void *bytes, size_t count);

/* Returns the status of a finished read, with its message; fails if bytes follow the structure. */
bosc_status bi_structure_check_end(const struct bi_structure_cursor *cursor, enum bi_structure structure, bosc_ctx *ctx,
                                   bosc_status status, bosc_io_error *error);

/* Reads a structure from all of the bytes into *handle. */
bosc_status bi_structure_parse(enum bi_structure structure, bosc_ctx *ctx, const struct bi_bytes *in, void **handle,
                               bosc_io_error *error);

#endif
