/* Times the readers and writers of graphs: bench_io [-n lines] [-f folder]. Random edges among n / 6 vertices are
 * written to temporary files and read back, by one thread and by all (or -t); checked to be the same. GB are those of
 * the file. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#include <boscage/io.h>

#include "harness/bench.h"
#include "harness/random.h"

struct subject {
    const char *path;
    const bosc_edges *edges;
    bosc_edges read;
    bosc_io_error error;
};

static void set_threads(int threads)
{
    bench.opts.threads = threads;
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
}

static bosc_edges make_edges(int64_t m, bosc_dtype dtype)
{
    uint64_t state = 1;
    int64_t n = m / 6 + 2;
    bosc_edges e = {.n = n, .m = m, .dtype = dtype};
    e.u = bench_host((size_t)m * sizeof *e.u);
    e.v = bench_host((size_t)m * sizeof *e.v);
    if (dtype) e.weights = bench_host((size_t)m * bosc_dtype_size(dtype));
    for (int64_t i = 0; i < m; i++) {
        e.u[i] = (uint32_t)(bench_next(&state) % (uint64_t)n);
        e.v[i] = (uint32_t)(bench_next(&state) % (uint64_t)n);
        if (dtype == BOSC_I32) ((int32_t *)e.weights)[i] = (int32_t)(bench_next(&state) % 100000);
        if (dtype == BOSC_F64) ((double *)e.weights)[i] = (double)(bench_next(&state) >> 11) * 0x1p-53;
    }
    e.u[0] = (uint32_t)n - 1; /* files without a header: n is the largest vertex plus one */
    return e;
}

static void drop(void *user) { bosc_edges_free(&((struct subject *)user)->read); }

static void read_edges(void *user)
{
    struct subject *s = user;
    if (bosc_edges_read(s->path, &s->read, &s->error) != BOSC_OK) bench_fail("%s", s->error.text);
}

static void write_edges(void *user)
{
    struct subject *s = user;
    if (bosc_edges_write(s->path, s->edges, &s->error) != BOSC_OK) bench_fail("%s", s->error.text);
}

/* The same edges, in either direction. */
static void check(const struct subject *s)
{
    const bosc_edges *e = s->edges, *r = &s->read;
    if (e->n != r->n || e->m != r->m) bench_fail("other counts were read");
    for (int64_t i = 0; i < e->m; i++)
        if (e->u[i] + e->v[i] != r->u[i] + r->v[i] || (e->u[i] != r->u[i] && e->u[i] != r->v[i]))
            bench_fail("other edges were read");
    if (e->weights &&
        (r->dtype != e->dtype || memcmp(e->weights, r->weights, (size_t)e->m * bosc_dtype_size(e->dtype))))
        bench_fail("other weights were read");
}

static void measure(const char *folder, const char *ending, bosc_dtype dtype, int threads)
{
    struct stat about;
    bosc_edges edges = make_edges(bench.n, dtype);
    struct subject s = {.path = bench_text("%s/bench_io-%ld%s", folder, (long)getpid(), ending), .edges = &edges};
    for (int all = 0; all < (threads > 1 ? 2 : 1); all++) {
        set_threads(all ? threads : 1);
        struct bench_times written = bench_time(NULL, write_edges, &s, 1 + bench.repeats / 4);
        struct bench_row row = {.data = dtype ? bosc_dtype_name(dtype) : NULL, .n = bench.n};
        row.ours = bench_time(drop, read_edges, &s, bench.repeats);
        check(&s);
        drop(&s);
        if (stat(s.path, &about) != 0) bench_fail("the file is gone");
        row.name = bench_text("read %s", ending);
        row.bytes = (double)about.st_size;
        bench_print(&row);
        row.name = bench_text("write %s", ending);
        row.ours = written;
        bench_print(&row);
    }
    unlink(s.path);
    bosc_edges_free(&edges);
}

int main(int argc, char **argv)
{
    const char *folder = ".";
    const struct bench_option own[] = {{'f', BENCH_TEXT, &folder, "folder of the temporary files"}};
    bench.n = 6000000;
    bench.repeats = 10;
    bench.opts.threads = 1;
#ifdef _OPENMP
    bench.opts.threads = omp_get_max_threads();
#endif
    bench_options(argc, argv, "lines", own, 1);
    const int threads = bench.opts.threads < 1 ? 1 : bench.opts.threads;
    if (bench.n < 1) bench_fail("-n: %" PRId64 " is less than 1", bench.n);
    measure(folder, ".mtx", BOSC_I32, threads);
    measure(folder, ".mtx", BOSC_F64, threads);
    measure(folder, ".gr", BOSC_I32, threads);
    measure(folder, ".txt", (bosc_dtype)0, threads);
    return bench_close();
}
