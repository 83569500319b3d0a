/* Graphs of the commands, saved or lists of edges; and forests: ids from files, weights, --replicated. */
#ifndef TOOL_COMMANDS_GRAPHS_H
#define TOOL_COMMANDS_GRAPHS_H

#include "tool/ranks.h"
#include "tool/tool.h"

/* ---- graphs ---- */

/* Refuses --columns for a graph that is no edge list. */
int check_edge_columns(const char *path, const struct job *job);

/* Reads a saved graph or a list of edges; sets one of the two. The caller frees the edges. */
int graph_or_edges_read(struct job *job, const char *path, bosc_graph **graph, bosc_edges *edges);

/* Reads a list of edges between vertices with names. columns: of the list, or NULL. The caller frees both. */
int named_edges_read(struct job *job, const char *path, const char *columns, bosc_edges *edges, bosc_names *names);

/* Writes edges as text of names to -o. */
int named_edges_write(struct job *job, const bosc_edges *edges, const bosc_names *names);

/* A text with a line for each name: a vertex or key, and its number or another vertex's name. */
struct named_column {
    const char *path, *name;
    const bosc_array *numbers;
    const int64_t *vertices; /* in place of numbers, if not NULL; -1: none */
};

enum { NAMED_COLUMNS_MAX = 3 };

/* Writes such texts, all of them or none. title: of the column of names. */
int named_columns_write(struct job *job, const char *title, const struct named_column *columns, int count,
                        const bosc_names *names);

/* Writes the names on a route, a line each, to --stops. */
int named_route_write(struct job *job, const bosc_array *route, const bosc_names *names);

/* A name that is no string: part of an option's value. */
struct vertex_name {
    const char *text;
    size_t length;
    int64_t vertex; /* -1: no vertex has the name */
    int64_t number; /* the caller's */
};

/* Sorts names and drops repeated ones; sets their vertices. Returns the number of names that remain. Takes one pass
 * over the vertices, whatever the count. */
int64_t find_named_vertices(const bosc_names *names, struct vertex_name *wanted, int64_t count);

/* Finds the names of another file: sorts them, and sets the vertex of each and its number there. Returns them and
 * their count. NULL: no memory, which is reported. */
struct vertex_name *find_same_names(const bosc_names *names, const bosc_names *others, int64_t *count);

/* Returns the one of `count` names so sorted that is this text; NULL: none. */
const struct vertex_name *search_name(const struct vertex_name *names, int64_t count, const char *text);

/* Returns the options for a graph of edges: their type of weights, and 32-bit ids. */
bosc_graph_opts edges_graph_opts(const bosc_edges *edges);

/* Builds a graph of the edges of a file, unless memory is short. The caller frees it. */
int graph_build(struct job *job, const char *path, const bosc_edges *edges, bosc_graph **graph);

/* Reports why a call on the edges of a file failed. */
int report_edges_error(struct job *job, const char *path, const bosc_edges *edges, bosc_status status);

/* Lists the entries of a saved graph, for ranks that build graphs of slices of them. Entries that the saved graph does
 * not store become loops of vertex 0. */
int graph_get_entries(struct job *job, const char *path, const bosc_graph *graph, const bosc_graph_info *info,
                      bosc_edges *edges);

/* ---- forests ---- */

/* Reads the edge ids of --verify and checks that each is less than `entries`. They have id_bits; 32-bit ids are packed
 * at the front of the array. */
int read_forest_ids(struct job *job, const struct ranks *ranks, int32_t id_bits, int64_t entries,
                    struct input_rows *ids);

/* Reads the edges of --verify, which with --names and a text have names, and finds the entries of the graph that they
 * are. Fails for edges that the graph has not. */
int read_forest_edges(struct job *job, const bosc_edges *edges, const bosc_names *names, bosc_array *ids);

/* True if the weights of a list of edges are assumed to be 1, since the file has none. */
bool has_assumed_weights(const bosc_edges *edges);

/* Adds the weight of a forest to the results. assumed: the weights are assumed to be 1. */
void report_weight(struct job *job, bosc_dtype weight, bool assumed, const bosc_msf_info *found);

/* Reads --replicated: the most bytes a rank may use for vertices that every rank holds; 0: no limit. */
int replicated_bytes(const struct job *job, const struct ranks *ranks, int64_t *bytes);

#endif
