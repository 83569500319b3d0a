/* Writing: a temporary name beside the target, renamed when whole. What is no regular file is written in place. */
#include "io/io.h"

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

/* Opens a new file in the target's folder. */
static bosc_status open_temporary(struct bi_sink *sink, mode_t mode, bool exists, bosc_io_error *error)
{
    const char *slash = strrchr(sink->target, '/');
    int folder = slash ? (int)(slash - sink->target) + 1 : 0;
    size_t capacity = (size_t)folder + 48;
    char *name = bi_io_alloc(capacity);
    if (!name) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", sink->name);
    int number = EEXIST;
    for (int i = 0; i < 1000 && number == EEXIST; i++) {
        snprintf(name, capacity, "%.*s.boscage-%ld-%d", folder, sink->target, (long)getpid(), i);
        sink->fd = write_fault() ? -1 : open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        number = sink->fd < 0 ? errno : 0;
    }
    if (number) {
        free(name);
        return fail_writing(sink, "create", number, error);
    }
    sink->temporary = name;
    if (exists && fchmod(sink->fd, mode & 07777) != 0) return fail_writing(sink, "create", errno, error);
    return BOSC_OK;
}

static bosc_status open_target(struct bi_sink *sink, const char *path, bosc_io_error *error)
{
    struct stat about;
    bool exists = stat(path, &about) == 0;
    if (exists && S_ISDIR(about.st_mode)) return fail_writing(sink, "write", EISDIR, error);
    if (exists && !S_ISREG(about.st_mode)) {
        sink->fd = open(path, O_WRONLY | O_CLOEXEC);
        return sink->fd < 0 ? fail_writing(sink, "write", errno, error) : BOSC_OK;
    }
    /* What a link points to is replaced, not the link. */
    sink->target = exists ? realpath(path, NULL) : strdup(path);
    if (!sink->target) return fail_writing(sink, "create", errno, error);
    if (exists && access(sink->target, W_OK) != 0) return fail_writing(sink, "write", errno, error);
    return open_temporary(sink, exists ? about.st_mode : 0, exists, error);
}

bosc_status bi_sink_open(struct bi_sink *sink, const char *path, bosc_io_error *error)
{
    sink->name = path ? path : "";
    sink->target = sink->temporary = NULL;
    sink->fd = -1;
    sink->error_number = 0;
    sink->used = 0;
    sink->standard = false;
    if (!path) return bi_io_fail(error, BOSC_ERR_ARG, "path: NULL");
    if (strcmp(path, "-") == 0) {
        sink->fd = STDOUT_FILENO;
        sink->standard = true;
        return BOSC_OK;
    }
    bosc_status status = open_target(sink, path, error);
    if (status != BOSC_OK) bi_sink_discard(sink);
    return status;
}

static int put(struct bi_sink *sink, const char *bytes, size_t count)
{
    while (count && !sink->error_number) {
        size_t piece = count < (size_t)1 << 30 ? count : (size_t)1 << 30;
        ssize_t w = write_fault() ? -1 : write(sink->fd, bytes, piece);
        if (w < 0 && errno == EINTR) continue;
        if (w <= 0) sink->error_number = w < 0 && errno ? errno : ENOSPC;
        if (w > 0) {
            bytes += w;
            count -= (size_t)w;
        }
    }
    return sink->error_number;
}

static int flush(struct bi_sink *sink)
{
    size_t used = sink->used;
    sink->used = 0;
    return put(sink, sink->buffer, used);
}

int bi_sink_write(void *user, const void *bytes, size_t count)
{
    struct bi_sink *sink = user;
    if (count > sizeof sink->buffer - sink->used && flush(sink)) return 1;
    if (count > sizeof sink->buffer) return put(sink, bytes, count) != 0;
    memcpy(sink->buffer + sink->used, bytes, count);
    sink->used += count;
    return sink->error_number != 0;
}

bosc_status bi_sink_finish(struct bi_sink *sink, bosc_io_error *error)
{
    if (flush(sink)) return fail_writing(sink, "write", sink->error_number, error);
    if (sink->standard) return BOSC_OK;
    int fd = sink->fd;
    sink->fd = -1;
    if (close(fd) != 0) return fail_writing(sink, "write", errno, error);
    return BOSC_OK;
}

bosc_status bi_sink_commit(struct bi_sink *sink, bosc_io_error *error)
{
    if (!sink->temporary) return BOSC_OK;
    if (write_fault() || rename(sink->temporary, sink->target) != 0) return fail_writing(sink, "rename", errno, error);
    free(sink->temporary);
    sink->temporary = NULL;
    return BOSC_OK;
}

void bi_sink_discard(struct bi_sink *sink)
{
    if (sink->fd >= 0 && !sink->standard) close(sink->fd);
    sink->fd = -1;
    if (sink->temporary) unlink(sink->temporary);
    free(sink->temporary);
    free(sink->target);
    sink->temporary = sink->target = NULL;
}

static bosc_status write_outputs(struct bi_sink *sinks, const struct bi_output *outputs, int32_t count, int32_t *opened,
                                 bosc_io_error *error)
{
    bosc_status status = BOSC_OK;
    for (int32_t i = 0; i < count && status == BOSC_OK; i++) {
        status = bi_sink_open(&sinks[i], outputs[i].path, error);
        if (status != BOSC_OK) break;
        *opened = i + 1;
        status = outputs[i].fill(&sinks[i], outputs[i].what, error);
        if (status == BOSC_OK) status = bi_sink_finish(&sinks[i], error);
    }
    for (int32_t i = 0; i < count && status == BOSC_OK; i++) status = bi_sink_commit(&sinks[i], error);
    return status;
}

bosc_status bi_outputs_write(const struct bi_output *outputs, int32_t count, bosc_io_error *error)
{
    int32_t opened = 0;
    struct bi_sink *sinks = bi_io_alloc((size_t)count * sizeof *sinks);
    if (!sinks) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", outputs[0].path ? outputs[0].path : "-");
    bosc_status status = write_outputs(sinks, outputs, count, &opened, error);
    for (int32_t i = 0; i < opened; i++) bi_sink_discard(&sinks[i]);
    free(sinks);
    return status;
}
