/* What a job says on standard error, and the bar that it draws there. */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tool/tool.h"

static bool progress_shown;               /* the terminal's line holds a bar */
static volatile sig_atomic_t pipe_closed; /* by a reader: what it did not want needs no message */

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

int end_of_pipes(int code)
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

int say(int code, const char *format, ...)
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

int exit_code_of(bosc_status status)
{
    return status == BOSC_OK ? EXIT_DONE : status == BOSC_ERR_BACKEND ? EXIT_NO_BACKEND : EXIT_FAILED;
}

int say_io(bosc_status status, const bosc_io_error *error) { return say(exit_code_of(status), "%s", error->text); }

int say_ctx(const struct job *job, bosc_status status)
{
    const char *text = bosc_ctx_message(job->ctx);
    return say(exit_code_of(status), "%s", *text ? text : bosc_status_text(status));
}

/* Draws a bar on the terminal, at most ten times a second, and for each stage once at least. */
int progress_show(void *user, const char *stage, double fraction)
{
    static double last;
    static char drawn[40]; /* its stage */
    char bar[31];
    (void)user;
    double now = job_now();
    if (now - last < 0.1 && strncmp(stage, drawn, sizeof drawn - 1) == 0) return 0;
    last = now;
    snprintf(drawn, sizeof drawn, "%s", stage);
    int full = fraction < 0 ? 0 : fraction > 1 ? 30 : (int)(fraction * 30);
    memset(bar, '-', 30);
    memset(bar, '#', (size_t)full);
    bar[30] = 0;
    fprintf(stderr, "\r%-24s [%s] %3d %%", stage, bar, (int)(fraction * 100));
    fflush(stderr);
    progress_shown = true;
    return 0;
}
