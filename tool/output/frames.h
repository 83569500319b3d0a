/* Numbered files in a folder: frame-00000.png and so on. */
#ifndef TOOL_OUTPUT_FRAMES_H
#define TOOL_OUTPUT_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

enum { FRAME_NAME_SIZE = 4096 };

/* STEM-NNNNNENDING. */
struct numbered {
    const char *stem, *ending;
};
extern const struct numbered tile_files;

/* The name of file i; false where it is too long. */
bool numbered_name(const struct numbered *files, const char *folder, int64_t i, char name[FRAME_NAME_SIZE]);

/* Removes those that do not stay. Returns an exit code, having said why it is not EXIT_DONE. */
int numbered_remove(const struct numbered *files, const char *folder, bool (*stays)(const void *user, int64_t i),
                    const void *user);

/* The name of frame i; false where it is too long. */
bool frame_name(const char *folder, int64_t i, char name[FRAME_NAME_SIZE]);

/* Removes the last frames of a longer film, which would follow these `count` when they are shown. Returns an exit code,
 * having said why it is not EXIT_DONE. */
int frames_remove_from(const char *folder, int64_t count);

#endif
