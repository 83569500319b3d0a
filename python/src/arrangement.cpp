/* Arrangements of planes and lines.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

/* Stores the cells of planes in a graph of vectors with a letter of 1 bit for each plane. */
nb::dict arrangement(const Where &where, const In &planes, Cells &graph)
{
    Writing call(where, graph);
    auto about = sized<bosc_arrangement_info>();
    Rows rows = rows_of(Where(), planes, BOSC_F64, -1, "planes");
    const double *at = typed<double>(Where(), planes, BOSC_F64, rows.n * rows.dim, "planes");
    call.run([&](bosc_ctx *ctx) {
        return bosc_arrangement_build(ctx, at, rows.n, static_cast<int32_t>(rows.dim - 1), graph.of, &about);
    });
    nb::dict d;
    d["dim"] = about.dim;
    d["rank"] = about.rank;
    d["corners"] = about.corners;
    d["pieces"] = about.pieces;
    d["walls"] = about.walls;
    d["cells"] = about.cells;
    return d;
}

} // namespace

void bind_arrangement(nb::module_ &m) { m.def("arrangement", &arrangement, "where"_a, "planes"_a, "graph"_a); }
