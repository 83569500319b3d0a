/* Numbered files in a folder: frame-00000.png, frame-00001.png, ... */
#ifndef TOOL_OUTPUT_FRAMES_H
#define TOOL_OUTPUT_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

enum { FRAME_NAME_SIZE = 4096, FRAMES_MAX = 100000 /* the range of five digits */ };

/* Files STEM-NNNNN.ENDING; `ending` has its dot. */
struct file_series {
    const char *stem, *ending;
};
extern const struct file_series tile_files;

/* Writes the name of file i; false if it is too long. */
bool format_numbered_name(const struct file_series *files, const char *folder, int64_t i, char name[FRAME_NAME_SIZE]);

/* Removes the files of the series for which is_kept returns false. Returns an exit code; reports errors. */
int remove_numbered_files(const struct file_series *files, const char *folder,
                          bool (*is_kept)(const void *user, int64_t i), const void *user);

/* Writes the name of frame i; false if it is too long. */
bool format_frame_name(const char *folder, int64_t i, char name[FRAME_NAME_SIZE]);

/* Removes the frames from number `count` on, left by a longer film. Returns an exit code; reports errors. */
int remove_frames_from(const char *folder, int64_t count);

#endif
