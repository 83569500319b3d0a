/* Files on disk: complete or absent, faults at every allocation, read and write, bad arguments. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault.h"
#include "support/bytes.h"
#include "support/paths.h"
#include "io/file/array.h"
#include "io/file/file.h"
#include "io/file/sink.h"
#include "io/mesh/points.h"
#include "io/npy/npy.h"

/* A new folder for each case, and paths in it. */
struct folder {
    char name[PATH_ROOM], path[4][128];
};

static struct folder folder_make(void)
{
    struct folder f;
    fresh_path(f.name, "");
    CHECK_EQ(mkdir(f.name, 0700), 0);
    for (int i = 0; i < 4; i++) snprintf(f.path[i], sizeof f.path[i], "%s/%c.npy", f.name, 'a' + i);
    return f;
}

static int folder_count(const struct folder *f)
{
    int count = 0;
    DIR *d = opendir(f->name);
    CHECK(d != NULL);
    while (readdir(d)) count++;
    closedir(d);
    return count - 2; /* . and .. */
}

static void folder_remove(const struct folder *f)
{
    for (int i = 0; i < 4; i++) unlink(f->path[i]);
    CHECK_EQ(rmdir(f->name), 0); /* nothing else was left in it */
}

static const double numbers[6] = {1, 2, 3, -4, 0.5, 1e300};
static const bosc_array sample = {.dtype = BOSC_F64, .rank = 2, .shape = {2, 3, 1, 1}, .data = (void *)numbers};

static void check_sample(const char *path)
{
    bosc_io_error error = {""};
    bosc_array a = {0};
    if (bosc_points_read(path, &a, &error) != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
    CHECK(a.dtype == BOSC_F64 && a.rank == 2 && a.shape[0] == 2 && a.shape[1] == 3);
    CHECK(memcmp(a.data, numbers, sizeof numbers) == 0);
    bosc_array_free(&a);
    CHECK(a.data == NULL);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    CHECK(f && fwrite(bytes, 1, size, f) == size && fclose(f) == 0);
}

static void round_trips(void)
{
    struct folder f = folder_make();
    static const bosc_dtype types[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64, BOSC_U32, BOSC_U64, BOSC_U8};
    unsigned char bytes[64 * 8];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)i;
    for (int t = 0; t < 7; t++)
        for (int32_t rank = 1; rank <= 4; rank++)
            for (int64_t first = 0; first < 3; first++) {
                bosc_array a = {.dtype = types[t], .rank = rank, .shape = {first, 1, 1, 1}, .data = bytes}, b = {0};
                for (int i = 1; i < rank; i++) a.shape[i] = i + 1;
                size_t held;
                CHECK(bi_array_bytes(a.dtype, a.rank, a.shape, &held));
                CHECK_EQ(bosc_npy_write(f.path[0], &a, NULL), BOSC_OK);
                CHECK_EQ(bosc_npy_read(f.path[0], &b, NULL), BOSC_OK);
                CHECK(b.dtype == a.dtype && b.rank == a.rank && memcmp(a.shape, b.shape, sizeof a.shape) == 0);
                CHECK(memcmp(b.data, bytes, held) == 0);
                bosc_array_free(&b);
            }
    CHECK_EQ(folder_count(&f), 1);
    folder_remove(&f);
}

/* Large enough to bypass the sink's buffer. */
static void large_array(void)
{
    enum { N = 300000 };
    struct folder f = folder_make();
    int32_t *x = suite_alloc(N * sizeof *x);
    for (int32_t i = 0; i < N; i++) x[i] = i * 7;
    bosc_array a = {.dtype = BOSC_I32, .rank = 2, .shape = {N / 2, 2, 1, 1}, .data = x}, b = {0};
    CHECK_EQ(bosc_npy_write(f.path[0], &a, NULL), BOSC_OK);
    CHECK_EQ(bosc_points_read(f.path[0], &b, NULL), BOSC_OK);
    CHECK(memcmp(b.data, x, N * sizeof *x) == 0);
    bosc_array_free(&b);
    free(x);
    folder_remove(&f);
}

static void targets(void)
{
    struct folder f = folder_make();
    bosc_io_error error;
    struct stat about;
    char deep[160], link_to[128];
    CHECK_EQ(bosc_npy_write(f.path[0], &sample, &error), BOSC_OK);
    CHECK_EQ(chmod(f.path[0], 0640), 0);
    CHECK_EQ(bosc_npy_write(f.path[0], &sample, &error), BOSC_OK); /* over an old one, which keeps its mode */
    CHECK(stat(f.path[0], &about) == 0 && (about.st_mode & 07777) == 0640);
    snprintf(link_to, sizeof link_to, "a.npy");
    CHECK_EQ(symlink(link_to, f.path[1]), 0);
    CHECK_EQ(bosc_npy_write(f.path[1], &sample, &error), BOSC_OK); /* through a link, which stays */
    CHECK(lstat(f.path[1], &about) == 0 && S_ISLNK(about.st_mode));
    check_sample(f.path[1]);
    CHECK_EQ(bosc_npy_write(f.name, &sample, &error), BOSC_ERR_IO);
    CHECK(strstr(error.text, "cannot write: Is a directory"));
    snprintf(deep, sizeof deep, "%s/none/a.npy", f.name);
    CHECK_EQ(bosc_npy_write(deep, &sample, &error), BOSC_ERR_IO);
    CHECK(suite_begins(error.text, deep) && strstr(error.text, "cannot create: No such file"));
    CHECK_EQ(bosc_npy_write("", &sample, &error), BOSC_ERR_IO);
    CHECK_EQ(folder_count(&f), 2);
    folder_remove(&f);
}

/* Writing to a dangling link creates its target, and the link stays. */
static void dangling_links(void)
{
    struct folder f = folder_make();
    struct stat about;
    bosc_io_error error;
    CHECK_EQ(symlink("b.npy", f.path[0]), 0);
    CHECK_EQ(symlink("d.npy", f.path[1]), 0); /* a -> b -> d */
    CHECK_EQ(bosc_npy_write(f.path[0], &sample, &error), BOSC_OK);
    CHECK(lstat(f.path[0], &about) == 0 && S_ISLNK(about.st_mode));
    CHECK(lstat(f.path[1], &about) == 0 && S_ISLNK(about.st_mode));
    CHECK(lstat(f.path[3], &about) == 0 && S_ISREG(about.st_mode));
    check_sample(f.path[0]);
    unlink(f.path[1]);
    CHECK_EQ(symlink("a.npy", f.path[1]), 0); /* a -> b -> a */
    CHECK_EQ(bosc_npy_write(f.path[0], &sample, &error), BOSC_ERR_IO);
    CHECK(strstr(error.text, "cannot create: Too many levels"));
    CHECK_EQ(folder_count(&f), 3);
    folder_remove(&f);
}

/* The owner's permissions stay, without setuid; a new file gets the permissions of the process's umask. */
static void access_rights(void)
{
    struct folder f = folder_make();
    struct stat about;
    CHECK_EQ(bosc_npy_write(f.path[0], &sample, NULL), BOSC_OK);
    CHECK_EQ(chmod(f.path[0], 06755), 0);
    mode_t mask = umask(027);
    CHECK_EQ(bosc_npy_write(f.path[0], &sample, NULL), BOSC_OK);
    CHECK_EQ(bosc_npy_write(f.path[1], &sample, NULL), BOSC_OK);
    umask(mask);
    CHECK(stat(f.path[0], &about) == 0 && (about.st_mode & 07777) == 0755);
    CHECK(stat(f.path[1], &about) == 0 && (about.st_mode & 07777) == 0640);
    folder_remove(&f);
}

/* One file under two names is refused before anything is written. */
static void one_file_twice(void)
{
    struct folder f = folder_make();
    bosc_array arrays[2] = {sample, sample};
    bosc_io_error error;
    char dotted[PATH_ROOM + 16];
    snprintf(dotted, sizeof dotted, "%s/./a.npy", f.name);
    CHECK_EQ(symlink("a.npy", f.path[1]), 0);
    const char *pairs[4][2] = {{f.path[0], f.path[0]}, {f.path[0], dotted}, {f.path[1], f.path[0]}, {"-", "-"}};
    for (int there = 0; there < 2; there++) {
        for (int i = 0; i < 4; i++) {
            CHECK_EQ(bosc_npy_write_all(pairs[i], arrays, 2, &error), BOSC_ERR_ARG);
            CHECK(suite_begins(error.text, pairs[i][1]) && strstr(error.text, ": the same file as "));
        }
        CHECK_EQ(folder_count(&f), 1 + there);
        CHECK_EQ(bosc_npy_write(f.path[0], &sample, &error), BOSC_OK);
    }
    folder_remove(&f);
}

static void devices(void)
{
    bosc_io_error error;
    if (access("/dev/full", W_OK) == 0) {
        static double many[100000];
        bosc_array large = {.dtype = BOSC_F64, .rank = 1, .shape = {100000, 1, 1, 1}, .data = many};
        CHECK_EQ(bosc_npy_write("/dev/full", &sample, &error), BOSC_ERR_IO);
        CHECK(strcmp(error.text, "/dev/full: cannot write: No space left on device") == 0);
        CHECK_EQ(bosc_npy_write("/dev/full", &large, &error), BOSC_ERR_IO);
        CHECK(strcmp(error.text, "/dev/full: cannot write: No space left on device") == 0);
        CHECK_EQ(bosc_png_write("/dev/full", (const uint8_t *)many, 100, 100, &error), BOSC_ERR_IO);
        CHECK(strcmp(error.text, "/dev/full: cannot write: No space left on device") == 0);
    }
    if (access("/dev/full", W_OK) == 0) { /* a picture larger than the sink's buffer */
        enum { SIDE = 200 };
        struct suite_random r = {4};
        uint8_t *noise = suite_alloc(SIDE * SIDE * 3);
        for (int i = 0; i < SIDE * SIDE * 3; i++) noise[i] = (uint8_t)suite_next(&r);
        CHECK_EQ(bosc_png_write("/dev/full", noise, SIDE, SIDE, &error), BOSC_ERR_IO);
        CHECK(strcmp(error.text, "/dev/full: cannot write: No space left on device") == 0);
        free(noise);
    }
    struct stat about;
    CHECK_EQ(bosc_npy_write("/dev/null", &sample, &error), BOSC_OK);
    CHECK(stat("/dev/null", &about) == 0 && S_ISCHR(about.st_mode));
    bosc_array a = {0};
    CHECK_EQ(bosc_npy_read("/dev/null", &a, &error), BOSC_ERR_FORMAT);
    CHECK_EQ(bosc_npy_read("/", &a, &error), BOSC_ERR_IO);
    CHECK(strcmp(error.text, "/: cannot read: Is a directory") == 0);
    CHECK_EQ(bosc_npy_read("/nowhere/at all.npy", &a, &error), BOSC_ERR_IO);
    CHECK(strcmp(error.text, "/nowhere/at all.npy: cannot open: No such file or directory") == 0);
    CHECK_EQ(bosc_points_read("/etc/passwd", &a, &error), BOSC_ERR_FORMAT);
    CHECK(strstr(error.text, "the ending is not one of .npy"));
}

/* A pipe has no size and cannot be mapped. */
static void pipes(void)
{
    struct folder f = folder_make();
    enum { N = 40000 };
    double *x = suite_alloc(N * sizeof *x);
    for (int i = 0; i < N; i++) x[i] = i;
    bosc_array a = {.dtype = BOSC_F64, .rank = 2, .shape = {N, 1, 1, 1}, .data = x}, b = {0};
    CHECK_EQ(mkfifo(f.path[0], 0600), 0);
    pid_t child = fork();
    int code = -1;
    if (child == 0) _exit(bosc_npy_write(f.path[0], &a, NULL) != BOSC_OK);
    CHECK_EQ(bosc_points_read(f.path[0], &b, NULL), BOSC_OK);
    CHECK(b.shape[0] == N && memcmp(b.data, x, N * sizeof *x) == 0);
    CHECK_EQ(waitpid(child, &code, 0), child);
    CHECK(WIFEXITED(code) && WEXITSTATUS(code) == 0); /* and it was written */
    bosc_array_free(&b);
    free(x);
    folder_remove(&f);
}

/* A timer interrupts the call that waits for the pipe. After some ticks the handler serves the pipe's other end, which
 * ends the wait. */
enum { TICKS_BEFORE = 5 };
static volatile sig_atomic_t ticks;
static int pipe_ends[2];

static void feed(int signal)
{
    static const char some[] = "1,2\n";
    int number = errno;
    (void)signal;
    if (++ticks != TICKS_BEFORE) return;
    if (write(pipe_ends[1], some, sizeof some - 1) < 0) abort();
    close(pipe_ends[1]);
    errno = number;
}

static void drain(int signal)
{
    static char bytes[1 << 16];
    int number = errno;
    (void)signal;
    if (++ticks >= TICKS_BEFORE)
        while (read(pipe_ends[0], bytes, sizeof bytes) > 0) continue;
    errno = number;
}

static void tick(void (*handler)(int), long microseconds)
{
    struct sigaction action = {0};
    struct itimerval every = {.it_interval = {0, microseconds}, .it_value = {0, microseconds}};
    action.sa_handler = handler; /* without SA_RESTART: a call that waits ends with EINTR */
    ticks = 0;
    CHECK_EQ(sigaction(SIGALRM, &action, NULL), 0);
    CHECK_EQ(setitimer(ITIMER_REAL, &every, NULL), 0);
}

static void interrupted(void)
{
    static double many[40000];
    bosc_array large = {.dtype = BOSC_F64, .rank = 1, .shape = {40000, 1, 1, 1}, .data = many};
    bosc_io_error error = {""};
    struct bi_file file = {.bytes = {.name = "F"}};
    char path[32];
    CHECK_EQ(pipe(pipe_ends), 0);
    tick(feed, 1000);
    bosc_status status = bi_file_read(pipe_ends[0], 100, &file, &error);
    tick(SIG_IGN, 0);
    if (status != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
    CHECK(file.bytes.size == 4);
    bi_file_close(&file);
    close(pipe_ends[0]);
    CHECK_EQ(pipe(pipe_ends), 0);
    CHECK_EQ(fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", pipe_ends[1]);
    tick(drain, 1000);
    status = bosc_npy_write(path, &large, &error);
    tick(SIG_IGN, 0);
    if (status != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
}

/* Some file systems report only at close that a file could not be stored. */
static void closing_fails(void)
{
    struct folder f = folder_make();
    static struct bi_sink sink;
    bosc_io_error error = {""};
    CHECK_EQ(bi_sink_open(&sink, f.path[0], &error), BOSC_OK);
    close(sink.fd);
    CHECK_EQ(bi_sink_finish(&sink, &error), BOSC_ERR_IO);
    CHECK(suite_begins(error.text, f.path[0]) && strstr(error.text, ": cannot write: "));
    bi_sink_discard(&sink);
    CHECK_EQ(folder_count(&f), 0);
    CHECK_EQ(bi_sink_open(&sink, "/dev/null", &error), BOSC_OK); /* written to in place, and closed at the end */
    close(sink.fd);
    CHECK_EQ(bi_sink_finish(&sink, &error), BOSC_ERR_IO);
    bi_sink_discard(&sink);
    folder_remove(&f);
}

/* The query for the free memory leaves no file open. */
static void large_blocks(void)
{
    int before = open("/dev/null", O_RDONLY);
    close(before);
    CHECK(bi_io_alloc(SIZE_MAX / 2) == NULL);
    CHECK(bi_io_realloc(NULL, SIZE_MAX / 2) == NULL);
    int after = open("/dev/null", O_RDONLY);
    close(after);
    CHECK_EQ(before, after);
}

static void check_text(const char *ending, const bosc_array *a, const char *expected)
{
    char path[PATH_ROOM], got[512];
    bosc_io_error error = {""};
    fresh_path(path, ending);
    const char *paths[] = {path};
    if (bosc_arrays_write(paths, a, 1, &error) != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
    FILE *f = fopen(path, "rb");
    CHECK(f != NULL);
    got[fread(got, 1, sizeof got - 1, f)] = 0;
    fclose(f);
    if (strcmp(got, expected) != 0) suite_fail(__FILE__, __LINE__, "%s is written, not %s", got, expected);
    unlink(path);
}

#define TEXT(ending, type, r, n, d, expected, T, ...)                                                              \
    check_text(ending, &(bosc_array){.dtype = type, .rank = r, .shape = {n, d, 1, 1}, .data = (T[]){__VA_ARGS__}}, \
               expected)

/* Arrays as text keep their last digits. */
static void texts(void)
{
    TEXT(".csv", BOSC_I64, 2, 2, 2, "1,-9223372036854775808\n9223372036854775807,-1\n", int64_t, 1, INT64_MIN,
         INT64_MAX, -1);
    TEXT(".TXT", BOSC_F64, 2, 2, 2, "0.1 -0.0\n1.0e+300 inf\n", double, 0.1, -0.0, 1e300, INFINITY);
    TEXT(".tsv", BOSC_F32, 2, 1, 3, "0.1\tnan\t-inf\n", float, 0.1f, NAN, -INFINITY);
    TEXT(".csv", BOSC_U64, 1, 2, 1, "0\n18446744073709551615\n", uint64_t, 0, UINT64_MAX);
    TEXT(".csv", BOSC_U32, 1, 1, 1, "4294967295\n", uint32_t, UINT32_MAX);
    TEXT(".csv", BOSC_I32, 1, 1, 1, "-2147483648\n", int32_t, INT32_MIN);
    TEXT(".csv", BOSC_U16, 1, 1, 1, "65535\n", uint16_t, 65535);
    TEXT(".csv", BOSC_I16, 1, 1, 1, "-32768\n", int16_t, -32768);
    TEXT(".csv", BOSC_U8, 1, 1, 1, "255\n", uint8_t, 255);
    TEXT(".csv", BOSC_I8, 1, 1, 1, "-128\n", int8_t, -128);
    TEXT(".csv", BOSC_I64, 2, 0, 2, "", int64_t, 0);
    TEXT(".txt", BOSC_I64, 2, 2, 0, "\n\n", int64_t, 0);
    const char *path = "a.csv";
    bosc_array deep = {.dtype = BOSC_F64, .rank = 3, .shape = {1, 2, 3, 1}, .data = (void *)numbers};
    CHECK_TEXT(bosc_arrays_write(&path, &deep, 1, error), "arrays");
    CHECK_TEXT(bosc_arrays_write(NULL, &deep, 1, error), "paths");
    path = NULL;
    CHECK_TEXT(bosc_arrays_write(&path, &sample, 1, error), "path");
}

/* Endless input is refused early; input that ends just below the limit is read. */
static void endless(void)
{
    static const char zeros[300];
    for (size_t most = 299; most <= 300; most++) {
        struct bi_file file = {.bytes = {.name = "F"}};
        bosc_io_error error = {""};
        int ends[2];
        CHECK_EQ(pipe(ends), 0);
        CHECK(write(ends[1], zeros, sizeof zeros) == (ssize_t)sizeof zeros);
        close(ends[1]);
        CHECK_EQ(bi_file_read(ends[0], most, &file, &error), most < sizeof zeros ? BOSC_ERR_LIMIT : BOSC_OK);
        CHECK(most < sizeof zeros ? suite_begins(error.text, "F: no end within 299 bytes")
                                  : file.bytes.size == sizeof zeros);
        bi_file_close(&file);
        close(ends[0]);
    }
    bosc_io_error error = {""};
    bosc_array a = {0};
    bosc_heights h = {0};
    CHECK_EQ(bosc_points_read("/dev/zero", &a, &error), BOSC_ERR_LIMIT);
    CHECK(suite_begins(error.text, "/dev/zero: no end within") && !a.data);
    CHECK_EQ(bosc_heights_read("/dev/zero", BOSC_HEIGHTS_PLAIN, &h, &error), BOSC_ERR_LIMIT);
    CHECK(!h.data);
    CHECK_EQ(bosc_points_read("/dev/null", &a, &error), BOSC_ERR_FORMAT); /* an empty file */
}

/* An opened file stays complete although it is truncated meanwhile. */
static void shortened(void)
{
    struct folder f = folder_make();
    struct bi_file file;
    bosc_array a = {0};
    CHECK_EQ(bosc_npy_write(f.path[0], &sample, NULL), BOSC_OK);
    CHECK_EQ(bi_file_open(f.path[0], &file, NULL), BOSC_OK);
    CHECK_EQ(truncate(f.path[0], 0), 0);
    CHECK_EQ(bi_npy_parse(&file.bytes, &a, NULL), BOSC_OK);
    CHECK(memcmp(a.data, numbers, sizeof numbers) == 0);
    bosc_array_free(&a);
    bi_file_close(&file);
    folder_remove(&f);
}

static void endings(void)
{
    struct folder f = folder_make();
    static const struct {
        const char *ending, *text;
    } files[] = {{".csv", "x,y,z\n1,2,3\n-4,.5,1e300\n"},
                 {".txt", "1 2 3\n-4 .5 1e300\n"},
                 {".XYZ", "1 2 3\n-4 .5 1e300\n"},
                 {".off", "OFF\n2 0 0\n1 2 3\n-4 .5 1e300\n"},
                 {".obj", "v 1 2 3\nv -4 .5 1e300\n"},
                 {".Ply", "ply\nformat ascii 1.0\nelement vertex 2\nproperty double x\nproperty double y\n"
                          "property double z\nend_header\n1 2 3\n-4 .5 1e300\n"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[160];
        snprintf(path, sizeof path, "%s/p%s", f.name, files[i].ending);
        write_file(path, files[i].text, strlen(files[i].text));
        check_sample(path);
        unlink(path);
    }
    char odd[160];
    snprintf(odd, sizeof odd, "%s/points", f.name); /* recognised by its first bytes */
    CHECK_EQ(bosc_npy_write(odd, &sample, NULL), BOSC_OK);
    check_sample(odd);
    unlink(odd);
    folder_remove(&f);
}

static void several_or_none(void)
{
    struct folder f = folder_make();
    bosc_array arrays[3] = {sample, sample, sample};
    const char *paths[3] = {f.path[0], f.path[1], f.path[2]};
    const char *bad[3] = {f.path[0], f.path[1], "/nowhere/c.npy"};
    bosc_io_error error;
    CHECK_EQ(bosc_npy_write_all(bad, arrays, 3, &error), BOSC_ERR_IO);
    CHECK_EQ(folder_count(&f), 0);
    char long_name[400];
    snprintf(long_name, sizeof long_name, "%s/%0300d.npy", f.name, 1);
    bad[2] = long_name;
    CHECK_EQ(bosc_npy_write_all(bad, arrays, 3, &error), BOSC_ERR_IO);
    CHECK(strstr(error.text, "File name too long"));
    CHECK_EQ(folder_count(&f), 0);
    CHECK_EQ(bosc_npy_write_all(paths, arrays, 3, &error), BOSC_OK);
    CHECK_EQ(folder_count(&f), 3);
    arrays[1].rank = 5;
    CHECK_EQ(bosc_npy_write_all(paths, arrays, 3, &error), BOSC_ERR_ARG);
    for (int i = 0; i < 3; i++) check_sample(f.path[i]);
    CHECK_EQ(folder_count(&f), 3);
    folder_remove(&f);
}

static void pictures(void)
{
    struct folder f = folder_make();
    static uint8_t rgb[50 * 40 * 3];
    unsigned char head[24] = {0};
    for (size_t i = 0; i < sizeof rgb; i++) rgb[i] = (uint8_t)(i * 31);
    CHECK_EQ(bosc_png_write(f.path[0], rgb, 50, 40, NULL), BOSC_OK);
    FILE *file = fopen(f.path[0], "rb");
    CHECK(file && fread(head, 1, sizeof head, file) == sizeof head);
    fclose(file);
    CHECK(memcmp(head, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x32\0\0\0\x28", 24) == 0);
    folder_remove(&f);
}

static void bad_arguments(void)
{
    struct folder f = folder_make();
    const char *path = f.path[0];
    bosc_array a = {0};
    const uint8_t rgb[3] = {0};
    CHECK_TEXT(bosc_npy_read(NULL, &a, error), "path");
    CHECK_TEXT(bosc_npy_read(path, NULL, error), "array");
    CHECK_TEXT(bosc_points_read(NULL, &a, error), "path");
    CHECK_TEXT(bosc_points_read(path, NULL, error), "points");
    CHECK_TEXT(bosc_npy_write(NULL, &sample, error), "path");
    CHECK_TEXT(bosc_npy_write(path, NULL, error), "array");
    CHECK_TEXT(bosc_npy_write_all(NULL, &sample, 1, error), "paths");
    CHECK_TEXT(bosc_npy_write_all(&path, NULL, 1, error), "arrays");
    CHECK_TEXT(bosc_npy_write_all(&path, &sample, 0, error), "count");
    CHECK_TEXT(bosc_npy_write_all(&path, &sample, -1, error), "count");
    CHECK_TEXT(bosc_npy_write_all(&path, &sample, 17, error), "count");
    CHECK_TEXT(bosc_png_write(NULL, rgb, 1, 1, error), "path");
    CHECK_TEXT(bosc_png_write(path, NULL, 1, 1, error), "rgb");
    CHECK_TEXT(bosc_png_write(path, rgb, 0, 1, error), "width");
    CHECK_TEXT(bosc_png_write(path, rgb, -1, 1, error), "width");
    CHECK_TEXT(bosc_png_write(path, rgb, 1000001, 1, error), "width");
    CHECK_TEXT(bosc_png_write(path, rgb, 1, 0, error), "height");
    CHECK_TEXT(bosc_png_write(path, rgb, 1, INT32_MIN, error), "height");
    CHECK_TEXT(bosc_png_write(path, rgb, 1, INT32_MAX, error), "height");
    static const bosc_array arrays[] = {
        {.dtype = (bosc_dtype)0, .rank = 1, .shape = {0}},
        {.dtype = (bosc_dtype)11, .rank = 1, .shape = {0}},
        {.dtype = (bosc_dtype)-1, .rank = 1, .shape = {0}},
        {.dtype = BOSC_F32, .rank = 0, .shape = {0}},
        {.dtype = BOSC_F32, .rank = 5, .shape = {0}},
        {.dtype = BOSC_F32, .rank = -1, .shape = {0}},
        {.dtype = BOSC_F32, .rank = INT32_MAX, .shape = {0}},
        {.dtype = BOSC_F32, .rank = 1, .shape = {-1}},
        {.dtype = BOSC_F32, .rank = 2, .shape = {0, -1}},
        {.dtype = BOSC_F32, .rank = 4, .shape = {1, 1, 1, INT64_MIN}},
        {.dtype = BOSC_F32, .rank = 1, .shape = {INT64_MAX}},
        {.dtype = BOSC_F64, .rank = 2, .shape = {INT64_MAX / 8, 2}},
        {.dtype = BOSC_F64, .rank = 4, .shape = {65536, 65536, 65536, 65536}},
        {.dtype = BOSC_U8, .rank = 2, .shape = {INT64_MAX, INT64_MAX}},
        {.dtype = BOSC_U8, .rank = 1, .shape = {1}, .data = NULL},
        {.dtype = BOSC_F64, .rank = 2, .shape = {2, 3}, .data = NULL},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        CHECK_TEXT(bosc_npy_write(path, &arrays[i], error), "array");
    static const int64_t absurd[2] = {INT64_MAX / 8, 9};
    bosc_io_error reason;
    CHECK_EQ(bi_array_new("F", BOSC_F64, 2, absurd, &a, &reason), BOSC_ERR_FORMAT);
    CHECK(strcmp(reason.text, "F: the shape is too large") == 0);
    bosc_array_free(NULL);
    CHECK_EQ(bosc_npy_read(NULL, &a, NULL), BOSC_ERR_ARG); /* without a buffer for the message */
    folder_remove(&f);
}

#ifdef BOSC_FAULTS
static const uint32_t all_faults = BI_FAULT_ALLOC | BI_FAULT_READ | BI_FAULT_WRITE;

/* Fails the k-th allocation, read or write, for every k: the old files stay unchanged, and no other remains. */
static void write_faults_of(bool unnamed)
{
    struct folder f = folder_make();
    static uint8_t rgb[40 * 40 * 3];
    const char *paths[2] = {f.path[0], f.path[1]};
    static const double others[6] = {6, 5, 4, 3, 2, 1};
    bosc_array arrays[2] = {sample, sample};
    arrays[0].data = arrays[1].data = (void *)others;
    for (int picture = 0; picture < 2; picture++) /* an array and a picture, or two arrays; the second file is new */
        for (int for_good = 0; for_good < 2; for_good++)
            for (int64_t k = 0;; k++) {
                bosc_io_error error = {""};
                CHECK_EQ(bosc_npy_write(f.path[0], &sample, NULL), BOSC_OK);
                unlink(f.path[1]);
                bi_fault_arm(all_faults | (unnamed ? 0 : BI_FAULT_UNNAMED), k, for_good);
                bosc_status status = picture ? bosc_png_write(f.path[0], rgb, 40, 40, &error)
                                             : bosc_npy_write_all(paths, arrays, 2, &error);
                int64_t passages = bi_fault_passages();
                bi_fault_disarm();
                CHECK(k < 100);
                if (status == BOSC_OK) {
                    CHECK(passages <= k);
                    break;
                }
                CHECK(error.text[0] && !strstr(error.text, "Success"));
                CHECK_EQ(folder_count(&f), 1);
                check_sample(f.path[0]);
            }
    folder_remove(&f);
}

static void write_faults(void) { write_faults_of(true); }

/* A file system without unnamed files. */
static void named_temporaries(void) { write_faults_of(false); }

static void read_faults(void)
{
    struct folder f = folder_make();
    static const char text[] = "1 2 3\n-4 .5 1e300\n";
    char path[160];
    snprintf(path, sizeof path, "%s/p.txt", f.name);
    write_file(path, text, sizeof text - 1);
    CHECK_EQ(bosc_npy_write(f.path[0], &sample, NULL), BOSC_OK);
    for (int npy = 0; npy < 2; npy++)
        for (int for_good = 0; for_good < 2; for_good++)
            for (int64_t k = 0;; k++) {
                bosc_io_error error = {""};
                bosc_array a = {0};
                bi_fault_arm(all_faults, k, for_good);
                bosc_status status = bosc_points_read(npy ? f.path[0] : path, &a, &error);
                int64_t passages = bi_fault_passages();
                bi_fault_disarm();
                CHECK(k < 100);
                if (status == BOSC_OK) CHECK(memcmp(a.data, numbers, sizeof numbers) == 0);
                if (status != BOSC_OK) CHECK(a.data == NULL && error.text[0]);
                bosc_array_free(&a);
                if (status == BOSC_OK && passages <= k) break; /* a file that cannot be mapped is read */
            }
    unlink(path);
    folder_remove(&f);
}

/* Memory runs out at every allocation of every parser. */
static void parser_faults(void)
{
    static const struct {
        enum bi_points_format format;
        const char *text;
    } files[] = {{BI_POINTS_TEXT, "x,y,z\n1,2,3\n-4,.5,1e300\n"},
                 {BI_POINTS_OFF, "OFF\n2 0 0\n1 2 3\n-4 .5 1e300\n"},
                 {BI_POINTS_OBJ, "v 1 2 3\nv -4 .5 1e300\n"},
                 {BI_POINTS_PLY, "ply\nformat ascii 1.0\nelement vertex 2\nproperty double x\nproperty double y\n"
                                 "property double z\nend_header\n1 2 3\n-4 .5 1e300\n"}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        for (int64_t k = 0;; k++) {
            struct bi_bytes in = {.name = "F", .data = files[i].text, .size = strlen(files[i].text)};
            bosc_io_error error = {""};
            bosc_array a = {0};
            bi_fault_arm(BI_FAULT_ALLOC, k, true);
            bosc_status status = bi_points_parse(files[i].format, &in, NULL, NULL, &a, &error);
            bi_fault_disarm();
            if (status == BOSC_OK) {
                CHECK(k > 0 && memcmp(a.data, numbers, sizeof numbers) == 0);
                bosc_array_free(&a);
                break;
            }
            CHECK_EQ(status, BOSC_ERR_NOMEM);
            CHECK(suite_begins(error.text, "F:") && strstr(error.text, "out of memory") && !a.data);
        }
}

/* A pipe fails while it is read. */
static void pipe_faults(void)
{
    for (int64_t k = 0; k < 3; k++) {
        int ends[2];
        char path[32];
        bosc_io_error error = {""};
        bosc_array a = {0};
        CHECK_EQ(pipe(ends), 0);
        CHECK(write(ends[1], "\x93NUMPY", 6) == 6);
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        bi_fault_arm(BI_FAULT_READ, k, false);
        bosc_status status = bosc_npy_read(path, &a, &error);
        bi_fault_disarm();
        close(ends[0]);
        CHECK_EQ(status, BOSC_ERR_IO);
        CHECK(suite_begins(error.text, path));
    }
}
#endif

static const struct suite_case suite_cases_io_files[] = {
    {"arrays of every type and shape", NULL, round_trips},
    {"a large array", NULL, large_array},
    {"targets of writing", NULL, targets},
    {"links that lead to nothing", NULL, dangling_links},
    {"access rights", NULL, access_rights},
    {"one file under two names", NULL, one_file_twice},
    {"devices and what is no file", NULL, devices},
    {"pipes", NULL, pipes},
    {"signals while a pipe is waited for", NULL, interrupted},
    {"closing fails", NULL, closing_fails},
    {"blocks beyond any memory", NULL, large_blocks},
    {"input without an end", NULL, endless},
    {"a file that becomes shorter", NULL, shortened},
    {"endings", NULL, endings},
    {"arrays as text", NULL, texts},
    {"several files or none", NULL, several_or_none},
    {"pictures", NULL, pictures},
    {"bad arguments", NULL, bad_arguments},
#ifdef BOSC_FAULTS
    {"writing fails at every passage", NULL, write_faults},
    {"writing where each file has a name", NULL, named_temporaries},
    {"reading fails at every passage", NULL, read_faults},
    {"memory runs out in every parser", NULL, parser_faults},
    {"a pipe fails", NULL, pipe_faults},
#endif
};
SUITE(io_files);
