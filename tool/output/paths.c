/* Paths and folders; inputs and outputs of a command line. */
#include "tool/output/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/options/option_table.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* ---- paths ---- */

bool path_has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    if (length >= 3 && strcasecmp(path + length - 3, ".gz") == 0)
        length -= 3;
    else if (length >= 4 && (strcasecmp(path + length - 4, ".zst") == 0 || strcasecmp(path + length - 4, ".bgz") == 0))
        length -= 4;
    return length >= tail && strncasecmp(path + length - tail, ending, tail) == 0;
}

bool path_is_text(const char *path)
{
    return path && (path_has_ending(path, ".csv") || path_has_ending(path, ".tsv") || path_has_ending(path, ".txt"));
}

bool path_is_stdio(const char *path) { return strcmp(path, "-") == 0; }

int create_folder(const char *path)
{
    struct stat about;
    if (mkdir(path, 0777) == 0) return EXIT_DONE;
    int number = errno;
    if (number == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode)) return EXIT_DONE;
    return report_error(EXIT_FAILED, "%s: cannot create the folder: %s", path, strerror(number));
}

/* ---- inputs and outputs of a command line ---- */

enum { LINKS_MAX = 8, FILES_MAX = OPERANDS_MAX + OPTION_COUNT + BOSC_PLANET_INSETS };

/* A file that the command line names. */
struct named_file {
    const char *argument, *path; /* argument: "-o" or the operand itself */
    bool is_output;
};

/* Identity of a file, independent of the spelling of its path: an existing file, or a new name in an existing
 * folder. */
struct file_identity {
    dev_t device;
    ino_t inode;
    char name[NAME_MAX + 1]; /* "" for an existing file */
};

/* Writes the target of a link, relative to the working folder; false if the path is no link. */
static bool read_link_target(const char *path, char target[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    char to[PATH_MAX];
    ssize_t length = readlink(path, to, sizeof to - 1);
    if (length <= 0) return false;
    to[length] = 0;
    int folder = *to == '/' || !slash ? 0 : (int)(slash - path) + 1;
    return snprintf(target, PATH_MAX, "%.*s%s", folder, path, to) < PATH_MAX;
}

/* Writes the folder of a path; false if it is too long. */
static bool get_parent(const char *path, char parent[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    const int length = !slash ? 1 : slash == path ? 1 : (int)(slash - path);
    return snprintf(parent, PATH_MAX, "%.*s", length, slash ? path : ".") < PATH_MAX;
}

static bool identify_new_file(const char *path, struct file_identity *identity)
{
    struct stat folder;
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    if (!get_parent(path, parent)) return false;
    if (!*name || strlen(name) >= sizeof identity->name || stat(parent, &folder) != 0) return false;
    identity->device = folder.st_dev;
    identity->inode = folder.st_ino;
    strcpy(identity->name, name);
    return true;
}

/* False for a device, a pipe or an invalid path: these have no identity. */
static bool identify_file(const char *path, bool is_output, struct file_identity *identity)
{
    struct stat about;
    char target[2][PATH_MAX];
    int known = path_is_stdio(path) ? fstat(is_output ? STDOUT_FILENO : STDIN_FILENO, &about) : stat(path, &about);
    *identity = (struct file_identity){0};
    if (known == 0) {
        identity->device = about.st_dev;
        identity->inode = about.st_ino;
        return S_ISREG(about.st_mode) || S_ISDIR(about.st_mode);
    }
    if (errno != ENOENT) return false;
    for (int i = 0; i < LINKS_MAX && read_link_target(path, target[i % 2]); i++) path = target[i % 2];
    return identify_new_file(path, identity);
}

static bool is_same_file(const struct named_file *a, const struct named_file *b)
{
    struct file_identity x, y;
    if (a->is_output && b->is_output && strcmp(a->path, b->path) == 0) return true; /* a device too */
    return identify_file(a->path, a->is_output, &x) && identify_file(b->path, b->is_output, &y) &&
           x.device == y.device && x.inode == y.inode && strcmp(x.name, y.name) == 0;
}

static bool is_terminal(const char *path)
{
    struct stat about;
    if (path_is_stdio(path)) return isatty(STDOUT_FILENO);
    if (stat(path, &about) != 0 || !S_ISCHR(about.st_mode)) return false;
    int fd = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    bool found = fd >= 0 && isatty(fd);
    if (fd >= 0) close(fd);
    return found;
}

/* True for an option that names an output of this call. */
static bool is_written(const struct job *job, enum option id)
{
    return option_is_output(id) && !(id == OPT_PREDECESSORS && job->value[OPT_VERIFY]);
}

static int list_files(const struct job *job, struct named_file files[FILES_MAX])
{
    int count = 0;
    for (int i = 0; i < job->inset_count - 1; i++) /* the last one is the option's value */
        files[count++] = (struct named_file){"--inset", job->insets[i].file, false};
    for (int i = 0; i < job->operand_count; i++) {
        bool is_output = i >= job->operand_count - job->command->output_operands;
        files[count++] = (struct named_file){job->operands[i], job->operands[i], is_output};
    }
    for (int id = 0; id < OPTION_COUNT; id++) /* --keys of generate is a choice, no file */
        if (job->value[id] && option_is_file((enum option)id) && !resolve_option(job->command, (enum option)id).choices)
            files[count++] =
                (struct named_file){option_flag((enum option)id), job->value[id], is_written(job, (enum option)id)};
    return count;
}

/* Checks a file against one named before it. */
static int check_pair(const struct named_file *file, const struct named_file *other)
{
    if (!file->is_output && !other->is_output) {
        bool twice = path_is_stdio(file->path) && path_is_stdio(other->path);
        return twice ? report_error(EXIT_USAGE, "-: standard input is given twice") : EXIT_DONE;
    }
    if (!is_same_file(file, other)) return EXIT_DONE;
    const struct named_file *output = file->is_output ? file : other;
    return report_error(EXIT_USAGE, "%s: %s is an %s", output->argument, output->path,
                        file->is_output && other->is_output ? "output already" : "input");
}

/* Refuses an output whose folder does not exist, with the message of the writer, before any work. */
static int check_folder(const struct named_file *file)
{
    struct stat about;
    char parent[PATH_MAX];
    if (path_is_stdio(file->path) || lstat(file->path, &about) == 0 || errno != ENOENT) return EXIT_DONE;
    if (!get_parent(file->path, parent) || stat(parent, &about) == 0 || errno != ENOENT) return EXIT_DONE;
    return report_error(EXIT_FAILED, "%s: cannot create: %s", file->path, strerror(ENOENT));
}

int outputs_check(const struct job *job)
{
    struct named_file files[FILES_MAX];
    int count = list_files(job, files), code;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++)
            if ((code = check_pair(&files[i], &files[j]))) return code;
        if (files[i].is_output && !job->command->writes_text && is_terminal(files[i].path))
            return report_error(EXIT_USAGE,
                                "%s: %s is a terminal, and this output is binary: name a file, or use a pipe",
                                files[i].argument, path_is_stdio(files[i].path) ? "standard output" : files[i].path);
    }
    for (int i = 0; i < count; i++)
        if (files[i].is_output && (code = check_folder(&files[i]))) return code;
    return EXIT_DONE;
}

bool path_is_stdout(const char *path)
{
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    char target[2][PATH_MAX];
    for (int i = 0; i <= LINKS_MAX; i++) {
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (strcmp(path, names[k]) == 0) return true;
        if (!read_link_target(path, target[i % 2])) return false;
        path = target[i % 2];
    }
    return false;
}

bool writes_to_stdout(const struct job *job)
{
    for (enum option id = 0; id < OPTION_COUNT; id++)
        if (job->value[id] && is_written(job, id) && path_is_stdio(job->value[id])) return true;
    return false;
}
