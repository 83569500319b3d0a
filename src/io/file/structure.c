/* Saves structures to files and loads them, by the read and write functions of each structure. */
#include "io/file/structure.h"
#include "io/file/file.h"
#include "io/file/sink.h"

#include <string.h>

#include "base/fault.h"

#define STRUCTURE(type, argument, magic, name)                                                          \
    static bosc_status write_##type(bosc_ctx *ctx, const void *handle, bosc_write_fn write, void *user) \
    {                                                                                                   \
        return bosc_##type##_write(ctx, handle, write, user);                                           \
    }                                                                                                   \
    static bosc_status read_##type(bosc_ctx *ctx, bosc_read_fn read, void *user, void **handle)         \
    {                                                                                                   \
        bosc_##type *fresh = NULL;                                                                      \
        bosc_status status = bosc_##type##_read(ctx, read, user, &fresh);                               \
        *handle = fresh;                                                                                \
        return status;                                                                                  \
    }                                                                                                   \
    static void free_##type(void *handle) { bosc_##type##_free(handle); }
#include "io/file/structures.def"
#undef STRUCTURE

enum { MAGIC = 8 }; /* bytes of the magic number of a saved structure */

static const struct kind {
    const char *argument, *magic, *name;
    bosc_status (*write)(bosc_ctx *ctx, const void *handle, bosc_write_fn write, void *user);
    bosc_status (*read)(bosc_ctx *ctx, bosc_read_fn read, void *user, void **handle);
    void (*free)(void *handle);
} kinds[BI_STRUCTURES] = {
#define STRUCTURE(type, argument, magic, name) {#argument, magic, name, write_##type, read_##type, free_##type},
#include "io/file/structures.def"
#undef STRUCTURE
};

/* ---- loading ---- */

int bi_structure_copy_bytes(void *cursor, void *bytes, size_t count)
{
    struct bi_structure_cursor *c = cursor;
    if (bi_fault(BI_FAULT_READ) || bi_bytes_total(c->in) - c->at < count) return 1;
    if (bi_bytes_read(c->in, c->at, bytes, count, &c->error) != BOSC_OK) return 1;
    c->at += count;
    return 0;
}

bool bi_structure_is(enum bi_structure structure, const struct bi_bytes *in)
{
    return in->size >= MAGIC && memcmp(in->data, kinds[structure].magic, MAGIC) == 0;
}

bosc_status bi_structure_check_end(const struct bi_structure_cursor *cursor, enum bi_structure structure, bosc_ctx *ctx,
                                   bosc_status status, bosc_io_error *error)
{
    const struct bi_bytes *in = cursor->in;
    if (status != BOSC_OK && cursor->error.text[0]) return bi_io_fail(error, BOSC_ERR_IO, "%s", cursor->error.text);
    if (status != BOSC_OK) return bi_io_fail(error, status, "%s: %s", in->name, bosc_ctx_message(ctx));
    if (cursor->at != bi_bytes_total(in))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %zu bytes follow the %s", in->name,
                          bi_bytes_total(in) - cursor->at, kinds[structure].argument);
    return bi_bytes_unchanged(in, error);
}

bosc_status bi_structure_parse(enum bi_structure structure, bosc_ctx *ctx, const struct bi_bytes *in, void **handle,
                               bosc_io_error *error)
{
    const struct kind *kind = &kinds[structure];
    struct bi_structure_cursor cursor = {.in = in};
    void *fresh = NULL;
    if (!bi_structure_is(structure, in))
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: not a saved %s", in->name, kind->name);
    bi_io_pause_progress();
    bosc_status status = kind->read(ctx, bi_structure_copy_bytes, &cursor, &fresh);
    bi_io_resume_progress();
    status = bi_structure_check_end(&cursor, structure, ctx, status, error);
    if (status == BOSC_OK)
        *handle = fresh;
    else
        kind->free(fresh);
    return status;
}

/* Implements bosc_X_load. `set`: the caller's pointer is not NULL. */
static bosc_status load_structure(enum bi_structure structure, bosc_ctx *ctx, const char *path, bool set, void **handle,
                                  bosc_io_error *error)
{
    struct bi_file file;
    if (!ctx) return bi_io_fail(error, BOSC_ERR_ARG, "ctx: NULL");
    if (!set) return bi_io_fail(error, BOSC_ERR_ARG, "%s: NULL", kinds[structure].argument);
    bosc_status status = bi_file_open_head(path, &file, error);
    if (status != BOSC_OK) return bi_io_end(status, error);
    status = bi_structure_parse(structure, ctx, &file.bytes, handle, error);
    bi_file_close(&file);
    return bi_io_end(status, error);
}

/* ---- saving ---- */

struct saving {
    const struct kind *kind;
    bosc_ctx *ctx;
    const void *handle;
};

/* Writes the structure to a sink; a failure of the sink is left to bi_sink_finish, which has the better message. */
static bosc_status fill_structure(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    const struct saving *s = what;
    bi_io_pause_progress();
    bosc_status status = s->kind->write(s->ctx, s->handle, bi_sink_write, sink);
    bi_io_resume_progress();
    if (status == BOSC_OK || sink->error_number) return BOSC_OK;
    return bi_io_fail(error, status, "%s: %s", sink->name, bosc_ctx_message(s->ctx));
}

/* Implements bosc_X_save. */
static bosc_status save_structure(enum bi_structure structure, bosc_ctx *ctx, const void *handle, const char *path,
                                  bosc_io_error *error)
{
    const struct saving saving = {&kinds[structure], ctx, handle};
    const struct bi_output output = {path, fill_structure, &saving, 0};
    if (!ctx) return bi_io_fail(error, BOSC_ERR_ARG, "ctx: NULL");
    if (!handle) return bi_io_fail(error, BOSC_ERR_ARG, "%s: NULL", saving.kind->argument);
    return bi_outputs_write(&output, 1, error);
}

#define STRUCTURE(type, argument, magic, name)                                                                         \
    bosc_status bosc_##type##_save(bosc_ctx *ctx, const bosc_##type *argument, const char *path, bosc_io_error *error) \
    {                                                                                                                  \
        BI_IO_ENTER;                                                                                                   \
        return save_structure(BI_STRUCTURE_##type, ctx, argument, path, error);                                        \
    }                                                                                                                  \
    bosc_status bosc_##type##_load(bosc_ctx *ctx, const char *path, bosc_##type **argument, bosc_io_error *error)      \
    {                                                                                                                  \
        BI_IO_ENTER;                                                                                                   \
        void *fresh = NULL;                                                                                            \
        bosc_status status = load_structure(BI_STRUCTURE_##type, ctx, path, argument != NULL, &fresh, error);          \
        if (status == BOSC_OK) *argument = fresh;                                                                      \
        return status;                                                                                                 \
    }
#include "io/file/structures.def"
#undef STRUCTURE
