/* Reads paths of rotations: four numbers per row, as text or .npy. */
#include <math.h>
#include <string.h>

#include "io/file/bytes.h"
#include "io/npy/convert.h"
#include "io/scene/scene.h"

bosc_status bi_rotations_check(const struct bi_bytes *in, const bosc_array *rotations, bosc_io_error *error)
{
    if (rotations->rank != 2 || rotations->shape[1] != 4)
        return bi_io_fail(error, BOSC_ERR_FORMAT, "%s: a rotation is w,x,y,z, but the rows have %lld numbers", in->name,
                          (long long)(rotations->rank == 2 ? rotations->shape[1] : 1));
    const double *q = rotations->data;
    for (int64_t i = 0; i < rotations->shape[0]; i++, q += 4) {
        double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (!(fabs(length - 1) <= 1e-3))
            return bi_io_fail(error, BOSC_ERR_DATA, "%s: row %lld: no rotation: its length is %.6g, not 1", in->name,
                              (long long)i, length);
    }
    return BOSC_OK;
}

bosc_status bosc_rotations_read(const char *path, bosc_array *rotations, bosc_io_error *error)
{
    BI_IO_ENTER;
    bosc_array rows = {0};
    if (!rotations) return bi_io_fail(error, BOSC_ERR_ARG, "rotations: NULL");
    const struct bi_bytes in = {.name = path};
    bosc_status status = bosc_points_read(path, &rows, error);
    if (status == BOSC_OK) status = bi_array_convert(path, &rows, 0, BOSC_F64, false, error);
    if (status == BOSC_OK) status = bi_rotations_check(&in, &rows, error);
    status = bi_io_end(status, error);
    if (status == BOSC_OK)
        *rotations = rows;
    else
        bosc_array_free(&rows);
    return status;
}
