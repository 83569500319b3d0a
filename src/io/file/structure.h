/* Saved structures as files: one implementation for all types. */
#ifndef BI_IO_FILE_STRUCTURE_H
#define BI_IO_FILE_STRUCTURE_H

#include "io/file/file.h"

enum bi_structure {
#define STRUCTURE(type, argument, magic, name) BI_STRUCTURE_##type,
#include "io/file/structures.def"
#undef STRUCTURE
    BI_STRUCTURES
};

/* True if the bytes begin as a file of this structure. */
bool bi_structure_is(enum bi_structure structure, const struct bi_bytes *in);

/* Returns the name of the structure that the bytes hold, by the first ones; NULL: none. */
const char *bi_structure_name(const struct bi_bytes *in);

/* Reads a structure from all of the bytes into *handle. */
bosc_status bi_structure_parse(enum bi_structure structure, bosc_ctx *ctx, const struct bi_bytes *in, void **handle,
                               bosc_io_error *error);

#endif
