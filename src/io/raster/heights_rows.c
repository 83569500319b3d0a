/* Stores rows of heights, parsed in order, in memory or in a file. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fault.h"
#include "io/raster/heights.h"

bosc_status bi_heights_rows_begin(struct bi_heights_rows *rows, const char *name, int64_t width, int64_t height,
                                  bosc_io_error *error)
{
    const bosc_status status = bi_heights_new(name, width, rows->fd < 0 ? height : 1, rows->heights, error);
    if (status == BOSC_OK) rows->heights->height = height;
    return status;
}

float *bi_heights_row(const struct bi_heights_rows *rows, int64_t row)
{
    return rows->heights->data + (rows->fd < 0 ? row * rows->heights->width : 0);
}

bosc_status bi_heights_row_end(const struct bi_heights_rows *rows, const char *name, int64_t row, bosc_io_error *error)
{
    const size_t bytes = (size_t)rows->heights->width * sizeof(float);
    for (size_t done = 0; rows->fd >= 0 && done < bytes;) {
        const char *from = (const char *)rows->heights->data + done;
        const off_t at = (off_t)((size_t)row * bytes + done);
        const ssize_t written = bi_fault(BI_FAULT_WRITE) ? (errno = EIO, -1) : pwrite(rows->fd, from, bytes - done, at);
        if (written > 0) done += (size_t)written;
        if (written < 0 && errno != EINTR)
            return bi_io_fail(error, BOSC_ERR_IO, "%s: cannot be unpacked to a temporary file: %s", name,
                              strerror(errno));
    }
    return BOSC_OK;
}
