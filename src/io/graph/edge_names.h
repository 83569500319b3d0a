/* Names of vertices, numbered by their first appearance. */
#ifndef BI_IO_GRAPH_EDGE_NAMES_H
#define BI_IO_GRAPH_EDGE_NAMES_H

#include "io/io.h"

/* A table of names: open addressing, linear probing. */
struct bi_edge_names {
    bosc_names list;
    size_t used, text_capacity; /* bytes of list.text */
    int64_t capacity;           /* of list.begins */
    uint32_t *slots;            /* number of a name + 1; 0: empty */
    size_t slot_count;          /* a power of two, more than twice the names */
};

/* Returns the number of a name, a new one for a new name; -1: out of memory. */
int64_t bi_edge_names_find(struct bi_edge_names *names, const char *begin, const char *end);

/* Copies a field; two double quotes mean one. Returns the length of the copy. */
size_t bi_name_copy(char *to, const char *begin, const char *end);

void bi_edge_names_free(struct bi_edge_names *names);

#endif
