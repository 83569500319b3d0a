/* Reads and writes files packed by gzip (zlib) and zstd (libzstd). Sources: Deutsch, GZIP file format specification
 * (RFC 1952, 1996); Collet and Kucherawy, Zstandard Compression (RFC 8878, 2021). */
#include "io/file/packed.h"
#include "io/file/file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#define ZLIB_CONST /* declares input pointers const */
#include <zlib.h>
#ifdef BOSC_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

#include "base/fault.h"

enum {
    GZIP_FORMAT = 15 + 16, /* zlib's code for the largest window (2^15) in gzip's frame */
    STEP_BYTES = 1 << 22 /* bytes between two progress reports: about 10 ms of unpacking, below zlib's 32-bit counts */
};

/* ---- detection ---- */

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

size_t bi_packed_ending(const char *path)
{
    return ends_in(path, ".gz") ? 3 : ends_in(path, ".zst") || ends_in(path, ".bgz") ? 4 : 0;
}

static bool begins_gzip(const char *bytes, size_t size) { return size >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0; }

/* True for standard input and files of /dev, such as a shell's pipes: their names may lack an ending. */
static bool is_stream(const char *path) { return strcmp(path, "-") == 0 || strncmp(path, "/dev/", 5) == 0; }

static bool is_gzip(const struct bi_bytes *in)
{
    if (ends_in(in->name, ".gz") || ends_in(in->name, ".bgz")) return true;
    return is_stream(in->name) && begins_gzip(in->data, in->size);
}

static bool is_zstd(const struct bi_bytes *in)
{
    return ends_in(in->name, ".zst") || (is_stream(in->name) && bi_bytes_begin(in, "\x28\xb5\x2f\xfd", 4));
}

bool bi_packed_is(const struct bi_bytes *in) { return is_gzip(in) || is_zstd(in); }

bosc_status bi_packed_decompress(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error)
{
    return (is_gzip(in) ? bi_gzip_decompress : bi_zstd_decompress)(in, most, file, error);
}

/* ---- shared by both readers ---- */

/* A growing array of unpacked bytes. */
struct growing_bytes {
    char *data;
    size_t size, capacity;
};

/* Doubles the memory if it is full; false: out of memory. */
static bool reserve_bytes(struct growing_bytes *out)
{
    if (out->size < out->capacity) return true;
    size_t capacity = out->capacity ? out->capacity * 2 : (size_t)1 << 16;
    char *larger = bi_io_realloc(out->data, capacity);
    if (!larger) return false;
    out->data = larger;
    out->capacity = capacity;
    return true;
}

static bosc_status fail_memory(const char *name, bosc_io_error *error)
{
    return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", name);
}

static bosc_status fail_limit(const struct bi_bytes *in, size_t most, bosc_io_error *error)
{
    return bi_io_fail(error, BOSC_ERR_LIMIT, "%s: unpacks to more than %zu bytes", in->name, most);
}

/* Moves the bytes into the file, or frees them if unpacking failed. */
static bosc_status finish_unpacking(bosc_status status, const struct bi_bytes *in, const struct growing_bytes *out,
                                    struct bi_file *file)
{
    if (status == BOSC_OK)
        *file =
            (struct bi_file){.bytes = {.name = in->name, .data = out->data, .size = out->size}, .memory = out->data};
    else
        free(out->data);
    return status;
}

/* ---- reading gzip ---- */

static void *allocate_memory(void *user, unsigned count, unsigned size)
{
    (void)user;
    return bi_io_alloc((size_t)count * size);
}

static void free_memory(void *user, void *memory)
{
    (void)user;
    free(memory);
}

/* Unpacks at most STEP_BYTES into the free memory; *left: number of packed bytes that remain. Returns zlib's code. */
static int inflate_step(z_stream *z, struct growing_bytes *out, size_t *left)
{
    size_t room = out->capacity - out->size, in = *left < STEP_BYTES ? *left : STEP_BYTES;
    z->avail_in = (uInt)in;
    z->avail_out = (uInt)(room < STEP_BYTES ? room : STEP_BYTES);
    z->next_out = (Bytef *)out->data + out->size;
    uInt room_before = z->avail_out;
    int code = inflate(z, Z_NO_FLUSH);
    *left -= in - z->avail_in;
    out->size += room_before - z->avail_out;
    return code;
}

static bosc_status fail_gzip(const struct bi_bytes *in, int code, const char *message, bosc_io_error *error)
{
    if (code == Z_MEM_ERROR) return fail_memory(in->name, error);
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: damaged gzip: %s", in->name,
                      code == Z_BUF_ERROR ? "truncated"
                      : message           ? message
                                          : "a dictionary is needed");
}

/* Unpacks all members of the file, one after the other. */
static bosc_status inflate_members(const struct bi_bytes *in, size_t most, z_stream *z, struct growing_bytes *out,
                                   bosc_io_error *error)
{
    size_t left = in->size;
    z->next_in = (const Bytef *)in->data;
    bi_io_phase(0.5, (double)in->size);
    for (;;) {
        /* 1. Unpack a step. */
        if (!reserve_bytes(out)) return fail_memory(in->name, error);
        int code = inflate_step(z, out, &left);
        if (!bi_io_set_done((double)(in->size - left))) return BOSC_ERR_CANCELLED;
        if (out->size > most) return fail_limit(in, most, error);
        /* 2. At the end of a member: finish, or continue with the next one. */
        if (code == Z_STREAM_END) {
            if (left == 0) return BOSC_OK;
            if (!begins_gzip((const char *)z->next_in, left))
                return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: %zu bytes follow what gzip has packed", in->name, left);
            code = inflateReset(z);
        }
        if (code != Z_OK) return fail_gzip(in, code, z->msg, error);
    }
}

bosc_status bi_gzip_decompress(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error)
{
    struct growing_bytes out = {0};
    z_stream z = {.zalloc = allocate_memory, .zfree = free_memory};
    if (inflateInit2(&z, GZIP_FORMAT) != Z_OK) return fail_memory(in->name, error);
    bosc_status status = inflate_members(in, most, &z, &out, error);
    inflateEnd(&z);
    return finish_unpacking(status, in, &out, file);
}

/* ---- reading zstd ---- */

#ifdef BOSC_HAVE_ZSTD
/* Unpacks all frames of the file, one after the other. */
static bosc_status decompress_frames(const struct bi_bytes *in, size_t most, ZSTD_DStream *z, struct growing_bytes *out,
                                     bosc_io_error *error)
{
    ZSTD_inBuffer from = {in->data, in->size, 0};
    bi_io_phase(0.5, (double)in->size);
    for (;;) {
        /* 1. Unpack a step. */
        if (!reserve_bytes(out)) return fail_memory(in->name, error);
        size_t room = out->capacity - out->size < STEP_BYTES ? out->capacity - out->size : STEP_BYTES;
        ZSTD_outBuffer to = {out->data, out->size + room, out->size};
        size_t pending = ZSTD_decompressStream(z, &to, &from); /* 0: a frame is complete */
        out->size = to.pos;
        if (!bi_io_set_done((double)from.pos)) return BOSC_ERR_CANCELLED;
        if (ZSTD_isError(pending) && ZSTD_getErrorCode(pending) == ZSTD_error_memory_allocation)
            return fail_memory(in->name, error);
        if (ZSTD_isError(pending))
            return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: damaged zstd: %s", in->name, ZSTD_getErrorName(pending));
        if (out->size > most) return fail_limit(in, most, error);
        /* 2. At the end of the input: the last frame must be complete, unless bytes of it did not fit in this step. */
        if (from.pos < from.size) continue;
        if (pending == 0) return BOSC_OK;
        if (to.pos < to.size) return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: damaged zstd: truncated", in->name);
    }
}

bosc_status bi_zstd_decompress(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error)
{
    struct growing_bytes out = {0};
    ZSTD_DStream *z = bi_fault(BI_FAULT_ALLOC) ? NULL : ZSTD_createDStream();
    if (!z) return fail_memory(in->name, error);
    bosc_status status = decompress_frames(in, most, z, &out, error);
    ZSTD_freeDStream(z);
    return finish_unpacking(status, in, &out, file);
}
#else
bosc_status bi_zstd_decompress(const struct bi_bytes *in, size_t most, struct bi_file *file, bosc_io_error *error)
{
    (void)most;
    (void)file;
    return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: packed by zstd, which was not there when Boscage was built",
                      in->name);
}
#endif

/* ---- writing ---- */

struct bi_packer {
    bool is_zstd;
    z_stream gzip; /* unless is_zstd */
#ifdef BOSC_HAVE_ZSTD
    ZSTD_CCtx *zstd;
#endif
    unsigned char packed[1 << 16]; /* packed bytes before they are written */
};

/* Allocates zlib's memory. False: out of memory. */
static bool initialise_gzip(struct bi_packer *p)
{
    p->gzip = (z_stream){.zalloc = allocate_memory, .zfree = free_memory};
    return deflateInit2(&p->gzip, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_FORMAT, 8, Z_DEFAULT_STRATEGY) == Z_OK;
}

static int compress_gzip(struct bi_packer *p, const void *bytes, size_t count, bool last, bosc_write_fn write,
                         void *user)
{
    z_stream *z = &p->gzip;
    const Bytef *next = bytes;
    do {
        size_t step = count < STEP_BYTES ? count : STEP_BYTES;
        z->next_in = next;
        z->avail_in = (uInt)step;
        next += step;
        count -= step;
        do { /* a full output buffer means that zlib holds more bytes */
            z->next_out = p->packed;
            z->avail_out = sizeof p->packed;
            deflate(z, last && count == 0 ? Z_FINISH : Z_NO_FLUSH);
            if (write(user, p->packed, sizeof p->packed - z->avail_out)) return 1;
        } while (z->avail_out == 0);
    } while (count);
    return 0;
}

#ifdef BOSC_HAVE_ZSTD
/* Creates the context, and passes zero bytes, upon which it allocates its memory. False: out of memory. */
static bool initialise_zstd(struct bi_packer *p)
{
    ZSTD_inBuffer none = {"", 0, 0};
    ZSTD_outBuffer to = {p->packed, sizeof p->packed, 0};
    p->zstd = bi_fault(BI_FAULT_ALLOC) ? NULL : ZSTD_createCCtx();
    if (p->zstd && !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1)) &&
        !ZSTD_isError(ZSTD_compressStream2(p->zstd, &to, &none, ZSTD_e_continue)))
        return true;
    ZSTD_freeCCtx(p->zstd);
    return false;
}

static int compress_zstd(struct bi_packer *p, const void *bytes, size_t count, bool last, bosc_write_fn write,
                         void *user)
{
    ZSTD_inBuffer from = {bytes, count, 0};
    size_t left; /* packed bytes that the context still holds */
    do {
        ZSTD_outBuffer to = {p->packed, sizeof p->packed, 0};
        left = ZSTD_compressStream2(p->zstd, &to, &from, last ? ZSTD_e_end : ZSTD_e_continue);
        if (write(user, p->packed, to.pos)) return 1;
    } while (from.pos < count || (last && left));
    return 0;
}

static void free_zstd(struct bi_packer *p) { ZSTD_freeCCtx(p->zstd); }
#else
/* Stand-ins, unreached: bi_packer_new refuses the ending .zst. */
static bool initialise_zstd(struct bi_packer *p) { return (void)p, false; }

static int compress_zstd(struct bi_packer *p, const void *bytes, size_t count, bool last, bosc_write_fn write,
                         void *user)
{
    (void)p, (void)last;
    return write(user, bytes, count);
}

static void free_zstd(struct bi_packer *p) { (void)p; }
#endif

bosc_status bi_packer_new(const char *path, struct bi_packer **packer, bosc_io_error *error)
{
    const bool zstd = ends_in(path, ".zst");
    *packer = NULL;
    if (!bi_packed_ending(path)) return BOSC_OK;
#ifndef BOSC_HAVE_ZSTD
    if (zstd) return bi_io_fail(error, BOSC_ERR_ARG, "path: %s: zstd was not there when Boscage was built", path);
#endif
    struct bi_packer *p = bi_io_alloc(sizeof *p);
    if (!p) return fail_memory(path, error);
    p->is_zstd = zstd;
    if (zstd ? initialise_zstd(p) : initialise_gzip(p)) {
        *packer = p;
        return BOSC_OK;
    }
    free(p);
    return fail_memory(path, error);
}

int bi_packer_compress(struct bi_packer *p, const void *bytes, size_t count, bool last, bosc_write_fn write, void *user)
{
    return (p->is_zstd ? compress_zstd : compress_gzip)(p, bytes, count, last, write, user);
}

void bi_packer_free(struct bi_packer *p)
{
    if (!p) return;
    if (p->is_zstd)
        free_zstd(p);
    else
        deflateEnd(&p->gzip);
    free(p);
}
