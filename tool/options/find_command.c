/* Names of commands, and suggestions for mistyped names. */
#include "tool/options/find_command.h"

#include <stdio.h>
#include <string.h>

#include "tool/output/report.h"
#include "tool/tool.h"

/* ---- suggestions ---- */

enum { LENGTH_MAX = 32 };

/* Edit distance: insertions, deletions, replacements, and exchanges of two neighbours. Source: R. A. Wagner, M. J.
 * Fischer, The String-to-String Correction Problem, J. ACM 21 (1974), extended by exchanges. Three rows of the table
 * are kept. */
static int edit_distance(const char *from, int length, const char *to, int to_length)
{
    int rows[3][LENGTH_MAX + 1];
    for (int j = 0; j <= to_length; j++) rows[0][j] = j;
    for (int i = 1; i <= length; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= to_length; j++) {
            int best = above[j - 1] + (from[i - 1] != to[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool exchanged = i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1];
            if (exchanged && second[j - 2] + 1 < best) best = second[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[length % 3][to_length];
}

int find_similar_name(const char *text, size_t length, const char *(*name)(const void *user, int i), const void *user,
                      int count)
{
    int nearest = -1, least = length < 5 ? 2 : 3; /* a distance below this counts as a typing error; chosen */
    if (length < 2 || length > LENGTH_MAX) return -1;
    for (int i = 0; i < count; i++) {
        size_t other = strlen(name(user, i));
        if (other < 2 || other > LENGTH_MAX) continue;
        int distance = edit_distance(text, (int)length, name(user, i), (int)other);
        if (distance >= least) continue;
        least = distance;
        nearest = i;
    }
    return nearest;
}

/* ---- commands ---- */

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
