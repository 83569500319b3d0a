#include "tool/output/frames.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool/output/report.h"
#include "tool/tool.h"

const struct file_series tile_files = {"tile", ".glb"};
static const struct file_series frame_files = {"frame", ".png"};

bool format_numbered_name(const struct file_series *files, const char *folder, int64_t i, char name[FRAME_NAME_SIZE])
{
    return snprintf(name, FRAME_NAME_SIZE, "%s/%s-%05lld%s", folder, files->stem, (long long)i, files->ending) <
           FRAME_NAME_SIZE;
}

int remove_numbered_files(const struct file_series *files, const char *folder,
                          bool (*is_kept)(const void *user, int64_t i), const void *user)
{
    char name[FRAME_NAME_SIZE];
    long long i;
    DIR *entries = opendir(folder);
    if (!entries) return report_error(EXIT_FAILED, "%s: cannot read the folder: %s", folder, strerror(errno));
    int code = EXIT_DONE;
    const size_t stem = strlen(files->stem);
    for (const struct dirent *entry; !code && (entry = readdir(entries));) {
        if (strncmp(entry->d_name, files->stem, stem) != 0 || sscanf(entry->d_name + stem, "-%lld", &i) != 1) continue;
        if (is_kept(user, i) || !format_numbered_name(files, folder, i, name)) continue;
        if (strcmp(strrchr(name, '/') + 1, entry->d_name) == 0 && unlink(name) != 0)
            code = report_error(EXIT_FAILED, "%s: cannot remove: %s", name, strerror(errno));
    }
    closedir(entries);
    return code;
}

bool format_frame_name(const char *folder, int64_t i, char name[FRAME_NAME_SIZE])
{
    return format_numbered_name(&frame_files, folder, i, name);
}

static bool is_below(const void *count, int64_t i) { return i < *(const int64_t *)count; }

int remove_frames_from(const char *folder, int64_t count)
{
    return remove_numbered_files(&frame_files, folder, is_below, &count);
}
