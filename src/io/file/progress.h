/* Progress of a call of this library, reported to the progress function of the calling thread, which may cancel.
 *
 * A call has phases (bi_io_phase), each with its own items, such as bytes read or rows packed. Loops report finished
 * items (bi_io_advance, bi_io_set_done) in the calling thread. In other threads, or without a progress function, these
 * do nothing and return true. After a cancellation a loop may end in any way, for instance as if its text were
 * truncated; bi_io_end then replaces the status and the message. */
#ifndef BI_IO_FILE_PROGRESS_H
#define BI_IO_FILE_PROGRESS_H

#include <stdbool.h>

#include <boscage/io.h>

/* A running public call. */
struct bi_io_call {
    bool begun;
};
struct bi_io_call bi_io_begin(const char *function);
void bi_io_leave(const struct bi_io_call *call);

/* Starts a phase with this many items (0: unknown), which takes `share` of the rest of the call. */
void bi_io_phase(double share, double items);

/* Items between two reports of a loop: work of some 0.1 ms. That is far above a reading of the clock (some 20 ns), and
 * far below PAUSE (progress.c). By the weight of an item: bytes copied; numbers converted; rows of some numbers; lines
 * of text. */
enum {
    BI_IO_REPORT_BYTES = 1 << 20,
    BI_IO_REPORT_NUMBERS = 1 << 14,
    BI_IO_REPORT_ROWS = 1 << 12,
    BI_IO_REPORT_LINES = 1 << 10
};

/* Adds to the number of finished items, or sets it. False if the caller cancelled. */
bool bi_io_advance(double items);
bool bi_io_set_done(double items);
double bi_io_done(void); /* number of finished items of the phase */

/* True if the caller cancelled. */
bool bi_io_is_cancelled(void);

/* Around work of a context, which reports its own progress. */
void bi_io_pause_progress(void);
void bi_io_resume_progress(void);

/* Returns the status of a public call, before its outputs are set: `status`, or BOSC_ERR_CANCELLED if the caller
 * cancelled. Reports the fraction 1 on success. */
bosc_status bi_io_end(bosc_status status, bosc_io_error *error);

/* For tests: replaces the clock of the calling thread, in seconds; NULL: the machine's. */
void bi_io_set_clock(double (*clock)(void));

#endif
