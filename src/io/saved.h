/* Saved structures as files, whatever they are. */
#ifndef BI_IO_SAVED_H
#define BI_IO_SAVED_H

#include "io/io.h"

struct bi_saved {
    char magic[8];                 /* what its files begin with */
    const char *name, *short_name; /* "k-d tree"; "tree", as the arguments are called */
    bosc_status (*write)(bosc_ctx *ctx, const void *structure, bosc_write_fn write, void *user);
    bosc_status (*read)(bosc_ctx *ctx, bosc_read_fn read, void *user, void **structure);
    void (*free)(void *structure);
};

bool bi_saved_is(const struct bi_saved *kind, const struct bi_bytes *in);
bosc_status bi_saved_parse(const struct bi_saved *kind, bosc_ctx *ctx, const struct bi_bytes *in, void **structure,
                           bosc_io_error *error);
bosc_status bi_saved_load(const struct bi_saved *kind, bosc_ctx *ctx, const char *path, void **structure,
                          bosc_io_error *error);
bosc_status bi_saved_save(const struct bi_saved *kind, bosc_ctx *ctx, const void *structure, const char *path,
                          bosc_io_error *error);

#endif
