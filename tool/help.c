/* --help: of the tool, of a room, of a command. */
#include <stdio.h>
#include <string.h>

#include "tool/tool.h"

static const struct {
    const char *name;
    char letter;
    const char *value, *help;
} table[OPTION_COUNT] = {
#define OPTION(id, name, letter, value, help) {name, letter, value, help},
#include "tool/options.def"
#undef OPTION
};

static void print_option(enum option id)
{
    char left[64];
    const char *value = table[id].value;
    bool short_name = strlen(table[id].name) == 1;
    if (short_name)
        snprintf(left, sizeof left, "-%c %s", table[id].letter, value);
    else
        snprintf(left, sizeof left, "%c%c%s--%s%s%s", table[id].letter ? '-' : ' ',
                 table[id].letter ? table[id].letter : ' ', table[id].letter ? ", " : "  ", table[id].name,
                 value ? " " : "", value ? value : "");
    printf("  %-28s %s\n", left, table[id].help);
}

static void print_common_options(void)
{
    printf("\nCommon options, before or after the command:\n");
    for (int id = 0; id <= OPT_QUIET; id++) print_option((enum option)id);
    printf("  %-28s %s\n  %-28s %s\n", "    --help", "this text", "    --version", "the version");
}

static void print_command(const struct command *c)
{
    printf("usage: boscage %s%s%s %s\n\n%s\n", c->room, c->verb ? " " : "", c->verb ? c->verb : "", c->usage,
           c->summary);
    if (c->required[0] || c->optional[0]) printf("\nOptions:\n");
    for (int i = 0; i < COMMAND_OPTIONS_MAX && c->required[i]; i++) print_option(c->required[i]);
    for (int i = 0; i < COMMAND_OPTIONS_MAX && c->optional[i]; i++) print_option(c->optional[i]);
    print_common_options();
    printf("\nExample:\n  %s\n\n`boscage --help' says what files hold points and graphs.\n", c->example);
}

static void print_list(const char *room)
{
    for (int i = 0; i < command_count; i++) {
        char name[32];
        const struct command *c = &commands[i];
        if (room && strcmp(room, c->room) != 0) continue;
        snprintf(name, sizeof name, "%s%s%s", c->room, c->verb ? " " : "", c->verb ? c->verb : "");
        printf("  %-16s %.*s\n", name, (int)strcspn(c->summary, "\n"), c->summary);
    }
}

static void print_all(const char *room, const char *example)
{
    printf("usage: boscage %s%sCOMMAND [OPTION...]\n\n%sCommands:\n", room ? room : "", room ? " " : "",
           room ? "" : "Massively parallel data structures, built in real time.\n\n");
    print_list(room);
    print_common_options();
    printf(
        "\nPoints are .npy (f4, f8, i4, i8), .csv, .txt, .xyz, .off, .ply, .obj, or a saved tree. Graphs are .gr\n"
        "(DIMACS), .mtx (Matrix Market), .txt, .el, .snap, .tsv (edge lists), .graph, .metis, or a saved graph; - is\n"
        "standard input or output. Exit codes: 0 done, 1 failed, 2 usage, 3 no such backend or device.\n");
    printf("\nExample:\n  %s\n\n`boscage COMMAND --help' says more.\n", example);
}

void help_print(const struct job *job)
{
    if (job->command) {
        print_command(job->command);
        return;
    }
    const char *room = NULL,
               *example = "boscage kdtree knn points.npy --queries queries.npy -k 8 -o ids.npy --distances d.npy";
    for (int i = command_count - 1; i >= 0 && job->word_count; i--) {
        if (strcmp(commands[i].room, job->words[0]) != 0) continue;
        room = commands[i].room;
        example = commands[i].example;
    }
    print_all(room, example);
}
