/* Times the readers and writers of graphs: bench_io [-n lines] [-t threads] [-r repeats] [-f folder] [-j]. Random edges
 * among n / 6 vertices are written to temporary files and read back, by one thread and by all (or -t); checked to be
 * the same. MB are those of the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <boscage/io.h>

#include "harness/timing.h"

struct bench {
    const char *path;
    const bosc_edges *edges;
    bosc_edges read;
    bosc_io_error error;
};

static void fail(const char *text)
{
    fprintf(stderr, "bench_io: %s\n", text);
    exit(1);
}

static void set_threads(int threads)
{
#ifdef _OPENMP
    omp_set_num_threads(threads);
#else
    (void)threads;
#endif
}

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u; /* SplitMix64, Steele et al. 2014 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static bosc_edges make_edges(int64_t m, bosc_dtype dtype)
{
    uint64_t state = 1;
    int64_t n = m / 6 + 2;
    bosc_edges e = {.n = n, .m = m, .dtype = dtype};
    e.u = malloc((size_t)m * sizeof *e.u);
    e.v = malloc((size_t)m * sizeof *e.v);
    if (dtype) e.weights = malloc((size_t)m * bosc_dtype_size(dtype));
    if (!e.u || !e.v || (dtype && !e.weights)) fail("out of memory");
    for (int64_t i = 0; i < m; i++) {
        e.u[i] = (uint32_t)(next(&state) % (uint64_t)n);
        e.v[i] = (uint32_t)(next(&state) % (uint64_t)n);
        if (dtype == BOSC_I32) ((int32_t *)e.weights)[i] = (int32_t)(next(&state) % 100000);
        if (dtype == BOSC_F64) ((double *)e.weights)[i] = (double)(next(&state) >> 11) * 0x1p-53;
    }
    e.u[0] = (uint32_t)n - 1; /* a list tells n by its largest vertex */
    return e;
}

static void drop(void *user) { bosc_edges_free(&((struct bench *)user)->read); }

static void read_edges(void *user)
{
    struct bench *b = user;
    if (bosc_edges_read(b->path, &b->read, &b->error) != BOSC_OK) fail(b->error.text);
}

static void write_edges(void *user)
{
    struct bench *b = user;
    if (bosc_edges_write(b->path, b->edges, &b->error) != BOSC_OK) fail(b->error.text);
}

/* The same edges, in either direction. */
static void check(const struct bench *b)
{
    const bosc_edges *e = b->edges, *r = &b->read;
    if (e->n != r->n || e->m != r->m) fail("other counts were read");
    for (int64_t i = 0; i < e->m; i++)
        if (e->u[i] + e->v[i] != r->u[i] + r->v[i] || (e->u[i] != r->u[i] && e->u[i] != r->v[i]))
            fail("other edges were read");
    if (e->weights &&
        (r->dtype != e->dtype || memcmp(e->weights, r->weights, (size_t)e->m * bosc_dtype_size(e->dtype))))
        fail("other weights were read");
}

static void measure(const char *folder, const char *ending, bosc_dtype dtype, int64_t m, int threads, int repeats,
                    bool json)
{
    char path[4096], name[64];
    struct stat about;
    bosc_edges edges = make_edges(m, dtype);
    struct bench b = {.path = path, .edges = &edges};
    const char *type = dtype == BOSC_I32 ? "i32" : dtype == BOSC_F64 ? "f64" : "-";
    snprintf(path, sizeof path, "%s/bench_io-%ld%s", folder, (long)getpid(), ending);
    for (int all = 0; all < (threads > 1 ? 2 : 1); all++) {
        set_threads(all ? threads : 1);
        struct timing written = timing_of(NULL, write_edges, &b, 1 + repeats / 4),
                      parsed = timing_of(drop, read_edges, &b, repeats);
        check(&b);
        drop(&b);
        if (stat(path, &about) != 0) fail("the file is gone");
        struct timing_row row = {name, type, "", m, all ? threads : 1, (double)about.st_size, parsed, {0, 0}};
        snprintf(name, sizeof name, "read %s", ending);
        timing_print(&row, json);
        row.ours = written;
        snprintf(name, sizeof name, "write %s", ending);
        timing_print(&row, json);
    }
    unlink(path);
    bosc_edges_free(&edges);
}

int main(int argc, char **argv)
{
    int64_t m = 6000000;
    int threads = 1, repeats = 10;
    const char *folder = ".";
    bool json = false;
#ifdef _OPENMP
    threads = omp_get_max_threads();
#endif
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        switch (argv[i][0] == '-' ? argv[i][1] : 0) {
        case 'n': m = atoll(value); break;
        case 't': threads = atoi(value); break;
        case 'r': repeats = atoi(value); break;
        case 'f': folder = value; break;
        case 'j': json = true; continue;
        default: fprintf(stderr, "bench_io: unknown option %s\n", argv[i]); return 2;
        }
        i++;
    }
    if (m < 1 || threads < 1 || repeats < 1) fail("-n, -t and -r are at least 1");
    timing_head(json);
    measure(folder, ".mtx", BOSC_I32, m, threads, repeats, json);
    measure(folder, ".mtx", BOSC_F64, m, threads, repeats, json);
    measure(folder, ".gr", BOSC_I32, m, threads, repeats, json);
    measure(folder, ".txt", (bosc_dtype)0, m, threads, repeats, json);
    return 0;
}
