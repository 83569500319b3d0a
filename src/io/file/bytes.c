/* Reads the bytes of an input from memory or from its backing file. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "io/file/bytes.h"

size_t bi_bytes_total(const struct bi_bytes *in) { return in->backing ? in->backing->size : in->size; }

bool bi_bytes_whole_needed(const struct bi_bytes *in) { return in->backing && in->backing->whole_needed; }

int bi_bytes_copy(const struct bi_bytes *in, size_t at, void *to, size_t count)
{
    char *next = to;
    size_t copied = at < in->size ? in->size - at : 0;
    if (copied > count) copied = count;
    if (copied) memcpy(next, in->data + at, copied);
    while (copied < count) {
        if (!in->backing) return ENODATA;
        ssize_t r = bi_fault(BI_FAULT_READ)
                        ? (errno = EIO, -1)
                        : pread(in->backing->fd, next + copied, count - copied, (off_t)(at + copied));
        if (r == 0) return ENODATA;
        if (r < 0 && errno != EINTR) return errno;
        if (r > 0) copied += (size_t)r;
    }
    return 0;
}

bosc_status bi_bytes_fail(const struct bi_bytes *in, int number, bosc_io_error *error)
{
    if (number == ECANCELED) return BOSC_ERR_CANCELLED; /* bi_io_end sets the message */
    if (number == ENOMEM) return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory", in->name);
    if (number == ENODATA) return bi_io_fail(error, BOSC_ERR_IO, "%s: became shorter while it was read", in->name);
    return bi_io_fail(error, BOSC_ERR_IO, "%s: cannot read: %s", in->name, strerror(number));
}

bosc_status bi_bytes_read(const struct bi_bytes *in, size_t at, void *to, size_t count, bosc_io_error *error)
{
    const size_t chunk = (size_t)1 << 22; /* chosen: large reads, and still enough for all threads */
    int64_t chunks = (int64_t)((count + chunk - 1) / chunk);
    const double done_before = bi_io_done();
    size_t done = 0;
    int number = 0;
#pragma omp parallel for num_threads(bi_io_threads((size_t)chunks)) schedule(dynamic) reduction(max : number)
    for (int64_t p = 0; p < chunks; p++) {
        size_t from = (size_t)p * chunk, size = count - from < chunk ? count - from : chunk;
        int failed = bi_io_is_cancelled() ? ECANCELED : bi_bytes_copy(in, at + from, (char *)to + from, size);
        size_t all = __atomic_add_fetch(&done, size, __ATOMIC_RELAXED);
        if (!failed && !bi_io_set_done(done_before + (double)all)) failed = ECANCELED;
        number = failed > number ? failed : number;
    }
    return number ? bi_bytes_fail(in, number, error) : BOSC_OK;
}

bosc_status bi_bytes_unchanged(const struct bi_bytes *in, bosc_io_error *error)
{
    struct stat about;
    if (!in->backing) return BOSC_OK;
    if (bi_fault(BI_FAULT_READ)) return bi_bytes_fail(in, EIO, error);
    if (fstat(in->backing->fd, &about) != 0) return bi_bytes_fail(in, errno, error);
    if ((size_t)about.st_size < in->backing->size) return bi_bytes_fail(in, ENODATA, error);
    if ((size_t)about.st_size == in->backing->size) return BOSC_OK;
    return bi_io_fail(error, BOSC_ERR_IO, "%s: became longer while it was read", in->name);
}
