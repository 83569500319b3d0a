#include "tool/commands/boxes.h"

#include <math.h>

#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

int boxes_check(const char *path, const bosc_array *boxes, int32_t dim)
{
    if (boxes->rank != 3 || boxes->shape[1] != 2)
        return report_error(EXIT_FAILED, "%s: the shape of the boxes is not (m, 2, %d)", path, (int)dim);
    if (boxes->shape[2] != dim)
        return report_error(EXIT_FAILED, "%s: the boxes have %lld coordinates, but the points have %d", path,
                            (long long)boxes->shape[2], (int)dim);
    return EXIT_DONE;
}

int boxes_reject_nan(const char *path, const bosc_array *boxes, int64_t first)
{
    const int64_t numbers = 2 * boxes->shape[2];
    for (int64_t i = 0; i < boxes->shape[0] * numbers; i++)
        if (isnan(coordinate(boxes, i)))
            return report_error(EXIT_FAILED, "%s: box %lld: NaN", path, (long long)(first + i / numbers));
    return EXIT_DONE;
}
