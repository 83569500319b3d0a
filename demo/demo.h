/* A demonstration of every room on given or generated input: it checks the answers and draws pictures. Results go to
 * the caller's callbacks. */
#ifndef DEMO_DEMO_H
#define DEMO_DEMO_H

#include <boscage/io.h>

/* Input and callbacks. The caller sets every member but `error`. */
struct demo {
    bosc_ctx *ctx;
    const char *folder;       /* of the pictures; must exist */
    const bosc_array *points; /* an extra tree is built of these; NULL: none */
    void *user;               /* of the callbacks */

    /* Reports a result: a text, seconds and number of items; 0: not applicable. */
    void (*row)(void *user, const char *what, double seconds, double items);
    void (*picture)(void *user, const char *path); /* reports a written picture */

    char error[600]; /* reason of a failed part */
};

/* A part shows a room. */
struct demo_part {
    const char *room, *title;
    bosc_status (*run)(struct demo *demo);
};
extern const struct demo_part demo_parts[];
extern const int demo_part_count;

#endif
