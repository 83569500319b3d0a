/* Files as bytes: opened, read, unpacked; mapped where memory is short. */
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
#include "io/file/gzip.h"
#include "io/file/zstd.h"

bool bi_path_ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    length -= bi_gzip_is_named(path) ? 3 : bi_zstd_is_named(path) ? 4 : 0;
    return length >= tail && strncasecmp(path + length - tail, ending, tail) == 0;
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
        if (!bi_io_advance((double)r)) return ECANCELED;
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

static const double LOADING = 0.2; /* the share of bringing bytes into memory, which are parsed then */

bosc_status bi_file_read(int fd, size_t most, struct bi_file *file, bosc_io_error *error)
{
    size_t capacity = 0, size = 0, got = 0;
    char *memory = NULL;
    bi_io_phase(LOADING, 0);
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
            return bi_bytes_fail(&file->bytes, number, error);
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

enum { HEAD = 1 << 16, LARGE = 1 << 20 }; /* bytes: what is read of a file that has as many as LARGE */

/* Sees what is open: reads a regular file, or the beginning of a large one; anything else to its end. */
static bosc_status read_head(struct bi_file *file, bosc_io_error *error)
{
    struct stat about;
    int fd = file->rest.fd;
    if (bi_fault(BI_FAULT_READ)) return bi_bytes_fail(&file->bytes, EIO, error);
    if (fstat(fd, &about) != 0) return bi_bytes_fail(&file->bytes, errno, error);
    if (S_ISDIR(about.st_mode)) return bi_bytes_fail(&file->bytes, EISDIR, error);
    if (!S_ISREG(about.st_mode) || about.st_size == 0 || lseek(fd, 0, SEEK_CUR) != 0)
        return bi_file_read(fd, most_of(fd, &about), file, error);
    file->rest.size = (size_t)about.st_size;
    file->bytes.rest = &file->rest;
    if (file->rest.size < LARGE) return bi_file_load(file, error);
    if (!(file->memory = bi_io_alloc(HEAD))) return bi_bytes_fail(&file->bytes, ENOMEM, error);
    bosc_status status = bi_bytes_read(&file->bytes, 0, file->memory, HEAD, error);
    file->bytes.data = file->memory;
    file->bytes.size = HEAD;
    return status;
}

/* A mapped file would do without the copy; but if another process shortens it, reading it ends this one (SIGBUS). */
bosc_status bi_file_load(struct bi_file *file, bosc_io_error *error)
{
    if (!file->bytes.rest) return BOSC_OK;
    size_t size = file->rest.size;
    void *map = bi_io_has_room(size) ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_PRIVATE, file->rest.fd, 0);
    char *memory = map == MAP_FAILED ? bi_io_alloc(size) : NULL;
    bosc_status status = BOSC_OK;
    if (map == MAP_FAILED && !memory)
        return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory for %zu bytes", file->bytes.name, size);
    bi_io_phase(LOADING, (double)size);
    if (memory) status = bi_bytes_read(&file->bytes, 0, memory, size, error);
    if (memory && status == BOSC_OK) status = bi_bytes_unchanged(&file->bytes, error);
    if (status != BOSC_OK) {
        free(memory);
        return status;
    }
    free(file->memory);
    file->map = map == MAP_FAILED ? NULL : map;
    file->memory = memory;
    file->bytes.data = memory ? memory : map;
    file->bytes.size = size;
    file->bytes.rest = NULL;
    return BOSC_OK;
}

bool bi_file_again(struct bi_file *file, bosc_status *status, bosc_io_error *error)
{
    if (!file->rest.missed) return false;
    file->rest.missed = false;
    *status = bi_file_load(file, error);
    return *status == BOSC_OK;
}

static void close_rest(struct bi_file *file)
{
    if (file->opened) close(file->rest.fd);
    file->opened = false;
}

/* Replaces what gzip or zstd has packed. */
static bosc_status unpack(struct bi_file *file, bosc_io_error *error)
{
    struct bi_file packed = *file;
    if (packed.bytes.rest) packed.bytes.rest = &packed.rest;
    *file = (struct bi_file){0};
    bosc_status status = bi_file_load(&packed, error);
    if (status == BOSC_OK)
        status = (bi_gzip_is(&packed.bytes) ? bi_gzip_unpack : bi_zstd_unpack)(&packed.bytes, most_without_size(), file,
                                                                               error);
    bi_file_close(&packed);
    return status;
}

bosc_status bi_file_open_head(const char *path, struct bi_file *file, bosc_io_error *error)
{
    if (!path) return bi_io_fail(error, BOSC_ERR_ARG, "path: NULL");
    bool standard = strcmp(path, "-") == 0;
    if (bi_fault(BI_FAULT_READ)) return bi_io_fail(error, BOSC_ERR_IO, "%s: cannot open: fault", path);
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return bi_io_fail(error, BOSC_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    *file = (struct bi_file){.bytes = {.name = path, .data = ""}, .rest.fd = fd, .opened = !standard};
    bosc_status status = read_head(file, error);
    if (status == BOSC_OK && (bi_gzip_is(&file->bytes) || bi_zstd_is(&file->bytes))) status = unpack(file, error);
    if (status != BOSC_OK)
        bi_file_close(file);
    else if (!file->bytes.rest)
        close_rest(file);
    return status;
}

bosc_status bi_file_open(const char *path, struct bi_file *file, bosc_io_error *error)
{
    bosc_status status = bi_file_open_head(path, file, error);
    if (status != BOSC_OK) return status;
    status = bi_file_load(file, error);
    if (status != BOSC_OK)
        bi_file_close(file);
    else
        close_rest(file);
    return status;
}

void bi_file_close(struct bi_file *file)
{
    if (file->map) munmap(file->map, file->bytes.size);
    free(file->memory);
    close_rest(file);
    *file = (struct bi_file){.bytes.name = file->bytes.name};
}
