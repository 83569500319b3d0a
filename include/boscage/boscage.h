/* boscage/boscage.h - everything in libboscage. (Files are in libboscage_io: boscage/io.h.)
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BOSCAGE_BOSCAGE_H
#define BOSCAGE_BOSCAGE_H

#include <boscage/base.h>
#include <boscage/bisector.h>
#include <boscage/cbt.h>
#include <boscage/cellgraph.h>
#include <boscage/collision.h>
#include <boscage/comm.h>
#include <boscage/context.h>
#include <boscage/ranks.h>
#include <boscage/forest.h>
#include <boscage/geometric.h>
#include <boscage/graph.h>
#include <boscage/hash.h>
#include <boscage/kdtree.h>
#include <boscage/nccl.h>
#include <boscage/plan.h>
#include <boscage/planet.h>
#include <boscage/planner.h>
#include <boscage/prims.h>
#include <boscage/random.h>
#include <boscage/terrain.h>
#include <boscage/trie.h>
#include <boscage/voxelgrid.h>

#endif
