/* Shared by all benchmarks: options, a context and its memory, clocks, checks and rows. A program lists its cases;
 * this file times and prints them. */
#ifndef BENCH_HARNESS_BENCH_H
#define BENCH_HARNESS_BENCH_H

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <boscage/boscage.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Wall-clock time; processor time of all threads, or of the calling thread. Other programs on the machine disturb
 * processor time less. */
enum bench_clock { BENCH_WALL, BENCH_PROCESS, BENCH_THREAD };

/* The state of a program: one run of it measures one setting. */
extern struct bench {
    bosc_ctx *ctx;
    bosc_ctx_opts opts; /* of the context that bench_open creates: backend, threads, level */
    int64_t n;
    int repeats;
    bool json, wrong; /* wrong: a check failed */
    enum bench_clock clock;
} bench;

/* --- Options ------------------------------------------------------------------------------------------------------ */

enum bench_kind { BENCH_INTEGER, BENCH_NUMBER, BENCH_TEXT, BENCH_FLAG };

/* -LETTER VALUE, or -LETTER of a flag. Integers may be written as 1e6. */
struct bench_option {
    char letter;
    enum bench_kind kind;
    void *value; /* int64_t, double, const char *, bool */
    const char *about;
};

/* Parses -n, -t, -r, -b, -j and the program's own options, which win where letters agree. Any other argument prints the
 * usage and ends the program. Before the call bench.n, bench.repeats and the own values hold the defaults. */
void bench_options(int argc, char **argv, const char *items, const struct bench_option *own, int count);

/* --- The context and its memory ----------------------------------------------------------------------------------- */

/* Opens bench.ctx, or ends the program with the reason. */
void bench_open(void);

/* After bench_open: switches to processor time if the context has one CPU thread. */
void bench_time_one_thread(void);

const char *bench_device(void); /* "cuda, NVIDIA H200" or "cpu, 2 threads" */

/* Frees the arrays and the context, and opens a context on the CPU: with all threads of the machine after a CUDA
 * context, with one thread after a CPU context. Used to compare answers, which must be the same everywhere. */
void bench_reopen(void);

/* Frees the arrays and the context. Returns the exit code: 1 if a check failed. */
int bench_close(void);

/* Ends the program with a message. */
void bench_fail(const char *format, ...);

/* A call on bench.ctx; a failure ends the program with the reason. */
#define BENCH(call)                                                          \
    do {                                                                     \
        if ((call) != BOSC_OK) bench_fail("%s: %s", #call, bench_message()); \
    } while (0)
const char *bench_message(void);

void *bench_host(size_t bytes); /* malloc, or the end of the program */

/* An array in the backend's memory, copied from the host's `from` unless that is NULL. */
void *bench_array(const void *from, size_t bytes);
void bench_release(void *array);

/* Adds an array of whole 32-bit words to a checksum: the same for the same bytes on every backend. */
uint64_t bench_sum(const void *array, size_t bytes, uint64_t sum);

/* --- Times and rows ----------------------------------------------------------------------------------------------- */

struct bench_times {
    double least, median; /* seconds */
};

double bench_now(void); /* by bench.clock */

/* Times run(user) after one untimed warm-up; prepare(user) (may be NULL) runs before each and is not timed. */
struct bench_times bench_time(void (*prepare)(void *user), void (*run)(void *user), void *user, int repeats);

/* One run, without a warm-up: for slow calls. */
struct bench_times bench_once(void (*run)(void *user), void *user);

struct bench_times bench_median_of(double *seconds, int count); /* sorts them */

/* A measurement, alone or beside a peer's on the same input. Members equal to 0 or NULL are not printed. */
struct bench_row {
    const char *name;    /* of the case */
    const char *library; /* NULL: ours; another library's rows have the names of our cases */
    const char *data;    /* type or shape of the items */
    int64_t n;           /* items */
    double bytes;        /* least number read and written */
    double floor;        /* lower bound in seconds; 0: the time of a copy of `bytes` bytes */
    struct bench_times ours;
    const char *peer;
    struct bench_times theirs;
    const char *note;
};
void bench_print(const struct bench_row *row);

/* A row of the case with its times, and with the least number of bytes that it moves. */
void bench_row(const char *name, int64_t n, struct bench_times times);
void bench_row_of_bytes(const char *name, int64_t n, double bytes, struct bench_times times);

void bench_say(const char *format, ...);               /* a line beside the rows */
const char *bench_text(const char *format, ...);       /* formatted text, valid for the next 7 calls */
void bench_check(bool right, const char *format, ...); /* if not `right`: prints the text; exit code 1 */

#ifdef __cplusplus
}
#endif
#endif
