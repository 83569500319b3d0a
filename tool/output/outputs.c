/* What a command line reads and writes, checked before any work: no file twice, no input overwritten, nothing binary on
 * a terminal. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/tool.h"

enum { LINKS_MAX = 8, FILES_MAX = OPERANDS_MAX + OPTION_COUNT };

/* A file that the command line names. */
struct named {
    const char *what, *path; /* "-o" or the operand itself */
    bool written;
};

/* Which file a path leads to, whatever its spelling: one that is there, or the name in a folder that one will get. */
struct place {
    dev_t device;
    ino_t inode;
    char name[NAME_MAX + 1]; /* "" for a file that is there */
};

/* A link's target, as a path from here; false for what is no link. */
static bool follow(const char *path, char target[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    char to[PATH_MAX];
    ssize_t length = readlink(path, to, sizeof to - 1);
    if (length <= 0) return false;
    to[length] = 0;
    int folder = *to == '/' || !slash ? 0 : (int)(slash - path) + 1;
    return snprintf(target, PATH_MAX, "%.*s%s", folder, path, to) < PATH_MAX;
}

static bool place_of_new(const char *path, struct place *place)
{
    struct stat folder;
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int length = !slash ? 1 : slash == path ? 1 : (int)(slash - path);
    if (snprintf(parent, sizeof parent, "%.*s", length, slash ? path : ".") >= PATH_MAX) return false;
    if (!*name || strlen(name) >= sizeof place->name || stat(parent, &folder) != 0) return false;
    place->device = folder.st_dev;
    place->inode = folder.st_ino;
    strcpy(place->name, name);
    return true;
}

/* False for what is no place of its own: a device, a pipe, a path that leads nowhere. */
static bool place_of(const char *path, bool written, struct place *place)
{
    struct stat about;
    char target[2][PATH_MAX];
    int known = path_is_standard(path) ? fstat(written ? STDOUT_FILENO : STDIN_FILENO, &about) : stat(path, &about);
    *place = (struct place){0};
    if (known == 0) {
        place->device = about.st_dev;
        place->inode = about.st_ino;
        return S_ISREG(about.st_mode) || S_ISDIR(about.st_mode);
    }
    if (errno != ENOENT) return false;
    for (int i = 0; i < LINKS_MAX && follow(path, target[i % 2]); i++) path = target[i % 2];
    return place_of_new(path, place);
}

static bool same_file(const struct named *a, const struct named *b)
{
    struct place x, y;
    if (a->written && b->written && strcmp(a->path, b->path) == 0) return true; /* a device too */
    return place_of(a->path, a->written, &x) && place_of(b->path, b->written, &y) && x.device == y.device &&
           x.inode == y.inode && strcmp(x.name, y.name) == 0;
}

static bool is_terminal(const char *path)
{
    struct stat about;
    if (path_is_standard(path)) return isatty(STDOUT_FILENO);
    if (stat(path, &about) != 0 || !S_ISCHR(about.st_mode)) return false;
    int fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    bool found = fd >= 0 && isatty(fd);
    if (fd >= 0) close(fd);
    return found;
}

static int list_files(const struct job *job, struct named files[FILES_MAX])
{
    int count = 0;
    for (int i = 0; i < job->operand_count; i++) {
        bool written = i >= job->operand_count - job->command->written;
        files[count++] = (struct named){job->operands[i], job->operands[i], written};
    }
    for (int id = 0; id < OPTION_COUNT; id++)
        if (job->value[id] && option_is_file((enum option)id))
            files[count++] =
                (struct named){option_flag((enum option)id), job->value[id], option_is_output((enum option)id)};
    return count;
}

/* `file` against one that was named before it. */
static int check_pair(const struct named *file, const struct named *other)
{
    if (!file->written && !other->written) {
        bool twice = path_is_standard(file->path) && path_is_standard(other->path);
        return twice ? say(EXIT_USAGE, "-: standard input is given twice") : EXIT_DONE;
    }
    if (!same_file(file, other)) return EXIT_DONE;
    const struct named *output = file->written ? file : other;
    return say(EXIT_USAGE, "%s: %s is an %s", output->what, output->path,
               file->written && other->written ? "output already" : "input");
}

int outputs_check(const struct job *job)
{
    struct named files[FILES_MAX];
    int count = list_files(job, files), code;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++)
            if ((code = check_pair(&files[i], &files[j]))) return code;
        if (files[i].written && !job->command->prints && is_terminal(files[i].path))
            return say(EXIT_USAGE, "%s: %s is a terminal, and this output is binary: name a file, or use a pipe",
                       files[i].what, path_is_standard(files[i].path) ? "standard output" : files[i].path);
    }
    return EXIT_DONE;
}

bool path_is_standard_output(const char *path)
{
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    char target[2][PATH_MAX];
    for (int i = 0; i <= LINKS_MAX; i++) {
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (strcmp(path, names[k]) == 0) return true;
        if (!follow(path, target[i % 2])) return false;
        path = target[i % 2];
    }
    return false;
}
