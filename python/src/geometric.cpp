/* Geometric hashing: models of points in a scene.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

#include <vector>

namespace
{

using Table = Handle<bosc_geometric, bosc_geometric_free>;

bosc_geometric_info info_of(Call &call, Table &table)
{
    return described<bosc_geometric_info, bosc_geometric_get_info>(call, table);
}

void create(Table *self, const Where &where, int kind, int32_t dim, int32_t neighbours, double tolerance,
            double vote_radius, int64_t max_bases, int64_t max_trials, double min_fraction, double stop_fraction,
            uint64_t seed, bool instances, bool exclusive)
{
    auto opts = sized<bosc_geometric_opts>();
    opts.kind = static_cast<bosc_geometric_kind>(kind);
    opts.dim = dim;
    opts.neighbours = neighbours;
    opts.tolerance = tolerance;
    opts.vote_radius = vote_radius;
    opts.max_bases = max_bases;
    opts.max_trials = max_trials;
    opts.min_fraction = min_fraction;
    opts.stop_fraction = stop_fraction;
    opts.seed = seed;
    opts.instances = instances;
    opts.exclusive = exclusive;
    construct_handle(self, where,
                     [&](bosc_ctx *ctx, bosc_geometric **of) { return bosc_geometric_create(ctx, &opts, of); });
}

nb::dict info(Table &table, const Where &where)
{
    Reading call(where, table);
    bosc_geometric_info about = info_of(call, table);
    nb::dict d;
    d["n"] = about.n;
    d["models"] = about.models;
    d["largest"] = about.largest;
    d["bases"] = about.bases;
    d["entries"] = about.entries;
    d["tolerance"] = about.tolerance;
    d["bytes"] = about.bytes;
    return d;
}

void build_models(Table &table, const Where &where, const In &points, const In &offsets)
{
    Writing call(where, table);
    bosc_geometric_info about = info_of(call, table);
    const int64_t models = size_of(offsets) - 1;
    const int64_t *begins = typed<int64_t>(Where(), offsets, BOSC_I64, models + 1, "offsets");
    if (models < 1) throw nb::value_error("offsets: no model");
    const double *at = typed<double>(where, points, BOSC_F64, begins[models] * about.dim, "points");
    call.run([&](bosc_ctx *ctx) { return bosc_geometric_build_models(ctx, table.of, at, begins, models); });
}

nb::dict described_match(const bosc_geometric_match &match, int32_t dim)
{
    nb::list transform;
    for (int32_t i = 0; i < dim * (dim + 1); i++) transform.append(match.transform[i]);
    nb::dict d;
    d["found"] = match.found != 0;
    d["model"] = match.model;
    d["transform"] = transform;
    d["votes"] = match.votes;
    d["inliers"] = match.inliers;
    d["error"] = match.error;
    d["trials"] = match.trials;
    return d;
}

/* The best match: writes the scene point of each point of the model, -1 for none. */
nb::dict find_best(Table &table, const Where &where, const In &scene, const Out &ids)
{
    Reading call(where, table);
    bosc_geometric_info about = info_of(call, table);
    auto match = sized<bosc_geometric_match>();
    const int64_t n = size_of(scene) / about.dim;
    const double *at = typed<double>(where, scene, BOSC_F64, n * about.dim, "scene");
    void *id = room(where, ids, BOSC_I64, about.largest, "ids");
    call.run([&](bosc_ctx *ctx) { return bosc_geometric_find(ctx, table.of, at, n, id, &match); });
    return described_match(match, about.dim);
}

/* All matches, the best first, at most as many as `ids` has rows. */
nb::list find_models(Table &table, const Where &where, const In &scene, int64_t capacity, const Out &ids)
{
    Reading call(where, table);
    bosc_geometric_info about = info_of(call, table);
    if (capacity < 1) throw nb::value_error("capacity: less than 1");
    std::vector<bosc_geometric_match> matches(static_cast<size_t>(capacity));
    matches[0].size = sizeof matches[0];
    const int64_t n = size_of(scene) / about.dim;
    const double *at = typed<double>(where, scene, BOSC_F64, n * about.dim, "scene");
    void *id = room(where, ids, BOSC_I64, capacity * about.largest, "ids");
    int64_t count = 0;
    call.run([&](bosc_ctx *ctx) {
        return bosc_geometric_find_models(ctx, table.of, at, n, id, matches.data(), capacity, &count);
    });
    nb::list found;
    for (int64_t k = 0; k < count; k++) found.append(described_match(matches[static_cast<size_t>(k)], about.dim));
    return found;
}

} // namespace

void bind_geometric(nb::module_ &m)
{
    nb::class_<Table, Lock>(m, "GeometricHash")
        .def("__init__", &create, "where"_a, "kind"_a, "dim"_a, "neighbours"_a, "tolerance"_a, "vote_radius"_a,
             "max_bases"_a, "max_trials"_a, "min_fraction"_a, "stop_fraction"_a, "seed"_a, "instances"_a, "exclusive"_a)
        .def("info", &info, "where"_a)
        .def("build", &build_models, "where"_a, "points"_a, "offsets"_a)
        .def("find", &find_best, "where"_a, "scene"_a, "ids"_a)
        .def("find_models", &find_models, "where"_a, "scene"_a, "capacity"_a, "ids"_a);
}
