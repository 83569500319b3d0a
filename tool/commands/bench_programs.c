/* The benchmark programs of this build: in bench/ beside the tool, or installed (BOSC_LIBEXEC, relative to the
 * tool). */
#include "tool/commands/bench_programs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/output/report.h"
#include "tool/tool.h"

bool find_bench_program(const char *name, char *path, size_t size)
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

int report_no_benchmarks(void)
{
    return report_error(EXIT_FAILED, "bench: this build was made without benchmarks (BOSC_BENCH=OFF); "
                                     "`./dev bench` makes build/release/boscage with them");
}

pid_t start_bench_program(const char *path, char *const *arguments, int output)
{
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) report_error(EXIT_FAILED, "%s: cannot start: %s", path, strerror(errno));
    if (child != 0) return child;
    if (output >= 0 && dup2(output, STDOUT_FILENO) < 0) _exit(127);
    execv(path, arguments);
    _exit(127);
}

int wait_for_bench_program(const char *path, pid_t child)
{
    int state = 0;
    if (child < 0) return EXIT_FAILED;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return EXIT_DONE;
    return report_error(EXIT_FAILED, "%s: failed", path);
}
