/* Outputs: files that replace their targets once complete. Devices and pipes are written directly. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_TMPFILE, renameat2 */
#endif
#include "io/file/sink.h"
#include "io/file/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fault.h"

/* True if a fault point makes the next write fail; sets errno. */
static bool write_fault(void)
{
    if (!bi_fault(BI_FAULT_WRITE)) return false;
    errno = EIO;
    return true;
}

/* ---- replacements: paths ---- */

enum { LINKS_MAX = 40 }; /* as in the Linux kernel */

/* Returns the length of the folder in a path, with its slash; 0: the current folder. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* Allocates the path of `name` in the folder of `path`; NULL: out of memory. */
static char *join_folder(const char *path, const char *name)
{
    size_t folder = name[0] == '/' ? 0 : (size_t)folder_length(path), length = strlen(name);
    char *joined = bi_io_alloc(folder + length + 1);
    if (!joined) return NULL;
    memcpy(joined, path, folder);
    memcpy(joined + folder, name, length + 1);
    return joined;
}

/* Allocates the target of a link; NULL sets errno. */
static char *read_link(const char *link)
{
    char name[PATH_MAX];
    ssize_t length = readlink(link, name, sizeof name - 1);
    if (length < 0) return NULL;
    name[length] = 0;
    return join_folder(link, name);
}

/* Finds the path that writing to `path` would create, which does not exist yet, through dangling links. Returns 0, or a
 * number of errno. The caller initialises *target to NULL and frees it, after a failure too. */
static int resolve_missing(const char *path, char **target)
{
    char *at = join_folder(path, path + folder_length(path)), *next = NULL;
    struct stat about;
    /* 1. Follow the links. */
    for (int links = 0; at && lstat(at, &about) == 0 && S_ISLNK(about.st_mode); links++) {
        next = links < LINKS_MAX ? read_link(at) : NULL;
        free(at);
        if (!next) return links < LINKS_MAX ? errno : ELOOP;
        at = next;
    }
    if (!at) return ENOMEM;
    *target = at;
    /* 2. Make the folder absolute. */
    char *folder = join_folder(at, ".");
    if (!folder) return ENOMEM;
    char *whole = realpath(folder, NULL);
    free(folder);
    if (!whole) return 0; /* creating the file will fail with the reason */
    size_t capacity = strlen(whole) + strlen(at) + 2;
    char *joined = bi_io_alloc(capacity);
    if (joined) {
        snprintf(joined, capacity, "%s/%s", strcmp(whole, "/") == 0 ? "" : whole, at + folder_length(at));
        free(at);
        *target = joined;
    }
    free(whole);
    return joined ? 0 : ENOMEM;
}

/* ---- replacements: registry of temporary names, for signal handlers that end the process ---- */

enum { NAMES_MAX = 64 }; /* four calls of 16 outputs each at once; further names are not registered */
static _Atomic(const char *) names[NAMES_MAX];

static void register_name(const char *name)
{
    for (int i = 0; i < NAMES_MAX; i++) {
        const char *none = NULL;
        if (atomic_compare_exchange_strong(&names[i], &none, name)) return;
    }
}

static void unregister_name(const char *name)
{
    for (int i = 0; i < NAMES_MAX; i++) {
        const char *same = name;
        if (atomic_compare_exchange_strong(&names[i], &same, NULL)) return;
    }
}

void bosc_temporaries_remove(void)
{
    for (int i = 0; i < NAMES_MAX; i++) {
        const char *name = atomic_exchange(&names[i], NULL);
        if (name) unlink(name);
    }
}

/* ---- replacements: opening ---- */

/* Opens a file without a name, which the system removes if the process ends. If the file system does not support that,
 * r->fd stays -1. */
static int open_unnamed(struct bi_replacement *r, mode_t mode)
{
#ifdef O_TMPFILE
    if (bi_fault(BI_FAULT_UNNAMED) || access("/proc/self/fd", X_OK) != 0) return 0; /* linkat needs /proc */
    char *folder = join_folder(r->target, ".");
    if (!folder) return ENOMEM;
    r->fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    free(folder);
#else
    (void)r, (void)mode;
#endif
    return 0;
}

/* Tries temporary names until `create` succeeds, which returns 0 or an errno (EEXIST: try the next). A name is
 * registered before the file gets it, since a signal may end the process at any moment. The process id and the time
 * make it unique. */
static int create_temporary(struct bi_replacement *r, mode_t mode, int (*create)(struct bi_replacement *r, mode_t mode))
{
    size_t capacity = (size_t)folder_length(r->target) + 64;
    r->temporary = bi_io_alloc(capacity);
    if (!r->temporary) return ENOMEM;
    int number = EEXIST;
    /* Names have nanoseconds: a second attempt is rare. The limit ends the loop where a file system always refuses. */
    for (int i = 0; i < 1000 && number == EEXIST; i++) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        snprintf(r->temporary, capacity, "%.*s.boscage-%ld-%lld%09ld", folder_length(r->target), r->target,
                 (long)getpid(), (long long)now.tv_sec, now.tv_nsec);
        register_name(r->temporary);
        number = write_fault() ? EIO : create(r, mode);
        if (number != 0) unregister_name(r->temporary);
    }
    r->named = number == 0;
    return number;
}

static int create_named(struct bi_replacement *r, mode_t mode)
{
    r->fd = open(r->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    return r->fd < 0 ? errno : 0;
}

/* Opens a new file in the folder of the target. Returns 0 or an errno. `mode`: of the existing target; 0: no target
 * exists. */
static int open_replacement(struct bi_replacement *r, const char *path, uint32_t mode)
{
    *r = (struct bi_replacement){.fd = -1};
    if (mode) {
        r->target = realpath(path, NULL);
        if (!r->target || access(r->target, W_OK) != 0) return errno;
    } else {
        int number = resolve_missing(path, &r->target);
        if (number) return number;
    }
    /* Private until it gets the access rights of the file that it replaces, without setuid and setgid. */
    mode_t initial = mode ? 0600 : 0666;
    int number = open_unnamed(r, initial);
    if (number == 0 && r->fd < 0) number = create_temporary(r, initial, create_named);
    if (number == 0 && mode && fchmod(r->fd, mode & 0777) != 0) number = errno;
    return number;
}

/* ---- replacements: renaming to the target ---- */

static int link_unnamed(struct bi_replacement *r, mode_t mode)
{
    char own[48];
    (void)mode;
    snprintf(own, sizeof own, "/proc/self/fd/%d", r->fd);
    return linkat(AT_FDCWD, own, AT_FDCWD, r->temporary, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

/* Exchanges the names of two files, which can be undone. */
static bool exchange_names(const char *a, const char *b)
{
#ifdef RENAME_EXCHANGE
    return renameat2(AT_FDCWD, a, AT_FDCWD, b, RENAME_EXCHANGE) == 0;
#else
    (void)a, (void)b;
    return false;
#endif
}

/* For a mount point: overwrites the content of the target. Returns 0 or an errno. */
static int overwrite_target(struct bi_replacement *r)
{
    static const size_t block = sizeof((struct bi_sink *)0)->buffer; /* as bytes are written elsewhere */
    int number = 0, to = open(r->target, O_WRONLY | O_TRUNC | O_CLOEXEC);
    char *buffer = to < 0 ? NULL : bi_io_alloc(block);
    if (!buffer) number = to < 0 ? errno : ENOMEM;
    for (off_t at = 0; number == 0;) {
        ssize_t got = pread(r->fd, buffer, block, at), written = got > 0 ? pwrite(to, buffer, (size_t)got, at) : got;
        if (written < 0 && errno != EINTR) number = errno;
        if (written == 0) break;
        if (written > 0) at += written;
    }
    free(buffer);
    if (to >= 0 && number == 0 && fsync(to) != 0) number = errno;
    if (to >= 0 && close(to) != 0 && number == 0) number = errno;
    return number;
}

/* Renames the file to the target. Returns 0 or an errno. EBUSY: the target is a mount point (often in containers),
 * which cannot be renamed. */
static int commit_replacement(struct bi_replacement *r)
{
    struct stat about;
    if (!r->named) {
        int number = create_temporary(r, 0, link_unnamed);
        if (number) return number;
    }
    if (write_fault()) return EIO;
    bool exists = lstat(r->target, &about) == 0;
    if (exists && exchange_names(r->temporary, r->target)) {
        r->state = BI_SWAPPED;
        return 0;
    }
    if (rename(r->temporary, r->target) != 0) return errno;
    unregister_name(r->temporary);
    r->named = false;
    r->state = exists ? BI_REPLACED : BI_CREATED;
    return 0;
}

/* Restores the previous target, unless it is gone (BI_REPLACED). */
static void undo_replacement(struct bi_replacement *r)
{
    if (r->state == BI_SWAPPED) (void)exchange_names(r->temporary, r->target);
    if (r->state == BI_CREATED) unlink(r->target);
    r->state = BI_NOT_COMMITTED;
}

/* Releases the file, after any of the above; idempotent. */
static void discard_replacement(struct bi_replacement *r)
{
    if (r->fd >= 0) close(r->fd);
    if (r->named) {
        unlink(r->temporary);
        unregister_name(r->temporary);
    }
    free(r->temporary);
    free(r->target);
    *r = (struct bi_replacement){.fd = -1};
}

/* ---- sinks ---- */

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
    int number = open_replacement(&sink->file, path, exists ? about.st_mode : 0);
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
    sink->packer = NULL;
    if (!path) return bi_io_fail(error, BOSC_ERR_ARG, "path: NULL");
    if (strcmp(path, "-") == 0) {
        sink->fd = STDOUT_FILENO;
        sink->standard = true;
        return BOSC_OK;
    }
    bosc_status status = bi_packer_new(path, &sink->packer, error);
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
    if (sink->packer) return bi_packer_compress(sink->packer, bytes, count, last, write_packed, sink);
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
    const size_t each = BI_IO_REPORT_BYTES;
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
        discard_replacement(&sink->file);
    else if (sink->fd >= 0 && !sink->standard)
        close(sink->fd);
    sink->fd = -1;
    bi_packer_free(sink->packer);
    sink->packer = NULL;
}

/* ---- several files ---- */

static bosc_status open_outputs(struct bi_sink *sinks, const struct bi_output *outputs, int32_t count, int32_t *opened,
                                bosc_io_error *error)
{
    for (int32_t i = 0; i < count; i++) {
        bosc_status status = bi_sink_open(&sinks[i], outputs[i].path, error);
        if (status != BOSC_OK) return status;
        *opened = i + 1;
        /* Two outputs must not be the same file. */
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
            number = pass ? overwrite_target(file) : commit_replacement(file);
            if (!pass && number == EBUSY) number = 0;
            if (number) break;
        }
    }
    if (!number) return BOSC_OK;
    for (int32_t i = 0; i < count; i++) undo_replacement(&sinks[i].file);
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
