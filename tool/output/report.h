/* Errors and progress on standard error. */
#ifndef TOOL_OUTPUT_REPORT_H
#define TOOL_OUTPUT_REPORT_H

#include "tool/tool.h"

/* Prints "boscage: ..." and returns the code; prints nothing once the reader of standard output has closed its pipe. */
int report_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int report_io_error(bosc_status status, const bosc_io_error *error);
int report_ctx_error(const bosc_ctx *ctx, bosc_status status); /* with the context's message */

/* The same; a message about this argument of the library has the name of an option or a file in its place. */
int report_argument_error(const bosc_ctx *ctx, bosc_status status, const char *argument, const char *name);
int status_exit_code(bosc_status status);

/* Makes a closed pipe a failed write. Call before any output. */
void watch_pipes(void);

/* Returns the exit code for main(); if a reader closed its pipe, ends the process by SIGPIPE instead, as filters do. */
int exit_by_pipe(int code);

/* A progress function for bosc_ctx that draws a bar on the terminal; and its removal. */
int progress_show(void *user, const char *stage, double fraction);
void progress_clear(void);

/* Draws the bar for a step of a job that runs programs, on a terminal and without --quiet only. */
void progress_step(const struct job *job, const char *stage, double fraction);

#endif
