#include "tool/output/paths.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "tool/output/report.h"
#include "tool/tool.h"

bool path_has_ending(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    if (length >= 3 && strcasecmp(path + length - 3, ".gz") == 0)
        length -= 3;
    else if (length >= 4 && strcasecmp(path + length - 4, ".zst") == 0)
        length -= 4;
    return length >= tail && strncasecmp(path + length - tail, ending, tail) == 0;
}

bool path_is_stdio(const char *path) { return strcmp(path, "-") == 0; }

int create_folder(const char *path)
{
    struct stat about;
    if (mkdir(path, 0777) == 0) return EXIT_DONE;
    int number = errno;
    if (number == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode)) return EXIT_DONE;
    return report_error(EXIT_FAILED, "%s: cannot create the folder: %s", path, strerror(number));
}
