/* Clusters of points.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

void dbscan(const Where &where, const In &points, double eps, int64_t min_samples, int metric, double p,
            const In &periods, const In &weights, const Out &labels, const Out &core)
{
    bosc_dbscan_opts opts = {};
    opts.size = sizeof opts;
    opts.dtype = dtype_of(points, "X");
    Rows rows = rows_of(where, points, opts.dtype, -1, "X");
    opts.dim = static_cast<int32_t>(rows.dim);
    opts.metric = static_cast<bosc_cluster_metric>(metric);
    opts.p = p;
    opts.weight_count = size_of(weights);
    opts.periods = typed<double>(where, periods, BOSC_F64, rows.dim, "boxsize");
    opts.weights = typed<double>(where, weights, BOSC_F64, rows.n, "sample_weight");
    void *to = room(where, labels, BOSC_I64, rows.n, "labels");
    auto *flags = static_cast<uint8_t *>(item_room(where, core, 1, rows.n, "core"));
    Call(where).run([&](bosc_ctx *ctx) {
        return bosc_dbscan_compute(ctx, rows.data, rows.n, rows.stride, eps, min_samples, &opts, to, flags, nullptr);
    });
}

} // namespace

void bind_cluster(nb::module_ &m)
{
    m.def("dbscan", &dbscan, "where"_a, "points"_a, "eps"_a, "min_samples"_a, "metric"_a, "p"_a, "periods"_a.none(),
          "weights"_a.none(), "labels"_a, "core"_a);
}
