/* Steps that choose which diamonds are split, and make a tree of them. */
#ifndef BI_TERRAIN_STEPS_REFINE_H
#define BI_TERRAIN_STEPS_REFINE_H

#include "terrain/steps/bounds.h"
#include "terrain/steps/errors.h"
#include "terrain/steps/word.h"

/* What bosc_terrain_goal says, prepared by the driver. */
struct bi_terrain_view {
    double eye[3];
    double planes[5][3]; /* inward normals of planes through the eye */
    double scale;        /* of an error, over its distance, in units of the pixels allowed */
    bool on, cull;
};

struct bi_terrain_aim {
    struct bi_terrain_grid grid;
    const uint32_t *errors;
    struct bi_terrain_bounds bounds;
    const bosc_terrain_region *regions; /* in reach */
    int64_t region_count;
    struct bi_terrain_view view;
    double spacing, error;
    double keep; /* 1 - hysteresis */
    bool plain;  /* the measure is the error itself, not the part of a bound */
};

/* Where the mesh may be changed if a diamond of this error is split: samples to either side of the middle. */
BI_FN int32_t bi_terrain_reach(int32_t x, int32_t y)
{
    int32_t tx = bi_terrain_twos(x), ty = bi_terrain_twos(y);
    return tx == ty ? 3 << tx : 2 << bi_terrain_min(tx, ty);
}

struct bi_terrain_box {
    double low[3], high[3];
};

/* Where that is. The box of a diamond that can only be split after it is in this one. */
BI_FN struct bi_terrain_box bi_terrain_box_of(const struct bi_terrain_aim *a, int32_t x, int32_t y)
{
    int32_t twos = bi_terrain_min(bi_terrain_twos(x), bi_terrain_twos(y)), reach = bi_terrain_reach(x, y);
    int32_t left = bi_terrain_max(x - reach, 0), right = bi_terrain_min(x + reach, a->grid.last_x);
    int32_t bottom = bi_terrain_max(y - reach, 0), top = bi_terrain_min(y + reach, a->grid.last_y);
    struct bi_terrain_bound bound = {0, 0};
    if (a->view.on) bound = bi_terrain_bound_over(&a->grid, &a->bounds, twos + 2, left, right, bottom, top);
    struct bi_terrain_box box = {{left * a->spacing, bottom * a->spacing, bound.low},
                                 {right * a->spacing, top * a->spacing, bound.high}};
    return box;
}

BI_FN bool bi_terrain_seen(const struct bi_terrain_view *v, const struct bi_terrain_box *box)
{
    for (int i = 0; i < 5; i++) {
        double most = 0;
        for (int c = 0; c < 3; c++) {
            double n = v->planes[i][c];
            most += n * ((n > 0 ? box->high[c] : box->low[c]) - v->eye[c]);
        }
        if (most < 0) return false;
    }
    return true;
}

/* How often an error exceeds what the camera allows. */
BI_FN double bi_terrain_on_screen(const struct bi_terrain_aim *a, const struct bi_terrain_box *box, double error)
{
    const struct bi_terrain_view *v = &a->view;
    double square = 0;
    if (error <= a->error || (v->cull && !bi_terrain_seen(v, box))) return 0;
    for (int c = 0; c < 3; c++) {
        double off = v->eye[c] < box->low[c]    ? box->low[c] - v->eye[c]
                     : v->eye[c] > box->high[c] ? v->eye[c] - box->high[c]
                                                : 0;
        square += off * off;
    }
    return square > 0 ? error * v->scale / bi_sqrt(square) : BI_INFINITY;
}

BI_FN double bi_terrain_times(double error, double bound) { return bound > 0 ? error / bound : BI_INFINITY; }

/* How often the error of a diamond is its bound: not less than that of any that can only be split after it. */
BI_FN float bi_terrain_measure_of(const struct bi_terrain_aim *a, int32_t x, int32_t y, bool was_split)
{
    double error = bi_f32_from_bits(a->errors[bi_terrain_slot(&a->grid, x, y)]), most = 0;
    if (error == 0) return 0;
    if (a->plain) {
        most = error;
    } else {
        struct bi_terrain_box box = bi_terrain_box_of(a, x, y);
        bool own = false;
        for (int64_t i = 0; i < a->region_count; i++) {
            const bosc_terrain_region *r = a->regions + i;
            if (r->low[0] > box.high[0] || r->high[0] < box.low[0] || r->low[1] > box.high[1] ||
                r->high[1] < box.low[1])
                continue;
            double times = bi_terrain_times(error, r->error);
            most = times > most ? times : most;
            own = own || (r->low[0] <= box.low[0] && r->high[0] >= box.high[0] && r->low[1] <= box.low[1] &&
                          r->high[1] >= box.high[1]);
        }
        if (!own) {
            double times = a->view.on ? bi_terrain_on_screen(a, &box, error) : bi_terrain_times(error, a->error);
            most = times > most ? times : most;
        }
    }
    if (was_split && a->keep < 1) most /= a->keep;
    return bi_terrain_up(most);
}

/* The coordinate whose column (or row) in the array of diamonds this is; 0 if none is. */
BI_FN int32_t bi_terrain_coordinate(int32_t column, int32_t last)
{
    if (column <= last) return column;
    int32_t twos = column - last - 1, at = ((last >> twos) + 1) << twos;
    return bi_terrain_twos(at) == twos ? at : 0;
}

/* How many triangles more there are when a diamond is split. */
BI_FN int32_t bi_terrain_more(const struct bi_terrain_grid *g, const struct bi_terrain_triangle *t)
{
    if (!bi_terrain_live(g, t)) return 0;
    struct bi_terrain_triangle left = bi_terrain_child(t, 0), right = bi_terrain_child(t, 1);
    return bi_terrain_live(g, &left) + bi_terrain_live(g, &right) - 1;
}

/* The bound that keeps to a budget, 8 bits of the float after another. Items are places of the array of diamonds: of
 * those whose measure begins with the bits known, the triangles they are worth, by the next bits. */
struct bi_terrain_weigh {
    struct bi_terrain_aim aim;
    const uint64_t *before; /* the tree that was */
    uint64_t *known;        /* (2) the bits; triangles left for measures that begin with them */
    uint64_t *worth;        /* (256) */
    float *above;
    float least;
    int32_t shift;
};

BI_FN bool bi_terrain_was_split(const struct bi_terrain_grid *g, const uint64_t *bits, int32_t x, int32_t y)
{
    struct bi_terrain_triangle t = bi_terrain_of_middle(x, y), mate = bi_terrain_mate(&t);
    int32_t twos = bi_terrain_min(bi_terrain_twos(x), bi_terrain_twos(y));
    int32_t level = g->depth - 1 - 2 * twos - (bi_terrain_twos(x) == bi_terrain_twos(y));
    if (!bi_terrain_live(g, &t)) t = mate;
    uint64_t node = bi_terrain_node(g, &t, level);
    return bosc_cbt_bit(bits, bosc_cbt_place(bosc_cbt_right(node), g->depth));
}

/* What the diamond kept at this place is worth, and the next bits of its measure; 0 if none is to be counted. */
BI_FN uint32_t bi_terrain_worth(const struct bi_terrain_weigh *a, int64_t slot, uint32_t *digit)
{
    const struct bi_terrain_grid *g = &a->aim.grid;
    if (a->aim.errors[slot] == 0) return 0;
    int32_t x = bi_terrain_coordinate((int32_t)(slot % g->pitch), g->last_x);
    int32_t y = bi_terrain_coordinate((int32_t)(slot / g->pitch), g->last_y);
    struct bi_terrain_triangle t = bi_terrain_of_middle(x, y), mate = bi_terrain_mate(&t);
    int32_t more = bi_terrain_more(g, &t) + bi_terrain_more(g, &mate);
    bool was = a->aim.keep < 1 && bi_terrain_was_split(g, a->before, x, y);
    uint64_t measure = bi_f32_bits(bi_terrain_measure_of(&a->aim, x, y, was));
    *digit = (uint32_t)(measure >> a->shift & 255);
    return more > 0 && measure >> (a->shift + 8) == a->known[0] ? (uint32_t)more : 0;
}

BI_FN void bi_step_terrain_weigh(const struct bi_terrain_weigh *a, int64_t slot)
{
    uint32_t digit, more = bi_terrain_worth(a, slot, &digit);
    if (more) bi_atomic_fetch_add_u64(a->worth + digit, more);
}

/* The next bits: those of the largest measures that are too many. One item. */
BI_FN void bi_step_terrain_narrow(const struct bi_terrain_weigh *a, int64_t i)
{
    int digit = 255;
    uint64_t left = a->known[1];
    (void)i;
    for (; digit >= 0 && a->worth[digit] <= left; digit--) left -= a->worth[digit];
    a->known[1] = left;
    a->known[0] = digit < 0 ? (uint64_t)1 << 40 : a->known[0] << 8 | (uint64_t)digit; /* all fit: no other begins so */
    for (int d = 0; d < 256; d++) a->worth[d] = 0;
    if (a->shift > 0) return;
    float found = a->known[0] >> 32 ? 0 : bi_f32_from_bits((uint32_t)a->known[0]);
    *a->above = found > a->least ? found : a->least;
}

/* What becomes of a diamond when leaves are split and merged as asked: four bits of each, eight in a word. */
enum { BI_TERRAIN_WAS = 1, BI_TERRAIN_TO_SPLIT = 2, BI_TERRAIN_TO_MERGE = 4 };

BI_FN uint32_t bi_terrain_state(const uint32_t *states, int64_t slot)
{
    return states[slot >> 3] >> (4 * (slot & 7)) & 15;
}

BI_FN void bi_terrain_set_state(uint32_t *states, int64_t slot, uint32_t state)
{
    bi_atomic_or_u32(states + (slot >> 3), state << (4 * (slot & 7)));
}

/* Is any diamond split, or to be, that could only be after this triangle was? */
BI_FN bool bi_terrain_holds(const struct bi_terrain_grid *g, const uint32_t *states,
                            const struct bi_terrain_triangle *t, bool deepest)
{
    if (deepest || !bi_terrain_live(g, t)) return false;
    for (uint64_t which = 0; which < 2; which++) {
        struct bi_terrain_triangle child = bi_terrain_child(t, which);
        struct bi_terrain_point m = bi_terrain_middle(&child);
        if (!bi_terrain_live(g, &child)) continue;
        if (bi_terrain_state(states, bi_terrain_slot(g, m.x, m.y)) & (BI_TERRAIN_WAS | BI_TERRAIN_TO_SPLIT))
            return true;
    }
    return false;
}

/* Will the diamond of a triangle of this level be split? */
BI_FN bool bi_terrain_decided(const struct bi_terrain_grid *g, const uint32_t *states,
                              const struct bi_terrain_triangle *t, int32_t level)
{
    struct bi_terrain_point m = bi_terrain_middle(t);
    uint32_t state = bi_terrain_state(states, bi_terrain_slot(g, m.x, m.y));
    if (state & BI_TERRAIN_TO_SPLIT) return true;
    if (!(state & BI_TERRAIN_WAS)) return false;
    if (!(state & BI_TERRAIN_TO_MERGE)) return true;
    struct bi_terrain_triangle mate = bi_terrain_mate(t);
    bool deepest = level + 1 == g->depth;
    return bi_terrain_holds(g, states, t, deepest) || bi_terrain_holds(g, states, &mate, deepest);
}

/* The bits of a tree of which diamonds are split. Items are words. */
struct bi_terrain_grow {
    struct bi_terrain_aim aim;
    const uint64_t *before; /* the tree that was */
    const uint32_t *states; /* or NULL: as aimed at */
    const float *above;     /* split are those of a measure above it; NULL: above `least` */
    float least;
    uint64_t *bits;
};

BI_FN bool bi_terrain_to_be_split(const struct bi_terrain_grow *a, uint64_t node, int32_t level,
                                  const struct bi_terrain_triangle *t)
{
    const struct bi_terrain_grid *g = &a->aim.grid;
    if (level >= g->depth || !bi_terrain_live(g, t)) return false;
    if (a->states) return bi_terrain_decided(g, a->states, t, level);
    struct bi_terrain_point m = bi_terrain_middle(t);
    bool was = a->aim.keep < 1 && bosc_cbt_bit(a->before, bosc_cbt_place(bosc_cbt_right(node), g->depth));
    return bi_terrain_measure_of(&a->aim, m.x, m.y, was) > (a->above ? *a->above : a->least);
}

/* Is the node to be split in the middle of which place p of the word lies? */
BI_FN bool bi_terrain_bit(const struct bi_terrain_grow *a, const struct bi_terrain_word *w, int32_t p)
{
    int32_t level;
    uint64_t place = w->first + (uint64_t)p;
    if (place == 0) return true;
    struct bi_terrain_triangle t = bi_terrain_parted(&a->aim.grid, w, p, &level);
    if (level < a->aim.grid.first) return true;
    return bi_terrain_to_be_split(a, bosc_cbt_node(place, a->aim.grid.depth - level, a->aim.grid.depth), level, &t);
}

/* Whoever is split has parents that are, so where the largest node of a word is not, all others are not. */
BI_FN void bi_step_terrain_grow(const struct bi_terrain_grow *a, int64_t word)
{
    int32_t places = a->aim.grid.depth < 6 ? 1 << a->aim.grid.depth : 64;
    struct bi_terrain_word w = bi_terrain_word_of(&a->aim.grid, word);
    uint64_t bits = bi_terrain_bit(a, &w, 0);
    if (bits && places > 1 && bi_terrain_bit(a, &w, places / 2)) {
        bits |= (uint64_t)1 << places / 2;
        for (int32_t size = places / 4; size > 0; size /= 2) { /* half of the places of a node */
            for (int32_t p = size; p < places; p += 2 * size) {
                int32_t parent = p & 2 * size ? p - size : p + size;
                if (bits >> parent & 1 && bi_terrain_bit(a, &w, p)) bits |= (uint64_t)1 << p;
            }
        }
    }
    a->bits[word] = bits;
}

/* Which diamonds are split. Items are words. */
struct bi_terrain_mark {
    struct bi_terrain_grid grid;
    bosc_cbt_view view;
    const uint8_t *commands;
    int64_t count;
    uint32_t *states;
};

BI_FN void bi_step_terrain_mark(const struct bi_terrain_mark *a, int64_t word)
{
    const struct bi_terrain_grid *g = &a->grid;
    struct bi_terrain_word w = bi_terrain_word_of(g, word);
    struct bi_terrain_point m;
    for (uint64_t left = a->view.bits[word]; bi_terrain_next_middle(g, &w, &left, &m);)
        bi_terrain_set_state(a->states, bi_terrain_slot(g, m.x, m.y), BI_TERRAIN_WAS);
}

/* Marks a diamond and those that must be split before it. One of its triangles is there; if the other one is not, the
 * one that will be split into that is, and so on: a chain. */
BI_FN void bi_terrain_order_split(const struct bi_terrain_mark *a, struct bi_terrain_triangle t, int32_t level)
{
    const struct bi_terrain_grid *g = &a->grid;
    for (;; level--) {
        struct bi_terrain_point m = bi_terrain_middle(&t);
        int64_t slot = bi_terrain_slot(g, m.x, m.y);
        if (bi_atomic_load_u32(a->states + (slot >> 3)) >> (4 * (slot & 7)) & BI_TERRAIN_TO_SPLIT) return;
        bi_terrain_set_state(a->states, slot, BI_TERRAIN_TO_SPLIT);
        struct bi_terrain_triangle mate = bi_terrain_mate(&t);
        if (level <= g->first || !bi_terrain_live(g, &mate)) return;
        slot = bi_terrain_slot(g, mate.px, mate.py);
        if (bi_atomic_load_u32(a->states + (slot >> 3)) >> (4 * (slot & 7)) & BI_TERRAIN_WAS) return;
        uint64_t node = bi_terrain_node(g, &mate, level - 1); /* the mate's parent */
        t = bi_terrain_of_node(g, node);
    }
}

/* Records commands for leaves. Items are blocks of the tree. */
BI_FN void bi_step_terrain_order(const struct bi_terrain_mark *a, int64_t block)
{
    const struct bi_terrain_grid *g = &a->grid;
    int64_t leaf = a->view.ranks[block];
    for (int64_t word = block * BOSC_CBT_BLOCK_WORDS; word < (block + 1) * BOSC_CBT_BLOCK_WORDS; word++) {
        struct bi_terrain_word w = bi_terrain_word_of(g, word);
        for (uint64_t left = a->view.bits[word]; left && leaf < a->count; left &= left - 1, leaf++) {
            uint8_t command = a->commands[leaf];
            int32_t level;
            if (command != BOSC_CBT_SPLIT && command != BOSC_CBT_MERGE) continue;
            struct bi_terrain_triangle t =
                bi_terrain_leaf(g, &a->view, &w, bosc_cbt_low_zeros(left), left & (left - 1), &level);
            if (!bi_terrain_live(g, &t)) continue;
            if (command == BOSC_CBT_SPLIT && level < g->depth) bi_terrain_order_split(a, t, level);
            if (command == BOSC_CBT_MERGE && level > g->first)
                bi_terrain_set_state(a->states, bi_terrain_slot(g, t.px, t.py), BI_TERRAIN_TO_MERGE);
        }
    }
}

#endif
