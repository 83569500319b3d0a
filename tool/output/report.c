#include "tool/output/report.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tool/job.h"
#include "tool/tool.h"

static bool progress_shown;               /* a bar is on the terminal */
static volatile sig_atomic_t pipe_closed; /* by the reader of standard output: errors need no message then */

static void note_closed_pipe(int signal)
{
    (void)signal;
    pipe_closed = 1;
}

void watch_pipes(void)
{
    struct sigaction now, ours = {.sa_handler = note_closed_pipe, .sa_flags = SA_RESTART};
    if (sigaction(SIGPIPE, NULL, &now) == 0 && now.sa_handler == SIG_DFL) sigaction(SIGPIPE, &ours, NULL);
}

int exit_by_pipe(int code)
{
    if (!pipe_closed) return code;
    signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
    return code;
}

void progress_clear(void)
{
    if (progress_shown) fprintf(stderr, "\r%72s\r", "");
    progress_shown = false;
}

int report_error(int code, const char *format, ...)
{
    va_list args;
    progress_clear();
    if (pipe_closed) return code;
    va_start(args, format);
    fputs("boscage: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return code;
}

int status_exit_code(bosc_status status)
{
    return status == BOSC_OK ? EXIT_DONE : status == BOSC_ERR_BACKEND ? EXIT_NO_BACKEND : EXIT_FAILED;
}

int report_io_error(bosc_status status, const bosc_io_error *error)
{
    return report_error(status_exit_code(status), "%s", error->text);
}

int report_ctx_error(const bosc_ctx *ctx, bosc_status status)
{
    const char *text = bosc_ctx_message(ctx);
    return report_error(status_exit_code(status), "%s", *text ? text : bosc_status_text(status));
}

int report_argument_error(const bosc_ctx *ctx, bosc_status status, const char *argument, const char *name)
{
    const char *text = bosc_ctx_message(ctx);
    const size_t length = strlen(argument);
    if (strncmp(text, argument, length) != 0 || text[length] != ':') return report_ctx_error(ctx, status);
    return report_error(status_exit_code(status), "%s%s", name, text + length);
}

/* Draws a bar at most ten times a second, but at least once per stage. */
int progress_show(void *user, const char *stage, double fraction)
{
    static double last_time;
    static char last_stage[40];
    char bar[31];
    (void)user;
    double now = job_now();
    if (now - last_time < 0.1 && strncmp(stage, last_stage, sizeof last_stage - 1) == 0) return 0;
    last_time = now;
    snprintf(last_stage, sizeof last_stage, "%s", stage);
    int full = fraction < 0 ? 0 : fraction > 1 ? 30 : (int)(fraction * 30);
    memset(bar, '-', 30);
    memset(bar, '#', (size_t)full);
    bar[30] = 0;
    fprintf(stderr, "\r%-24s [%s] %3d %%", stage, bar, (int)(fraction * 100));
    fflush(stderr);
    progress_shown = true;
    return 0;
}

void progress_step(const struct job *job, const char *stage, double fraction)
{
    if (isatty(STDERR_FILENO) && !job->value[OPT_QUIET]) progress_show(NULL, stage, fraction);
}
