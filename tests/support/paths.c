#include "support/paths.h"

#include <stdio.h>
#include <unistd.h>

void fresh_path(char path[PATH_ROOM], const char *ending)
{
    static int count;
    do snprintf(path, PATH_ROOM, "case-%ld-%d%s", (long)getpid(), count++, ending);
    while (access(path, F_OK) == 0); /* left by a program that died */
}
