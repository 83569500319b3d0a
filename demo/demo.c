/* The parts of the demonstration, in order. */
#include "demo/demo.h"

#include "demo/parts.h"

static bosc_status demonstrate_trees(struct demo *demo)
{
    bosc_status status = demo_kdtree(demo);
    return status == BOSC_OK ? demo_partition(demo) : status;
}

static bosc_status demonstrate_graphs(struct demo *demo)
{
    bosc_status status = demo_forest(demo);
    return status == BOSC_OK ? demo_emst(demo) : status;
}

static bosc_status demonstrate_tables(struct demo *demo)
{
    bosc_status status = demo_hash(demo);
    if (status == BOSC_OK) status = demo_spatial(demo);
    return status == BOSC_OK ? demo_geometric(demo) : status;
}

const struct demo_part demo_parts[] = {
    {"kdtree", "k-d trees", demonstrate_trees},
    {"forest", "graphs and spanning trees", demonstrate_graphs},
    {"hash", "hash tables and their uses", demonstrate_tables},
    {"cellgraph", "cell graphs and tries", demo_cells},
    {"plan", "motion planning", demo_plan},
    {"terrain", "binary trees and terrain", demo_terrain},
    {"planet", "planets", demo_planet},
};
const int demo_part_count = sizeof demo_parts / sizeof demo_parts[0];
