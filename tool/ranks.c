/* Opens ranks, runs work on them, and gathers their results. */
#include "tool/ranks.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/mpi.h>
#include <boscage/nccl.h>

#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

enum { RANKS_MAX = 256, TIMEOUT = 300 }; /* chosen; TIMEOUT: seconds of an exchange between processes */

/* ---- processes ---- */

/* libboscage_mpi, opened only in a process started by mpirun or the like. */
static struct {
    void *library;
    bosc_status (*start)(void);
    void (*stop)(void);
    bosc_status (*transport)(const void *, bosc_comm_transport *, int32_t *, int32_t *);
} mpi;

/* True if the environment has the variables that Open MPI and PMI launchers set. */
static bool started_by_mpi(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (getenv(variables[i])) return true;
    return false;
}

static int open_mpi_library(void)
{
    mpi.library = dlopen("libboscage_mpi.so", RTLD_NOW | RTLD_GLOBAL);
    if (!mpi.library)
        return report_error(EXIT_FAILED, "mpirun: %s; without this library, ranks are threads of one process (--ranks)",
                            dlerror());
    *(void **)&mpi.start = dlsym(mpi.library, "bosc_mpi_start");
    *(void **)&mpi.stop = dlsym(mpi.library, "bosc_mpi_stop");
    *(void **)&mpi.transport = dlsym(mpi.library, "bosc_mpi_transport");
    if (mpi.start && mpi.stop && mpi.transport) return EXIT_DONE;
    return report_error(EXIT_FAILED, "mpirun: libboscage_mpi.so is of another version");
}

/* Switches to NCCL if all processes have it and a CUDA device each; otherwise data goes by MPI, through the host.
 * Processes of one host that map each other's device memory stay with MPI: their kernels access it directly, as those
 * of threads do. Not measured beside NCCL. */
static void switch_to_nccl(struct job *job, struct ranks *ranks)
{
    bosc_comm_info info = {.size = sizeof info};
    bosc_comm *nccl;
    if (bosc_comm_barrier(job->ctx, ranks->comms[0]) != BOSC_OK ||
        bosc_comm_get_info(job->ctx, ranks->comms[0], &info) != BOSC_OK || info.shared)
        return;
    if (bosc_comm_create_nccl_over(job->ctx, ranks->comms[0], NULL, &nccl) != BOSC_OK) return;
    ranks->bootstrap_comm = ranks->comms[0];
    ranks->comms[0] = nccl;
}

/* The single rank of this process, by MPI. */
static int open_process_rank(struct job *job, struct ranks *ranks)
{
    int code = open_mpi_library();
    if (code) return code;
    ranks->transport.size = sizeof ranks->transport;
    if (mpi.start() != BOSC_OK || mpi.transport(NULL, &ranks->transport, &ranks->first, &ranks->count) != BOSC_OK)
        return report_error(EXIT_FAILED, "mpirun: MPI does not start");
    ranks->local = 1;
    ranks->contexts[0] = job->ctx;
    bosc_status status =
        bosc_comm_create(job->ctx, &ranks->transport, ranks->first, ranks->count, NULL, &ranks->comms[0]);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    switch_to_nccl(job, ranks);
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
            return report_error(EXIT_USAGE, "--devices: %s is not a list of device numbers, as 0,1",
                                job->value[OPT_DEVICES]);
        if (ranks->count == RANKS_MAX) return report_error(EXIT_USAGE, "--devices: more than %d", RANKS_MAX);
        ranks->devices[ranks->count++] = (int32_t)number;
    } while (*text++ == ',');
    return EXIT_DONE;
}

/* Creates the contexts of the other ranks, like the job's or on their devices, and the communicators. */
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
            return report_error(EXIT_NO_BACKEND, "--devices: there is no CUDA device %d (%d found)", opts.device,
                                bosc_device_count());
        if (status != BOSC_OK) return report_error(status_exit_code(status), "%s", bosc_status_text(status));
        ranks->local = r + 1;
    }
    bosc_status status = bosc_comm_create_threads(job->ctx, ranks->count, NULL, ranks->comms);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

static int open_thread_ranks(struct job *job, struct ranks *ranks)
{
    int64_t count = 0;
    int code =
        job->value[OPT_DEVICES] ? read_devices(job, ranks) : option_integer(job, OPT_RANKS, 1, RANKS_MAX, &count);
    if (code) return code;
    if (!job->value[OPT_DEVICES]) ranks->count = (int32_t)count;
    ranks->local = 1;
    return open_contexts(job, ranks);
}

/* ---- opening and running ---- */

int ranks_open(struct job *job, struct ranks *ranks)
{
    *ranks = (struct ranks){0};
    const bool threads = job->value[OPT_RANKS] || job->value[OPT_DEVICES];
    if (!threads && !started_by_mpi()) return EXIT_DONE;
    ranks->contexts = job_alloc(RANKS_MAX, sizeof *ranks->contexts);
    ranks->comms = ranks->contexts ? job_alloc(RANKS_MAX, sizeof *ranks->comms) : NULL;
    if (!ranks->comms) return EXIT_FAILED;
    memset(ranks->contexts, 0, RANKS_MAX * sizeof *ranks->contexts);
    memset(ranks->comms, 0, RANKS_MAX * sizeof *ranks->comms);
    if (job->value[OPT_DEVICES] && !(ranks->devices = job_alloc(RANKS_MAX, sizeof *ranks->devices))) return EXIT_FAILED;
    int code = threads ? open_thread_ranks(job, ranks) : open_process_rank(job, ranks);
    if (!code) job_set_integer(job, "ranks", ranks->count);
    job->silent = ranks->first > 0;
    if (code) return code;
    ranks->counts = job_alloc(2 * (size_t)ranks->count + 1, sizeof *ranks->counts);
    ranks->begins = ranks->counts ? ranks->counts + ranks->count : NULL;
    return ranks->counts ? EXIT_DONE : EXIT_FAILED;
}

void ranks_close(struct ranks *ranks, int code)
{
    for (int32_t r = 0; ranks->comms && r < ranks->local; r++) bosc_comm_free(ranks->comms[r]);
    bosc_comm_free(ranks->bootstrap_comm);
    for (int32_t r = 1; r < ranks->local; r++) bosc_ctx_free(ranks->contexts[r]); /* the first is the job's */
    free(ranks->contexts);
    free(ranks->comms);
    free(ranks->devices);
    free(ranks->counts);
    if (mpi.stop && code == EXIT_DONE) mpi.stop(); /* after a failure it would wait for the others; mpirun ends them */
}

/* A thread that runs a rank. */
struct rank_thread {
    struct rank rank;
    bosc_comm **comm; /* freed if the rank fails: the others then return BOSC_ERR_COMM instead of waiting */
    rank_work work;
    void *user;
    bosc_status status;
    bosc_io_error error;
};

static void *run_rank_thread(void *user)
{
    struct rank_thread *t = user;
    t->status = t->work(&t->rank, t->user);
    if (t->status == BOSC_OK) return NULL;
    bosc_comm_free(*t->comm);
    *t->comm = NULL;
    return NULL;
}

/* Reports the original failure, not the BOSC_ERR_COMM of the other ranks. */
static int report_failure(const struct ranks *ranks, const struct rank_thread *threads)
{
    const struct rank_thread *failed = &threads[0];
    for (int32_t r = ranks->local; r-- > 0;)
        if (threads[r].status != BOSC_OK && threads[r].status != BOSC_ERR_COMM) failed = &threads[r];
    const bosc_ctx *ctx = failed->rank.ctx;
    const bool is_remote = failed->status == BOSC_ERR_COMM || strncmp(bosc_ctx_message(ctx), "rank ", 5) == 0;
    if ((is_remote || *failed->error.text) && ranks->first > 0) return EXIT_FAILED; /* another process reports it */
    return *failed->error.text ? report_io_error(failed->status, &failed->error)
                               : report_ctx_error(ctx, failed->status);
}

/* Runs `work` on every rank of this process, and waits. If not all threads start, the work of the others fails. */
static int run_ranks(const struct ranks *ranks, rank_work work, void *user)
{
    pthread_t started[RANKS_MAX];
    static struct rank_thread threads[RANKS_MAX];
    int32_t count = 1;
    /* 1. Start a thread for each rank but the first. */
    for (int32_t r = 0; r < ranks->local; r++) {
        const int32_t number = ranks->first + r;
        threads[r] = (struct rank_thread){.rank = {.ctx = ranks->contexts[r],
                                                   .comm = ranks->comms[r],
                                                   .number = number,
                                                   .count = ranks->count,
                                                   .found = &ranks->counts[number],
                                                   .error = &threads[r].error},
                                          .comm = &ranks->comms[r],
                                          .work = work,
                                          .user = user};
    }
    while (count < ranks->local && pthread_create(&started[count], NULL, run_rank_thread, &threads[count]) == 0)
        count++;
    for (int32_t r = count; r < ranks->local; r++) { /* the started ranks notice that the others have no communicator */
        bosc_comm_free(ranks->comms[r]);
        ranks->comms[r] = NULL;
    }
    /* 2. Run the first rank in this thread, and wait for the others. */
    run_rank_thread(&threads[0]);
    for (int32_t r = 1; r < count; r++) pthread_join(started[r], NULL);
    /* 3. Report errors. */
    if (count < ranks->local)
        return report_error(EXIT_FAILED, "--ranks: the system starts no more than %d", (int)count);
    for (int32_t r = 0; r < count; r++)
        if (threads[r].status != BOSC_OK) return report_failure(ranks, threads);
    return EXIT_DONE;
}

int ranks_run(struct job *job, const struct ranks *ranks, const char *stage, rank_work work, void *user)
{
    const double start = job_now();
    const int code = run_ranks(ranks, work, user);
    job_add_seconds(job, stage, start);
    return code;
}

/* The first n % count ranks have one item more than the others. */
static int64_t slice_of(int32_t rank, int32_t count, int64_t n, int64_t *begin)
{
    const int64_t quotient = n / count, remainder = n % count;
    *begin = quotient * rank + (rank < remainder ? rank : remainder);
    return quotient + (rank < remainder);
}

void rank_name_points(const struct rank *rank, bosc_status status, const char *path)
{
    static const char argument[] = "points:";
    const char *points = status == BOSC_OK ? NULL : strstr(bosc_ctx_message(rank->ctx), argument);
    if (points) snprintf(rank->error->text, sizeof rank->error->text, "%s:%s", path, points + sizeof argument - 1);
}

int64_t rank_slice(const struct rank *rank, int64_t n, int64_t *begin)
{
    return slice_of(rank->number, rank->count, n, begin);
}

int64_t ranks_slice(const struct ranks *ranks, int32_t rank, int64_t n, int64_t *begin)
{
    return slice_of(rank, ranks->count, n, begin);
}

void *ranks_alloc(const struct ranks *ranks, size_t size)
{
    void *elements = job_alloc((size_t)ranks->count, size);
    if (elements) memset(elements, 0, (size_t)ranks->count * size);
    return elements;
}

/* ---- gathers ---- */

static int report_lost(void) { return report_error(EXIT_FAILED, "mpirun: a process was lost"); }

/* Exchanges the counts of all ranks; this process's are set. Returns 0, or nonzero if a process was lost. */
static int gather_counts(const struct ranks *ranks)
{
    const int64_t own = ranks->counts[ranks->first];
    if (ranks->count == ranks->local) return 0;
    return ranks->transport.all_gather(ranks->transport.user, &own, sizeof own, ranks->counts, TIMEOUT);
}

/* Sends the rows of this process's rank, which begin at its entry of `begins`, to the first process: there they follow
 * those of the lower ranks. offsets: scratch, 2 (ranks + 1). */
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

int ranks_gather_rows(const struct ranks *ranks, int64_t n, void *rows, size_t size, int64_t *total)
{
    int64_t *counts = ranks->counts, *begins = job_alloc(3 * ((size_t)ranks->count + 1), sizeof *begins), at = 0;
    if (!begins) return EXIT_FAILED;
    for (int32_t r = 0; r < ranks->count; r++) ranks_slice(ranks, r, n, &begins[r]);
    int is_lost = gather_counts(ranks);
    if (!is_lost && ranks->count > ranks->local)
        is_lost = send_rows(ranks, rows, counts, begins, size, begins + ranks->count + 1);
    /* Threads share the array: close the gaps. */
    for (int32_t r = 0; r < ranks->count; at += counts[r++])
        if (ranks->count == ranks->local)
            memmove((char *)rows + (size_t)at * size, (const char *)rows + (size_t)begins[r] * size,
                    (size_t)counts[r] * size);
    *total = at;
    free(begins);
    return is_lost ? report_lost() : EXIT_DONE;
}

int ranks_sum_counts(const struct ranks *ranks)
{
    if (gather_counts(ranks)) return report_lost();
    ranks->begins[0] = 0;
    for (int32_t r = 0; r < ranks->count; r++) ranks->begins[r + 1] = ranks->begins[r] + ranks->counts[r];
    return EXIT_DONE;
}

/* Gathers rows that begin at the exclusive sum of the counts; those of threads are complete already. */
static int gather_counted(const struct ranks *ranks, const int64_t *counts, void *rows, size_t size)
{
    int64_t *begins = job_alloc(3 * ((size_t)ranks->count + 1), sizeof *begins), at = 0;
    if (!begins) return EXIT_FAILED;
    for (int32_t r = 0; r < ranks->count; at += counts[r++]) begins[r] = at;
    const int is_lost = send_rows(ranks, rows, counts, begins, size, begins + ranks->count + 1);
    free(begins);
    return is_lost ? report_lost() : EXIT_DONE;
}

int ranks_gather_in_place(const struct ranks *ranks, void *rows, size_t size)
{
    if (ranks->count == ranks->local) return EXIT_DONE;
    if (gather_counts(ranks)) return report_lost();
    return gather_counted(ranks, ranks->counts, rows, size);
}

int ranks_gather_slices(const struct ranks *ranks, int64_t n, void *rows, size_t size)
{
    if (ranks->count == ranks->local) return EXIT_DONE;
    int64_t at, *counts = ranks_alloc(ranks, sizeof *counts);
    if (!counts) return EXIT_FAILED;
    for (int32_t r = 0; r < ranks->count; r++) counts[r] = ranks_slice(ranks, r, n, &at);
    int code = gather_counted(ranks, counts, rows, size);
    free(counts);
    return code;
}

int ranks_all_gather_slices(const struct ranks *ranks, int64_t n, void *rows, size_t size)
{
    if (ranks->count == ranks->local) return EXIT_DONE;
    int64_t at, own_count = ranks_slice(ranks, ranks->first, n, &at),
                max_count = ranks_slice(ranks, 0, n, &(int64_t){0});
    const size_t bytes = (size_t)max_count * size; /* of each rank, padded to the largest: the first */
    char *all = job_alloc((size_t)ranks->count + 1, bytes), *own = all ? all + (size_t)ranks->count * bytes : NULL;
    if (!all) return EXIT_FAILED;
    memcpy(own, (const char *)rows + (size_t)at * size, (size_t)own_count * size);
    const int is_lost = ranks->transport.all_gather(ranks->transport.user, own, bytes, all, TIMEOUT);
    for (int32_t r = 0; r < ranks->count && !is_lost; r++) {
        const int64_t count = ranks_slice(ranks, r, n, &at);
        memcpy((char *)rows + (size_t)at * size, all + (size_t)r * bytes, (size_t)count * size);
    }
    free(all);
    return is_lost ? report_lost() : EXIT_DONE;
}

int ranks_gather_array(const struct ranks *ranks, const bosc_array *array, size_t size)
{
    return array->data ? ranks_gather_slices(ranks, array->shape[0], array->data, size) : EXIT_DONE;
}

/* ---- inputs ---- */

char *array_row(const bosc_array *array, int64_t row)
{
    const int64_t width = array->shape[1] * array->shape[2] * array->shape[3];
    return array->data ? (char *)array->data + (size_t)(row * width) * bosc_dtype_size(array->dtype) : NULL;
}

/* The part of a file that this process reads: all, or its rank's slice of a .npy file. */
static bosc_slice file_slice(const struct ranks *ranks, const char *path)
{
    const bool whole = ranks->local == ranks->count || !path_has_ending(path, ".npy");
    return (bosc_slice){.part = whole ? 0 : ranks->first, .parts = whole ? 1 : ranks->count};
}

int ranks_read_npy(struct job *job, const struct ranks *ranks, const char *path, struct input_rows *rows)
{
    bosc_io_error error;
    bosc_slice slice = file_slice(ranks, path);
    double start = job_now();
    bosc_status status = bosc_npy_read_slice(path, &slice, &rows->array, &error);
    job_add_seconds(job, "read", start);
    rows->slice = slice;
    rows->first = slice.begin;
    rows->total = slice.rows;
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

int ranks_read_points(struct job *job, const struct ranks *ranks, const char *path, struct input_rows *rows)
{
    bosc_slice slice = file_slice(ranks, path);
    int code = points_read_slice(job, path, &slice, &rows->array);
    rows->slice = slice;
    rows->first = slice.begin;
    rows->total = slice.rows;
    return code;
}

char *input_row(const struct input_rows *rows, int64_t row) { return array_row(&rows->array, row - rows->first); }
