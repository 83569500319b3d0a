/* Files that cases make: in the working directory, where a program run by ctest has its build folder. */
#ifndef TESTS_SUPPORT_PATHS_H
#define TESTS_SUPPORT_PATHS_H

enum { PATH_ROOM = 64 };

/* A path that is free; no other call, of another program neither, gives it. */
void fresh_path(char path[PATH_ROOM], const char *ending);

#endif
