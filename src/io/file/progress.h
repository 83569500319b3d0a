/* How far a call of this library is, told to the progress function of the calling thread, which may stop it.
 *
 * A call goes through phases (bi_io_phase), each with items of its own: bytes that are read, rows that are packed.
 * Loops say what they have done (bi_io_advance, bi_io_reach), in the calling thread alone: in others, and where nobody
 * listens, that does nothing and says that all is well. Who is told to stop comes to an end by any way, as if its text
 * were truncated or its file could not be read; bi_io_end then says what really happened, and gives the call's
 * status. */
#ifndef BI_IO_FILE_PROGRESS_H
#define BI_IO_FILE_PROGRESS_H

#include <stdbool.h>

#include <boscage/io.h>

/* A public call that runs. */
struct bi_io_call {
    bool begun;
};
struct bi_io_call bi_io_begin(const char *function);
void bi_io_leave(const struct bi_io_call *call);

/* What comes now has so many items (0: nobody knows), and takes this share of what is left of the call. */
void bi_io_phase(double share, double items);

/* So many items more of the phase are done, or so many in all. False: the caller wants to stop. */
bool bi_io_advance(double items);
bool bi_io_reach(double items);
double bi_io_done(void); /* items of the phase, to reach further ones from */

/* Whether the caller wants to stop. */
bool bi_io_stops(void);

/* What a context does now it tells itself. */
void bi_io_hush(void);
void bi_io_resume(void);

/* The status of a public call, before its outputs are set: that of its work; or BOSC_ERR_CANCELLED where the caller
 * wants to stop. One that ends well tells so. */
bosc_status bi_io_end(bosc_status status, bosc_io_error *error);

/* For tests: the clock of the calling thread, in seconds; NULL: the machine's. */
void bi_io_set_clock(double (*clock)(void));

#endif
