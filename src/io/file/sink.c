/* Writes outputs to files that replace their targets once complete. Devices and pipes are written directly. */
#include "io/file/sink.h"
#include "io/file/gzip.h"
#include "io/file/replace.h"
#include "io/file/zstd.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"

static bool write_fault(void)
{
    if (!bi_fault(BI_FAULT_WRITE)) return false;
    errno = EIO;
    return true;
}

static bosc_status fail_writing(const struct bi_sink *sink, const char *what, int number, bosc_io_error *error)
{
    return bi_io_fail(error, BOSC_ERR_IO, "%s: cannot %s: %s", sink->name, what, strerror(number));
}

static bosc_status open_target(struct bi_sink *sink, const char *path, bosc_io_error *error)
{
    struct stat about;
    bool exists = stat(path, &about) == 0;
    if (!exists && errno != ENOENT) return fail_writing(sink, "create", errno, error);
    if (exists && S_ISDIR(about.st_mode)) return fail_writing(sink, "write", EISDIR, error);
    if (exists && !S_ISREG(about.st_mode)) {
        sink->fd = open(path, O_WRONLY | O_CLOEXEC);
        return sink->fd < 0 ? fail_writing(sink, "write", errno, error) : BOSC_OK;
    }
    int number = bi_replacement_open(&sink->file, path, exists ? about.st_mode : 0);
    if (number == ENOMEM) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", sink->name);
    if (number) return fail_writing(sink, exists && sink->file.fd < 0 ? "write" : "create", number, error);
    sink->fd = sink->file.fd;
    return BOSC_OK;
}

bosc_status bi_sink_open(struct bi_sink *sink, const char *path, bosc_io_error *error)
{
    sink->name = path ? path : "";
    sink->file = (struct bi_replacement){.fd = -1};
    sink->fd = -1;
    sink->error_number = 0;
    sink->used = 0;
    sink->standard = false;
    sink->gzip = NULL;
    sink->zstd = NULL;
    if (!path) return bi_io_fail(error, BOSC_ERR_ARG, "path: NULL");
    if (strcmp(path, "-") == 0) {
        sink->fd = STDOUT_FILENO;
        sink->standard = true;
        return BOSC_OK;
    }
    bosc_status status = bi_zstd_is_named(path) ? bi_zstd_new(path, &sink->zstd, error) : BOSC_OK;
    if (status == BOSC_OK && bi_gzip_is_named(path) && !(sink->gzip = bi_gzip_new()))
        status = bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", path);
    if (status == BOSC_OK) status = open_target(sink, path, error);
    if (status != BOSC_OK) bi_sink_discard(sink);
    return status;
}

/* Writes bytes to the descriptor. Returns the error number of the sink. */
static int write_bytes(struct bi_sink *sink, const char *bytes, size_t count)
{
    if (!bi_io_advance(0) && !sink->error_number) sink->error_number = ECANCELED; /* bi_io_end sets the message */
    while (count && !sink->error_number) {
        size_t part = count < (size_t)1 << 30 ? count : (size_t)1 << 30; /* Linux writes less than 2 GiB */
        ssize_t w = write_fault() ? -1 : write(sink->fd, bytes, part);
        if (w < 0 && errno == EINTR) continue;
        if (w <= 0) sink->error_number = w < 0 && errno ? errno : ENOSPC;
        if (w > 0) {
            bytes += w;
            count -= (size_t)w;
        }
    }
    return sink->error_number;
}

static int write_packed(void *sink, const void *bytes, size_t count) { return write_bytes(sink, bytes, count); }

/* Writes bytes through the compressor, if there is one. */
static int compress_and_write(struct bi_sink *sink, const void *bytes, size_t count, bool last)
{
    if (sink->gzip) return bi_gzip_compress(sink->gzip, bytes, count, last, write_packed, sink);
    if (sink->zstd) return bi_zstd_compress(sink->zstd, bytes, count, last, write_packed, sink);
    return write_bytes(sink, bytes, count);
}

static int flush_buffer(struct bi_sink *sink, bool last)
{
    size_t used = sink->used;
    sink->used = 0;
    return compress_and_write(sink, sink->buffer, used, last);
}

int bi_sink_write(void *user, const void *bytes, size_t count)
{
    struct bi_sink *sink = user;
    if (count > sizeof sink->buffer - sink->used && flush_buffer(sink, false)) return 1;
    if (count > sizeof sink->buffer) return compress_and_write(sink, bytes, count, false) != 0;
    memcpy(sink->buffer + sink->used, bytes, count);
    sink->used += count;
    return sink->error_number != 0;
}

void bi_sink_write_array(struct bi_sink *sink, const void *bytes, size_t count)
{
    const size_t each = (size_t)1 << 20; /* bytes between two progress reports; chosen */
    for (size_t at = 0; at < count && !sink->error_number; at += each) {
        size_t part = count - at < each ? count - at : each;
        bi_sink_write(sink, (const char *)bytes + at, part);
        (void)bi_io_advance((double)part); /* the next write fails if cancelled */
    }
}

bosc_status bi_sink_finish(struct bi_sink *sink, bosc_io_error *error)
{
    if (flush_buffer(sink, true)) return fail_writing(sink, "write", sink->error_number, error);
    if (sink->standard) return BOSC_OK;
    if (sink->file.target) /* on the disk before it gets its name: the power may fail */
        return write_fault() || fsync(sink->fd) != 0 ? fail_writing(sink, "write", errno, error) : BOSC_OK;
    int fd = sink->fd;
    sink->fd = -1;
    if (close(fd) != 0) return fail_writing(sink, "write", errno, error);
    return BOSC_OK;
}

void bi_sink_discard(struct bi_sink *sink)
{
    if (sink->file.target)
        bi_replacement_discard(&sink->file);
    else if (sink->fd >= 0 && !sink->standard)
        close(sink->fd);
    sink->fd = -1;
    bi_gzip_free(sink->gzip);
    bi_zstd_free(sink->zstd);
    sink->gzip = NULL;
    sink->zstd = NULL;
}

/* ---- several files ---- */

static bosc_status open_outputs(struct bi_sink *sinks, const struct bi_output *outputs, int32_t count, int32_t *opened,
                                bosc_io_error *error)
{
    for (int32_t i = 0; i < count; i++) {
        bosc_status status = bi_sink_open(&sinks[i], outputs[i].path, error);
        if (status != BOSC_OK) return status;
        *opened = i + 1;
        const char *target = sinks[i].file.target;
        for (int32_t j = 0; j < i; j++) {
            bool same = sinks[i].standard ? sinks[j].standard
                                          : target && sinks[j].file.target && strcmp(target, sinks[j].file.target) == 0;
            if (same) return bi_io_fail(error, BOSC_ERR_ARG, "%s: the same file as %s", sinks[i].name, sinks[j].name);
        }
    }
    return BOSC_OK;
}

/* Renames all files to their targets: first by names, which can be undone; then mount points, which are overwritten. */
static bosc_status commit_outputs(struct bi_sink *sinks, int32_t count, bosc_io_error *error)
{
    int number = 0;
    int32_t at = 0;
    for (int pass = 0; pass < 2 && !number; pass++) {
        for (at = 0; at < count; at++) {
            struct bi_replacement *file = &sinks[at].file;
            if (!file->target || file->state != BI_NOT_COMMITTED) continue;
            number = pass ? bi_replacement_overwrite(file) : bi_replacement_commit(file);
            if (!pass && number == EBUSY) number = 0;
            if (number) break;
        }
    }
    if (!number) return BOSC_OK;
    for (int32_t i = 0; i < count; i++) bi_replacement_undo(&sinks[i].file);
    return fail_writing(&sinks[at], "rename", number, error);
}

static bosc_status write_outputs(struct bi_sink *sinks, const struct bi_output *outputs, int32_t count, int32_t *opened,
                                 bosc_io_error *error)
{
    bosc_status status = open_outputs(sinks, outputs, count, opened, error);
    double items_left = 0;
    for (int32_t i = 0; i < count; i++) items_left += outputs[i].items;
    for (int32_t i = 0; i < count && status == BOSC_OK; i++) {
        bi_io_phase(items_left > 0 ? outputs[i].items / items_left : 1, outputs[i].items);
        items_left -= outputs[i].items;
        status = outputs[i].fill(&sinks[i], outputs[i].what, error);
        if (status == BOSC_OK) status = bi_sink_finish(&sinks[i], error);
    }
    return status == BOSC_OK ? commit_outputs(sinks, count, error) : status;
}

bosc_status bi_outputs_write(const struct bi_output *outputs, int32_t count, bosc_io_error *error)
{
    int32_t opened = 0;
    struct bi_sink *sinks = bi_io_alloc((size_t)count * sizeof *sinks);
    if (!sinks) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", outputs[0].path ? outputs[0].path : "-");
    bosc_status status = write_outputs(sinks, outputs, count, &opened, error);
    for (int32_t i = 0; i < opened; i++) bi_sink_discard(&sinks[i]);
    free(sinks);
    return bi_io_end(status, error);
}
