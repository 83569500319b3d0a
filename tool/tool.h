/* boscage(1): its commands, their options, and the job: one run of a command. */
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

#include <stdbool.h>

#include <boscage/boscage.h>
#include <boscage/forest.h>
#include <boscage/io.h>
#include <boscage/planet.h>
#include <jansson.h>

enum exit_code { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NO_BACKEND = 3 };

enum option {
#define OPTION(id, name, letter, value, choices, help) OPT_##id,
#include "tool/options/options.def"
#undef OPTION
    OPTION_COUNT
};

enum { DIM_MAX = 1024, VECTOR_LENGTH_MAX = 65536, OPERANDS_MAX = 4, COMMAND_OPTIONS_MAX = 24 };

struct job;

/* The list of values that an option may have; NULL: any value. */
#define CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* An option as a command has it. In the table of commands a NULL member stands for that of options.def. */
struct command_option {
    enum option id;
    bool required;
    const char *value, *help;
    const char *const *choices;
};

/* A command. `options` ends at OPT_BACKEND (0): common options are never listed. */
struct command {
    const char *room, *verb; /* "kdtree", "knn"; verb is NULL for a command of one word */
    const char *usage;       /* text after the name */
    const char *summary, *example;
    int min_operands, max_operands;
    int output_operands; /* number of output operands: the last ones */
    bool writes_arrays;  /* -o is .npy, whatever its name */
    bool writes_saved;   /* -o is .bosc */
    bool writes_text;    /* -o may be a terminal */
    bool hidden;         /* not listed */
    struct command_option options[COMMAND_OPTIONS_MAX + 1];
    int (*run)(struct job *job); /* returns an exit code; reports the error unless it is EXIT_DONE */
};

extern const struct command commands[]; /* options/commands.c */
extern const int command_count;

/* A --inset, and the --inset-bounds behind it: the text (NULL: none) and its numbers. */
struct inset_option {
    const char *file, *bounds_text;
    double bounds[4];
};

/* A parsed command line, and the state of its command. */
struct job {
    const struct command *commands; /* all commands */
    int command_count;
    const struct command *command;
    const char *words[OPERANDS_MAX + 2]; /* arguments other than options: the command's name and the operands */
    int word_count;
    const char *const *operands;
    int operand_count;
    const char *value[OPTION_COUNT]; /* NULL: option not given; "" for a flag; of --inset the last one */
    struct inset_option insets[BOSC_PLANET_INSETS];
    int inset_count;
    bool help, version;
    bool silent;             /* another process of the job writes files and prints */
    bool has_failed_results; /* the results are printed although the command failed */

    bosc_ctx *ctx;
    json_t *results, *seconds;
};

#endif
