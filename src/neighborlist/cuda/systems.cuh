/* Neighbour lists of small systems: a system a block. */
#ifndef BI_NEIGHBORLIST_CUDA_SYSTEMS_CUH
#define BI_NEIGHBORLIST_CUDA_SYSTEMS_CUH

#include "core/call.h"

struct bi_neighborlist_small;

/* Most atoms of a small system. */
#ifdef BI_EMULATE
enum { BI_NEIGHBORLIST_SMALL_SYSTEM = 40 }; /* small tests then cover larger systems, and more than one atom a lane */
#else
enum { BI_NEIGHBORLIST_SMALL_SYSTEM = 256 }; /* with more, a search in bins compares fewer pairs (estimated) */
#endif

/* As the room's table says. */
bosc_status bi_neighborlist_cuda_count_systems(bosc_ctx *ctx, const struct bi_neighborlist_small *small);
bosc_status bi_neighborlist_cuda_fill_systems(bosc_ctx *ctx, const struct bi_neighborlist_small *small);

#endif
