/* Inputs: opens, reads and unpacks files; maps them where memory is short. */
#include "io/file/file.h"
#include "io/file/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault.h"

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
    /* Large reads, about 1 ms each, so that a system call costs nothing; larger: fewer threads read. Not measured. */
    const size_t chunk = (size_t)1 << 22;
    int64_t chunks = (int64_t)((count + chunk - 1) / chunk);
    const double done_before = bi_io_done();
    size_t done = 0;
    int number = 0; /* the largest errno of a chunk, or 0 */
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

/* ---- files ---- */

bool bi_path_ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    length -= bi_packed_ending(path);
    return length >= tail && strncasecmp(path + length - tail, ending, tail) == 0;
}

/* Reads `more` bytes to `to`; *got is less only at the end of the file. Returns 0 or an errno. */
static int read_some(int fd, char *to, size_t more, size_t *got)
{
    for (*got = 0; *got < more;) {
        if (bi_fault(BI_FAULT_READ)) return EIO;
        size_t count = more - *got < (size_t)1 << 30 ? more - *got : (size_t)1 << 30; /* Linux reads less than 2 GiB */
        ssize_t r = read(fd, to + *got, count);
        if (r < 0 && errno == EINTR) continue;
        if (r < 0) return errno;
        if (r == 0) break;
        *got += (size_t)r;
        if (!bi_io_advance((double)r)) return ECANCELED;
    }
    return 0;
}

/* Returns the limit for inputs of unknown size: 4 GiB, or half of the machine's memory if that is less. */
static size_t limit_without_size(void)
{
    const size_t most = (size_t)1 << 32;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    size_t half = pages > 0 && page > 0 ? (size_t)pages / 2 * (size_t)page : most;
    return half < most ? half : most;
}

/* Returns the limit for an input: 64 KiB for devices other than terminals, which may be endless (/dev/zero). */
static size_t limit_of(int fd, const struct stat *about)
{
    return S_ISCHR(about->st_mode) && !isatty(fd) ? (size_t)1 << 16 : limit_without_size();
}

/* Share of the progress: loading bytes, before they are parsed. It affects the fraction only, which ascends at another
 * speed if loading takes another share; not measured. */
static const double LOADING = 0.2;

/* Reads to the end of the input; BOSC_ERR_LIMIT beyond `most` bytes. file->bytes.name is set before. On success the
 * file owns the memory; otherwise *file is unchanged. */
bosc_status bi_file_read(int fd, size_t most, struct bi_file *file, bosc_io_error *error)
{
    size_t capacity = 0, size = 0, got = 0;
    char *memory = NULL;
    bi_io_phase(LOADING, 0); /* the size is unknown */
    do {
        /* 1. Double the memory. */
        size_t grown = capacity ? capacity * 2 : (size_t)1 << 16;
        char *larger = bi_io_realloc(memory, grown);
        if (!larger) {
            free(memory);
            return bi_io_fail(error, BOSC_ERR_NOMEM, "%s: out of memory after %zu bytes", file->bytes.name, size);
        }
        memory = larger;
        capacity = grown;
        /* 2. Fill it; less than requested means the end of the input. */
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
    /* 3. Hand the memory to the file. */
    file->memory = memory;
    file->bytes.data = memory;
    file->bytes.size = size;
    return BOSC_OK;
}

/* Bytes: of files of at least LARGE only HEAD are read first. HEAD must hold a header, or the file is read twice; LARGE
 * is many times HEAD, so that this costs little. Smaller files are read at once. Not measured. */
enum { HEAD = 1 << 16, LARGE = 1 << 20 };

/* Reads an open regular file, or the first bytes of a large one; reads other inputs to their end. */
static bosc_status read_head(struct bi_file *file, bosc_io_error *error)
{
    struct stat about;
    int fd = file->backing.fd;
    if (bi_fault(BI_FAULT_READ)) return bi_bytes_fail(&file->bytes, EIO, error);
    if (fstat(fd, &about) != 0) return bi_bytes_fail(&file->bytes, errno, error);
    if (S_ISDIR(about.st_mode)) return bi_bytes_fail(&file->bytes, EISDIR, error);
    /* Files of /proc have size 0; standard input may begin behind the start of its file. */
    if (!S_ISREG(about.st_mode) || about.st_size == 0 || lseek(fd, 0, SEEK_CUR) != 0)
        return bi_file_read(fd, limit_of(fd, &about), file, error);
    file->backing.size = (size_t)about.st_size;
    file->bytes.backing = &file->backing;
    if (file->backing.size < LARGE) return bi_file_load(file, error);
    if (!(file->memory = bi_io_alloc(HEAD))) return bi_bytes_fail(&file->bytes, ENOMEM, error);
    bosc_status status = bi_bytes_read(&file->bytes, 0, file->memory, HEAD, error);
    file->bytes.data = file->memory;
    file->bytes.size = HEAD;
    return status;
}

/* Copies the file. A map would avoid the copy, but if another process shortens the file, reading it raises SIGBUS. */
bosc_status bi_file_load(struct bi_file *file, bosc_io_error *error)
{
    if (!file->bytes.backing) return BOSC_OK;
    size_t size = file->backing.size;
    void *map =
        bi_io_memory_available(size) ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_PRIVATE, file->backing.fd, 0);
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
    file->bytes.backing = NULL;
    return BOSC_OK;
}

bool bi_file_reload(struct bi_file *file, bosc_status *status, bosc_io_error *error)
{
    if (!file->backing.whole_needed) return false;
    file->backing.whole_needed = false;
    *status = bi_file_load(file, error);
    return *status == BOSC_OK;
}

static void close_backing(struct bi_file *file)
{
    if (file->opened) close(file->backing.fd);
    file->opened = false;
}

/* Replaces the content of a packed file by the unpacked bytes. */
static bosc_status decompress(struct bi_file *file, bosc_io_error *error)
{
    struct bi_file packed = *file;
    if (packed.bytes.backing) packed.bytes.backing = &packed.backing; /* not that of the original, which is cleared */
    *file = (struct bi_file){0};
    bosc_status status = bi_file_load(&packed, error);
    if (status == BOSC_OK) status = bi_packed_decompress(&packed.bytes, limit_without_size(), file, error);
    bi_file_close(&packed);
    return status;
}

bosc_status bi_file_open_head(const char *path, struct bi_file *file, bosc_io_error *error)
{
    if (!path) return bi_io_fail(error, BOSC_ERR_ARG, "path: NULL");
    bool standard = strcmp(path, "-") == 0;
    if (bi_fault(BI_FAULT_READ)) return bi_io_fail(error, BOSC_ERR_IO, "%s: cannot open: fault", path);
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && !*path) return bi_io_fail(error, BOSC_ERR_IO, "the file name is empty");
    if (fd < 0) return bi_io_fail(error, BOSC_ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    *file = (struct bi_file){.bytes = {.name = path, .data = ""}, .backing.fd = fd, .opened = !standard};
    bosc_status status = read_head(file, error);
    if (status == BOSC_OK && bi_packed_is(&file->bytes)) status = decompress(file, error);
    if (status != BOSC_OK)
        bi_file_close(file);
    else if (!file->bytes.backing)
        close_backing(file);
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
        close_backing(file);
    return status;
}

void bi_file_close(struct bi_file *file)
{
    if (file->map) munmap(file->map, file->bytes.size);
    free(file->memory);
    close_backing(file);
    *file = (struct bi_file){.bytes.name = file->bytes.name};
}
