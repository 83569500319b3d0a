/* boscage(1): one command a job. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>

#include <boscage/io.h>

#include "tool/tool.h"

/* Where a standard file is closed, no other may take its number: what is meant for it would go there. What takes it
 * cannot be read, or written to, so that using it fails as it should. */
static void hold_standard_files(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) return;
}

/* What is half written goes with the process. */
static void end_by_signal(int number)
{
    bosc_temporaries_remove();
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++)
        if (signal(ending[i], end_by_signal) == SIG_IGN) signal(ending[i], SIG_IGN); /* nohup */
    signal(SIGXFSZ, SIG_IGN); /* a file at its limit is a failed write */
    watch_pipes();
}

static int run(int argc, char **argv)
{
    struct job job = {.commands = commands, .command_count = command_count};
    int code = options_read(&job, argc, argv);
    if (code) return code;
    job.command = command_find(&job, job.words, job.word_count);
    if (job.version || job.help) {
        if (job.version)
            printf("boscage %s\n", bosc_version());
        else
            help_print(&job, job.command, job.word_count ? job.words[0] : NULL);
        return job_close(&job, EXIT_DONE);
    }
    if (!job.command) return command_refuse(&job);
    int used = job.command->verb ? 2 : 1;
    job.operands = job.words + used;
    job.operand_count = job.word_count - used;
    code = options_check(&job);
    if (code) return code;
    return job_close(&job, job.command->run(&job));
}

int main(int argc, char **argv)
{
    hold_standard_files();
    catch_signals();
    return end_of_pipes(run(argc, argv));
}
