/* Selects the meshes of a tile set's levels. */
#include "tool/commands/tile_levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/job.h"
#include "tool/output/report.h"

enum { CHUNK = 1 << 18 }; /* leaves whose corners are read at once: 6 MB */

int tile_pyramid_open(struct terrain_view *terrain, const struct tile_frame *frame, int64_t last_level,
                      struct tile_pyramid *p)
{
    const bosc_heights *h = &terrain->heights;
    const int64_t shorter = h->width < h->height ? h->width : h->height;
    *p = (struct tile_pyramid){.terrain = terrain,
                               .frame = frame,
                               .width = h->width,
                               .height = h->height,
                               .side = 1,
                               .last_level = last_level};
    while (p->side < shorter - 1) p->side *= 2; /* the squares of boscage/terrain.h */
    const size_t words = (size_t)(h->width * h->height + 63) / 64;
    p->finest = job_alloc(words, sizeof *p->finest);
    if (!p->finest) return EXIT_FAILED;
    memset(p->finest, 0, words * sizeof *p->finest);
    return EXIT_DONE;
}

void tile_pyramid_close(struct tile_pyramid *p)
{
    free(p->finest);
    p->finest = NULL;
}

/* ---- the leaves ---- */

/* Called with the corners (3) of each live leaf and its number. */
typedef void (*leaf_fn)(void *user, int64_t leaf, const int64_t corners[3]);

static int visit_leaves(struct job *job, const struct tile_pyramid *p, leaf_fn visit, void *user)
{
    const bosc_terrain *terrain = p->terrain->handle;
    bosc_cbt_info info = {.size = sizeof info};
    bosc_status status = bosc_cbt_get_info(job->ctx, bosc_terrain_get_tree(terrain), &info);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    int64_t *corners = job_alloc(CHUNK * 3, sizeof *corners);
    if (!corners) return EXIT_FAILED;
    for (int64_t first = 0; first < info.leaves && status == BOSC_OK; first += CHUNK) {
        const int64_t count = info.leaves - first < CHUNK ? info.leaves - first : CHUNK;
        status = bosc_terrain_get_corners(job->ctx, terrain, first, count, corners);
        if (status == BOSC_OK) status = bosc_ctx_sync(job->ctx);
        for (int64_t i = 0; i < count && status == BOSC_OK; i++)
            if (corners[3 * i] >= 0) visit(user, first + i, corners + 3 * i);
    }
    free(corners);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* ---- refinement ---- */

/* State of the passes over the leaves of a level. */
struct refinement {
    const struct tile_pyramid *pyramid;
    int64_t side;
    double sag;
    bool has_finest; /* the finest mesh is known: this level is a coarser one */
    uint8_t *commands;
    int64_t splits;
};

/* The smallest and the largest column and row of a triangle. */
struct extent {
    int64_t low[2], high[2];
};

static struct extent extent_of(const struct tile_pyramid *p, const int64_t corners[3])
{
    struct extent e = {{INT64_MAX, INT64_MAX}, {-1, -1}};
    for (int i = 0; i < 3; i++) {
        const int64_t at[2] = {corners[i] % p->width, corners[i] / p->width};
        for (int c = 0; c < 2; c++) {
            if (at[c] < e.low[c]) e.low[c] = at[c];
            if (at[c] > e.high[c]) e.high[c] = at[c];
        }
    }
    return e;
}

static bool is_finest_vertex(const struct tile_pyramid *p, int64_t sample)
{
    return p->finest[sample / 64] >> (sample % 64) & 1;
}

/* True if the edge (a, b) lies on a border between tiles and the finest mesh has a vertex inside it. */
static bool lacks_border_vertex(const struct refinement *r, int64_t a, int64_t b)
{
    const struct tile_pyramid *p = r->pyramid;
    const int64_t w = p->width, columns[2] = {a % w, b % w}, rows[2] = {a / w, b / w};
    const bool is_upright = columns[0] == columns[1], is_level = rows[0] == rows[1];
    const int64_t line = is_upright ? columns[0] : rows[0], last = (is_upright ? w : p->height) - 1;
    if (!(is_upright || is_level) || line % r->side != 0 || line == 0 || line == last) return false;
    const int64_t step = is_upright ? w : 1, low = a < b ? a : b, high = a < b ? b : a;
    for (int64_t s = low + step; s < high; s += step)
        if (is_finest_vertex(p, s)) return true;
    return false;
}

static bool needs_split(const struct refinement *r, const int64_t v[3])
{
    const struct extent e = extent_of(r->pyramid, v);
    if (e.high[0] - e.low[0] <= 1 && e.high[1] - e.low[1] <= 1) return false; /* no sample inside */
    for (int c = 0; c < 2; c++)                                               /* crosses a border between tiles */
        if (e.low[c] / r->side < (e.high[c] - 1) / r->side && e.low[c] < e.high[c]) return true;
    if (r->pyramid->terrain->holes.counts && terrain_holes_cover(&r->pyramid->terrain->holes, v) == HOLE_MIXED)
        return true;
    if (r->sag < INFINITY && tile_frame_sag(r->pyramid->frame, v[0], v[1]) > r->sag) return true; /* longest edge */
    for (int i = 0; i < 3 && r->has_finest; i++)
        if (lacks_border_vertex(r, v[i], v[(i + 1) % 3])) return true;
    return false;
}

static void command_leaf(void *user, int64_t leaf, const int64_t corners[3])
{
    struct refinement *r = user;
    if (!needs_split(r, corners)) return;
    r->commands[leaf] = BOSC_CBT_SPLIT;
    r->splits++;
}

/* Splits leaves until none needs it: each pass splits every leaf that does, so passes are at most the tree's depth. */
static int refine_level(struct job *job, const struct tile_pyramid *p, struct refinement *r)
{
    int code = EXIT_DONE;
    do {
        bosc_cbt_info info = {.size = sizeof info};
        bosc_status status = bosc_cbt_get_info(job->ctx, bosc_terrain_get_tree(p->terrain->handle), &info);
        if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
        r->splits = 0;
        r->commands = job_alloc((size_t)info.leaves, 1);
        if (!r->commands) return EXIT_FAILED;
        memset(r->commands, BOSC_CBT_KEEP, (size_t)info.leaves);
        code = visit_leaves(job, p, command_leaf, r);
        if (!code && r->splits > 0) {
            status = bosc_terrain_update(job->ctx, p->terrain->handle, r->commands, info.leaves);
            if (status == BOSC_OK) status = bosc_ctx_sync(job->ctx);
            if (status != BOSC_OK) code = report_ctx_error(job->ctx, status);
        }
        free(r->commands);
    } while (!code && r->splits > 0);
    return code;
}

/* ---- triangles by tiles ---- */

/* State of the two passes that count and write triangles. */
struct sorting {
    struct tile_pyramid *pyramid;
    struct tile_level *level;
    int64_t *next; /* (tiles) where the next triangle of a tile goes; NULL: only count */
    bool is_finest;
};

/* Returns the tile of a triangle, which crosses no border: that of the first column and row. */
static int64_t tile_of(const struct sorting *s, const int64_t corners[3])
{
    const struct extent e = extent_of(s->pyramid, corners);
    return e.low[1] / s->level->side * s->level->across + e.low[0] / s->level->side;
}

static void sort_leaf(void *user, int64_t leaf, const int64_t corners[3])
{
    struct sorting *s = user;
    const struct terrain_holes *holes = &s->pyramid->terrain->holes;
    const int64_t tile = tile_of(s, corners);
    (void)leaf;
    for (int i = 0; i < 3 && s->is_finest && !s->next; i++)
        s->pyramid->finest[corners[i] / 64] |= (uint64_t)1 << corners[i] % 64;
    if (holes->counts && terrain_holes_cover(holes, corners) != HOLE_NONE) return;
    if (!s->next) {
        s->level->first[tile + 1]++;
        return;
    }
    uint32_t *to = s->level->corners + 3 * s->next[tile]++;
    to[0] = (uint32_t)corners[0]; /* fewer than 2^31 samples */
    to[1] = (uint32_t)corners[2]; /* rows run to the south: the other orientation */
    to[2] = (uint32_t)corners[1];
}

static int sort_triangles(struct job *job, struct sorting *s)
{
    struct tile_level *level = s->level;
    const int64_t tiles = level->across * level->down;
    /* 1. Count the triangles of each tile. */
    level->first = job_alloc((size_t)tiles + 1, sizeof *level->first);
    if (!level->first) return EXIT_FAILED;
    memset(level->first, 0, ((size_t)tiles + 1) * sizeof *level->first);
    int code = visit_leaves(job, s->pyramid, sort_leaf, s);
    if (code) return code;
    for (int64_t t = 0; t < tiles; t++) level->first[t + 1] += level->first[t];
    level->triangles = level->first[tiles];
    /* 2. Write them. */
    level->corners = job_alloc((size_t)level->triangles * 3, sizeof *level->corners);
    s->next = level->corners ? job_alloc((size_t)tiles, sizeof *s->next) : NULL;
    if (!s->next) return EXIT_FAILED;
    memcpy(s->next, level->first, (size_t)tiles * sizeof *s->next);
    code = visit_leaves(job, s->pyramid, sort_leaf, s);
    free(s->next);
    return code;
}

int tile_level_select(struct job *job, struct tile_pyramid *p, int64_t number, const struct tile_bounds *bounds,
                      struct tile_level *level)
{
    const int64_t side = p->side >> number;
    const bosc_terrain_goal goal = {.size = sizeof goal, .error = bounds->error};
    struct refinement r = {.pyramid = p, .side = side, .sag = bounds->sag, .has_finest = number < p->last_level};
    struct sorting s = {.pyramid = p, .level = level, .is_finest = number == p->last_level};
    const double start = job_now();
    *level = (struct tile_level){
        .side = side, .across = tile_level_count(p->width, side), .down = tile_level_count(p->height, side)};
    const bosc_status status = terrain_view_select(job->ctx, p->terrain, &goal);
    int code = status == BOSC_OK ? refine_level(job, p, &r) : report_ctx_error(job->ctx, status);
    job_add_seconds(job, "select", start);
    const double selected = job_now();
    if (!code) code = sort_triangles(job, &s);
    job_add_seconds(job, "mesh", selected);
    return code;
}

void tile_level_close(struct tile_level *level)
{
    free(level->corners);
    free(level->first);
    *level = (struct tile_level){0};
}
