/* Files as bytes: read, or mapped where memory is short. */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"
#include "io/gzip.h"

bool bi_path_ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    if (bi_gzip_is_named(path)) length -= 3;
    return length >= tail && strncasecmp(path + length - tail, ending, tail) == 0;
}

static bosc_status fail_reading(const char *name, int number, bosc_io_error *error)
{
    return bi_io_fail(error, BOSC_ERR_IO, "%s: cannot read: %s", name, strerror(number));
}

/* Fills `more` bytes at `to`; *got is less only at the end. Returns 0 or an errno. */
static int read_some(int fd, char *to, size_t more, size_t *got)
{
    for (*got = 0; *got < more;) {
        if (bi_fault(BI_FAULT_READ)) return EIO;
        size_t piece = more - *got < (size_t)1 << 30 ? more - *got : (size_t)1 << 30;
        ssize_t r = read(fd, to + *got, piece);
        if (r < 0 && errno == EINTR) continue;
        if (r < 0) return errno;
        if (r == 0) break;
        *got += (size_t)r;
    }
    return 0;
}

/* How much is read of what has no size: 4 GiB, or half of the machine's memory where that is less. */
static size_t most_without_size(void)
{
    const size_t most = (size_t)1 << 32;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t half = pages > 0 && page > 0 ? (size_t)pages / 2 * (size_t)page : most;
    return half < most ? half : most;
}

/* Of devices but terminals, which may be endless (/dev/zero), next to nothing. */
static size_t most_of(int fd, const struct stat *about)
{
    return S_ISCHR(about->st_mode) && !isatty(fd) ? (size_t)1 << 16 : most_without_size();
}

bosc_status bi_file_read(int fd, size_t most, struct bi_file *file, bosc_io_error *error)
{
    size_t capacity = 0, size = 0, got = 0;
    char *memory = NULL;
    do {
        size_t grown = capacity ? capacity * 2 : (size_t)1 << 16;
        char *larger = bi_io_realloc(memory, grown);
        if (!larger) {
            free(memory);
            return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory after %zu bytes", file->bytes.name, size);
        }
        memory = larger;
        capacity = grown;
        int number = read_some(fd, memory + size, capacity - size, &got);
        if (number) {
            free(memory);
            return fail_reading(file->bytes.name, number, error);
        }
        size += got;
        if (size > most) {
            free(memory);
            return bi_io_fail(error, BOSC_ERR_LIMIT, "%s: no end within %zu bytes; larger input must be a regular file",
                              file->bytes.name, most);
        }
    } while (size == capacity);
    file->memory = memory;
    file->bytes.data = memory;
    file->bytes.size = size;
    return BOSC_OK;
}

/* Memory for a whole file, on large pages where they are: it is all written once, and each page costs a fault. */
static void *alloc_whole(size_t size)
{
    const size_t page = (size_t)1 << 21;
    if (size < 2 * page) return bi_io_alloc(size);
    if (bi_fault(BI_FAULT_ALLOC) || size > SIZE_MAX - page) return NULL;
    void *memory = aligned_alloc(page, (size + page - 1) / page * page);
#ifdef MADV_HUGEPAGE
    if (memory) (void)madvise(memory, size, MADV_HUGEPAGE); /* advice: nothing depends on it */
#endif
    return memory;
}

/* Fills size bytes at `to` with those of a file from its beginning. Returns 0 or an errno; ENODATA: there are fewer. */
static int read_whole(int fd, char *to, size_t size)
{
    const size_t piece = (size_t)1 << 22;
    int64_t pieces = (int64_t)((size + piece - 1) / piece);
    int number = 0;
#pragma omp parallel for num_threads(bi_io_threads((size_t)pieces)) schedule(dynamic) reduction(max : number)
    for (int64_t p = 0; p < pieces; p++) {
        size_t at = (size_t)p * piece, end = size - at < piece ? size : at + piece;
        int failed = 0;
        while (at < end && !failed) {
            ssize_t r = bi_fault(BI_FAULT_READ) ? (errno = EIO, -1) : pread(fd, to + at, end - at, (off_t)at);
            if (r == 0 || (r < 0 && errno != EINTR)) failed = r < 0 ? errno : ENODATA;
            if (r > 0) at += (size_t)r;
        }
        number = failed > number ? failed : number;
    }
    return number;
}

/* A mapped file would do without the copy; but if another process shortens it, reading it ends this one (SIGBUS). */
static bosc_status load_regular(int fd, size_t size, struct bi_file *file, bosc_io_error *error)
{
    bool room = bi_io_has_room(size);
    void *map = room ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    file->memory = room ? alloc_whole(size) : NULL;
    file->bytes.size = size;
    if (map != MAP_FAILED) {
        file->bytes.data = file->map = map;
        return BOSC_OK;
    }
    if (!file->memory)
        return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory for %zu bytes", file->bytes.name, size);
    file->bytes.data = file->memory;
    int number = read_whole(fd, file->memory, size);
    if (!number) return BOSC_OK;
    bi_file_close(file);
    if (number != ENODATA) return fail_reading(file->bytes.name, number, error);
    return bi_io_fail(error, BOSC_ERR_IO, "%s: became shorter while it was read", file->bytes.name);
}

static bosc_status load(int fd, struct bi_file *file, bosc_io_error *error)
{
    struct stat about;
    if (bi_fault(BI_FAULT_READ)) return fail_reading(file->bytes.name, EIO, error);
    if (fstat(fd, &about) != 0) return fail_reading(file->bytes.name, errno, error);
    if (S_ISDIR(about.st_mode)) return fail_reading(file->bytes.name, EISDIR, error);
    if (!S_ISREG(about.st_mode) || about.st_size == 0 || lseek(fd, 0, SEEK_CUR) != 0)
        return bi_file_read(fd, most_of(fd, &about), file, error);
    return load_regular(fd, (size_t)about.st_size, file, error);
}

bosc_status bi_file_open(const char *path, struct bi_file *file, bosc_io_error *error)
{
    if (!path) return bi_io_fail(error, BOSC_ERR_ARG, "path: NULL");
    bool standard = strcmp(path, "-") == 0;
    struct bi_file fresh = {.bytes = {.name = path, .data = ""}};
    if (bi_fault(BI_FAULT_READ)) return bi_io_fail(error, BOSC_ERR_IO, "%s: cannot open: fault", path);
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return bi_io_fail(error, BOSC_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    bosc_status status = load(fd, &fresh, error);
    if (!standard) close(fd);
    if (status != BOSC_OK) return status;
    if (!bi_gzip_is(&fresh.bytes)) {
        *file = fresh;
        return BOSC_OK;
    }
    status = bi_gzip_unpack(&fresh.bytes, most_without_size(), file, error);
    bi_file_close(&fresh);
    return status;
}

void bi_file_close(struct bi_file *file)
{
    if (file->map) munmap(file->map, file->bytes.size);
    free(file->memory);
    *file = (struct bi_file){.bytes.name = file->bytes.name};
}
