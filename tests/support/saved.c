#include "support/saved.h"

#include <stdio.h>

struct saved saved_of(bosc_ctx *ctx, const struct saved_kind *kind, const void *handle)
{
    struct saved f = {0};
    CHECK_OK(ctx, kind->write(ctx, handle, saved_append, &f));
    return f;
}

void *saved_load(bosc_ctx *ctx, const struct saved_kind *kind, struct saved *f)
{
    void *handle = NULL;
    f->at = 0;
    CHECK_OK(ctx, kind->read(ctx, saved_deliver, f, &handle));
    CHECK_EQ(f->at, f->size);
    return handle;
}

static int refuse_write(void *user, const void *bytes, size_t count)
{
    (void)user, (void)bytes, (void)count;
    return 1;
}

static void check_same(const struct saved *f, const struct saved *g)
{
    CHECK_EQ(f->size, g->size);
    CHECK(memcmp(f->bytes, g->bytes, f->size) == 0);
}

void *saved_again(bosc_ctx *ctx, const struct saved_kind *kind, const void *handle, size_t size)
{
    struct saved f = saved_of(ctx, kind, handle);
    void *back = saved_load(ctx, kind, &f);
    struct saved g = saved_of(ctx, kind, back);
    check_same(&f, &g);
    if (size) CHECK_EQ(f.size, size);
    CHECK_STATUS(ctx, kind->write(ctx, handle, refuse_write, NULL), BOSC_ERR_IO);
    free(f.bytes);
    free(g.bytes);
    return back;
}

void saved_refused(bosc_ctx *ctx, const struct saved_kind *kind, struct saved *f, const char *reason)
{
    void *handle = NULL;
    f->at = 0;
    CHECK_STATUS(ctx, kind->read(ctx, saved_deliver, f, &handle), BOSC_ERR_FORMAT);
    CHECK(handle == NULL);
    if (!suite_begins(bosc_ctx_message(ctx), kind->begin) || !strstr(bosc_ctx_message(ctx), reason))
        suite_fail(__FILE__, __LINE__, "\"%s\" does not begin with \"%s\" or lacks \"%s\"", bosc_ctx_message(ctx),
                   kind->begin, reason);
}

void saved_damage(bosc_ctx *ctx, const struct saved_kind *kind, const void *handle, size_t every)
{
    struct saved f = saved_of(ctx, kind, handle);
    size_t whole = f.size;
    for (f.size = 0; f.size < whole; f.size += every) saved_refused(ctx, kind, &f, "it ends within its");
    f.size = whole;
    for (size_t bit = 0; bit < 8 * whole; bit += every) {
        f.bytes[bit / 8] ^= (char)(1 << bit % 8);
        saved_refused(ctx, kind, &f, "");
        if (bit < 8 * kind->header) CHECK(f.at <= kind->header + 8); /* reading stops at a damaged header */
        f.bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    kind->free(saved_load(ctx, kind, &f));
    free(f.bytes);
}

void saved_lies(bosc_ctx *ctx, const struct saved_kind *kind, struct saved *f, const struct saved_lie *lies,
                size_t count, void (*use)(bosc_ctx *ctx, const void *handle))
{
    for (size_t k = 0; k < count; k++) {
        struct saved bad = {0};
        void *handle = NULL;
        saved_append(&bad, f->bytes, f->size);
        memcpy(bad.bytes + 4 * lies[k].at, &lies[k].value, 4);
        saved_seal(bad.bytes, bad.size, kind->header);
        bosc_status status = kind->read(ctx, saved_deliver, &bad, &handle);
        if (status == BOSC_OK && lies[k].reason) suite_fail(__FILE__, __LINE__, "lie %zu was believed", k);
        if (status == BOSC_OK && use) use(ctx, handle);
        kind->free(handle);
        if (status != BOSC_OK) saved_refused(ctx, kind, &bad, lies[k].reason ? lies[k].reason : "");
        free(bad.bytes);
    }
    kind->free(saved_load(ctx, kind, f));
}

void *saved_golden(bosc_ctx *ctx, const struct saved_kind *kind, const void *handle, const char *name,
                   const unsigned char *bytes, size_t size)
{
    struct saved f = saved_of(ctx, kind, handle), old = {.bytes = (char *)(uintptr_t)bytes, .size = size};
    const char *folder = getenv("BOSC_GOLDEN");
    if (folder) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, name);
        FILE *to = fopen(path, "wb");
        CHECK(to && fwrite(f.bytes, 1, f.size, to) == f.size && fclose(to) == 0);
        old = f;
    }
    void *back = saved_load(ctx, kind, &old);
    check_same(&f, &old);
    free(f.bytes);
    return back;
}
