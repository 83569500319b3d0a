/* Options: read anywhere on the command line, then checked against the command, then turned into values. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/tool.h"

static const struct {
    const char *name, *flag;
    char letter;
    const char *value, *help;
    const char *const *words;
} table[OPTION_COUNT] = {
#define OPTION(id, name, letter, value, words, help) {name, "--" name, letter, value, help, words},
#include "tool/options/options.def"
#undef OPTION
};

const char *option_flag(enum option id)
{
    return id == OPT_K ? "-k" : id == OPT_RADIUS ? "-r" : id == OPT_OUTPUT ? "-o" : table[id].flag;
}

const char *option_name(enum option id) { return table[id].name; }

char option_letter(enum option id) { return table[id].letter; }

/* NULL: no option of the command. */
static const struct use *find_use(const struct command *command, int id)
{
    for (const struct use *use = command->uses; use->id; use++)
        if ((int)use->id == id) return use;
    return NULL;
}

struct use option_use(const struct command *command, enum option id)
{
    struct use use = {.id = id, .value = table[id].value, .help = table[id].help, .words = table[id].words};
    const struct use *own = command ? find_use(command, (int)id) : NULL;
    if (!own) return use;
    use.required = own->required;
    if (own->value) use.value = own->value;
    if (own->help) use.help = own->help;
    if (own->words) use.words = own->words;
    return use;
}

const char *option_word(const struct job *job, enum option id, int choice)
{
    return option_use(job->command, id).words[choice];
}

static int find_long(const char *name, size_t length)
{
    for (int id = 0; id < OPTION_COUNT; id++)
        if (strlen(table[id].name) == length && memcmp(table[id].name, name, length) == 0) return id;
    return -1;
}

static int find_letter(char letter)
{
    for (int id = 0; id < OPTION_COUNT; id++)
        if (table[id].letter == letter) return id;
    return -1;
}

static const char *long_name(const void *user, int id)
{
    (void)user;
    return id < OPTION_COUNT ? table[id].name : id == OPTION_COUNT ? "help" : "version";
}

static int refuse_option(const char *text, const char *name, size_t length, bool is_long)
{
    int shown = is_long ? (int)length + 2 : 2,
        hint = is_long ? hint_find(name, length, long_name, NULL, OPTION_COUNT + 2) : -1;
    if (hint < 0) return say(EXIT_USAGE, "%.*s: no such option", shown, text);
    return say(EXIT_USAGE, "%.*s: no such option; did you mean --%s?", shown, text, long_name(NULL, hint));
}

/* Takes one option, `text`, and its value, which may be the next argument. */
static int read_option(struct job *job, const char *text, int argc, char **argv, int *next)
{
    bool is_long = text[1] == '-';
    const char *name = text + (is_long ? 2 : 1), *value = NULL;
    size_t length = is_long ? strcspn(name, "=") : 1;
    if (is_long && name[length] == '=') value = name + length + 1;
    if (!is_long && name[1]) value = name + 1;
    if (strcmp(name, is_long ? "help" : "h") == 0) return job->help = true, EXIT_DONE;
    if (is_long && strcmp(name, "version") == 0) return job->version = true, EXIT_DONE;
    bool is_flag = is_long && (strncmp(name, "help=", 5) == 0 || strncmp(name, "version=", 8) == 0);
    if (is_flag) return say(EXIT_USAGE, "%.*s: takes no value", (int)length + 2, text);
    int id = is_long ? find_long(name, length) : find_letter(*name);
    int shown = is_long ? (int)length + 2 : 2;
    if (id < 0) return refuse_option(text, name, length, is_long);
    if (!table[id].value) {
        if (value) return say(EXIT_USAGE, "%.*s: takes no value", shown, text);
        value = "";
    } else if (!value) {
        if (*next == argc) return say(EXIT_USAGE, "%.*s: its value is missing", shown, text);
        value = argv[(*next)++];
    }
    if (table[id].value && !*value) return say(EXIT_USAGE, "%.*s: its value is empty", shown, text);
    if (job->value[id]) return say(EXIT_USAGE, "%.*s: given twice", shown, text);
    job->value[id] = option_is_output((enum option)id) && path_is_standard_output(value) ? "-" : value;
    return EXIT_DONE;
}

int options_read(struct job *job, int argc, char **argv)
{
    bool only_words = false;
    for (int next = 1; next < argc;) {
        const char *text = argv[next++];
        if (!only_words && strcmp(text, "--") == 0) {
            only_words = true;
        } else if (!only_words && text[0] == '-' && text[1]) {
            int code = read_option(job, text, argc, argv, &next);
            if (code) return code;
        } else {
            if (job->word_count == OPERANDS_MAX + 2) return say(EXIT_USAGE, "%s: too many arguments", text);
            job->words[job->word_count++] = text;
        }
    }
    return EXIT_DONE;
}

static const enum option input_options[] = {OPT_QUERIES, OPT_VERIFY, OPT_KEYS,       OPT_VALUES,  OPT_FLY,   OPT_BOXES,
                                            OPT_FIND,    OPT_PREFIX, OPT_NEIGHBOURS, OPT_ALLOWED, OPT_NODES, OPT_GRAPH};
static const enum option output_options[] = {OPT_OUTPUT,   OPT_DISTANCES, OPT_LENGTHS, OPT_OFFSETS, OPT_FOUND,
                                             OPT_KEYS_OUT, OPT_PNG,       OPT_LABELS,  OPT_GLB};
enum {
    INPUTS = sizeof input_options / sizeof *input_options,
    OUTPUTS = sizeof output_options / sizeof *output_options
};

bool option_is_output(enum option id)
{
    for (int i = 0; i < OUTPUTS; i++)
        if (output_options[i] == id) return true;
    return false;
}

bool option_is_file(enum option id)
{
    for (int i = 0; i < INPUTS; i++)
        if (input_options[i] == id) return true;
    return option_is_output(id);
}

bool options_write_standard_output(const struct job *job)
{
    for (int i = 0; i < OUTPUTS; i++)
        if (job->value[output_options[i]] && path_is_standard(job->value[output_options[i]])) return true;
    return false;
}

int check_ending(const char *what, const char *path, const char *ending)
{
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    if (path_ends_in(path, ending) || path_is_standard(path) || !strchr(name, '.')) return EXIT_DONE;
    return say(EXIT_USAGE, "%s: %s does not end in %s", what, path, ending);
}

int check_array_name(const char *what, const char *path)
{
    static const char *const endings[] = {".npy", ".csv", ".tsv", ".txt"};
    const char *name = strrchr(path, '/');
    name = name ? name + 1 : path;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (path_ends_in(path, endings[i])) return EXIT_DONE;
    if (path_is_standard(path) || !strchr(name, '.')) return EXIT_DONE;
    return say(EXIT_USAGE, "%s: %s does not end in one of .npy, .csv, .tsv, .txt", what, path);
}

/* The names of outputs whose format does not depend on them. */
static int check_names(const struct job *job)
{
    int code = EXIT_DONE;
    if (job->command->saves) code = check_ending("-o", job->value[OPT_OUTPUT], ".bosc");
    for (int i = 0; i < OUTPUTS && !code; i++) {
        enum option id = output_options[i];
        if (job->value[id] && (id == OPT_OUTPUT ? job->command->arrays : id != OPT_PNG && id != OPT_GLB))
            code = check_array_name(option_flag(id), job->value[id]);
    }
    return code;
}

/* The name that the usage gives operand i: a word outside brackets that is neither an option nor the value of one. */
static const char *operand_name(const struct command *command, int i, int *length)
{
    const char *p = command->usage;
    for (;; p += *length) {
        p += strspn(p, " \n");
        *length = (int)strcspn(p, *p == '[' ? "]" : " \n");
        if (*p == '-') {
            p += *length;
            p += strspn(p, " \n");
            *length = (int)strcspn(p, " \n");
        } else if (*p == '[') {
            *length += p[*length] == ']';
        } else if (i-- == 0 || !*p) {
            return p;
        }
    }
}

static int refuse_missing(const struct job *job)
{
    int length;
    const struct command_name command = command_name(job->command);
    const char *text = command.text, *name = operand_name(job->command, job->operand_count, &length);
    return say(EXIT_USAGE, "%s: %.*s is missing (see boscage %s --help)", text, length, name, text);
}

int options_check(const struct job *job)
{
    const struct command *c = job->command;
    for (int id = 0; id < OPTION_COUNT; id++)
        if (job->value[id] && id > OPT_QUIET && !find_use(c, id))
            return say(EXIT_USAGE, "%s: not an option of `boscage %s'", option_flag((enum option)id),
                       command_name(c).text);
    if (job->operand_count > c->most) return say(EXIT_USAGE, "%s: one argument too many", job->operands[c->most]);
    if (job->operand_count < c->least) return refuse_missing(job);
    for (const struct use *use = c->uses; use->id; use++)
        if (use->required && !job->value[use->id]) return say(EXIT_USAGE, "%s: is missing", option_flag(use->id));
    int code = check_names(job);
    return code ? code : outputs_check(job);
}

int option_number(const struct job *job, enum option id, double least, double *value)
{
    const char *text = job->value[id];
    if (!text) return EXIT_DONE;
    char *end;
    double x = strtod(text, &end);
    int zeros = end > text ? suffix_zeros(*end) : 0;
    x *= zeros == 3 ? 1e3 : zeros == 6 ? 1e6 : zeros == 9 ? 1e9 : 1;
    end += zeros > 0;
    if (*text == ' ' || *end || x != x) return say(EXIT_USAGE, "%s: '%s' is not a number", option_flag(id), text);
    if (x - x != 0 && strpbrk(text, "0123456789"))
        return say(EXIT_USAGE, "%s: %s is beyond the range of f8", option_flag(id), text);
    if (x < least) return say(EXIT_USAGE, "%s: %s is less than %g", option_flag(id), text, least);
    *value = x;
    return EXIT_DONE;
}

int option_numbers(const struct job *job, enum option id, int count, double *values)
{
    const char *p = job->value[id];
    char *end;
    if (!p) return EXIT_DONE;
    for (int i = 0; i < count; i++) {
        values[i] = strtod(p, &end);
        bool good = end > p && *p != ' ' && values[i] - values[i] == 0 && *end == (i + 1 < count ? ',' : 0);
        if (!good)
            return say(EXIT_USAGE, "%s: '%s' is not %d numbers separated by commas", option_flag(id), job->value[id],
                       count);
        p = end + 1;
    }
    return EXIT_DONE;
}

int option_ending(const struct job *job, enum option id, const char *const *endings)
{
    const char *path = job->value[id];
    char list[128] = "";
    if (!path || path_is_standard(path)) return EXIT_DONE;
    for (int i = 0; endings[i]; i++) {
        if (path_ends_in(path, endings[i])) return EXIT_DONE;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", endings[i]);
    }
    return say(EXIT_USAGE, "%s: %s %s %s", option_flag(id), path,
               endings[1] ? "does not end in one of" : "does not end in", list);
}

int option_choice(const struct job *job, enum option id, int *choice)
{
    const char *text = job->value[id], *const *names = option_use(job->command, id).words;
    char list[128] = "";
    if (!text) return EXIT_DONE;
    for (int i = 0; names[i]; i++) {
        if (strcmp(names[i], text) == 0) {
            *choice = i;
            return EXIT_DONE;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    return say(EXIT_USAGE, "%s: '%s' is not one of %s", option_flag(id), text, list);
}
