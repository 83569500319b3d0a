/* Preloaded by killed_between_names.py: the process gets SIGTERM as soon as the system call named by KILLED_AFTER has
 * given a file a name. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int end_after(const char *name, long result)
{
    const char *chosen = getenv("KILLED_AFTER");
    if (chosen && strcmp(chosen, name) == 0) kill(getpid(), SIGTERM);
    return (int)result;
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    return end_after("linkat", syscall(SYS_linkat, from_folder, from, to_folder, to, flags));
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    return end_after("renameat2", syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int rename(const char *from, const char *to)
{
    return end_after("rename", syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
