/* How components that are spread over ranks join: each points to the other end of its edge, and pointer jumping finds
 * the numbers of the roots. Source: Wyllie, The Complexity of Parallel Computations (1979), for the jumps. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

struct join {
    struct bi_ranks_sharded *s;
    const struct bi_ranks_sharded_level *level;
    const uint64_t *records;
    uint32_t *parent, *stays, *numbers;
};

/* Who stays, and the edges that are listed. */
static bosc_status list(struct join *j, const struct bi_ranks_sharded_link *link)
{
    struct bi_ranks_sharded *s = j->s;
    const size_t size = 3 * sizeof *s->found;
    int64_t listed;
    if (j->level->own == 0) return BOSC_OK;
    BI_TRY(s->steps->sharded_link(s->ctx, j->level->own, link));
    BI_TRY(s->core->compact(s->ctx, size, j->records, link->listed, j->level->own, s->found + 3 * s->found_count,
                            s->counted));
    BI_TRY(bi_read_back(s->ctx, &listed, s->counted, sizeof listed));
    s->found_count += listed;
    return BOSC_OK;
}

static bosc_status link_to_others(struct join *j, bosc_status *local_status)
{
    const struct bi_ranks_sharded *s = j->s;
    const int64_t own = j->level->own;
    struct bi_ranks_sharded_link link = {
        .records = j->records, .first = j->level->first, .parent = j->parent, .stays = j->stays};
    uint64_t *ids = NULL, *other_ids = NULL;
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *link.others, &link.others);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *link.listed, &link.listed);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *ids, &ids);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *other_ids, &other_ids);
    link.ids = ids;
    link.other_ids = other_ids;
    if (*local_status == BOSC_OK) *local_status = s->steps->sharded_others(s->ctx, own, &link);
    BI_TRY(bi_ranks_sharded_ask(s, local_status, j->level, link.others, own, ids, sizeof *ids, other_ids));
    if (*local_status == BOSC_OK) *local_status = list(j, &link);
    return BOSC_OK;
}

/* The numbers of those that stay; *components: how many do on all ranks. */
static bosc_status number(struct join *j, bosc_status *local_status, int64_t *components)
{
    const struct bi_ranks_sharded *s = j->s;
    const int64_t own = j->level->own;
    struct bi_ranks_sharded_numbers numbers = {j->stays, j->numbers, 0, j->numbers};
    uint32_t staying = 0;
    if (*local_status == BOSC_OK && own) {
        *local_status = s->core->scan(s->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, j->stays, own, j->numbers);
        if (*local_status == BOSC_OK)
            *local_status = bi_read_back(s->ctx, &staying, j->numbers + (own - 1), sizeof staying);
    }
    BI_TRY(bi_comm_offset(s->ctx, s->comm, *local_status, staying, &numbers.before, components));
    *local_status = s->steps->sharded_numbers(s->ctx, own, &numbers);
    return BOSC_OK;
}

/* *count: how many ask again. */
static bosc_status take_answers(const struct join *j, const struct bi_ranks_sharded_jump *jump, int64_t *count)
{
    const struct bi_ranks_sharded *s = j->s;
    BI_TRY(s->steps->sharded_jump(s->ctx, j->level->own, jump));
    BI_TRY(s->core->compact(s->ctx, 1, jump->moves, jump->moves, j->level->own, NULL, s->counted));
    return bi_read_back(s->ctx, count, s->counted, sizeof *count);
}

/* With each jump a way is half as long. next: (of this rank's) the numbers found. */
static bosc_status jump(struct join *j, bosc_status *local_status, uint32_t *next)
{
    const struct bi_ranks_sharded *s = j->s;
    const int64_t own = j->level->own;
    struct bi_ranks_sharded_jump jump = {
        .first = j->level->first, .parent = j->parent, .numbers = j->numbers, .next = next};
    uint64_t *answers = NULL;
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *jump.ways, &jump.ways);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *jump.asked, &jump.asked);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *jump.moves, &jump.moves);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *answers, &answers);
    jump.answers = answers;
    if (*local_status == BOSC_OK) *local_status = s->steps->sharded_begin_jumps(s->ctx, own, &jump);
    for (int64_t moves = 1; moves > 0;) {
        BI_TRY(bi_ranks_sharded_ask(s, local_status, j->level, jump.asked, own, jump.ways, sizeof *jump.ways, answers));
        moves = 0;
        if (*local_status == BOSC_OK) *local_status = take_answers(j, &jump, &moves);
        BI_TRY(bi_comm_sum(s->ctx, s->comm, *local_status, &moves, 1));
    }
    *local_status = s->steps->sharded_end_jumps(s->ctx, own, &jump);
    return BOSC_OK;
}

bosc_status bi_ranks_sharded_join(struct bi_ranks_sharded *s, bosc_status *local_status, const uint64_t *records,
                                  uint32_t *next, int64_t *components)
{
    struct join j = {.s = s, .level = &s->levels[s->rounds], .records = records};
    const int64_t own = j.level->own;
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *j.parent, &j.parent);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *j.stays, &j.stays);
    if (*local_status == BOSC_OK) *local_status = bi_scratch_of(s->ctx, own, sizeof *j.numbers, &j.numbers);
    BI_TRY_WITH_SCRATCH(s->ctx, link_to_others(&j, local_status));
    BI_TRY(number(&j, local_status, components));
    BI_RETURN_WITH_SCRATCH(s->ctx, jump(&j, local_status, next));
}
