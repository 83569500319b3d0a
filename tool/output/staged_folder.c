#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* renameat2, O_DIRECTORY */
#endif
#include "tool/output/staged_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tool/output/report.h"
#include "tool/tool.h"

/* Path of the open temporary folder, for signal handlers; "": none. */
static char unfinished[PATH_MAX];

/* An entry of a folder as the kernel returns it; readdir would allocate memory, which a signal handler may not. */
struct kernel_entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

/* Removes the files of a folder, and the folder if it is empty then. is_own: NULL: all files. Async-signal-safe. */
static void remove_folder(const char *path, bool (*is_own)(const char *name))
{
    _Alignas(uint64_t) char buffer[4096];
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    bool found = true;
    while (found) { /* removed names may shift the others: read from the beginning until none is left */
        long bytes = lseek(fd, 0, SEEK_SET) == 0 ? syscall(SYS_getdents64, fd, buffer, sizeof buffer) : 0;
        found = false;
        while (bytes > 0) {
            for (long at = 0; at < bytes;) {
                const struct kernel_entry *entry = (const void *)(buffer + at);
                const bool is_dot =
                    entry->name[0] == '.' && (!entry->name[1] || (entry->name[1] == '.' && !entry->name[2]));
                if (!is_dot && (!is_own || is_own(entry->name))) found |= unlinkat(fd, entry->name, 0) == 0;
                at += entry->length;
            }
            bytes = syscall(SYS_getdents64, fd, buffer, sizeof buffer);
        }
    }
    close(fd);
    (void)rmdir(path);
}

void staged_folder_remove_unfinished(void)
{
    if (unfinished[0]) remove_folder(unfinished, NULL);
}

/* Refuses a target with anything but files of own names. */
static int check_names(const char *target, bool (*is_own)(const char *name))
{
    struct stat about;
    DIR *entries = opendir(target);
    if (!entries) return report_error(EXIT_FAILED, "%s: cannot read the folder: %s", target, strerror(errno));
    int code = EXIT_DONE;
    for (const struct dirent *entry; !code && (entry = readdir(entries));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) continue;
        if (is_own(name) && fstatat(dirfd(entries), name, &about, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(about.st_mode))
            continue;
        code = report_error(EXIT_FAILED, "%s: holds %s, which is no part of a tile set: name a new or an empty folder",
                            target, name);
    }
    closedir(entries);
    return code;
}

/* Sets folder->target to the path without links and slashes at its end. */
static int resolve_target(const char *path, struct staged_folder *folder)
{
    struct stat about, working;
    size_t length = strlen(path);
    if (stat(path, &about) == 0) {
        folder->exists = true;
        if (stat(".", &working) == 0 && working.st_dev == about.st_dev && working.st_ino == about.st_ino)
            return report_error(EXIT_FAILED, "%s: is the working folder, which cannot be replaced: name a folder in it",
                                path);
        if (!S_ISDIR(about.st_mode)) return report_error(EXIT_FAILED, "%s: is no folder", path);
        return realpath(path, folder->target)
                   ? EXIT_DONE
                   : report_error(EXIT_FAILED, "%s: cannot find the folder: %s", path, strerror(errno));
    }
    if (lstat(path, &about) == 0) return report_error(EXIT_FAILED, "%s: is a link to a missing folder", path);
    while (length > 1 && path[length - 1] == '/') length--;
    if (length > PATH_MAX - 16) return report_error(EXIT_FAILED, "-o: the name of the folder is too long");
    snprintf(folder->target, sizeof folder->target, "%.*s", (int)length, path);
    return EXIT_DONE;
}

int staged_folder_open(const char *target, bool (*is_own)(const char *name), struct staged_folder *folder)
{
    struct stat about;
    mode_t mode = umask(0);
    umask(mode);
    mode = 0777 & ~mode;
    /* 1. The target. */
    *folder = (struct staged_folder){.is_own = is_own};
    int code = resolve_target(target, folder);
    if (!code && folder->exists) code = check_names(folder->target, is_own);
    if (code) return code;
    if (folder->exists && stat(folder->target, &about) == 0) mode = about.st_mode & 0777;
    /* 2. The temporary folder, with the access rights of the target. */
    const int length = snprintf(folder->path, sizeof folder->path, "%s.XXXXXX", folder->target);
    if (length < 0 || length >= PATH_MAX - 64)
        code = report_error(EXIT_FAILED, "-o: the name of the folder is too long");
    else if (!mkdtemp(folder->path))
        code = report_error(EXIT_FAILED, "%s: cannot create the folder: %s", target, strerror(errno));
    if (code) {
        folder->path[0] = 0;
        return code;
    }
    /* The first character comes last, so that a signal never finds a part of the path. */
    memcpy(unfinished + 1, folder->path + 1, sizeof unfinished - 1);
    atomic_signal_fence(memory_order_release);
    unfinished[0] = folder->path[0];
    if (chmod(folder->path, mode) == 0) return EXIT_DONE;
    code = report_error(EXIT_FAILED, "%s: cannot set access rights: %s", folder->path, strerror(errno));
    staged_folder_discard(folder);
    return code;
}

int staged_folder_commit(struct staged_folder *folder)
{
    /* An empty target is replaced as well; an earlier set moves to the temporary name, and is removed there. */
    if (folder->exists && renameat2(AT_FDCWD, folder->path, AT_FDCWD, folder->target, RENAME_EXCHANGE) == 0) {
        unfinished[0] = 0;
        remove_folder(folder->path, folder->is_own);
        folder->path[0] = 0;
        return EXIT_DONE;
    }
    /* Only for a file system that cannot exchange names the earlier set is removed first. Others refuse a mount point,
     * whose files would be lost. */
    if (folder->exists && errno != EINVAL && errno != ENOSYS)
        return report_error(EXIT_FAILED, "%s: cannot replace the folder: %s: name a folder in it", folder->target,
                            strerror(errno));
    if (folder->exists) remove_folder(folder->target, folder->is_own);
    if (rename(folder->path, folder->target) != 0)
        return report_error(EXIT_FAILED, "%s: cannot create: %s", folder->target, strerror(errno));
    unfinished[0] = folder->path[0] = 0;
    return EXIT_DONE;
}

void staged_folder_discard(struct staged_folder *folder)
{
    if (!folder->path[0]) return;
    remove_folder(folder->path, NULL);
    unfinished[0] = folder->path[0] = 0;
}
