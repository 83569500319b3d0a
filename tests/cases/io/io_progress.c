/* Readers and writers report their progress and can be cancelled: then outputs are unchanged, and no file appears. The
 * clock advances by a second at each query, so that each step is reported. */
#include "cases/io/io_progress_data.h"
#include "io/file/progress.h"

#include <dirent.h>
#ifdef _OPENMP
#include <omp.h>
#endif
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static double seconds;
static double clock_of_looks(void) { return seconds += 1; }

/* ---- files ---- */

static struct world *new_world(void)
{
    struct world *w = suite_alloc(sizeof *w);
    make_world(w);
    fresh_path(w->folder, "");
    CHECK_EQ(mkdir(w->folder, 0700), 0);
    return w;
}

static int files_in(const char *folder)
{
    int count = 0;
    DIR *d = opendir(folder);
    CHECK(d != NULL);
    while (readdir(d)) count++;
    closedir(d);
    return count - 2;
}

/* ---- listening ---- */

struct listener {
    const char *stage;
    int calls, stop_at; /* the call that cancels; -1: none */
    double last;
};

static int record_progress(void *user, const char *stage, double fraction)
{
    struct listener *l = user;
    if (strcmp(stage, l->stage) != 0) suite_fail(__FILE__, __LINE__, "%s says %s", l->stage, stage);
    if (!(fraction >= l->last && fraction <= 1 && l->last < 1))
        suite_fail(__FILE__, __LINE__, "%s: %g after %g", stage, fraction, l->last);
    l->last = fraction;
    return l->calls++ == l->stop_at;
}

static bosc_status run_call(struct world *w, const struct call *c, struct listener *l, bosc_io_error *error)
{
    w->size = 0;
    error->text[0] = 0;
    bosc_io_set_progress(l ? record_progress : NULL, l);
    bosc_status status = c->run(w, error);
    bosc_io_set_progress(NULL, NULL);
    return status;
}

/* Appends the files of a writer to the output that is compared. */
static void answer_files(struct world *w, const struct call *c)
{
    const char *const paths[2] = {w->path, c->other ? w->second : NULL};
    if (c->make || !*c->ending) return;
    for (int i = 0; i < 2 && paths[i]; i++) {
        FILE *f = fopen(paths[i], "rb");
        CHECK(f != NULL);
        w->size += fread(w->answer + w->size, 1, ANSWER - w->size, f);
        CHECK(w->size < ANSWER && fclose(f) == 0);
    }
}

static void set_paths(struct world *w, const struct call *c)
{
    snprintf(w->path, sizeof w->path, "%s/a%s", w->folder, c->ending);
    snprintf(w->second, sizeof w->second, "%s/%s", w->folder, c->other ? c->other : "b.npy");
}

static void remove_files(struct world *w)
{
    unlink(w->path);
    unlink(w->second);
    CHECK_EQ(files_in(w->folder), 0);
}

/* The result does not depend on the callback, and the last report is 1. A single thread reports at least `least`
 * times; with several threads the number depends on their timing. */
static int check_reports(struct world *w, const struct call *c, bool alone)
{
    bosc_io_error error;
    struct listener l = {.stage = c->stage, .stop_at = -1};
    if (run_call(w, c, NULL, &error) != BOSC_OK)
        suite_fail(__FILE__, __LINE__, "%s%s: %s", c->stage, c->ending, error.text);
    answer_files(w, c);
    const size_t size = w->size;
    memcpy(w->copy, w->answer, size);
    CHECK_EQ(run_call(w, c, &l, &error), BOSC_OK);
    answer_files(w, c);
    CHECK(w->size == size && memcmp(w->answer, w->copy, size) == 0);
    if (alone && (l.calls <= c->least || l.last != 1))
        suite_fail(__FILE__, __LINE__, "%s%s: reported %d times, at last %g", c->stage, c->ending, l.calls, l.last);
    return l.calls;
}

/* Cancelled by report k, the call fails and leaves nothing. A report of 1 is too late. */
static void check_stopped(struct world *w, const struct call *c, int k, bool alone)
{
    char expected[64];
    bosc_io_error error;
    struct listener l = {.stage = c->stage, .stop_at = k};
    const bool writes = !c->make && *c->ending;
    if (writes) remove_files(w);
    bosc_status status = run_call(w, c, &l, &error);
    const bool late = l.last == 1 || (!alone && l.calls <= k);
    if (status != (late ? BOSC_OK : BOSC_ERR_CANCELLED) || (alone && l.calls != k + 1))
        suite_fail(__FILE__, __LINE__, "%s%s, stopped at %d: %s after %d", c->stage, c->ending, k,
                   bosc_status_name(status), l.calls);
    if (late) return;
    snprintf(expected, sizeof expected, "%s: cancelled by the caller", c->stage);
    if (strcmp(error.text, expected) != 0) suite_fail(__FILE__, __LINE__, "\"%s\"", error.text);
    if (writes) CHECK_EQ(files_in(w->folder), 0);
}

static void check_calls(struct world *w, const struct call *table, size_t count, bool alone)
{
    bosc_io_error error;
    bi_io_set_clock(clock_of_looks);
    for (size_t i = 0; i < count; i++) {
        const struct call *c = &table[i];
        set_paths(w, c);
        if (c->make && c->make(w, &error) != BOSC_OK) suite_fail(__FILE__, __LINE__, "%s", error.text);
        const int reports = check_reports(w, c, alone);
        const int stops[] = {reports / 2, 0, reports - 2, reports - 1};
        for (int k = 0; k < (alone ? 4 : 1) && !suite_leaves_out(); k++)
            if (stops[k] >= 0) check_stopped(w, c, stops[k], alone);
        CHECK_EQ(run_call(w, c, NULL, &error), BOSC_OK); /* unaffected by the cancelled calls */
        answer_files(w, c);
        CHECK(memcmp(w->answer, w->copy, w->size) == 0);
        remove_files(w);
    }
    bi_io_set_clock(NULL);
}

static int default_threads(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

static void set_threads(int threads)
{
#ifdef _OPENMP
    omp_set_num_threads(threads);
#else
    (void)threads;
#endif
}

static void written_and_read(void)
{
    struct world *w = new_world();
    const int threads = default_threads();
    for (int alone = 1; alone >= 0; alone--) {
        set_threads(alone ? 1 : threads > 4 ? threads : 4);
        if (alone) check_calls(w, writers, sizeof writers / sizeof writers[0], alone);
        check_calls(w, readers, sizeof readers / sizeof readers[0], alone);
    }
    set_threads(threads);
    CHECK_EQ(rmdir(w->folder), 0);
    free(w);
}

/* An existing file stays if writing it is cancelled. */
static void existing_file_stays(void)
{
    struct world *w = new_world();
    const struct call *c = &writers[3];
    bosc_io_error error;
    struct stat before, after;
    set_paths(w, c);
    CHECK_EQ(run_call(w, c, NULL, &error), BOSC_OK);
    CHECK_EQ(stat(w->path, &before), 0);
    bi_io_set_clock(clock_of_looks);
    for (int k = 0; k < 40; k += 7) {
        struct listener l = {.stage = c->stage, .stop_at = k};
        CHECK_EQ(run_call(w, c, &l, &error), BOSC_ERR_CANCELLED);
        CHECK_EQ(stat(w->path, &after), 0);
        CHECK(after.st_ino == before.st_ino && after.st_size == before.st_size);
        CHECK_EQ(files_in(w->folder), 2);
    }
    bi_io_set_clock(NULL);
    remove_files(w);
    CHECK_EQ(rmdir(w->folder), 0);
    free(w);
}

/* With the machine's clock calls of a few milliseconds report nothing, nor does a call inside a callback. */
static int write_one(void *user, const char *stage, double fraction)
{
    struct world *w = user;
    bosc_io_error error;
    const double one = fraction;
    const bosc_array a = {.dtype = BOSC_F64, .rank = 1, .shape = {1, 1, 1, 1}, .data = (void *)&one};
    CHECK(strcmp(stage, "npy_write") == 0);
    CHECK_EQ(bosc_npy_write(w->second, &a, &error), BOSC_OK);
    w->size++;
    return 0;
}

static void *write_elsewhere(void *user)
{
    struct world *w = user;
    bosc_io_error error;
    bi_io_set_clock(clock_of_looks);
    return npy_write(w, &error) == BOSC_OK ? w : NULL;
}

static void only_the_setting_thread_is_called(void)
{
    struct world *w = new_world();
    bosc_io_error error;
    void *done = NULL;
    pthread_t thread;
    set_paths(w, &writers[0]);
    w->size = 0;
    bosc_io_set_progress(write_one, w);
    CHECK_EQ(pthread_create(&thread, NULL, write_elsewhere, w), 0); /* another thread's call */
    CHECK_EQ(pthread_join(thread, &done), 0);
    CHECK(done == w && w->size == 0);
    bi_io_set_clock(clock_of_looks);
    CHECK_EQ(npy_write(w, &error), BOSC_OK);
    CHECK(w->size >= 3);
    bi_io_set_clock(NULL);
    bosc_io_set_progress(NULL, NULL);
    remove_files(w);
    CHECK_EQ(rmdir(w->folder), 0);
    free(w);
}

/* ---- structures, whose progress the context reports ---- */

static int record_context_progress(void *user, const char *stage, double fraction)
{
    struct listener *l = user;
    CHECK(suite_begins(stage, l->stage) && fraction >= l->last);
    return l->calls++ == l->stop_at;
}

static int count_file_reports(void *user, const char *stage, double fraction)
{
    int *calls = user;
    CHECK(strcmp(stage, "kdtree_save") == 0 || strcmp(stage, "kdtree_load") == 0);
    *calls += fraction < 1;
    return 0;
}

static void structures(void)
{
    struct world *w = new_world();
    struct listener l = {.stage = "kdtree_"};
    const bosc_kdtree_opts tree_opts = {.size = sizeof tree_opts, .dtype = BOSC_F64, .dim = 3};
    const bosc_ctx_opts opts = {
        .size = sizeof opts, .threads = 1, .progress = record_context_progress, .progress_user = &l};
    bosc_kdtree *tree = NULL, *loaded = NULL;
    bosc_io_error error = {""};
    int calls = 0;
    l.stop_at = -1;
    set_paths(w, &(struct call){.ending = ".bosc.gz"});
    bosc_ctx *ctx = suite_open(&opts);
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &tree_opts, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, w->points, N, 3));
    for (int k = 0; k < 2; k++) {
        l.calls = 0;
        l.stop_at = 1 - k;
        CHECK_EQ(bosc_kdtree_save(ctx, tree, w->path, &error), BOSC_ERR_CANCELLED);
        CHECK(strstr(error.text, "kdtree_write: cancelled by the caller") != NULL);
        CHECK_EQ(files_in(w->folder), 0);
    }
    bi_io_set_clock(clock_of_looks);
    bosc_io_set_progress(count_file_reports, &calls); /* the file's own reports: its last bytes, and compression */
    l.stop_at = -1;
    CHECK_EQ(bosc_kdtree_save(ctx, tree, w->path, &error), BOSC_OK);
    CHECK(calls > 0);
    calls = l.calls = 0;
    CHECK_EQ(bosc_kdtree_load(ctx, w->path, &loaded, &error), BOSC_OK);
    CHECK(calls > 0 && l.calls > 0);
    bosc_kdtree_free(loaded);
    loaded = NULL;
    l.calls = l.stop_at = 0;
    CHECK_EQ(bosc_kdtree_load(ctx, w->path, &loaded, &error), BOSC_ERR_CANCELLED);
    CHECK(loaded == NULL);
    bosc_io_set_progress(NULL, NULL);
    bi_io_set_clock(NULL);
    remove_files(w);
    CHECK_EQ(rmdir(w->folder), 0);
    bosc_kdtree_free(tree);
    bosc_ctx_free(ctx);
    free(w);
}

static const struct suite_case suite_cases_io_progress[] = {
    {"written and read", NULL, written_and_read},
    {"what was there", NULL, existing_file_stays},
    {"who listens", NULL, only_the_setting_thread_is_called},
    {"structures", NULL, structures},
};
SUITE(io_progress);
