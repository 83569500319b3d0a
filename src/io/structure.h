/* Saved structures as files, whatever they are. */
#ifndef BI_IO_STRUCTURE_H
#define BI_IO_STRUCTURE_H

#include "io/io.h"

enum bi_structure {
#define STRUCTURE(type, argument, magic, name) BI_STRUCTURE_##type,
#include "io/structures.def"
#undef STRUCTURE
    BI_STRUCTURES
};

/* Whether the bytes begin as a file of this structure. */
bool bi_structure_is(enum bi_structure which, const struct bi_bytes *in);

/* *handle = the structure that all of the bytes are; nothing may follow it. */
bosc_status bi_structure_parse(enum bi_structure which, bosc_ctx *ctx, const struct bi_bytes *in, void **handle,
                               bosc_io_error *error);

#endif
