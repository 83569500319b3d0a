/* Contraction of distributed components: each points to the other end of its edge, and pointer jumping finds the
 * numbers of the roots. Source: Wyllie, The Complexity of Parallel Computations (1979), for the jumps. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

struct contraction {
    struct bi_ranks_sharded *s;
    const struct bi_ranks_sharded_level *level;
    const uint64_t *records;
    uint32_t *parent, *survives, *numbers;
};

/* Finds the roots, and lists the edges of the other components. */
static bosc_status list_edges(struct contraction *j, const struct bi_ranks_sharded_link *link)
{
    struct bi_ranks_sharded *s = j->s;
    const size_t size = 3 * sizeof *s->found;
    int64_t listed;
    if (j->level->own == 0) return BOSC_OK;
    BI_TRY(s->steps->sharded_link(s->ctx, j->level->own, link));
    BI_TRY(s->core->compact(s->ctx, size, j->records, link->listed, j->level->own, s->found + 3 * s->found_count,
                            s->counter));
    BI_TRY(bi_read_back(s->ctx, &listed, s->counter, sizeof listed));
    s->found_count += listed;
    return BOSC_OK;
}

/* Queries the owners of the other ends for their edges' ids, and links the components. */
static bosc_status link_components(struct contraction *j, bosc_status *local_status)
{
    const struct bi_ranks_sharded *s = j->s;
    const int64_t own = j->level->own;
    struct bi_ranks_sharded_link link = {
        .records = j->records, .first = j->level->first, .parent = j->parent, .survives = j->survives};
    uint64_t *ids = NULL, *other_ids = NULL;
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *link.other_ends, &link.other_ends);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *link.listed, &link.listed);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *ids, &ids);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *other_ids, &other_ids);
    link.ids = ids;
    link.other_ids = other_ids;
    if (*local_status == BOSC_OK) *local_status = s->steps->sharded_list_others(s->ctx, own, &link);
    BI_TRY(bi_ranks_sharded_query(s, local_status, j->level, link.other_ends, own, ids, sizeof *ids, other_ids));
    if (*local_status == BOSC_OK) *local_status = list_edges(j, &link);
    return BOSC_OK;
}

/* Numbers the roots. *components: number of roots on all ranks. */
static bosc_status number_roots(struct contraction *j, bosc_status *local_status, int64_t *components)
{
    const struct bi_ranks_sharded *s = j->s;
    const int64_t own = j->level->own;
    struct bi_ranks_sharded_number_roots numbers = {j->survives, j->numbers, 0, j->numbers};
    uint32_t own_roots = 0;
    if (*local_status == BOSC_OK && own) {
        *local_status = s->core->scan(s->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, j->survives, own, j->numbers);
        if (*local_status == BOSC_OK)
            *local_status = bi_read_back(s->ctx, &own_roots, j->numbers + (own - 1), sizeof own_roots);
    }
    BI_TRY(bi_comm_offset(s->ctx, s->comm, *local_status, own_roots, &numbers.first_number, components));
    *local_status = s->steps->sharded_number_roots(s->ctx, own, &numbers);
    return BOSC_OK;
}

/* Applies the answers of a jump. *count: number of components that query again. */
static bosc_status apply_answers(const struct contraction *j, const struct bi_ranks_sharded_jump *jump, int64_t *count)
{
    const struct bi_ranks_sharded *s = j->s;
    BI_TRY(s->steps->sharded_jump(s->ctx, j->level->own, jump));
    BI_TRY(s->core->compact(s->ctx, 1, jump->is_unresolved, jump->is_unresolved, j->level->own, NULL, s->counter));
    return bi_read_back(s->ctx, count, s->counter, sizeof *count);
}

/* Each jump halves the paths to the roots. next: the root numbers of this rank's components. */
static bosc_status jump_to_roots(struct contraction *j, bosc_status *local_status, uint32_t *next)
{
    const struct bi_ranks_sharded *s = j->s;
    const int64_t own = j->level->own;
    struct bi_ranks_sharded_jump jump = {
        .first = j->level->first, .parent = j->parent, .numbers = j->numbers, .next = next};
    uint64_t *answers = NULL;
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *jump.pointers, &jump.pointers);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *jump.targets, &jump.targets);
    if (*local_status == BOSC_OK)
        *local_status = bi_scratch_of(s->ctx, own, sizeof *jump.is_unresolved, &jump.is_unresolved);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *answers, &answers);
    jump.answers = answers;
    if (*local_status == BOSC_OK) *local_status = s->steps->sharded_init_jumps(s->ctx, own, &jump);
    for (int64_t unresolved = 1; unresolved > 0;) {
        BI_TRY(bi_ranks_sharded_query(s, local_status, j->level, jump.targets, own, jump.pointers,
                                      sizeof *jump.pointers, answers));
        unresolved = 0;
        if (*local_status == BOSC_OK) *local_status = apply_answers(j, &jump, &unresolved);
        BI_TRY(bi_comm_sum(s->ctx, s->comm, *local_status, &unresolved, 1));
    }
    *local_status = s->steps->sharded_finish_jumps(s->ctx, own, &jump);
    return BOSC_OK;
}

bosc_status bi_ranks_sharded_contract(struct bi_ranks_sharded *s, bosc_status *local_status, const uint64_t *records,
                                      uint32_t *next, int64_t *components)
{
    struct contraction j = {.s = s, .level = &s->levels[s->rounds], .records = records};
    const int64_t own = j.level->own;
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *j.parent, &j.parent);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *j.survives, &j.survives);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *j.numbers, &j.numbers);
    BI_TRY_WITH_SCRATCH(s->ctx, link_components(&j, local_status));
    BI_TRY(number_roots(&j, local_status, components));
    BI_RETURN_WITH_SCRATCH(s->ctx, jump_to_roots(&j, local_status, next));
}
