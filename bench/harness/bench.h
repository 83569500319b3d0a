/* What all benchmarks share, in one place: options, a context and its memory, clocks, checks and rows. A program says
 * what its cases are; how they are timed and told is said here. */
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

/* Time of the clock on the wall; processor time of all threads, or of the calling one. What else runs on a machine
 * disturbs processor time less. */
enum bench_clock { BENCH_WALL, BENCH_PROCESS, BENCH_THREAD };

/* The state of a program: one run of it measures one setting. */
extern struct bench {
    bosc_ctx *ctx;
    bosc_ctx_opts opts; /* backend, threads, level: what bench_open opens */
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

/* Takes -n, -t, -r, -b, -j and the program's own options, which come first where letters agree. Anything else ends the
 * program with how it is used. bench.n, bench.repeats and the own values hold the defaults before. */
void bench_options(int argc, char **argv, const char *items, const struct bench_option *own, int count);

/* --- The context and its memory ----------------------------------------------------------------------------------- */

/* Opens bench.ctx, or ends the program with the reason. */
void bench_open(void);

/* After bench_open: one thread of the CPU is timed by the processor time that it takes. */
void bench_time_one_thread(void);

const char *bench_device(void); /* "cuda, NVIDIA H200" or "cpu, 2 threads" */

/* Gives back the arrays and the context, and opens one on the CPU, with as many threads as the machine has, or one if
 * that was a CPU's: for answers that must be the same everywhere. */
void bench_reopen(void);

/* Gives back the arrays and the context. Returns the exit code: 1 if a check failed. */
int bench_close(void);

/* Ends the program with a message. */
void bench_fail(const char *format, ...);

/* A call on bench.ctx; what fails ends the program with the reason. */
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

/* Times run(user) after one run that does not count; prepare(user) (may be NULL) goes before each and is not timed. */
struct bench_times bench_time(void (*prepare)(void *user), void (*run)(void *user), void *user, int repeats);

/* One run, without a warm-up: for what takes long. */
struct bench_times bench_once(void (*run)(void *user), void *user);

struct bench_times bench_median_of(double *seconds, int count); /* sorts them */

/* A measurement, alone or beside a peer's on the same input. What is 0 or NULL is not told. */
struct bench_row {
    const char *name;    /* of the case */
    const char *library; /* whose, if not ours; its rows have the names of our cases */
    const char *data;    /* type or shape of the items */
    int64_t n;           /* items */
    double bytes;        /* that must be read and written at least */
    double floor;        /* seconds that the case takes at least; 0: those in which as many bytes are copied */
    struct bench_times ours;
    const char *peer;
    struct bench_times theirs;
    const char *note;
};
void bench_print(const struct bench_row *row);

/* A row of the case with its times alone, or with the bytes that it must move. */
void bench_row(const char *name, int64_t n, struct bench_times times);
void bench_row_of_bytes(const char *name, int64_t n, double bytes, struct bench_times times);

void bench_say(const char *format, ...);               /* a line beside the rows */
const char *bench_text(const char *format, ...);       /* a text that lasts for some calls */
void bench_check(bool right, const char *format, ...); /* tells what is wrong; the program then fails at its end */

#ifdef __cplusplus
}
#endif
#endif
