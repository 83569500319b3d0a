/* Files that replace others once they are complete. */
#ifndef BI_IO_FILE_REPLACE_H
#define BI_IO_FILE_REPLACE_H

#include "io/io.h"

/* A new file in the folder of its target. It has no name where the file system supports that, else a temporary one.
 * Unset strings are NULL. */
struct bi_replacement {
    char *target, *temporary; /* absolute paths, links resolved */
    int fd;                   /* -1: none */
    bool named;               /* `temporary` exists in the folder */
    /* SWAPPED: the previous file has the temporary name. REPLACED: it is deleted, on file systems that cannot swap. */
    enum { BI_NOT_COMMITTED, BI_CREATED, BI_SWAPPED, BI_REPLACED } state;
};

/* These return 0 or an errno. `mode`: of the existing target; 0: no target exists. */
int bi_replacement_open(struct bi_replacement *r, const char *path, uint32_t mode);
/* Renames the file to the target. EBUSY: the target is a mount point (often in containers), which cannot be renamed. */
int bi_replacement_commit(struct bi_replacement *r);
/* For a mount point: overwrites the content of the target. */
int bi_replacement_overwrite(struct bi_replacement *r);

/* Restores the previous target. */
void bi_replacement_undo(struct bi_replacement *r);
/* Releases the file, after any of the above; idempotent. */
void bi_replacement_discard(struct bi_replacement *r);

#endif
