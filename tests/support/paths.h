/* Paths of files that cases create, in the working directory (under ctest the build folder). */
#ifndef TESTS_SUPPORT_PATHS_H
#define TESTS_SUPPORT_PATHS_H

enum { PATH_ROOM = 64 };

/* Returns an unused path; unique among calls and programs. */
void fresh_path(char path[PATH_ROOM], const char *ending);

#endif
