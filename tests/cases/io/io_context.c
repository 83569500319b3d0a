/* Calls of libboscage_io that need a context, without one: each is refused by its status alone. */
#include <boscage/io.h>

#include "support/suite.h"

#define REFUSED(call) CHECK_EQ(call, BOSC_ERR_ARG)

static void refused(void)
{
    REFUSED(bosc_kdtree_save(NULL, NULL, NULL, NULL));
    REFUSED(bosc_graph_save(NULL, NULL, NULL, NULL));
    REFUSED(bosc_hash_save(NULL, NULL, NULL, NULL));
    REFUSED(bosc_trie_save(NULL, NULL, NULL, NULL));
    REFUSED(bosc_hdbscan_save(NULL, NULL, NULL, NULL));
    REFUSED(bosc_cbt_save(NULL, NULL, NULL, NULL));
    REFUSED(bosc_bisectors_save(NULL, NULL, NULL, NULL));
    REFUSED(bosc_planet_save(NULL, NULL, NULL, NULL));
    REFUSED(bosc_kdtree_load(NULL, NULL, NULL, NULL));
    REFUSED(bosc_graph_load(NULL, NULL, NULL, NULL));
    REFUSED(bosc_hash_load(NULL, NULL, NULL, NULL));
    REFUSED(bosc_trie_load(NULL, NULL, NULL, NULL));
    REFUSED(bosc_hdbscan_load(NULL, NULL, NULL, NULL));
    REFUSED(bosc_cbt_load(NULL, NULL, NULL, NULL));
    REFUSED(bosc_bisectors_load(NULL, NULL, NULL, NULL));
    REFUSED(bosc_planet_load(NULL, NULL, NULL, NULL));
    REFUSED(bosc_ranks_kdtree_save(NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_ranks_kdtree_load(NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_kdtree_or_points_read(NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_graph_or_edges_read(NULL, NULL, NULL, NULL, NULL, NULL));
}

static const struct suite_case suite_cases_io_context[] = {{"refused", NULL, refused}};
SUITE(io_context);
