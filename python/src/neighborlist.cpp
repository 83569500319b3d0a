/* Neighbour lists of atoms.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

using List = Handle<bosc_neighborlist, bosc_neighborlist_free>;

void create(List *self, const Where &where, int dtype, double cutoff, double skin, bool half)
{
    auto opts = sized<bosc_neighborlist_opts>();
    opts.dtype = static_cast<bosc_dtype>(dtype);
    opts.cutoff = cutoff;
    opts.skin = skin;
    opts.half = half;
    construct_handle(self, where,
                     [&](bosc_ctx *ctx, bosc_neighborlist **of) { return bosc_neighborlist_create(ctx, &opts, of); });
}

/* Arrays come by address: boscage.atoms passes them without gaps, of the list's type, in host memory or at the place of
 * the call. */

/* The pairs nearer than the list's cutoff. */
bosc_status count_pairs(bosc_ctx *ctx, const List &list, int64_t *count)
{
    return bosc_neighborlist_pairs(ctx, list.of, 0, nullptr, count);
}

/* Builds from positions (n x 3), offsets (systems + 1), cells (systems x 9) and periodic (systems x 3). Returns the
 * number of pairs. */
int64_t build_list(List &list, const Where &where, uintptr_t positions, int64_t n, int64_t stride, int64_t systems,
                   uintptr_t offsets, uintptr_t cells, uintptr_t periodic)
{
    Writing call(where, list);
    auto input = sized<bosc_neighborlist_systems>();
    input.positions = at<void>(positions);
    input.n = n;
    input.stride = stride;
    input.system_count = systems;
    input.offsets = at<int64_t>(offsets);
    input.cells = at<double>(cells);
    input.periodic = at<uint8_t>(periodic);
    int64_t count = 0;
    call.run([&](bosc_ctx *ctx) {
        const bosc_status status = bosc_neighborlist_build(ctx, list.of, &input);
        return status ? status : count_pairs(ctx, list, &count);
    });
    return count;
}

/* Returns the number of pairs, or -1 if the list must be built again. */
int64_t move_atoms(List &list, const Where &where, uintptr_t positions, int64_t n, int64_t stride)
{
    Writing call(where, list);
    int32_t needs_build = 1;
    int64_t count = -1;
    call.run([&](bosc_ctx *ctx) {
        auto about = sized<bosc_neighborlist_info>();
        bosc_status status = bosc_neighborlist_get_info(ctx, list.of, &about);
        if (status || about.n != n) return status;
        status = bosc_neighborlist_move(ctx, list.of, at<void>(positions), stride, &needs_build);
        return status || needs_build ? status : count_pairs(ctx, list, &count);
    });
    return count;
}

bosc_neighborlist_arrays arrays_of(int64_t capacity, uintptr_t neighbors, uintptr_t shifts, uintptr_t distances)
{
    auto arrays = sized<bosc_neighborlist_arrays>();
    arrays.capacity = capacity;
    arrays.neighbors = at<void>(neighbors);
    arrays.shifts = at<int32_t>(shifts);
    arrays.distances = at<void>(distances);
    return arrays;
}

/* Writes `count` pairs, and the offsets of the rows. */
void write_list(List &list, const Where &where, int64_t count, uintptr_t centers, uintptr_t neighbors, uintptr_t shifts,
                uintptr_t distances, uintptr_t vectors, uintptr_t rows)
{
    Reading call(where, list);
    bosc_neighborlist_arrays arrays = arrays_of(count, neighbors, shifts, distances);
    arrays.centers = at<void>(centers);
    arrays.vectors = at<void>(vectors);
    call.run([&](bosc_ctx *ctx) {
        const bosc_status status = bosc_neighborlist_pairs(ctx, list.of, 0, &arrays, nullptr);
        return status || !rows ? status : bosc_neighborlist_rows(ctx, list.of, 0, at<int64_t>(rows));
    });
}

/* Writes rows of `width` entries. */
void write_padded(List &list, const Where &where, int64_t width, uintptr_t neighbors, uintptr_t shifts,
                  uintptr_t distances, uintptr_t counts)
{
    Reading call(where, list);
    const bosc_neighborlist_arrays arrays =
        arrays_of(described<bosc_neighborlist_info, bosc_neighborlist_get_info>(call, list).n * width, neighbors,
                  shifts, distances);
    call.run(
        [&](bosc_ctx *ctx) { return bosc_neighborlist_padded(ctx, list.of, 0, width, at<int64_t>(counts), &arrays); });
}

} // namespace

void bind_neighborlist(nb::module_ &m)
{
    nb::class_<List, Lock>(m, "NeighborList")
        .def("__init__", &create, "where"_a, "dtype"_a, "cutoff"_a, "skin"_a, "half"_a)
        .def("build", &build_list, "where"_a, "positions"_a, "n"_a, "stride"_a, "systems"_a, "offsets"_a, "cells"_a,
             "periodic"_a)
        .def("move", &move_atoms, "where"_a, "positions"_a, "n"_a, "stride"_a)
        .def("write", &write_list, "where"_a, "count"_a, "centers"_a, "neighbors"_a, "shifts"_a, "distances"_a,
             "vectors"_a, "rows"_a)
        .def("padded", &write_padded, "where"_a, "width"_a, "neighbors"_a, "shifts"_a, "distances"_a, "counts"_a);
}
