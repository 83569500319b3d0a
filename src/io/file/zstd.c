/* Reads and writes zstd, by libzstd. Source: Collet and Kucherawy, Zstandard Compression (RFC 8878, 2021). */
#include "io/file/zstd.h"
#include "io/file/bytes.h"
#include "io/file/file.h"
#include "io/file/gzip.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#ifdef BOSC_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "base/fault.h"

bool bi_zstd_is_named(const char *path)
{
    size_t length = strlen(path);
    return length >= 4 && strcasecmp(path + length - 4, ".zst") == 0;
}

bool bi_zstd_is(const struct bi_bytes *in)
{
    if (strcmp(in->name, "-") == 0) return in->size >= 4 && memcmp(in->data, "\x28\xb5\x2f\xfd", 4) == 0;
    return bi_zstd_is_named(in->name);
}

#ifdef BOSC_HAVE_ZSTD
enum { STEP_BYTES = 1 << 22 }; /* bytes between two progress reports; chosen */

/* Unpacks all frames of the file, one after the other. */
static bosc_status decompress_all(const struct bi_bytes *in, size_t most, ZSTD_DStream *z, struct bi_growing_bytes *out,
                                  bosc_io_error *error)
{
    ZSTD_inBuffer from = {in->data, in->size, 0};
    bi_io_phase(0.5, (double)in->size);
    for (;;) {
        if (!bi_growing_bytes_reserve(out)) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
        size_t room = out->capacity - out->size < STEP_BYTES ? out->capacity - out->size : STEP_BYTES;
        ZSTD_outBuffer to = {out->data, out->size + room, out->size};
        size_t pending = ZSTD_decompressStream(z, &to, &from); /* 0: a frame is complete */
        out->size = to.pos;
        if (!bi_io_set_done((double)from.pos)) return BOSC_ERR_CANCELLED;
        if (ZSTD_isError(pending) && ZSTD_getErrorCode(pending) == ZSTD_error_memory_allocation)
            return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
        if (ZSTD_isError(pending))
            return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: damaged zstd: %s", in->name, ZSTD_getErrorName(pending));
        if (out->size > most)
            return bi_io_fail(error, BOSC_ERR_LIMIT, "%s: unpacks to more than %zu bytes", in->name, most);
        if (from.pos < from.size) continue;
        if (pending == 0) return BOSC_OK;
        if (to.pos < to.size) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: damaged zstd: truncated", in->name);
    }
}

bosc_status bi_zstd_decompress(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error)
{
    struct bi_growing_bytes out = {0};
    ZSTD_DStream *z = bi_fault(BI_FAULT_ALLOC) ? NULL : ZSTD_createDStream();
    if (!z) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
    bosc_status status = decompress_all(in, most, z, &out, error);
    ZSTD_freeDStream(z);
    if (status == BOSC_OK)
        *file = (struct bi_file){.bytes = {.name = in->name, .data = out.data, .size = out.size}, .memory = out.data};
    else
        free(out.data);
    return status;
}

/* ---- writing ---- */

struct bi_zstd {
    ZSTD_CCtx *context;
    char packed[1 << 16];
};

/* Sets the options and passes zero bytes, upon which the context allocates its memory. False: out of memory. */
static bool initialise_context(struct bi_zstd *zstd)
{
    ZSTD_inBuffer none = {"", 0, 0};
    ZSTD_outBuffer to = {zstd->packed, sizeof zstd->packed, 0};
    return zstd->context && !ZSTD_isError(ZSTD_CCtx_setParameter(zstd->context, ZSTD_c_checksumFlag, 1)) &&
           !ZSTD_isError(ZSTD_compressStream2(zstd->context, &to, &none, ZSTD_e_continue));
}

bosc_status bi_zstd_new(const char *path, struct bi_zstd **zstd, bosc_io_error *error)
{
    *zstd = bi_io_alloc(sizeof **zstd);
    if (*zstd) (*zstd)->context = bi_fault(BI_FAULT_ALLOC) ? NULL : ZSTD_createCCtx();
    if (*zstd && initialise_context(*zstd)) return BOSC_OK;
    bi_zstd_free(*zstd);
    *zstd = NULL;
    return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", path);
}

int bi_zstd_compress(struct bi_zstd *zstd, const void *bytes, size_t count, bool last, bosc_write_fn write, void *user)
{
    ZSTD_inBuffer from = {bytes, count, 0};
    size_t left; /* packed bytes that the context still holds */
    do {
        ZSTD_outBuffer to = {zstd->packed, sizeof zstd->packed, 0};
        left = ZSTD_compressStream2(zstd->context, &to, &from, last ? ZSTD_e_end : ZSTD_e_continue);
        if (write(user, zstd->packed, to.pos)) return 1;
    } while (from.pos < count || (last && left));
    return 0;
}

void bi_zstd_free(struct bi_zstd *zstd)
{
    if (!zstd) return;
    ZSTD_freeCCtx(zstd->context);
    free(zstd);
}
#else
bosc_status bi_zstd_decompress(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error)
{
    (void)most;
    (void)file;
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: packed by zstd, which was not there when Boscage was built",
                      in->name);
}

bosc_status bi_zstd_new(const char *path, struct bi_zstd **zstd, bosc_io_error *error)
{
    *zstd = NULL;
    return bi_io_fail(error, BOSC_ERR_ARG, "path: %s: zstd was not there when Boscage was built", path);
}

int bi_zstd_compress(struct bi_zstd *zstd, const void *bytes, size_t count, bool last, bosc_write_fn write, void *user)
{
    (void)zstd;
    (void)last;
    return write(user, bytes, count); /* unreached: bi_zstd_new fails */
}

void bi_zstd_free(struct bi_zstd *zstd) { (void)zstd; }
#endif
