#include "support/configurations.h"

#include <stdio.h>

int configurations(struct configuration *list, int room)
{
    static const bosc_cpu_level levels[] = {BOSC_CPU_V1, BOSC_CPU_V3, BOSC_CPU_V4};
    static const int threads[] = {1, 2, 8};
    int count = 0;
    for (int l = 0; l < 3; l++)
        for (int t = 0; t < 3; t++) {
            if (levels[l] > bosc_cpu_best_level() || count == room) continue;
#ifdef SUITE_FEW
            if (l != t) continue;
#endif
#ifdef SUITE_SLOW
            if (l > 0 && t == 1) continue; /* all numbers of threads at one level */
#endif
#ifdef SUITE_RACES
            if (threads[t] == 1) continue;
#endif
            struct configuration *c = &list[count++];
            *c = (struct configuration){.opts = {.size = sizeof c->opts,
                                                 .backend = BOSC_BACKEND_CPU,
                                                 .cpu_level = levels[l],
                                                 .threads = threads[t]}};
            snprintf(c->name, sizeof c->name, "cpu v%d, %d thread%s", (int)levels[l], threads[t],
                     threads[t] > 1 ? "s" : "");
        }
    if (bosc_device_count() > 0 && count < room) {
        struct configuration *c = &list[count++];
        *c = (struct configuration){.name = "cuda", .opts = {.size = sizeof c->opts, .backend = BOSC_BACKEND_CUDA}};
    }
    return count;
}
