/* Parses the command line; checks options and operands against the command. */
#include "tool/options/options.h"

#include <string.h>

#include "tool/options/find_command.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* Names of the options of a command, for suggestions; "": it does not have the option. command NULL: of all options. */
static const char *long_name(const void *command, int id)
{
    if (id >= OPTION_COUNT) return id == OPTION_COUNT ? "help" : "version";
    const bool has = !command || id <= OPT_QUIET || find_command_option(command, id);
    return has ? option_name((enum option)id) : "";
}

static int report_unknown_option(const struct job *job, const char *text, size_t length, bool is_long)
{
    const struct command *command = find_command(job, job->words, job->word_count);
    int shown = is_long ? (int)length + 2 : 2,
        hint = is_long ? find_similar_name(text + 2, length, long_name, command, OPTION_COUNT + 2) : -1;
    if (hint < 0) return report_error(EXIT_USAGE, "%.*s: no such option", shown, text);
    return report_error(EXIT_USAGE, "%.*s: no such option; did you mean --%s?", shown, text, long_name(command, hint));
}

/* Adds the file of a --inset, which may be repeated. */
static int add_inset(struct job *job, const char *file)
{
    if (job->inset_count == BOSC_PLANET_INSETS)
        return report_error(EXIT_USAGE, "--inset: more than %d", BOSC_PLANET_INSETS);
    job->insets[job->inset_count++] = (struct inset_option){.file = file};
    job->value[OPT_INSET] = file;
    return EXIT_DONE;
}

/* Sets the bounds of the last --inset. */
static int add_inset_bounds(struct job *job, const char *bounds)
{
    if (job->inset_count == 0) return report_error(EXIT_USAGE, "--inset-bounds: no --inset precedes it");
    struct inset_option *inset = &job->insets[job->inset_count - 1];
    if (inset->bounds_text) return report_error(EXIT_USAGE, "--inset-bounds: given twice for %s", inset->file);
    inset->bounds_text = job->value[OPT_INSET_BOUNDS] = bounds;
    return option_numbers(job, OPT_INSET_BOUNDS, 4, inset->bounds);
}

/* Parses an option, `text`, and its value, which may be the next argument: then *next advances. A letter stands alone:
 * -kvalue is -k with a value. -h, --help and --version only set a flag, and may be repeated. An option without a value
 * gets the value "". */
static int parse_option(struct job *job, const char *text, int argc, char **argv, int *next)
{
    /* 1. Split the text: --name=value, --name value, -kvalue or -k value. */
    bool is_long = text[1] == '-';
    const char *name = text + (is_long ? 2 : 1), *value = NULL;
    size_t length = is_long ? strcspn(name, "=") : 1;
    if (is_long && name[length] == '=') value = name + length + 1;
    if (!is_long && name[1]) value = name + 1;
    /* 2. --help and --version are not in the table. */
    if (strcmp(name, is_long ? "help" : "h") == 0) return job->help = true, EXIT_DONE;
    if (is_long && strcmp(name, "version") == 0) return job->version = true, EXIT_DONE;
    bool is_flag = is_long && (strncmp(name, "help=", 5) == 0 || strncmp(name, "version=", 8) == 0);
    if (is_flag) return report_error(EXIT_USAGE, "%.*s: takes no value", (int)length + 2, text);
    /* 3. Find the option and its value. */
    int id = is_long ? find_option_by_name(name, length) : find_option_by_letter(*name);
    int shown = is_long ? (int)length + 2 : 2;
    if (id < 0) return report_unknown_option(job, text, length, is_long);
    const bool has_value = resolve_option(NULL, (enum option)id).value != NULL;
    if (!has_value) {
        if (value) return report_error(EXIT_USAGE, "%.*s: takes no value", shown, text);
        value = "";
    } else if (!value) {
        if (*next == argc) return report_error(EXIT_USAGE, "%.*s: its value is missing", shown, text);
        value = argv[(*next)++];
    }
    if (has_value && !*value) return report_error(EXIT_USAGE, "%.*s: its value is empty", shown, text);
    if (id == OPT_INSET) return add_inset(job, value);
    if (id == OPT_INSET_BOUNDS) return add_inset_bounds(job, value);
    if (job->value[id]) return report_error(EXIT_USAGE, "%.*s: given twice", shown, text);
    job->value[id] = option_is_output((enum option)id) && path_is_stdout(value) ? "-" : value;
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
            int code = parse_option(job, text, argc, argv, &next);
            if (code) return code;
        } else {
            if (job->word_count == OPERANDS_MAX + 2) return report_error(EXIT_USAGE, "%s: too many arguments", text);
            job->words[job->word_count++] = text;
        }
    }
    return EXIT_DONE;
}

/* Checks the names of outputs with a fixed format. */
static int check_output_names(const struct job *job)
{
    int code = EXIT_DONE;
    if (job->command->writes_saved && job->value[OPT_OUTPUT])
        code = check_ending("-o", job->value[OPT_OUTPUT], ".bosc");
    if (!code && job->value[OPT_SAVE]) code = check_ending("--save", job->value[OPT_SAVE], ".bosc");
    for (enum option id = 0; id < OPTION_COUNT && !code; id++)
        if (job->value[id] && option_is_output(id) &&
            (id == OPT_OUTPUT ? job->command->writes_arrays : id != OPT_PNG && id != OPT_GLB && id != OPT_SAVE))
            code = check_array_name(option_flag(id), job->value[id]);
    return code;
}

/* Returns the name of operand i in the usage: the i-th word outside brackets that is neither an option nor its
 * value. */
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

static int report_missing_operand(const struct job *job)
{
    int length;
    const struct command_text command = command_name(job->command);
    const char *text = command.text, *name = operand_name(job->command, job->operand_count, &length);
    return report_error(EXIT_USAGE, "%s: %.*s is missing (see boscage %s --help)", text, length, name, text);
}

int options_check(const struct job *job)
{
    const struct command *c = job->command;
    for (int id = 0; id < OPTION_COUNT; id++)
        if (job->value[id] && id > OPT_QUIET && !find_command_option(c, id))
            return report_error(EXIT_USAGE, "%s: not an option of `boscage %s'", option_flag((enum option)id),
                                command_name(c).text);
    if (job->operand_count > c->max_operands)
        return report_error(EXIT_USAGE, "%s: one argument too many", job->operands[c->max_operands]);
    if (job->operand_count < c->min_operands) return report_missing_operand(job);
    for (const struct command_option *option = c->options; option->id; option++)
        if (option->required && !job->value[option->id])
            return report_error(EXIT_USAGE, "%s: is missing", option_flag(option->id));
    int code = check_output_names(job);
    return code ? code : outputs_check(job);
}
