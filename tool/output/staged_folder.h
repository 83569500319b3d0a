/* Folders of many files that appear whole or not at all: they are written beside the target, under a temporary name. */
#ifndef TOOL_OUTPUT_STAGED_FOLDER_H
#define TOOL_OUTPUT_STAGED_FOLDER_H

#include <limits.h>
#include <stdbool.h>

struct staged_folder {
    char path[PATH_MAX];   /* of the temporary folder, where files are to be written */
    char target[PATH_MAX]; /* without a link and a slash at its end */
    bool (*is_own)(const char *name);
    bool exists; /* the target, which then is empty or holds files with own names only */
};

/* Makes the temporary folder of `target`, which must be missing, empty, or an earlier folder of the same kind: it holds
 * only files for whose names is_own returns true. The working folder is refused. Returns an exit code; reports errors.
 * One folder is open at a time. */
int staged_folder_open(const char *target, bool (*is_own)(const char *name), struct staged_folder *folder);

/* Replaces the target by the temporary folder, in one step where the file system can exchange names. */
int staged_folder_commit(struct staged_folder *folder);

/* Removes the temporary folder; does nothing after a commit, or if no folder was opened. */
void staged_folder_discard(struct staged_folder *folder);

/* Removes the temporary folder of the process. For handlers of signals that end it; async-signal-safe. */
void staged_folder_remove_unfinished(void);

#endif
