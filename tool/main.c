/* boscage(1): one command a job. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tool/tool.h"

/* The command that the first words name; NULL if none, or if they name only a room. */
static const struct command *find_command(const struct job *job)
{
    for (int i = 0; i < command_count; i++) {
        const struct command *c = &commands[i];
        if (job->word_count < (c->verb ? 2 : 1) || strcmp(job->words[0], c->room) != 0) continue;
        if (!c->verb || strcmp(job->words[1], c->verb) == 0) return c;
    }
    return NULL;
}

static const char *room_name(const void *user, int i)
{
    (void)user;
    return commands[i].room;
}

static const char *verb_of_room(const void *room, int i)
{
    return commands[i].verb && strcmp(commands[i].room, room) == 0 ? commands[i].verb : "";
}

static int refuse_words(const struct job *job)
{
    const char *room = job->words[0], *verb = job->words[1];
    bool known = false;
    if (job->word_count == 0) return say(EXIT_USAGE, "no command (see boscage --help)");
    for (int i = 0; i < command_count; i++) known = known || strcmp(room, commands[i].room) == 0;
    int hint = known ? -1 : hint_find(room, strlen(room), room_name, NULL, command_count);
    if (hint >= 0) return say(EXIT_USAGE, "%s: no such command; is it %s?", room, commands[hint].room);
    if (!known) return say(EXIT_USAGE, "%s: no such command (see boscage --help)", room);
    if (job->word_count == 1) return say(EXIT_USAGE, "%s: what of it? (see boscage %s --help)", room, room);
    hint = hint_find(verb, strlen(verb), verb_of_room, room, command_count);
    if (hint >= 0) return say(EXIT_USAGE, "%s %s: no such command; is it %s?", room, verb, commands[hint].verb);
    return say(EXIT_USAGE, "%s %s: no such command (see boscage %s --help)", room, verb, room);
}

/* Where a standard file is closed, no other may take its number: what is meant for it would go there. What takes it
 * cannot be read, or written to, so that using it fails as it should. */
static void hold_standard_files(void)
{
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) return;
}

int main(int argc, char **argv)
{
    struct job job = {0};
    hold_standard_files();
    signal(SIGPIPE, SIG_IGN); /* a closed pipe and a file at its limit are failed writes */
    signal(SIGXFSZ, SIG_IGN);
    int code = options_read(&job, argc, argv);
    if (code) return code;
    job.command = find_command(&job);
    if (job.version || job.help) {
        if (job.version)
            printf("boscage %s\n", bosc_version());
        else
            help_print(&job);
        return job_close(&job, EXIT_DONE);
    }
    if (!job.command) return refuse_words(&job);
    int used = job.command->verb ? 2 : 1;
    job.operands = job.words + used;
    job.operand_count = job.word_count - used;
    code = options_check(&job);
    if (code) return code;
    return job_close(&job, job.command->run(&job));
}
