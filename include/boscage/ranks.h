/* boscage/ranks.h - structures over the ranks of a communicator: several GPUs, several machines.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_ranks_kdtree_build, bosc_ranks_hash_build, bosc_ranks_msf_compute
 *
 * All calls are collective (boscage/comm.h): every rank makes them with its slice of the data, partitioned in any way
 * and possibly empty. The slices, in the order of the ranks, are the input: row i of rank r has the id i + the number
 * of rows of the ranks below r. A rank receives the results of its own queries, in their order. Results have the bits
 * of one context's results for the whole input, however it is sliced. Options and scalars (k, tolerances) must be equal
 * on all ranks, else BOSC_ERR_ARG.
 *
 * Ranks exchange counts before data, so sizes are exact. _bytes and _reserve of builds take upper bounds of the sizes;
 * the memory of queries and primitives depends on the data of all ranks, and their comments give it per item. All calls
 * wait. */
#ifndef BOSCAGE_RANKS_H
#define BOSCAGE_RANKS_H

#include <boscage/comm.h>
#include <boscage/ranks/cellgraph.h>
#include <boscage/ranks/cluster.h>
#include <boscage/ranks/graph.h>
#include <boscage/ranks/hash.h>
#include <boscage/ranks/prims.h>
#include <boscage/ranks/forest.h>
#include <boscage/ranks/kdtree.h>

#endif
