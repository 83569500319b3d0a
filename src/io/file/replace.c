/* Files that replace others once they are complete. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_TMPFILE, renameat2 */
#endif
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
#include "io/file/replace.h"

enum { LINKS_MAX = 40 }; /* as in the Linux kernel */

/* ---- names ---- */

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

/* Finds the path that writing to `path` would create, which does not exist yet, through dangling links. */
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

/* ---- registry of temporary names, for signal handlers that end the process ---- */

enum { NAMES_MAX = 64 }; /* chosen; further names are not registered */
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

/* ---- opening ---- */

static bool write_fault(void)
{
    if (!bi_fault(BI_FAULT_WRITE)) return false;
    errno = EIO;
    return true;
}

/* Opens a file without a name, which the system removes if the process ends. If the file system does not support
 * that, r->fd stays -1. */
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
    for (int i = 0; i < 1000 && number == EEXIST; i++) { /* chosen */
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

int bi_replacement_open(struct bi_replacement *r, const char *path, uint32_t mode)
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

/* ---- renaming to the target ---- */

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

int bi_replacement_overwrite(struct bi_replacement *r)
{
    static const size_t block = (size_t)1 << 16; /* chosen */
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

int bi_replacement_commit(struct bi_replacement *r)
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

void bi_replacement_undo(struct bi_replacement *r)
{
    if (r->state == BI_SWAPPED) (void)exchange_names(r->temporary, r->target);
    if (r->state == BI_CREATED) unlink(r->target);
    r->state = BI_NOT_COMMITTED;
}

void bi_replacement_discard(struct bi_replacement *r)
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
