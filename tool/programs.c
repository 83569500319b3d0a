/* The benchmark programs of this build, which lie beside the tool (bench/NAME) or where they are installed
 * (BOSC_LIBEXEC, from the tool's folder). */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/tool.h"

bool bench_find(const char *name, char *path, size_t size)
{
    static const char *const folders[] = {"bench", BOSC_LIBEXEC};
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return false;
    self[length] = 0;
    char *slash = strrchr(self, '/');
    if (!slash) return false;
    *slash = 0;
    for (int i = 0; i < 2; i++) {
        int used = snprintf(path, size, "%s/%s/%s", self, folders[i], name);
        if (used > 0 && (size_t)used < size && access(path, X_OK) == 0) return true;
    }
    return false;
}

int bench_missing(void) { return say(EXIT_FAILED, "bench: this build was made without benchmarks (BOSC_BENCH=OFF)"); }

pid_t bench_start(const char *path, char *const *arguments, int output)
{
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) say(EXIT_FAILED, "%s: cannot start: %s", path, strerror(errno));
    if (child != 0) return child;
    if (output >= 0 && dup2(output, STDOUT_FILENO) < 0) _exit(127);
    execv(path, arguments);
    _exit(127);
}

int bench_wait(const char *path, pid_t child)
{
    int state = 0;
    if (child < 0) return EXIT_FAILED;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return EXIT_DONE;
    return say(EXIT_FAILED, "%s: failed", path);
}
