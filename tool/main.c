/* boscage(1): runs one command. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>

#include <boscage/io.h>

#include "tool/help/help.h"
#include "tool/job.h"
#include "tool/options/find_command.h"
#include "tool/options/options.h"
#include "tool/output/report.h"
#include "tool/output/staged_folder.h"
#include "tool/tool.h"

/* Opens /dev/null in place of closed standard files, so that no other file gets their numbers and their data. It is
 * opened in the wrong direction, so that using it fails. */
static void reserve_standard_files(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) return;
}

/* Removes unfinished output files and ends the process by the signal. */
static void exit_by_signal(int number)
{
    bosc_temporaries_remove();
    staged_folder_remove_unfinished();
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_signals(void)
{
    static const int fatal[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof fatal / sizeof fatal[0]; i++)
        if (signal(fatal[i], exit_by_signal) == SIG_IGN) signal(fatal[i], SIG_IGN); /* nohup */
    signal(SIGXFSZ, SIG_IGN); /* at the file size limit a write fails instead */
    watch_pipes();
}

static int run_command_line(int argc, char **argv)
{
    struct job job = {.commands = commands, .command_count = command_count};
    /* 1. Parse; --help and --version need no valid command. */
    int code = options_read(&job, argc, argv);
    if (code) return code;
    job.command = find_command(&job, job.words, job.word_count);
    const bool is_room = job.word_count == 1 && command_has_room(&job, job.words[0]);
    if (job.help && !job.command && job.word_count > 0 && !is_room) return report_unknown_command(&job);
    if (job.version || job.help) {
        if (job.version)
            printf("boscage %s\n", bosc_version());
        else
            help_print(&job, job.command, job.word_count ? job.words[0] : NULL);
        return job_close(&job, EXIT_DONE);
    }
    /* 2. Check the operands and options, and run. */
    if (!job.command) return report_unknown_command(&job);
    int used = job.command->verb ? 2 : 1;
    job.operands = job.words + used;
    job.operand_count = job.word_count - used;
    code = options_check(&job);
    if (code) return code;
    return job_close(&job, job.command->run(&job));
}

int main(int argc, char **argv)
{
    reserve_standard_files();
    catch_signals();
    return exit_by_pipe(run_command_line(argc, argv));
}
