/* Answers that depend on earlier ones, so there are no batches: passengers come one after the other, and each takes the
 * nearest taxi that is still free. Then the taxis of a map section, and the owner of one by its number. The functions
 * of boscage/device are inlined: no call of the library, no lock, no thread. */
#include <boscage/boscage.h>
#include <boscage/device/hash_slots.h>
#include <boscage/device/kdtree_box.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAXIS = 5000, PASSENGERS = 4000 };

static float taxi[TAXIS][2], passenger[PASSENGERS][2];
static uint32_t number[TAXIS], owner[TAXIS];
static unsigned char taken[TAXIS];

/* The nearest free taxi, by (distance, id): like bosc_kdtree_view_nearest, without the occupied ones. */
static int64_t nearest_free(const bosc_kdtree_view *view, const float *from)
{
    double limit = (double)INFINITY;
    int64_t best = -1, node;
    bosc_kdtree_walk walk;
    bosc_kdtree_walk_begin(&walk, view, from);
    while ((node = bosc_kdtree_walk_next(&walk, limit)) >= 0) {
        int64_t id = bosc_kdtree_id(view, node);
        double d = bosc_kdtree_dist2(view, node, from);
        if (taken[id] || d > limit || (d == limit && best >= 0 && id > best)) continue;
        best = id;
        limit = d;
    }
    return best;
}

/* A look-up in the view of a table that is not BUCKETED; bosc_hash_look_up and bosc_hash_value_at read BUCKETED
 * ones. */
static const uint32_t *find_owner(const bosc_hash_slots_view *view, uint32_t of)
{
    int64_t slot = bosc_hash_slots_look_up(view, (bosc_hash_word){.low = of});
    return slot < 0 ? NULL : bosc_hash_slots_value_at(view, slot);
}

static void report(const bosc_kdtree_view *tree, const bosc_hash_slots_view *owners)
{
    static const float low[2] = {0.25f, 0.25f}, high[2] = {0.5f, 0.75f};
    int64_t here = 0, free_here = 0, node;
    double way = 0;
    for (int i = 0; i < PASSENGERS; i++) {
        int64_t id = nearest_free(tree, passenger[i]);
        taken[id] = 1;
        way += hypot((double)(taxi[id][0] - passenger[i][0]), (double)(taxi[id][1] - passenger[i][1]));
    }
    bosc_kdtree_box_walk walk;
    bosc_kdtree_box_begin(&walk, tree, low, high);
    while ((node = bosc_kdtree_box_next(&walk)) >= 0) {
        here++;
        free_here += !taken[bosc_kdtree_id(tree, node)];
    }
    const uint32_t *of = find_owner(owners, 1004321);
    printf("%d passengers wait for taxis %.3f away on average\n", PASSENGERS, way / PASSENGERS);
    printf("%lld taxis are in the section, %lld of them free\n", (long long)here, (long long)free_here);
    printf("number 1004321 is of owner %u, 1005000 %s\n", of ? *of : 0,
           find_owner(owners, 1005000) ? "too" : "of none");
}

int main(void)
{
    bosc_ctx *ctx = NULL;
    bosc_kdtree *tree = NULL;
    bosc_hash *table = NULL;
    bosc_kdtree_view places;
    bosc_hash_slots_view owners;
    bosc_kdtree_opts what = {.size = sizeof what, .dim = 2};
    bosc_hash_opts how = {.size = sizeof how, .layout = BOSC_HASH_PERFECT, .value_size = sizeof(uint32_t)};
    for (uint32_t i = 0; i < TAXIS; i++) {
        number[i] = 1000000 + i;
        owner[i] = i / 7;
    }
    /* Build both structures, and get views of them. */
    bosc_status status = bosc_ctx_create(NULL, &ctx);
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 1, TAXIS, 2, BOSC_F32, taxi);
    if (!status) status = bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 2, PASSENGERS, 2, BOSC_F32, passenger);
    if (!status) status = bosc_kdtree_create(ctx, &what, &tree);
    if (!status) status = bosc_kdtree_build(ctx, tree, taxi, TAXIS, 0);
    if (!status) status = bosc_kdtree_get_view(ctx, tree, &places);
    if (!status) status = bosc_hash_create(ctx, &how, &table);
    if (!status) status = bosc_hash_build(ctx, table, number, owner, TAXIS);
    if (!status) status = bosc_hash_get_slots_view(ctx, table, &owners);
    if (status) fprintf(stderr, "one_at_a_time: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");
    if (!status) report(&places, &owners);

    bosc_kdtree_free(tree);
    bosc_hash_free(table);
    bosc_ctx_free(ctx);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
