/* boscage(1): commands, their options, and a job, which is one command at work. */
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

#include <stdbool.h>
#include <sys/types.h>

#include <jansson.h>

#include <boscage/boscage.h>
#include <boscage/forest.h>
#include <boscage/io.h>

enum exit_code { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NO_BACKEND = 3 };

enum option {
#define OPTION(id, name, letter, value, words, help) OPT_##id,
#include "tool/options/options.def"
#undef OPTION
    OPTION_COUNT
};

enum { DIM_MAX = 1024, VECTOR_LENGTH_MAX = 65536, OPERANDS_MAX = 4, COMMAND_OPTIONS_MAX = 15 };

struct job;

/* A list of the words that an option takes; NULL: it takes other values. */
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* An option, or a command's use of it: NULL members are as options.def says. */
struct use {
    enum option id;
    bool required;
    const char *value, *help;
    const char *const *words;
};

/* A command. The list of uses ends at OPT_BACKEND (0), which is a common option and never in it. */
struct command {
    const char *room, *verb; /* "kdtree", "knn"; verb is NULL for a command of one word */
    const char *usage;       /* what follows the name */
    const char *summary, *example;
    int least, most; /* operands */
    int written;     /* how many of the operands, the last ones, are outputs */
    bool arrays;     /* the output is .npy, whatever its name */
    bool saves;      /* it is .bosc */
    bool prints;     /* the output may go to a terminal: it is text */
    bool hidden;     /* not listed */
    struct use uses[COMMAND_OPTIONS_MAX + 1];
    int (*run)(struct job *job); /* returns an exit code, having said why it is not EXIT_DONE */
};

extern const struct command commands[]; /* commands.c */
extern const int command_count;

/* A command line as it was read, and what the command has come to. */
struct job {
    const struct command *commands; /* all of them */
    int command_count;
    const struct command *command;
    const char *words[OPERANDS_MAX + 2]; /* before the command is known: its name and operands */
    int word_count;
    const char *const *operands;
    int operand_count;
    const char *value[OPTION_COUNT]; /* NULL: not given; "" for a flag */
    bool help, version;
    bool silent;   /* another process of the job writes and prints */
    bool answered; /* it failed with results, which are printed all the same */

    bosc_ctx *ctx;
    json_t *results, *seconds;
};

/* ---- command.c ---- */

/* "kdtree knn" */
struct command_name {
    char text[32];
};
struct command_name command_name(const struct command *command);

/* The command that the first words name; NULL if none, or if they name only a room. */
const struct command *command_find(const struct job *job, const char *const *words, int count);
bool command_has_room(const struct job *job, const char *room);
int command_refuse(const struct job *job); /* says why the job's words name none */

/* ---- options.c: every failure is said and gives EXIT_USAGE ---- */

int options_read(struct job *job, int argc, char **argv);
int options_check(const struct job *job); /* once the command is known */
bool options_write_standard_output(const struct job *job);
const char *option_flag(enum option id); /* "-k", "--queries" */
const char *option_name(enum option id); /* without dashes; some have one letter */
char option_letter(enum option id);      /* 0: none */
bool option_is_file(enum option id);     /* an input or output */
bool option_is_output(enum option id);
/* The option as a command uses it, NULL: as it is without one. A value of NULL: a flag. */
struct use option_use(const struct command *command, enum option id);
const char *option_word(const struct job *job, enum option id, int choice);
/* A file that is named as another format would be taken for that when it is read. */
int check_ending(const char *what, const char *path, const char *ending);
int check_array_name(const char *what, const char *path);
int option_number(const struct job *job, enum option id, double least, double *value);
/* `count` finite numbers separated by commas. */
int option_numbers(const struct job *job, enum option id, int count, double *values);
/* Whether an output is standard output or has one of the endings, which NULL ends. */
int option_ending(const struct job *job, enum option id, const char *const *endings);
/* Index of the option's value among its words; *choice is left alone where it is not given. */
int option_choice(const struct job *job, enum option id, int *choice);

/* ---- number.c: integers of options, as 1000000, 1e6 or 1M ---- */

int option_integer(const struct job *job, enum option id, int64_t least, int64_t most, int64_t *value);
int option_seed(const struct job *job, uint64_t *seed); /* of 64 bits */
/* Two integers with a colon between, the first not above the second. */
int option_range(const struct job *job, enum option id, int64_t *least, int64_t *most);

/* Reads an integer and moves the text behind it: NONE where there is none, LARGE where it has more than 64 bits (SMALL:
 * and a sign). */
enum number_kind { NUMBER_NONE, NUMBER_INTEGER, NUMBER_SMALL, NUMBER_LARGE };
enum number_kind number_read(const char **text, bool *negative, uint64_t *size);
int suffix_zeros(char letter); /* 3, 6 and 9 for k, M and G, else 0 */
/* ---- outputs.c ---- */

int outputs_check(const struct job *job); /* of a job whose operands are known */
bool path_is_standard_output(const char *path);

/* ---- hint.c ---- */

/* Index of the one of `count` names that `length` letters of text are a slip of; -1 if there is none. */
int hint_find(const char *text, size_t length, const char *(*name)(const void *user, int i), const void *user,
              int count);

/* ---- help.c ---- */

/* Help of the command, or, where that is NULL, of the room, or, where there is not one of that name, of the tool. */
void help_print(const struct job *job, const struct command *command, const char *room);

/* ---- help_man.c, help_completion.c: the same, for other programs ---- */

void help_print_man(const struct job *job);
void help_print_completion(const struct job *job, int shell); /* bash, zsh, fish */

/* ---- clock.c ---- */

double job_now(void); /* seconds */

/* ---- say.c ---- */

/* Says "boscage: ..." on standard error and returns the code; says nothing once a reader has closed its pipe. */
int say(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int say_io(bosc_status status, const bosc_io_error *error);
int say_ctx(const struct job *job, bosc_status status); /* the context's message */
int exit_code_of(bosc_status status);

void watch_pipes(void); /* before any output: a closed pipe is then a failed write */
/* What main returns; where a reader closed its pipe, the process ends by SIGPIPE, as other filters do. */
int end_of_pipes(int code);

/* A bar on the terminal: a bosc_ctx's progress function, and the end of it. */
int progress_show(void *user, const char *stage, double part);
void progress_clear(void);

/* ---- job.c ---- */

int job_open(struct job *job);                                      /* opens the context that the options ask for */
int job_close(struct job *job, int code);                           /* prints the results of a job that is done */
void job_seconds(struct job *job, const char *stage, double since); /* adds the time since then to a stage */
void job_integer(struct job *job, const char *name, int64_t value); /* adds to the results */
void job_number(struct job *job, const char *name, double value);   /* null where it is not finite */
void job_text(struct job *job, const char *name, const char *value);
void job_json(struct job *job, const char *name, json_t *value);

/* Memory for count elements of some bytes each; NULL after saying so. Free with free(). */
void *job_alloc(size_t count, size_t size);

/* ---- paths.c ---- */

bool path_ends_in(const char *path, const char *ending); /* in either case; .gz behind does not count */
bool path_is_standard(const char *path);                 /* "-" */
int folder_make(const char *path);                       /* one that is there will do */

/* ---- points.c: points, and trees that stand for points ---- */

const char *dtype_code(bosc_dtype dtype); /* "f4" */
int points_read(struct job *job, const char *path, bosc_array *points);
/* A slice of the points of a file, as they are read and converted. */
int points_read_slice(struct job *job, const char *path, bosc_slice *slice, bosc_array *points);

/* Boxes (m, 2, dim), and none with a NaN, of which the first is number `first`. */
int boxes_check(const char *path, const bosc_array *boxes, int32_t dim);
int boxes_refuse_nan(const char *path, const bosc_array *boxes, int64_t first);

/* Makes queries or boxes what the points are, where that changes none of them or --dtype has asked for it. */
int match_points(const struct job *job, const char *path, bosc_array *array, bosc_dtype type);
double coordinate(const bosc_array *points, int64_t at); /* element `at`, rounded to a double */
/* The saved tree, or a tree of the points, of the file. */
int tree_read(struct job *job, const char *path, const bosc_kdtree_opts *opts, bosc_kdtree **tree);
int tree_build(struct job *job, const char *path, const bosc_array *points, const bosc_kdtree_opts *opts,
               bosc_kdtree **tree);

/* ---- graphs.c: graphs, saved or as lists of edges ---- */

/* One of the two; edges are the caller's to free. */
int graph_or_edges_read(struct job *job, const char *path, bosc_graph **graph, bosc_edges *edges);
bosc_graph_opts graph_opts_of(const bosc_edges *edges);
/* Says why a call on the edges of a file failed. */
int say_edges(struct job *job, const char *path, const bosc_edges *edges, bosc_status status);
int graph_build(struct job *job, const char *path, const bosc_edges *edges, bosc_graph **graph);
/* The entries of a saved graph, for ranks that build graphs of slices of them; those that its build has left out are
 * loops of vertex 0. */
int graph_entries(struct job *job, const char *path, const bosc_graph *graph, const bosc_graph_info *info,
                  bosc_edges *edges);
/* Ids or vertices of id_bits, in the front half of their array if those are 32, become int64_t. */
void widen_ids(int32_t id_bits, void *ids, int64_t count);

/* Squared distances between points of the type, in float in the front half for f4 ones, become distances in double. */
void take_roots(bosc_dtype dtype, void *squares, int64_t count);
/* Writes .npy files, or texts by their endings, all of them or none; an array whose path is NULL is not wanted. A
 * silent job writes none. */
int arrays_write(struct job *job, const char *const *paths, const bosc_array *arrays, int count);

/* ---- vectors.c ---- */

/* bits: of a vector; 0: as the file has them. */
int vectors_read(struct job *job, const char *path, int64_t bits, bosc_vectors *vectors);

/* ---- cmd_emst.c ---- */

/* The Euclidean minimum spanning tree of points. */
struct spanning_tree {
    bosc_array points, edges; /* (n - 1, 2) i8 */
    bosc_array lengths;       /* (n - 1) f8 */
};

/* Reads the points, reports how many they are, and makes room for as many edges. The tree is to be freed on a failure
 * too. */
int spanning_tree_read(struct job *job, const char *path, struct spanning_tree *tree);
/* The same, and finds the edges. */
int spanning_tree_find(struct job *job, const char *path, struct spanning_tree *tree);
void spanning_tree_free(struct spanning_tree *tree);

/* ---- programs.c: the benchmarks of this build ---- */

enum { BENCH_PATH_SIZE = 4200 };
bool bench_find(const char *name, char *path, size_t size);
int bench_missing(void); /* says that there are none */
/* Starts a program; its standard output becomes `output`, unless that is -1. -1, having said why, if it cannot. */
pid_t bench_start(const char *path, char *const *arguments, int output);
int bench_wait(const char *path, pid_t child); /* until it has ended: well, or says so */

/* ---- the commands ---- */

int run_info(struct job *job);
int run_generate_points(struct job *job);
int run_generate_graph(struct job *job);
int run_generate_pairs(struct job *job);
int run_generate_heights(struct job *job);
int run_generate_scene(struct job *job);
int run_generate_vectors(struct job *job);
int run_mst(struct job *job);
int run_components(struct job *job);
int run_emst(struct job *job);
int run_linkage(struct job *job);
int run_tour(struct job *job);
int run_kdtree_build(struct job *job);
int run_kdtree_verify(struct job *job);
int run_kdtree_knn(struct job *job);
int run_kdtree_radius(struct job *job);
int run_kdtree_box(struct job *job);
int run_kdtree_pairs(struct job *job);
int run_hash_lookup(struct job *job);
int run_hash_member(struct job *job);
int run_hash_groups(struct job *job);
int run_hash_unique(struct job *job);
int run_hash_pairs(struct job *job);
int run_hash_collide(struct job *job);
int run_hash_match(struct job *job);
int run_cellgraph(struct job *job);
int run_cellgraph_path(struct job *job);
int run_cellgraph_components(struct job *job);
int run_cellgraph_levels(struct job *job);
int run_trie(struct job *job);
int run_cbt_create(struct job *job);
int run_cbt_split(struct job *job);
int run_cbt_merge(struct job *job);
int run_cbt_decode(struct job *job);
int run_plan(struct job *job);
int run_terrain(struct job *job);
int run_planet(struct job *job);
int run_bench(struct job *job);
int run_bench_paper(struct job *job);
int bench_plot(const struct job *job); /* of the rows that boscage bench has measured */

/* ---- bench_rows.c ---- */

const char *bench_text(const json_t *row, const char *key); /* "" if there is none */
double bench_number(const json_t *row, const char *key);    /* or NAN */
/* Each row of ours that has others beside it gets the fastest ("best_other", "best_other_ms") and the ratio of their
 * times, which are printed too, unless for --json. */
void bench_compare(const struct job *job);
int run_demo(struct job *job);
int run_help(struct job *job);

#endif
