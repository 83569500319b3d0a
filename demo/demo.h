/* A demonstration of every room: it works on real or generated input, checks the answers and draws pictures. What it
 * has to say goes to whoever runs it. */
#ifndef DEMO_DEMO_H
#define DEMO_DEMO_H

#include <boscage/io.h>

/* What the demonstration is given, and what it calls. Members are set by the caller but for `error`. */
struct demo {
    bosc_ctx *ctx;
    const char *folder;       /* where pictures go; it exists */
    const bosc_array *points; /* to build a tree of, besides generated ones; NULL: none */
    void *user;               /* for the functions below */

    /* What was done, how long it took and how many items were worked on; 0 where there is nothing to tell. */
    void (*row)(void *user, const char *what, double seconds, double items);
    void (*picture)(void *user, const char *path); /* a picture was written */

    char error[600]; /* why a part failed */
};

/* A part: what the room of that name can do. */
struct demo_part {
    const char *room, *title;
    bosc_status (*run)(struct demo *demo);
};
extern const struct demo_part demo_parts[];
extern const int demo_part_count;

#endif
