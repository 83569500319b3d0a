/* Saved structures as files: a structure writes itself to a sink, and is read from a file's bytes. */
#include "io/saved.h"

#include <stdlib.h>
#include <string.h>

#include "base/fault.h"

struct cursor {
    const char *next, *end;
};

static int deliver(void *user, void *bytes, size_t count)
{
    struct cursor *c = user;
    if (bi_fault(BI_FAULT_READ) || (size_t)(c->end - c->next) < count) return 1;
    if (count) memcpy(bytes, c->next, count);
    c->next += count;
    return 0;
}

bool bi_saved_is(const struct bi_saved *kind, const struct bi_bytes *in)
{
    return in->size >= sizeof kind->magic && memcmp(in->data, kind->magic, sizeof kind->magic) == 0;
}

bosc_status bi_saved_parse(const struct bi_saved *kind, bosc_ctx *ctx, const struct bi_bytes *in, void **structure,
                           bosc_io_error *error)
{
    struct cursor cursor = {in->data, in->data + in->size};
    void *fresh = NULL;
    if (!bi_saved_is(kind, in)) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: no saved %s", in->name, kind->name);
    bosc_status status = kind->read(ctx, deliver, &cursor, &fresh);
    if (status != BOSC_OK) return bi_io_fail(error, status, "%s: %s", in->name, bosc_message(ctx));
    if (cursor.next != cursor.end) {
        kind->free(fresh);
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %zu bytes follow the %s", in->name,
                          (size_t)(cursor.end - cursor.next), kind->short_name);
    }
    *structure = fresh;
    return BOSC_OK;
}

bosc_status bi_saved_load(const struct bi_saved *kind, bosc_ctx *ctx, const char *path, void **structure,
                          bosc_io_error *error)
{
    struct bi_file file;
    if (!ctx) return bi_io_fail(error, BOSC_ERR_ARG, "ctx: NULL");
    if (!structure) return bi_io_fail(error, BOSC_ERR_ARG, "%s: NULL", kind->short_name);
    bosc_status status = bi_file_open(path, &file, error);
    if (status != BOSC_OK) return status;
    status = bi_saved_parse(kind, ctx, &file.bytes, structure, error);
    bi_file_close(&file);
    return status;
}

bosc_status bi_saved_save(const struct bi_saved *kind, bosc_ctx *ctx, const void *structure, const char *path,
                          bosc_io_error *error)
{
    if (!ctx) return bi_io_fail(error, BOSC_ERR_ARG, "ctx: NULL");
    if (!structure) return bi_io_fail(error, BOSC_ERR_ARG, "%s: NULL", kind->short_name);
    struct bi_sink *sink = bi_io_alloc(sizeof *sink);
    if (!sink) return bi_io_fail(error, BOSC_ERR_NOMEM, "out of memory");
    bosc_status status = bi_sink_open(sink, path, error);
    if (status == BOSC_OK) {
        status = kind->write(ctx, structure, bi_sink_write, sink);
        if (status != BOSC_OK && !sink->error_number)
            status = bi_io_fail(error, status, "%s: %s", path, bosc_message(ctx));
        else /* the sink knows more of its own failures */
            status = bi_sink_finish(sink, error);
    }
    if (status == BOSC_OK) status = bi_sink_commit(sink, error);
    bi_sink_discard(sink);
    free(sink);
    return status;
}
