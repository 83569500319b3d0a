/* Follows a moving point with an adaptive bisection of [0, 1): leaves near the point are small, those far from it
 * large. Each leaf carries an age, which an update copies to the leaf's successors. */
#include <boscage/boscage.h>
#include <boscage/device/cbt.h>

#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 16, LEVEL = 3, FRAMES = 40, ROOM = 4096 };

/* The command for a leaf: its length should be about half its distance from the point. */
static uint8_t command_for(uint64_t node, double point)
{
    double length = 1.0 / (double)((uint64_t)1 << bosc_cbt_level(node));
    double middle = ((double)node * length - 1) + length / 2,
           distance = middle < point ? point - middle : middle - point;
    return distance < length ? BOSC_CBT_SPLIT : distance > 4 * length ? BOSC_CBT_MERGE : BOSC_CBT_KEEP;
}

int main(void)
{
    static uint32_t nodes[ROOM];
    static uint8_t commands[ROOM];
    static int64_t sources[ROOM];
    static int32_t ages[ROOM], carried[ROOM];
    bosc_cbt_opts opts = {.size = sizeof opts, .depth = DEPTH, .level = LEVEL, .id_bits = 32};
    bosc_cbt_info info = {.size = sizeof info};
    bosc_ctx *ctx = NULL;
    bosc_cbt *tree = NULL;
    bosc_status status = bosc_ctx_create(NULL, &ctx);
    if (!status) status = bosc_cbt_create(ctx, &opts, &tree);
    if (!status) status = bosc_cbt_reserve(ctx, tree); /* so that no frame allocates */
    if (!status) status = bosc_cbt_get_info(ctx, tree, &info);
    if (!status) status = bosc_cbt_decode(ctx, tree, 0, info.leaves, nodes);
    for (int frame = 0; frame < FRAMES && !status; frame++) {
        int64_t before = info.leaves;
        for (int64_t l = 0; l < before; l++) {
            commands[l] = command_for(nodes[l], 0.2 + 0.01 * frame);
            ages[l]++;
        }
        /* One pass splits and merges, writes the source of each new leaf, and decodes the leaves. */
        status = bosc_cbt_update_and_decode(ctx, tree, commands, before, sources, nodes, ROOM);
        if (!status) status = bosc_cbt_get_info(ctx, tree, &info);
        if (!status) status = bosc_cbt_gather_payload(ctx, sources, info.leaves, ages, before, sizeof *ages, carried);
        for (int64_t l = 0; l < info.leaves && !status; l++) ages[l] = carried[l];
    }
    int32_t deepest = 0, oldest = 0;
    for (int64_t l = 0; l < info.leaves && !status; l++) {
        int32_t level = bosc_cbt_level(nodes[l]);
        deepest = level > deepest ? level : deepest;
        oldest = ages[l] > oldest ? ages[l] : oldest;
    }
    if (status)
        fprintf(stderr, "cbt: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");
    else
        printf("%lld leaves to level %d, the oldest one of %d frames\n", (long long)info.leaves, (int)deepest,
               (int)oldest);
    bosc_cbt_free(tree);
    bosc_ctx_free(ctx);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
