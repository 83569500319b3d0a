/* Boruvka's rounds over ranks whose components are spread over the ranks: the second form of forests, for vertices that
 * do not fit one rank, as long as the components do not. */
#ifndef BI_RANKS_FOREST_SHARDED_H
#define BI_RANKS_FOREST_SHARDED_H

#include "ranks/forest/forest.h"
#include "ranks/forest/proof.h"

/* The components of a round: `each` of a rank, one after the other; `own` of this one from `first` on. */
struct bi_ranks_sharded_level {
    int64_t count, each, first, own;
    int64_t at; /* of this rank's in the arrays over rounds */
};

struct bi_ranks_sharded {
    bosc_ctx *ctx;
    bosc_comm *comm;
    const struct bi_ranks_part *part;
    const struct bi_ranks_steps *steps;
    const struct bi_core_ops *core;
    bool labels; /* these can be asked for */

    struct bi_ranks_list edges, spare;   /* of this rank; ends are names within a round, else components */
    struct bi_ranks_sharded_names names; /* room for those of the first round */
    int64_t name_count;

    struct bi_ranks_sharded_level levels[BI_RANKS_FOREST_LEVELS];
    int32_t rounds;            /* levels[rounds] are the components in the end */
    int32_t rest;              /* rounds more, of the last level, in which each rank had all components */
    uint32_t *next, *smallest; /* by this rank's components of all rounds, the first with labels alone */
    uint64_t *found;           /* records of the edges that this rank's components list; their number */
    int64_t found_count;
    int64_t *counted;
    struct bi_ranks_sharded_climb *climb; /* NULL: no edges go along */
};

/* Edges of a rank that go along with the rounds over others. */
struct bi_ranks_sharded_climb {
    struct bi_ranks_list edges;
    uint64_t *heaviest; /* two words an edge: rank and id of the heaviest that was chosen on the way between its ends */
    uint32_t *names;    /* room for those of the first round */
    int64_t *faults;    /* the proof's */
};

/* ---- forest_sharded_ask.c ---- */

/* answers[i] = the item of a component in the tables of all owners; of BI_FOREST_NONE zeros. *local_status is
 * how this rank is; all go on, or none. */
bosc_status bi_ranks_sharded_ask(const struct bi_ranks_sharded *s, bosc_status *local_status,
                                 const struct bi_ranks_sharded_level *level, const uint32_t *components, int64_t count,
                                 const void *table, size_t item_size, void *answers);

/* ---- forest_sharded_names.c ---- */

/* Names for the components that edges have, which stand in their ends then: *count of them. */
bosc_status bi_ranks_sharded_name_ends(struct bi_ranks_sharded *s, const struct bi_ranks_list *edges,
                                       struct bi_ranks_sharded_names *names, int64_t *count);

/* ---- forest_sharded.c ---- */

/* All edges of this rank that the options let count, to s->edges, which has room for those of the graph. Takes
 * scratch. */
bosc_status bi_ranks_sharded_collect(struct bi_ranks_sharded *s);

/* Runs all rounds over s->edges, which are lost. Takes scratch. Waits. */
bosc_status bi_ranks_sharded_run(struct bi_ranks_sharded *s, bosc_status local_status);

/* ---- forest_sharded_climb.c ---- */

/* A round of s->climb, by the records of this rank's components, which are lost, and their numbers in the next
 * round. */
bosc_status bi_ranks_sharded_climb(struct bi_ranks_sharded *s, bosc_status *local_status, uint64_t *records,
                                   const uint32_t *next);

/* What is left once all rounds have run: edges between two trees. */
bosc_status bi_ranks_sharded_end_climb(const struct bi_ranks_sharded *s);

/* ---- forest_sharded_join.c ---- */

/* Joins components by the records of this rank's: lists the edges found, and numbers those that stay. next: (of this
 * rank's) their numbers then, BI_FOREST_NONE for whole trees. *components: how many are left. */
bosc_status bi_ranks_sharded_join(struct bi_ranks_sharded *s, bosc_status *local_status, const uint64_t *records,
                                  uint32_t *next, int64_t *components);

/* ---- forest_sharded_rest.c ---- */

/* Whether each rank may have all components that are left. */
bool bi_ranks_sharded_fits(const struct bi_ranks_sharded *s);

/* Runs the rounds that are left so: one level more, whose components have the numbers of this one's. */
bosc_status bi_ranks_sharded_finish(struct bi_ranks_sharded *s, bosc_status *local_status);

/* ---- forest_sharded_labels.c ---- */

/* The labels of all vertices, on ranks that want them, once all rounds have run; `labels` was set. wanted: (ranks),
 * host: not 0 if rank r does. labels: (n). */
bosc_status bi_ranks_sharded_label(const struct bi_ranks_sharded *s, bosc_status local_status, const int64_t *wanted,
                                   uint32_t *labels);

/* ---- msf_sharded.c ---- */

/* What is asked for of a forest, and what is found. */
struct bi_ranks_sharded_forest {
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct bi_ranks_part *part;
    bool trees_alone;  /* components: neither edges nor sums, and all that the options let count; equal on all ranks */
    bool sum, labels;  /* this rank asks for them */
    uint64_t *ids;     /* of this rank's edges in the forest, ascending */
    int64_t count;     /* of them */
    uint32_t *tree_of; /* n: labels; NULL where none were asked for */
    bosc_msf_info info;
};

/* Whether the options ask for this form where the other one takes so many bytes a vertex. */
bool bi_ranks_forest_is_sharded(const struct bi_ranks_part *part, int64_t bytes);

/* The edges found go to the ranks that have them: *records, scratch. */
bosc_status bi_ranks_sharded_send_home(const struct bi_ranks_sharded *s, uint64_t **records, int64_t *count);

/* Between bi_ranks_forest_begin and _end. Takes scratch. Waits. */
bosc_status bi_ranks_sharded_compute(struct bi_ranks_sharded_forest *f);

#endif
