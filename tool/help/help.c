/* Help of the tool, of a room and of commands, as text; and boscage help. */
#include "tool/help/help.h"

#include <stdio.h>
#include <string.h>

#include "tool/commands/commands.h"
#include "tool/options/find_command.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/report.h"
#include "tool/tool.h"

enum { COLUMN = 31, WIDTH = 110 }; /* first column of descriptions, last column of lines; chosen */

/* Prints words from `column` on; breaks lines before WIDTH and indents the next ones. */
static void print_wrapped(const char *text, int column, int indent)
{
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column > indent && column + length > WIDTH) {
            printf("\n%*s", indent, "");
            column = indent;
        }
        printf("%.*s", length, text);
        column += length + 1;
        text += length;
        if (*text) text++;
        if (*text && column + (int)strcspn(text, " ") <= WIDTH) putchar(' ');
    }
    putchar('\n');
}

static void print_row(const char *left, const char *text)
{
    printf("  %-28s ", left);
    print_wrapped(text, (int)strlen(left) > 28 ? (int)strlen(left) + 3 : COLUMN, COLUMN);
}

static void print_option(const struct command *command, enum option id)
{
    char left[64];
    struct command_option option = resolve_option(command, id);
    const char *name = option_name(id), *value = option.value ? option.value : "", *blank = option.value ? " " : "";
    char letter = option_letter(id);
    if (letter)
        snprintf(left, sizeof left, "-%c, --%s%s%s", letter, name, blank, value);
    else
        snprintf(left, sizeof left, "    --%s%s%s", name, blank, value);
    print_row(left, option.help);
}

static void print_common_options(void)
{
    printf("\nCommon options, before or after the command:\n");
    for (int id = 0; id <= OPT_QUIET; id++) print_option(NULL, (enum option)id);
    print_row("-h, --help", "this text");
    print_row("    --version", "the version");
}

static void print_file(const struct help_file *file)
{
    printf("  %-8s ", file->what);
    print_wrapped(file->text, 11, 11);
}

/* True if a usage names such files. A letter behind an option is its value, such as the vertex of --source V. */
static bool usage_names(const struct help_file *file, const char *usage)
{
    bool is_value = false;
    if (*file->names == '.') return strstr(usage, file->names) != NULL;
    for (const char *p = usage; *p; p += strspn(p, " []|\n")) {
        char word[32];
        int length = (int)strcspn(p, " []|\n");
        snprintf(word, sizeof word, " %.*s ", length, p);
        if (length && strstr(file->names, word) && !(is_value && length == 1)) return true;
        is_value = *p == '-' && p[length] == ' ';
        p += length;
    }
    return false;
}

static void print_files_of(const struct command *c)
{
    bool any = false;
    for (const struct help_file *file = help_files; file->what; file++) {
        bool standard = strcmp(file->what, "-") == 0;
        if (standard ? !any : !usage_names(file, c->usage)) continue;
        if (!any) printf("\nFiles:\n");
        any = true;
        print_file(file);
    }
}

static void print_command(const struct command *c)
{
    printf("usage: boscage %s %s\n\n%s\n", command_name(c).text, c->usage, c->summary);
    if (c->options[0].id) printf("\nOptions:\n");
    for (const struct command_option *option = c->options; option->id; option++) print_option(c, option->id);
    print_files_of(c);
    print_common_options();
    printf("\nExample:\n  %s\n", c->example);
}

static void print_command_list(const struct job *job, const char *room)
{
    for (int i = 0; i < job->command_count; i++) {
        const struct command *c = &job->commands[i];
        if (c->hidden || (room && strcmp(room, c->room) != 0)) continue;
        printf("  %-20s %.*s\n", command_name(c).text, (int)strcspn(c->summary, "\n"), c->summary);
    }
}

/* Prints the help of the tool, or of a room. */
static void print_overview(const struct job *job, const char *room, const char *example)
{
    printf("usage: boscage %s%sCOMMAND [OPTION...]\n\n", room ? room : "", room ? " " : "");
    if (!room) printf("boscage: %s.\n\n", HELP_ABOUT);
    printf("Commands:\n");
    print_command_list(job, room);
    print_common_options();
    printf("\nFiles:\n");
    for (const struct help_file *file = help_files; file->what; file++) print_file(file);
    printf("\nExit codes:\n");
    for (int i = 0; i < HELP_CODES; i++) printf("  %d        %s\n", i, help_codes[i]);
    printf("\nExample:\n  %s\n\n`boscage COMMAND --help' shows the options of a command.\n", example);
}

void help_print(const struct job *job, const struct command *command, const char *room)
{
    const char *example = "boscage kdtree knn points.npy --queries queries.npy -k 8 -o ids.npy --distances d.npy";
    if (command) {
        print_command(command);
        return;
    }
    for (int i = job->command_count - 1; i >= 0 && room; i--)
        if (strcmp(job->commands[i].room, room) == 0) example = job->commands[i].example;
    print_overview(job, room, example);
}

/* ---- boscage help: the help, the manual page or a completion script ---- */

int run_help(struct job *job)
{
    int shell = -1, code = option_choice(job, OPT_COMPLETION, &shell);
    if (code) return code;
    bool is_generated = job->value[OPT_MAN] || shell >= 0;
    if (job->value[OPT_MAN] && shell >= 0)
        return report_error(EXIT_USAGE, "--completion: cannot be combined with --man");
    if (is_generated && job->operand_count)
        return report_error(EXIT_USAGE, "%s: one argument too many", job->operands[0]);
    if (job->value[OPT_MAN]) {
        help_print_man(job);
    } else if (shell >= 0) {
        help_print_completion(job, shell);
    } else {
        const char *room = job->operand_count ? job->operands[0] : NULL;
        const struct command *command = find_command(job, job->operands, job->operand_count);
        if (room && !command && (job->operand_count > 1 || !command_has_room(job, room)))
            return report_error(EXIT_USAGE, "%s%s%s: no such command (see boscage --help)", room,
                                job->operand_count > 1 ? " " : "", job->operand_count > 1 ? job->operands[1] : "");
        help_print(job, command, room);
    }
    return EXIT_DONE;
}
