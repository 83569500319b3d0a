/* Ranks are opened, run and gathered from. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/mpi.h>
#include <boscage/nccl.h>

#include "tool/ranks.h"

enum { MOST_RANKS = 256, TIMEOUT = 300 };

/* ---- processes ---- */

/* libboscage_mpi, which is opened only where a program like mpirun has started this one. */
static struct {
    void *library;
    bosc_status (*start)(void);
    void (*stop)(void);
    bosc_status (*transport)(const void *, bosc_comm_transport *, int32_t *, int32_t *);
} mpi;

/* Open MPI and those that start processes by PMI say so in the environment. */
static bool started_by_mpi(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        if (getenv(sizes[i])) return true;
    return false;
}

static int open_library(void)
{
    mpi.library = dlopen("libboscage_mpi.so", RTLD_NOW | RTLD_GLOBAL);
    if (!mpi.library)
        return say(EXIT_FAILED,
                   "mpirun: %s; without it, this program can run on several ranks of one process alone "
                   "(--ranks)",
                   dlerror());
    *(void **)&mpi.start = dlsym(mpi.library, "bosc_mpi_start");
    *(void **)&mpi.stop = dlsym(mpi.library, "bosc_mpi_stop");
    *(void **)&mpi.transport = dlsym(mpi.library, "bosc_mpi_transport");
    if (mpi.start && mpi.stop && mpi.transport) return EXIT_DONE;
    return say(EXIT_FAILED, "mpirun: libboscage_mpi.so is of another version");
}

/* Between CUDA devices, data goes by NCCL where all processes have it and a device each; else by MPI, through the
 * host. */
static void join_devices(struct job *job, struct ranks *ranks)
{
    bosc_comm *nccl;
    if (bosc_comm_create_nccl_over(job->ctx, ranks->comms[0], NULL, &nccl) != BOSC_OK) return;
    ranks->start = ranks->comms[0];
    ranks->comms[0] = nccl;
}

static int open_process(struct job *job, struct ranks *ranks)
{
    int code = open_library();
    if (code) return code;
    ranks->transport.size = sizeof ranks->transport;
    if (mpi.start() != BOSC_OK || mpi.transport(NULL, &ranks->transport, &ranks->first, &ranks->count) != BOSC_OK)
        return say(EXIT_FAILED, "mpirun: MPI does not start");
    ranks->locals = 1;
    ranks->contexts[0] = job->ctx;
    bosc_status status =
        bosc_comm_create(job->ctx, &ranks->transport, ranks->first, ranks->count, NULL, &ranks->comms[0]);
    if (status != BOSC_OK) return say_ctx(job, status);
    join_devices(job, ranks);
    return EXIT_DONE;
}

/* ---- threads ---- */

static int read_devices(const struct job *job, struct ranks *ranks)
{
    const char *text = job->value[OPT_DEVICES];
    do {
        uint64_t number;
        bool negative;
        if (number_read(&text, &negative, &number) != NUMBER_INTEGER || negative || number > INT32_MAX ||
            (*text && *text != ','))
            return say(EXIT_USAGE, "--devices: %s is not a list of device numbers, as 0,1", job->value[OPT_DEVICES]);
        if (ranks->count == MOST_RANKS) return say(EXIT_USAGE, "--devices: more than %d", MOST_RANKS);
        ranks->devices[ranks->count++] = (int32_t)number;
    } while (*text++ == ',');
    return EXIT_DONE;
}

/* The contexts of the other ranks: like the job's, or of their devices. */
static int open_contexts(struct job *job, struct ranks *ranks)
{
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_get_info(job->ctx, &info);
    ranks->contexts[0] = job->ctx;
    for (int32_t r = 1; r < ranks->count; r++) {
        const bosc_ctx_opts opts = {.size = sizeof opts,
                                    .backend = info.backend,
                                    .device = ranks->devices    ? ranks->devices[r]
                                              : info.device < 0 ? 0
                                                                : info.device,
                                    .threads = info.threads};
        bosc_status status = bosc_ctx_create(&opts, &ranks->contexts[r]);
        if (status == BOSC_ERR_BACKEND)
            return say(EXIT_NO_BACKEND, "--devices: there is no CUDA device %d (%d found)", opts.device,
                       bosc_device_count());
        if (status != BOSC_OK) return say(exit_code_of(status), "%s", bosc_status_text(status));
        ranks->locals = r + 1;
    }
    bosc_status status = bosc_comm_create_threads(job->ctx, ranks->count, NULL, ranks->comms);
    return status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
}

static int open_threads(struct job *job, struct ranks *ranks)
{
    int64_t count = 0;
    int code =
        job->value[OPT_DEVICES] ? read_devices(job, ranks) : option_integer(job, OPT_RANKS, 1, MOST_RANKS, &count);
    if (code) return code;
    if (!job->value[OPT_DEVICES]) ranks->count = (int32_t)count;
    ranks->locals = 1;
    return open_contexts(job, ranks);
}

/* ---- both ---- */

int ranks_open(struct job *job, struct ranks *ranks)
{
    *ranks = (struct ranks){0};
    const bool threads = job->value[OPT_RANKS] || job->value[OPT_DEVICES];
    if (!threads && !started_by_mpi()) return EXIT_DONE;
    ranks->contexts = job_alloc(MOST_RANKS, sizeof *ranks->contexts);
    ranks->comms = ranks->contexts ? job_alloc(MOST_RANKS, sizeof *ranks->comms) : NULL;
    if (!ranks->comms) return EXIT_FAILED;
    memset(ranks->contexts, 0, MOST_RANKS * sizeof *ranks->contexts);
    memset(ranks->comms, 0, MOST_RANKS * sizeof *ranks->comms);
    if (job->value[OPT_DEVICES] && !(ranks->devices = job_alloc(MOST_RANKS, sizeof *ranks->devices)))
        return EXIT_FAILED;
    int code = threads ? open_threads(job, ranks) : open_process(job, ranks);
    if (!code) job_integer(job, "ranks", ranks->count);
    job->silent = ranks->first > 0;
    return code;
}

void ranks_close(struct ranks *ranks, int code)
{
    for (int32_t r = 0; ranks->comms && r < ranks->locals; r++) bosc_comm_free(ranks->comms[r]);
    bosc_comm_free(ranks->start);
    for (int32_t r = 1; r < ranks->locals; r++) bosc_ctx_free(ranks->contexts[r]); /* the first is the job's */
    free(ranks->contexts);
    free(ranks->comms);
    free(ranks->devices);
    if (mpi.stop && code == EXIT_DONE) mpi.stop(); /* else it would wait for the others; mpirun ends them */
}

struct thread {
    struct rank rank;
    bosc_comm **end; /* freed if the rank fails: the others must not wait for it */
    rank_work work;
    void *user;
    bosc_status status;
    bosc_io_error error;
};

static void *run_thread(void *user)
{
    struct thread *t = user;
    t->status = t->work(&t->rank, t->user);
    if (t->status == BOSC_OK) return NULL;
    bosc_comm_free(*t->end);
    *t->end = NULL;
    return NULL;
}

/* Says what went wrong first, not what the other ranks then saw. */
static int say_failure(const struct ranks *ranks, const struct thread *threads)
{
    const struct thread *failed = &threads[0];
    for (int32_t r = ranks->locals; r-- > 0;)
        if (threads[r].status != BOSC_OK && threads[r].status != BOSC_ERR_COMM) failed = &threads[r];
    const struct job at = {.ctx = failed->rank.ctx};
    const bool elsewhere = failed->status == BOSC_ERR_COMM || strncmp(bosc_ctx_message(at.ctx), "rank ", 5) == 0;
    if ((elsewhere || *failed->error.text) && ranks->first > 0) return EXIT_FAILED; /* another process says it */
    return *failed->error.text ? say_io(failed->status, &failed->error) : say_ctx(&at, failed->status);
}

int ranks_run(const struct ranks *ranks, rank_work work, void *user)
{
    pthread_t started[MOST_RANKS];
    static struct thread threads[MOST_RANKS];
    int32_t count = 1;
    for (int32_t r = 0; r < ranks->locals; r++)
        threads[r] = (struct thread){
            .rank = {ranks->contexts[r], ranks->comms[r], ranks->first + r, ranks->count, &threads[r].error},
            .end = &ranks->comms[r],
            .work = work,
            .user = user};
    while (count < ranks->locals && pthread_create(&started[count], NULL, run_thread, &threads[count]) == 0) count++;
    if (count < ranks->locals) { /* the ranks that are there find that the others are gone */
        for (int32_t r = count; r < ranks->locals; r++) {
            bosc_comm_free(ranks->comms[r]);
            ranks->comms[r] = NULL;
        }
    }
    run_thread(&threads[0]);
    for (int32_t r = 1; r < count; r++) pthread_join(started[r], NULL);
    if (count < ranks->locals) return say(EXIT_FAILED, "--ranks: the system starts no more than %d", (int)count);
    for (int32_t r = 0; r < count; r++)
        if (threads[r].status != BOSC_OK) return say_failure(ranks, threads);
    return EXIT_DONE;
}

int64_t rank_slice(const struct rank *rank, int64_t n, int64_t *begin)
{
    const int64_t each = n / rank->count, rest = n % rank->count, r = rank->number;
    *begin = each * r + (r < rest ? r : rest);
    return each + (r < rest);
}

/* counts[0 .. ranks - 1], of which this process knows those of its own ranks. */
static int gather_counts(const struct ranks *ranks, int64_t *counts)
{
    const int64_t own = counts[ranks->first];
    if (ranks->count == ranks->locals) return 0;
    return ranks->transport.all_gather(ranks->transport.user, &own, sizeof own, counts, TIMEOUT);
}

/* The rows of this process's rank go to the first process. */
static int send_rows(const struct ranks *ranks, char *rows, const int64_t *counts, const int64_t *begins, size_t size,
                     int64_t *offsets)
{
    int64_t *sent = offsets, *received = offsets + ranks->count + 1;
    const bool first = ranks->first == 0;
    received[0] = sent[0] = 0;
    for (int32_t r = 0; r < ranks->count; r++) {
        received[r + 1] = first ? received[r] + (r == 0 ? 0 : counts[r] * (int64_t)size) : 0;
        sent[r + 1] = first ? 0 : counts[ranks->first] * (int64_t)size;
    }
    char *own = rows + (size_t)begins[ranks->first] * size;
    return ranks->transport.all_to_all(ranks->transport.user, own, sent, rows + (size_t)counts[0] * size, received,
                                       TIMEOUT);
}

int ranks_gather(const struct ranks *ranks, int64_t n, int64_t *counts, void *rows, size_t size, int64_t *total)
{
    int64_t *begins = job_alloc(3 * ((size_t)ranks->count + 1), sizeof *begins), at = 0;
    if (!begins) return EXIT_FAILED;
    for (int32_t r = 0; r < ranks->count; r++)
        rank_slice(&(struct rank){.number = r, .count = ranks->count}, n, &begins[r]);
    int lost = gather_counts(ranks, counts);
    if (!lost && ranks->count > ranks->locals)
        lost = send_rows(ranks, rows, counts, begins, size, begins + ranks->count + 1);
    for (int32_t r = 0; r < ranks->count; at += counts[r++])
        if (ranks->count == ranks->locals)
            memmove((char *)rows + (size_t)at * size, (const char *)rows + (size_t)begins[r] * size,
                    (size_t)counts[r] * size);
    *total = at;
    free(begins);
    return lost ? say(EXIT_FAILED, "mpirun: a process was lost") : EXIT_DONE;
}

int ranks_sum_before(const struct ranks *ranks, int64_t *counts, int64_t *begins)
{
    if (gather_counts(ranks, counts)) return say(EXIT_FAILED, "mpirun: a process was lost");
    begins[0] = 0;
    for (int32_t r = 0; r < ranks->count; r++) begins[r + 1] = begins[r] + counts[r];
    return EXIT_DONE;
}

int ranks_join(const struct ranks *ranks, int64_t *counts, void *rows, size_t size)
{
    if (ranks->count == ranks->locals) return EXIT_DONE;
    int64_t *begins = job_alloc(3 * ((size_t)ranks->count + 1), sizeof *begins), at = 0;
    if (!begins) return EXIT_FAILED;
    int lost = gather_counts(ranks, counts);
    for (int32_t r = 0; r < ranks->count && !lost; at += counts[r++]) begins[r] = at;
    if (!lost) lost = send_rows(ranks, rows, counts, begins, size, begins + ranks->count + 1);
    free(begins);
    return lost ? say(EXIT_FAILED, "mpirun: a process was lost") : EXIT_DONE;
}

int ranks_share(const struct ranks *ranks, int64_t *counts, void *rows, size_t size)
{
    int64_t most = 0, at = 0;
    if (ranks->count == ranks->locals) return EXIT_DONE;
    if (gather_counts(ranks, counts)) return say(EXIT_FAILED, "mpirun: a process was lost");
    for (int32_t r = 0; r < ranks->count; r++) {
        if (counts[r] > most) most = counts[r];
        if (r < ranks->first) at += counts[r];
    }
    const size_t bytes = (size_t)most * size; /* of each: the last ones may be of no one */
    char *all = job_alloc((size_t)ranks->count + 1, bytes), *own = all ? all + (size_t)ranks->count * bytes : NULL;
    if (!all) return EXIT_FAILED;
    memcpy(own, (const char *)rows + (size_t)at * size, (size_t)counts[ranks->first] * size);
    const int lost = ranks->transport.all_gather(ranks->transport.user, own, bytes, all, TIMEOUT);
    at = 0;
    for (int32_t r = 0; r < ranks->count && !lost; at += counts[r++])
        memcpy((char *)rows + (size_t)at * size, all + (size_t)r * bytes, (size_t)counts[r] * size);
    free(all);
    return lost ? say(EXIT_FAILED, "mpirun: a process was lost") : EXIT_DONE;
}

int ranks_gather_array(const struct ranks *ranks, bosc_array *array, size_t size)
{
    int64_t total, *counts = array->data ? job_alloc((size_t)ranks->count, sizeof *counts) : NULL;
    if (!array->data) return EXIT_DONE;
    if (!counts) return EXIT_FAILED;
    for (int32_t r = 0; r < ranks->count; r++)
        counts[r] = rank_slice(&(struct rank){.number = r, .count = ranks->count}, array->shape[0], &total);
    int code = ranks_gather(ranks, array->shape[0], counts, array->data, size, &total);
    free(counts);
    return code;
}

char *array_row(const bosc_array *array, int64_t row)
{
    const int64_t width = array->shape[1] * array->shape[2] * array->shape[3];
    return array->data ? (char *)array->data + (size_t)(row * width) * bosc_dtype_size(array->dtype) : NULL;
}

/* ---- inputs ---- */

/* What this process reads of the file: all, or its rank's slice. */
static bosc_slice slice_of(const struct ranks *ranks, const char *path)
{
    const bool whole = ranks->locals == ranks->count || !path_ends_in(path, ".npy");
    return (bosc_slice){.part = whole ? 0 : ranks->first, .parts = whole ? 1 : ranks->count};
}

int ranks_read_npy(struct job *job, const struct ranks *ranks, const char *path, struct rank_rows *rows)
{
    bosc_io_error error;
    bosc_slice slice = slice_of(ranks, path);
    double start = job_now();
    bosc_status status = bosc_npy_read_slice(path, &slice, &rows->array, &error);
    job_seconds(job, "read", start);
    rows->slice = slice;
    rows->first = slice.begin;
    rows->total = slice.rows;
    return status == BOSC_OK ? EXIT_DONE : say_io(status, &error);
}

int ranks_read_points(struct job *job, const struct ranks *ranks, const char *path, struct rank_rows *rows)
{
    bosc_slice slice = slice_of(ranks, path);
    int code = points_read_slice(job, path, &slice, &rows->array);
    rows->slice = slice;
    rows->first = slice.begin;
    rows->total = slice.rows;
    return code;
}

char *rank_row(const struct rank_rows *rows, int64_t row) { return array_row(&rows->array, row - rows->first); }
