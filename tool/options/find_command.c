#include "tool/options/find_command.h"

#include <stdio.h>
#include <string.h>

#include "tool/options/hint.h"
#include "tool/output/report.h"
#include "tool/tool.h"

struct command_text command_name(const struct command *command)
{
    struct command_text name;
    const char *verb = command->verb ? command->verb : "";
    snprintf(name.text, sizeof name.text, "%s%s%s", command->room, *verb ? " " : "", verb);
    return name;
}

const struct command *find_command(const struct job *job, const char *const *words, int count)
{
    const struct command *found = NULL;
    for (int i = 0; i < job->command_count; i++) {
        const struct command *c = &job->commands[i];
        if (count < (c->verb ? 2 : 1) || strcmp(words[0], c->room) != 0) continue;
        if (c->verb && strcmp(words[1], c->verb) == 0) return c;
        if (!c->verb) found = c; /* a verb behind it takes precedence */
    }
    return found;
}

static const char *room_name(const void *user, int i)
{
    const struct job *job = user;
    return job->commands[i].room;
}

static const char *verb_name(const void *user, int i)
{
    const struct job *job = user;
    const struct command *c = &job->commands[i];
    return c->verb && strcmp(c->room, job->words[0]) == 0 ? c->verb : "";
}

bool command_has_room(const struct job *job, const char *room)
{
    for (int i = 0; i < job->command_count; i++)
        if (strcmp(room, job->commands[i].room) == 0) return true;
    return false;
}

int report_unknown_command(const struct job *job)
{
    const char *room = job->words[0], *verb = job->words[1];
    /* An unknown room, then an unknown verb; a similar name is suggested. */
    if (job->word_count == 0) return report_error(EXIT_USAGE, "no command (see boscage --help)");
    bool known = command_has_room(job, room);
    int hint = known ? -1 : find_similar_name(room, strlen(room), room_name, job, job->command_count);
    if (hint >= 0)
        return report_error(EXIT_USAGE, "%s: no such command; did you mean %s?", room, job->commands[hint].room);
    if (!known) return report_error(EXIT_USAGE, "%s: no such command (see boscage --help)", room);
    if (job->word_count == 1)
        return report_error(EXIT_USAGE, "%s: a second word is missing (see boscage %s --help)", room, room);
    hint = find_similar_name(verb, strlen(verb), verb_name, job, job->command_count);
    if (hint >= 0)
        return report_error(EXIT_USAGE, "%s %s: no such command; did you mean %s?", room, verb,
                            job->commands[hint].verb);
    return report_error(EXIT_USAGE, "%s %s: no such command (see boscage %s --help)", room, verb, room);
}
