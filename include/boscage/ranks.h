/* boscage/ranks.h - structures over the ranks of a communicator: several GPUs, several machines.
 * SPDX-License-Identifier: Apache-2.0
 *
 * All calls are collective (boscage/comm.h): every rank makes them with a slice of the data of its own, which need not
 * be partitioned in any way, and may be empty. The slices, in the order of the ranks, are the input: row i of rank r
 * has the number i + the rows of the ranks below r, and that is its id. Answers come back to the rank that asked, in
 * its order, and are those that one context gives for the whole input, bit for bit, however it is dealt to ranks. What
 * is not a rank's own (options, counts like k, tolerances) must be equal on all ranks: BOSC_ERR_ARG says if it is not.
 *
 * Sizes are exact: ranks tell each other counts before they send data. What a build takes is told and reserved by upper
 * bounds of the sizes (_bytes and _reserve); what queries and primitives take depends on the data of all ranks, and
 * their comments say how much it is an item. All calls wait. */
#ifndef BOSCAGE_RANKS_H
#define BOSCAGE_RANKS_H

#include <boscage/comm.h>
#include <boscage/ranks/cellgraph.h>
#include <boscage/ranks/graph.h>
#include <boscage/ranks/hash.h>
#include <boscage/ranks/prims.h>
#include <boscage/ranks/forest.h>
#include <boscage/ranks/kdtree.h>

#endif
