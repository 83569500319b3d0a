/* The bytes of a file that is read: those in memory, and those that are not yet. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "io/io.h"

size_t bi_bytes_total(const struct bi_bytes *in) { return in->rest ? in->rest->size : in->size; }

bool bi_bytes_missed(const struct bi_bytes *in) { return in->rest && in->rest->missed; }

int bi_bytes_copy(const struct bi_bytes *in, size_t at, void *to, size_t count)
{
    char *next = to;
    size_t here = at < in->size ? in->size - at : 0;
    if (here > count) here = count;
    if (here) memcpy(next, in->data + at, here);
    while (here < count) {
        if (!in->rest) return ENODATA;
        ssize_t r = bi_fault(BI_FAULT_READ) ? (errno = EIO, -1)
                                            : pread(in->rest->fd, next + here, count - here, (off_t)(at + here));
        if (r == 0) return ENODATA;
        if (r < 0 && errno != EINTR) return errno;
        if (r > 0) here += (size_t)r;
    }
    return 0;
}

bosc_status bi_bytes_fail(const struct bi_bytes *in, int number, bosc_io_error *error)
{
    if (number == ECANCELED) return BOSC_ERR_CANCELLED; /* bi_io_end has the text */
    if (number == ENOMEM) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
    if (number == ENODATA) return bi_io_fail(error, BOSC_ERR_IO, "%s: became shorter while it was read", in->name);
    return bi_io_fail(error, BOSC_ERR_IO, "%s: cannot read: %s", in->name, strerror(number));
}

bosc_status bi_bytes_read(const struct bi_bytes *in, size_t at, void *to, size_t count, bosc_io_error *error)
{
    const size_t each = (size_t)1 << 22;
    int64_t pieces = (int64_t)((count + each - 1) / each);
    const double before = bi_io_done();
    size_t done = 0;
    int number = 0;
#pragma omp parallel for num_threads(bi_io_threads((size_t)pieces)) schedule(dynamic) reduction(max : number)
    for (int64_t p = 0; p < pieces; p++) {
        size_t from = (size_t)p * each, size = count - from < each ? count - from : each;
        int failed = bi_io_stops() ? ECANCELED : bi_bytes_copy(in, at + from, (char *)to + from, size);
        size_t all = __atomic_add_fetch(&done, size, __ATOMIC_RELAXED);
        if (!failed && !bi_io_reach(before + (double)all)) failed = ECANCELED;
        number = failed > number ? failed : number;
    }
    return number ? bi_bytes_fail(in, number, error) : BOSC_OK;
}

bosc_status bi_bytes_unchanged(const struct bi_bytes *in, bosc_io_error *error)
{
    struct stat about;
    if (!in->rest) return BOSC_OK;
    if (bi_fault(BI_FAULT_READ)) return bi_bytes_fail(in, EIO, error);
    if (fstat(in->rest->fd, &about) != 0) return bi_bytes_fail(in, errno, error);
    if ((size_t)about.st_size < in->rest->size) return bi_bytes_fail(in, ENODATA, error);
    if ((size_t)about.st_size == in->rest->size) return BOSC_OK;
    return bi_io_fail(error, BOSC_ERR_IO, "%s: became longer while it was read", in->name);
}
