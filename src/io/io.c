/* Messages, threads and memory of this library. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fault.h"
#include "io/io.h"

bosc_status bi_io_fail(bosc_io_error *error, bosc_status status, const char *format, ...)
{
    if (!error) return status;
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return status;
}

bool bi_io_is_struct_size(size_t size, size_t ours)
{
    enum { MOST_ADDED = 4096 }; /* bytes that a later version may add; as in core/check.c */
    return size >= sizeof size && size % sizeof size == 0 && size <= ours + MOST_ADDED;
}

bosc_status bi_io_read_opts(const char *type, const void *opts, void *full, size_t size, bosc_io_error *error)
{
    size_t opts_size = size;
    memset(full, 0, size);
    if (opts) memcpy(&opts_size, opts, sizeof opts_size);
    if (!bi_io_is_struct_size(opts_size, size))
        return bi_io_fail(error, BOSC_ERR_ARG, "opts: size %zu is not that of %s", opts_size, type);
    if (opts_size > size)
        return bi_io_fail(error, BOSC_ERR_ARG, "opts: size %zu of %s is a later version's; this one knows %zu bytes",
                          opts_size, type, size);
    if (opts) memcpy(full, opts, opts_size);
    memcpy(full, &size, sizeof size);
    return BOSC_OK;
}

int bi_io_threads(size_t items)
{
    int32_t threads = bi_threads_default();
    if (threads > BI_CHUNKS_MAX) threads = BI_CHUNKS_MAX;
    if ((size_t)threads > items) threads = items ? (int32_t)items : 1;
    return bi_threads_of_call(bi_threads_startable(threads));
}

/* Returns a number of /proc/meminfo in bytes; 0 if it is missing. */
static size_t read_meminfo(const char *text, const char *name)
{
    const char *line = strstr(text, name);
    return line ? (size_t)strtoull(line + strlen(name), NULL, 10) * 1024 : 0;
}

bool bi_io_memory_available(size_t more)
{
    char text[2048];
    if (more < (size_t)1 << 28)
        return true; /* 256 MiB: less seldom exceeds the free memory, and the check costs 3 calls */
    int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0) close(fd);
    text[got > 0 ? got : 0] = 0;
    size_t available = read_meminfo(text, "MemAvailable:");
    return available == 0 || more <= available + read_meminfo(text, "SwapFree:");
}

/* Uses large pages where available: such blocks are written completely, and each page costs a fault. */
static void *alloc_large(size_t bytes)
{
    const size_t page = (size_t)1 << 21;
    void *memory = bytes > SIZE_MAX - page ? NULL : aligned_alloc(page, (bytes + page - 1) / page * page);
#ifdef MADV_HUGEPAGE
    if (memory) (void)madvise(memory, bytes, MADV_HUGEPAGE); /* advice: nothing depends on it */
#endif
    return memory;
}

void *bi_io_alloc(size_t bytes)
{
    if (bi_fault(BI_FAULT_ALLOC) || !bi_io_memory_available(bytes)) return NULL;
    return bytes < (size_t)1 << 22 ? malloc(bytes ? bytes : 1)
                                   : alloc_large(bytes); /* 2 large pages: rounding adds half at most */
}

void *bi_io_realloc(void *memory, size_t bytes)
{
    /* Blocks grow by doubling, so half of the new size is additional. */
    return bi_fault(BI_FAULT_ALLOC) || !bi_io_memory_available(bytes / 2) ? NULL : realloc(memory, bytes ? bytes : 1);
}
