#include "tool/frames.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool/tool.h"

bool frame_name(const char *folder, int64_t i, char name[FRAME_NAME_SIZE])
{
    return snprintf(name, FRAME_NAME_SIZE, "%s/frame-%05lld.png", folder, (long long)i) < FRAME_NAME_SIZE;
}

int frames_remove_from(const char *folder, int64_t count)
{
    char name[FRAME_NAME_SIZE];
    long long i;
    DIR *entries = opendir(folder);
    if (!entries) return say(EXIT_FAILED, "%s: cannot read the folder: %s", folder, strerror(errno));
    int code = EXIT_DONE;
    for (const struct dirent *entry; !code && (entry = readdir(entries));) {
        if (sscanf(entry->d_name, "frame-%lld.png", &i) != 1 || i < count || !frame_name(folder, i, name)) continue;
        if (strcmp(strrchr(name, '/') + 1, entry->d_name) == 0 && unlink(name) != 0)
            code = say(EXIT_FAILED, "%s: cannot remove: %s", name, strerror(errno));
    }
    closedir(entries);
    return code;
}
