/* Neighbour lists of atoms.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

using List = Handle<bosc_neighborlist, bosc_neighborlist_free>;

bosc_neighborlist_info info_of(Call &call, List &list)
{
    return described<bosc_neighborlist_info, bosc_neighborlist_get_info>(call, list);
}

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

/* Builds from positions (n x 3), offsets (systems + 1), cells (systems x 9) and periodic (systems x 3). */
void build_list(List &list, const Where &where, const In &positions, const In &offsets, const In &cells,
                const In &periodic)
{
    Writing call(where, list);
    Rows rows = rows_of(where, positions, info_of(call, list).dtype, 3, "positions");
    auto systems = sized<bosc_neighborlist_systems>();
    systems.positions = rows.data;
    systems.n = rows.n;
    systems.stride = rows.stride;
    systems.system_count = size_of(offsets) - 1;
    systems.offsets = typed<int64_t>(where, offsets, BOSC_I64, size_of(offsets), "offsets");
    systems.cells = typed<double>(where, cells, BOSC_F64, 9 * systems.system_count, "cells");
    systems.periodic = static_cast<const uint8_t *>(items(where, periodic, 1, 3 * systems.system_count, "periodic"));
    call.run([&](bosc_ctx *ctx) { return bosc_neighborlist_build(ctx, list.of, &systems); });
}

bool move_atoms(List &list, const Where &where, const In &positions)
{
    Writing call(where, list);
    const bosc_neighborlist_info about = info_of(call, list);
    Rows rows = rows_of(where, positions, about.dtype, 3, "positions");
    int32_t needs_build = 1;
    if (rows.n != about.n) return false;
    call.run([&](bosc_ctx *ctx) { return bosc_neighborlist_move(ctx, list.of, rows.data, rows.stride, &needs_build); });
    return !needs_build;
}

/* The caller's arrays of `capacity` entries; None: not wanted. */
bosc_neighborlist_arrays arrays_of(const Where &where, bosc_dtype dtype, int64_t capacity, const Out &centers,
                                   const Out &neighbors, const Out &shifts, const Out &distances, const Out &vectors)
{
    auto arrays = sized<bosc_neighborlist_arrays>();
    arrays.capacity = capacity;
    arrays.centers = room(where, centers, BOSC_I64, capacity, "centers");
    arrays.neighbors = room(where, neighbors, BOSC_I64, capacity, "neighbors");
    arrays.shifts = typed_room<int32_t>(where, shifts, BOSC_I32, 3 * capacity, "shifts");
    arrays.distances = room(where, distances, dtype, capacity, "distances");
    arrays.vectors = room(where, vectors, dtype, 3 * capacity, "vectors");
    return arrays;
}

int64_t count_pairs(List &list, const Where &where, double cutoff)
{
    Reading call(where, list);
    int64_t count = 0;
    call.run([&](bosc_ctx *ctx) { return bosc_neighborlist_pairs(ctx, list.of, cutoff, nullptr, &count); });
    return count;
}

void write_atom_pairs(List &list, const Where &where, double cutoff, int64_t count, const Out &centers,
                      const Out &neighbors, const Out &shifts, const Out &distances, const Out &vectors)
{
    Reading call(where, list);
    const bosc_neighborlist_arrays arrays =
        arrays_of(where, info_of(call, list).dtype, count, centers, neighbors, shifts, distances, vectors);
    call.run([&](bosc_ctx *ctx) { return bosc_neighborlist_pairs(ctx, list.of, cutoff, &arrays, nullptr); });
}

void write_offsets(List &list, const Where &where, double cutoff, const Out &offsets)
{
    Reading call(where, list);
    int64_t *to = typed_room<int64_t>(where, offsets, BOSC_I64, info_of(call, list).n + 1, "offsets");
    call.run([&](bosc_ctx *ctx) { return bosc_neighborlist_rows(ctx, list.of, cutoff, to); });
}

void write_padded(List &list, const Where &where, double cutoff, int64_t width, const Out &counts, const Out &neighbors,
                  const Out &shifts, const Out &distances, const Out &vectors)
{
    Reading call(where, list);
    const bosc_neighborlist_info about = info_of(call, list);
    const bosc_neighborlist_arrays arrays =
        arrays_of(where, about.dtype, about.n * width, Out(), neighbors, shifts, distances, vectors);
    int64_t *to = typed_room<int64_t>(where, counts, BOSC_I64, about.n, "counts");
    call.run([&](bosc_ctx *ctx) { return bosc_neighborlist_padded(ctx, list.of, cutoff, width, to, &arrays); });
}

} // namespace

void bind_neighborlist(nb::module_ &m)
{
    nb::class_<List, Lock>(m, "NeighborList")
        .def("__init__", &create, "where"_a, "dtype"_a, "cutoff"_a, "skin"_a, "half"_a)
        .def("build", &build_list, "where"_a, "positions"_a, "offsets"_a, "cells"_a, "periodic"_a)
        .def("move", &move_atoms, "where"_a, "positions"_a)
        .def("count", &count_pairs, "where"_a, "cutoff"_a)
        .def("pairs", &write_atom_pairs, "where"_a, "cutoff"_a, "count"_a, "centers"_a.none(), "neighbors"_a.none(),
             "shifts"_a.none(), "distances"_a.none(), "vectors"_a.none())
        .def("rows", &write_offsets, "where"_a, "cutoff"_a, "offsets"_a)
        .def("padded", &write_padded, "where"_a, "cutoff"_a, "width"_a, "counts"_a.none(), "neighbors"_a.none(),
             "shifts"_a.none(), "distances"_a.none(), "vectors"_a.none());
}
