/* boscage bench: runs the benchmark programs that this build has beside the tool. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/tool.h"

static const char *const rooms[] = {"prims", "kdtree"};
enum { ROOM_COUNT = sizeof rooms / sizeof rooms[0] };

/* The path of bench/bench_<room> beside this program. */
static bool find_program(const char *room, char *path, size_t size)
{
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return false;
    self[length] = 0;
    char *slash = strrchr(self, '/');
    if (!slash || strchr(room, '/')) return false;
    *slash = 0;
    int used = snprintf(path, size, "%s/bench/bench_%s", self, room);
    return used > 0 && (size_t)used < size && access(path, X_OK) == 0;
}

static int run_program(const char *path, const char *size)
{
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) return say(EXIT_FAILED, "%s: cannot start: %s", path, strerror(errno));
    if (child == 0) {
        execl(path, path, "--size", size, (char *)NULL);
        _exit(127);
    }
    int state = 0;
    while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(state) && WEXITSTATUS(state) == 0) return EXIT_DONE;
    return say(EXIT_FAILED, "%s: failed", path);
}

int run_bench(struct job *job)
{
    static const char *const sizes[] = {"small", "paper", "large", NULL};
    char path[4200];
    int size = 0, found = 0, code = option_choice(job, OPT_SIZE, sizes, &size);
    if (code) return code;
    for (int i = 0; i < (job->operand_count ? 1 : ROOM_COUNT); i++) {
        const char *room = job->operand_count ? job->operands[0] : rooms[i];
        if (!find_program(room, path, sizeof path)) continue;
        found++;
        if (run_program(path, sizes[size]) != EXIT_DONE) code = EXIT_FAILED;
    }
    if (found) return code;
    return say(EXIT_FAILED, "bench: this build has no benchmark%s%s", job->operand_count ? " of " : "",
               job->operand_count ? job->operands[0] : "");
}
