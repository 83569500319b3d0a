/* The table of all options, and their use by commands. */
#include "tool/options/option_table.h"

#include <string.h>

#include "tool/tool.h"

static const struct {
    const char *name, *flag;
    char letter;
    const char *value, *help;
    const char *const *choices;
} table[OPTION_COUNT] = {
#define OPTION(id, name, letter, value, choices, help) {name, "--" name, letter, value, help, choices},
#include "tool/options/options.def"
#undef OPTION
};

const char *option_flag(enum option id)
{
    return id == OPT_K ? "-k" : id == OPT_RADIUS ? "-r" : id == OPT_OUTPUT ? "-o" : table[id].flag;
}

const char *option_name(enum option id) { return table[id].name; }

char option_letter(enum option id) { return table[id].letter; }

const struct command_option *find_command_option(const struct command *command, int id)
{
    for (const struct command_option *option = command->options; option->id; option++)
        if ((int)option->id == id) return option;
    return NULL;
}

struct command_option resolve_option(const struct command *command, enum option id)
{
    struct command_option option = {
        .id = id, .value = table[id].value, .help = table[id].help, .choices = table[id].choices};
    const struct command_option *own = command ? find_command_option(command, (int)id) : NULL;
    if (!own) return option;
    option.required = own->required;
    if (own->value) option.value = own->value;
    if (own->help) option.help = own->help;
    if (own->choices) option.choices = own->choices;
    return option;
}

const char *option_choice_name(const struct job *job, enum option id, int choice)
{
    return resolve_option(job->command, id).choices[choice];
}

int find_option_by_name(const char *name, size_t length)
{
    for (int id = 0; id < OPTION_COUNT; id++)
        if (strlen(table[id].name) == length && memcmp(table[id].name, name, length) == 0) return id;
    return -1;
}

int find_option_by_letter(char letter)
{
    for (int id = 0; id < OPTION_COUNT; id++)
        if (table[id].letter == letter) return id;
    return -1;
}

static const enum option input_options[] = {
    OPT_QUERIES, OPT_VERIFY, OPT_KEYS,  OPT_VALUES, OPT_FLY,     OPT_BOXES,   OPT_FIND, OPT_PREFIX, OPT_NEIGHBOURS,
    OPT_ALLOWED, OPT_NODES,  OPT_GRAPH, OPT_INSET,  OPT_LONGEST, OPT_SYSTEMS, OPT_CELL, OPT_CLOUDS, OPT_QUERY_CLOUDS};
/* Any command's; --predecessors is an input beside --verify. */
static const enum option output_options[] = {
    OPT_OUTPUT, OPT_DISTANCES,  OPT_LENGTHS,       OPT_OFFSETS, OPT_FOUND,  OPT_KEYS_OUT,
    OPT_PNG,    OPT_LABELS,     OPT_GLB,           OPT_COUNTS,  OPT_TOTALS, OPT_CORE,
    OPT_TREE,   OPT_OUTLIERS,   OPT_PROBABILITIES, OPT_WALLS,   OPT_SAVE,   OPT_NEAREST,
    OPT_STOPS,  OPT_MEMBERSHIP, OPT_PREDECESSORS,  OPT_GAPS,    OPT_SHIFTS};
enum {
    INPUT_COUNT = sizeof input_options / sizeof *input_options,
    OUTPUT_COUNT = sizeof output_options / sizeof *output_options
};

bool option_is_output(enum option id)
{
    for (int i = 0; i < OUTPUT_COUNT; i++)
        if (output_options[i] == id) return true;
    return false;
}

bool option_is_file(enum option id)
{
    for (int i = 0; i < INPUT_COUNT; i++)
        if (input_options[i] == id) return true;
    return option_is_output(id);
}
