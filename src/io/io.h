/* Common to all files of libboscage_io: entry to a public call, messages, threads, memory.
 *
 * Parsers take bytes, not paths, so tests and fuzzers need no files. Of a large file, some parsers take only the first
 * bytes in memory and read the others on demand (struct bi_bytes, file/file.h). Outputs are unchanged on failure. */
#ifndef BI_IO_IO_H
#define BI_IO_IO_H

#include <stdbool.h>

#include <boscage/io.h>

#include "base/caller.h"
#include "base/threads.h"
#include "io/file/progress.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the formats are little-endian, and so must the machine be"
#endif

/* Sets the text of `error`, which may be NULL, and returns the status. */
bosc_status bi_io_fail(bosc_io_error *error, bosc_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The reason of a failure, to which the caller adds the name of the file and the line. */
struct bi_reason {
    char text[160]; /* a sentence of 100 characters and two numbers of 20 digits; a longer one would be cut */
};

/* True if the size of a public struct, set by the caller, is plausible: whole words, and not so large that it is more
 * likely uninitialised. As bi_is_struct_size of core/check.h, which libboscage does not export. */
bool bi_io_is_struct_size(size_t size, size_t ours);

/* Copies the caller's options, whose first member is their size, to *full, of `size` bytes; missing members become
 * zero. NULL options are all zero. Refuses impossible sizes and those of a later version. type: name of the struct. */
bosc_status bi_io_read_opts(const char *type, const void *opts, void *full, size_t size, bosc_io_error *error);

/* First statement of every public function that reads or writes. Saves the caller's errno and floating-point
 * environment, and starts progress reports. */
#define BI_IO_ENTER                       \
    BI_SAVE_CALLER(bi_threads_default()); \
    const struct bi_io_call bi_io_call_ __attribute__((cleanup(bi_io_leave), unused)) = bi_io_begin(__func__)

/* Returns the number of threads for a loop over this many items, at most BI_CHUNKS_MAX. */
enum { BI_CHUNKS_MAX = 64 }; /* sizes arrays on the stack; reading by more threads is not measured */
int bi_io_threads(size_t items);

/* Least elements of an array that grows by half: half of 0 or 1 is no growth. More: fewer reallocations of small files.
 * 256 arcs are 4 KB, a page. */
enum { BI_IO_MIN_CAPACITY = 256 };

/* malloc and realloc behind the fault points. NULL where memory is short, even if the system would overcommit. */
void *bi_io_alloc(size_t bytes);
void *bi_io_realloc(void *memory, size_t bytes);
/* True if this much more memory is free. Systems that overcommit kill a process when the memory is written, which the
 * numbers of a large text could cause. Checked for large blocks only; true where the system does not report it. */
bool bi_io_memory_available(size_t more);

#endif
