#include "reference/geometric.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/philox.h"

enum { MOST = 64, ROUNDS = 8 };

/* A set of points. */
struct points {
    const double *at;
    int64_t n, neighbours; /* neighbours: number of neighbours that form bases; 0: all points */
};

/* A basis: its corners and frame. */
struct basis {
    int64_t corner[3];
    double origin[2], first[2], second[2], size;
};

struct list {
    struct basis *bases;
    int64_t count;
};

/* Coordinates of a point in a basis. */
struct coordinates {
    bool known;
    float u, v;
};

struct search {
    const bosc_geometric_opts *opts;
    struct points model, scene;
    struct list list;
    bool affine;
    double tolerance, min_fraction, stop_fraction;
    bosc_geometric_match match;
    int64_t best[MOST];
};

static double cross(const double *a, const double *b) { return a[0] * b[1] - a[1] * b[0]; }

static double dist2(const double *a, const double *b)
{
    double x = a[0] - b[0], y = a[1] - b[1];
    return x * x + y * y;
}

static struct basis make_basis(const struct points *p, int64_t a, int64_t b, int64_t c, bool affine)
{
    struct basis f = {.corner = {a, b, affine ? c : b}};
    for (int k = 0; k < 2; k++) {
        f.first[k] = p->at[2 * b + k] - p->at[2 * a + k];
        f.second[k] = affine ? p->at[2 * c + k] - p->at[2 * a + k] : 0;
        f.origin[k] = p->at[2 * a + k] + (affine ? 0 : 0.5 * f.first[k]);
    }
    f.size = affine ? cross(f.first, f.second) : f.first[0] * f.first[0] + f.first[1] * f.first[1];
    return f;
}

static void append_basis(struct list *all, struct basis basis)
{
    if ((all->count & (all->count - 1)) == 0) { /* full */
        all->bases = realloc(all->bases, (size_t)(all->count ? 2 * all->count : 1) * sizeof basis);
        if (!all->bases) abort();
    }
    all->bases[all->count++] = basis;
}

/* Returns the k-th nearest other point of point i, by (distance, number). */
static int64_t find_neighbour(const struct points *p, int64_t i, int64_t k)
{
    for (int64_t j = 0; j < p->n; j++) {
        int64_t closer = 0;
        double d = dist2(p->at + 2 * j, p->at + 2 * i);
        for (int64_t other = 0; other < p->n; other++) {
            double o = dist2(p->at + 2 * other, p->at + 2 * i);
            closer += other != i && (o < d || (o == d && other < j));
        }
        if (j != i && closer == k) return j;
    }
    abort();
}

/* Lists all bases: ordered pairs or triples of points; or each point with its neighbours, without the nearest sixth,
 * and for triples without the farther half. */
static struct list list_bases(const struct points *p, bool affine)
{
    struct list all = {NULL, 0};
    if (p->n < (affine ? 3 : 2)) return all;
    int64_t rank[MOST], low = p->neighbours / 6, high = affine ? p->neighbours / 2 : p->neighbours;
    if (affine && high < low + 2) high = low + 2;
    for (int64_t a = 0; a < p->n; a++) {
        for (int64_t k = low; k < high && p->neighbours; k++) rank[k] = find_neighbour(p, a, k);
        if (p->neighbours) {
            for (int64_t c = low; c < (affine ? high - 1 : low + 1); c++)
                for (int64_t b = low; b < high; b++)
                    append_basis(&all, make_basis(p, a, rank[b], affine ? rank[c + (c >= b)] : 0, affine));
            continue;
        }
        for (int64_t b = 0; b < p->n; b++)
            for (int64_t c = 0; c < (affine ? p->n : 1) && b != a; c++)
                if (!affine || (c != a && c != b)) append_basis(&all, make_basis(p, a, b, c, affine));
    }
    return all;
}

/* Computes the mean squared distance from the centre, and the determinant of the covariance. */
static void measure_spread(const struct points *p, double *spread, double *determinant)
{
    double mean[2] = {0, 0}, xx = 0, xy = 0, yy = 0, n = (double)p->n;
    for (int64_t i = 0; i < p->n; i++)
        for (int k = 0; k < 2; k++) mean[k] += p->at[2 * i + k] / n;
    for (int64_t i = 0; i < p->n; i++) {
        double x = p->at[2 * i] - mean[0], y = p->at[2 * i + 1] - mean[1];
        xx += x * x / n;
        xy += x * y / n;
        yy += y * y / n;
    }
    *spread = xx + yy;
    *determinant = xx * yy - xy * xy;
}

/* True if a basis is large enough; for neighbours: has distinct points and an angle of at least 20 degrees (sin^2 =
 * 0.117). */
static bool is_well_conditioned(const struct points *p, const struct basis *b, bool affine)
{
    double spread, determinant, zero[2] = {0, 0};
    measure_spread(p, &spread, &determinant);
    if (!p->neighbours) return fabs(b->size) >= (affine ? sqrt(determinant > 0 ? determinant : 0) : spread);
    if (!affine) return b->size > 0;
    return b->size * b->size > 0.117 * dist2(b->first, zero) * dist2(b->second, zero);
}

static struct points make_model(const bosc_geometric_opts *opts, const double *model, int64_t n)
{
    return (struct points){model, n, opts->neighbours < n - 1 ? opts->neighbours : 0};
}

/* Chooses the table's bases: one from each of `count` equal ranges, without ill-conditioned ones. */
static struct list choose_bases(const bosc_geometric_opts *opts, const struct points *p)
{
    bool affine = opts->kind == BOSC_GEOMETRIC_AFFINE;
    struct list all = list_bases(p, affine), chosen = {NULL, 0};
    int64_t default_count = p->neighbours ? p->n * (affine ? 16 : 4) : 16384, from = 0;
    int64_t count = opts->max_bases ? opts->max_bases : default_count;
    if (count > all.count) count = all.count;
    for (int64_t i = 0; i < count; i++) {
        struct bi_philox draw = bi_philox_at(opts->seed, 1, (uint64_t)i);
        int64_t range = all.count / count + (i < all.count % count);
        uint64_t random = (uint64_t)draw.v[1] << 32 | draw.v[0];
        struct basis *basis = &all.bases[from + (int64_t)(random % (uint64_t)range)];
        if (is_well_conditioned(p, basis, affine)) append_basis(&chosen, *basis);
        from += range;
    }
    free(all.bases);
    return chosen;
}

int64_t reference_geometric_bases(const bosc_geometric_opts *opts, const double *model, int64_t n)
{
    struct points p = make_model(opts, model, n);
    struct list chosen = choose_bases(opts, &p);
    double spread, determinant;
    measure_spread(&p, &spread, &determinant);
    free(chosen.bases);
    if (opts->kind == BOSC_GEOMETRIC_AFFINE) return sqrt(fmax(determinant, 0)) > spread * 1e-12 ? chosen.count : 0;
    return spread > 0 ? chosen.count : 0;
}

/* Computes the coordinates of a point in a basis. Corners and coordinates beyond 8 units are unknown. */
static struct coordinates locate_point(const struct points *p, const struct basis *b, int64_t i, bool affine)
{
    double w[2] = {p->at[2 * i] - b->origin[0], p->at[2 * i + 1] - b->origin[1]};
    double u = (affine ? cross(w, b->second) : w[0] * b->first[0] + w[1] * b->first[1]) / b->size;
    double v = cross(b->first, w) / b->size;
    bool corner = i == b->corner[0] || i == b->corner[1] || i == b->corner[2];
    return (struct coordinates){!corner && b->size != 0 && fabs(u) <= 8 && fabs(v) <= 8, (float)u, (float)v};
}

static int64_t point_of(const struct points *p, const struct basis *b, int64_t k)
{
    return p->neighbours ? find_neighbour(p, b->corner[0], k) : k;
}

static int64_t count_points(const struct points *p) { return p->neighbours ? p->neighbours : p->n; }

static bool is_near(const struct coordinates *a, const struct coordinates *b, double radius)
{
    float r = (float)radius, x = a->u - b->u, y = a->v - b->v;
    return a->known && b->known && x * x + y * y <= r * r;
}

/* Computes the coordinates of all points in all bases of a list. */
static struct coordinates *locate_all(const struct points *p, const struct list *list, bool affine)
{
    int64_t per = count_points(p);
    struct coordinates *all = malloc((size_t)(list->count * per) * sizeof *all + 1);
    if (!all) abort();
    for (int64_t b = 0; b < list->count; b++)
        for (int64_t k = 0; k < per; k++)
            all[b * per + k] = locate_point(p, &list->bases[b], point_of(p, &list->bases[b], k), affine);
    return all;
}

/* Each point of the scene basis votes once for each model basis with a point near it. Returns the most votes, and sets
 * *winner to the first basis with them. */
static int64_t count_votes(const struct search *s, const struct coordinates *table, const struct basis *basis,
                           int64_t *winner)
{
    int64_t most = 0, per = count_points(&s->model), queries = count_points(&s->scene);
    double radius = s->opts->vote_radius > 0 ? s->opts->vote_radius : s->model.neighbours ? 0.05 : 0.02;
    struct coordinates at[MOST];
    for (int64_t q = 0; q < queries; q++)
        at[q] = locate_point(&s->scene, basis, point_of(&s->scene, basis, q), s->affine);
    for (int64_t b = 0; b < s->list.count; b++) {
        int64_t votes = 0;
        for (int64_t q = 0; q < queries; q++) {
            bool near = false;
            for (int64_t k = 0; k < per && at[q].known; k++) near |= is_near(&at[q], &table[b * per + k], radius);
            votes += near;
        }
        if (votes > most) *winner = b;
        if (votes > most) most = votes;
    }
    return most;
}

/* Fits a transform to the assigned points by least squares. False if it is degenerate. */
static bool fit_transform(const struct search *s, const int64_t *ids, double t[6])
{
    double m[2] = {0, 0}, c[2] = {0, 0}, count = 0, xx = 0, xy = 0, yy = 0, xX = 0, xY = 0, yX = 0, yY = 0;
    for (int64_t i = 0; i < s->model.n; i++) count += ids[i] >= 0;
    for (int64_t i = 0; i < s->model.n; i++)
        for (int k = 0; k < 2 && ids[i] >= 0; k++) {
            m[k] += s->model.at[2 * i + k] / count;
            c[k] += s->scene.at[2 * ids[i] + k] / count;
        }
    for (int64_t i = 0; i < s->model.n; i++) {
        if (ids[i] < 0) continue;
        double x = s->model.at[2 * i] - m[0], y = s->model.at[2 * i + 1] - m[1];
        double X = s->scene.at[2 * ids[i]] - c[0], Y = s->scene.at[2 * ids[i] + 1] - c[1];
        xx += x * x, xy += x * y, yy += y * y;
        xX += x * X, xY += x * Y, yX += y * X, yY += y * Y;
    }
    double d = s->affine ? xx * yy - xy * xy : xx + yy;
    t[0] = (s->affine ? xX * yy - yX * xy : xX + yY) / d;
    t[3] = (s->affine ? xY * yy - yY * xy : xY - yX) / d;
    t[1] = s->affine ? (yX * xx - xX * xy) / d : -t[3];
    t[4] = s->affine ? (yY * xx - xY * xy) / d : t[0];
    t[2] = c[0] - (t[0] * m[0] + t[1] * m[1]);
    t[5] = c[1] - (t[3] * m[0] + t[4] * m[1]);
    for (int k = 0; k < 6; k++)
        if (!(fabs(t[k]) <= 1e150)) return false;
    return t[0] * t[4] - t[1] * t[3] != 0; /* refuse a transform onto a line or a point */
}

/* Assigns scene points to the model points within `reach` of point `centre`: ids[i] is the nearest scene point
 * within the radius. A scene point goes to the nearest of several model points. Ties go to the first. Returns the
 * number of model points within reach. */
static int64_t assign_points(const struct search *s, const double t[6], double radius, int64_t centre, double reach,
                             int64_t *ids, double *d)
{
    int64_t nearest[MOST], within = 0;
    /* 1. The nearest scene point of each model point. */
    for (int64_t i = 0; i < s->model.n; i++) {
        const double *p = s->model.at + 2 * i;
        double q[2] = {t[0] * p[0] + t[1] * p[1] + t[2], t[3] * p[0] + t[4] * p[1] + t[5]};
        nearest[i] = -1;
        d[i] = radius * radius;
        if (!(dist2(p, s->model.at + 2 * centre) <= reach * reach)) continue;
        within++;
        for (int64_t j = 0; j < s->scene.n; j++) {
            double e = dist2(q, s->scene.at + 2 * j);
            if (!(nearest[i] < 0 ? e <= d[i] : e < d[i])) continue;
            nearest[i] = j;
            d[i] = e;
        }
    }
    /* 2. One model point for each scene point. */
    for (int64_t i = 0; i < s->model.n; i++) {
        ids[i] = nearest[i];
        for (int64_t j = 0; j < s->model.n; j++)
            if (nearest[j] == nearest[i] && (d[j] < d[i] || (d[j] == d[i] && j < i))) ids[i] = -1;
    }
    return within;
}

/* Stores a match with more inliers, or as many and a smaller error. */
static void store_if_better(struct search *s, const double t[6], const int64_t *ids, const double *d, int64_t votes)
{
    int64_t inliers = 0;
    double sum = 0;
    for (int64_t i = 0; i < s->model.n; i++) {
        inliers += ids[i] >= 0;
        sum += ids[i] >= 0 ? d[i] : 0;
    }
    double error = inliers ? sqrt(sum / (double)inliers) : 0;
    bosc_geometric_match *best = &s->match;
    if (best->votes && (inliers < best->inliers || (inliers == best->inliers && error >= best->error))) return;
    memcpy(best->transform, t, 6 * sizeof *t);
    memcpy(s->best, ids, (size_t)s->model.n * sizeof *ids);
    best->votes = votes;
    best->inliers = inliers;
    best->error = error;
}

static int64_t count_assigned(const struct search *s, const int64_t *ids)
{
    int64_t count = 0;
    for (int64_t i = 0; i < s->model.n; i++) count += ids[i] >= 0;
    return count;
}

/* Refines the transform between two bases by alternating fits and assignments: first with three times the radius; with
 * neighbours, within a reach that doubles until it covers all points; then until the assignment is stable. */
static void refine_match(struct search *s, const struct basis *basis, const struct basis *in_model, int64_t votes)
{
    int64_t ids[MOST], last[MOST], n = s->model.n, centre = in_model->corner[0];
    double t[6], d[MOST], reach = s->scene.neighbours ? 0 : INFINITY;
    for (int64_t i = 0; i < n; i++) ids[i] = -1;
    for (int k = 0; k < (s->affine ? 3 : 2); k++) {
        ids[in_model->corner[k]] = basis->corner[k];
        reach = fmax(reach, 2 * sqrt(dist2(s->model.at + 2 * in_model->corner[k], s->model.at + 2 * centre)));
    }
    for (int round = 0, radius_factor = 3; round <= ROUNDS; radius_factor = 1) {
        memcpy(last, ids, (size_t)n * sizeof *ids);
        if (!fit_transform(s, ids, t)) return;
        double radius = s->tolerance * sqrt(fabs(t[0] * t[4] - t[1] * t[3]));
        int64_t within = assign_points(s, t, radius_factor * radius, centre, reach, ids, d);
        round += within == n;
        if (radius_factor == 3) continue;
        if (within == n) {
            store_if_better(s, t, ids, d, votes);
            if (memcmp(last, ids, (size_t)n * sizeof *ids) == 0) return;
        } else if ((double)count_assigned(s, ids) < 0.75 * s->min_fraction * (double)within) {
            return;
        }
        reach *= 2;
    }
}

/* True if the trials would have drawn a good basis with probability 0.999 (Fischler and Bolles): 1 - (1 -
 * drawn)^trials. A quarter of the bases of inliers are assumed good. */
static bool is_certain(const struct search *s, const struct list *all_of_model)
{
    double inliers = (double)s->match.inliers, m = (double)s->scene.n, n = (double)s->model.n, drawn = 0.25;
    if (inliers >= s->stop_fraction * n) return true;
    if (inliers < s->min_fraction * n) return false;
    for (int c = 0; c < (s->affine ? 3 : 2); c++) drawn *= (inliers - c) / (m - c);
    if (s->model.neighbours) drawn *= (double)s->list.count / (double)all_of_model->count;
    return pow(1 - drawn, (double)s->match.trials) <= 1e-3;
}

/* Tries a batch of bases: all vote, then the few with most votes are refined; ties in order. */
static void try_batch(struct search *s, const struct coordinates *table, const struct basis *const *bases,
                      int64_t count)
{
    int64_t votes[256], winner[256] = {0};
    double least = 0.5 * s->min_fraction * (double)(count_points(&s->model) - (s->affine ? 3 : 2));
    for (int64_t b = 0; b < count; b++) votes[b] = count_votes(s, table, bases[b], &winner[b]);
    for (int c = 0; c < (s->scene.neighbours ? 8 : 4); c++) {
        int64_t first = 0;
        for (int64_t b = 1; b < count; b++)
            if (votes[b] > votes[first]) first = b;
        if (votes[first] <= 0 || (double)votes[first] < least) return;
        refine_match(s, bases[first], &s->list.bases[winner[first]], votes[first]);
        votes[first] = -1;
    }
}

/* Tries batches of bases until the match is certain. */
static void try_all(struct search *s, const struct coordinates *table, const struct list *all,
                    const struct list *all_of_model)
{
    int64_t default_count = s->model.neighbours ? 1024 : 4096, size = s->scene.neighbours ? 64 : 256;
    int64_t trials = s->opts->max_trials ? s->opts->max_trials : default_count;
    if (trials > all->count) trials = all->count;
    for (int64_t from = 0; from < trials; from += size) {
        const struct basis *bases[256];
        int64_t count = trials - from < size ? trials - from : size;
        for (int64_t t = from; t < from + count; t++) {
            struct bi_philox draw = bi_philox_at(s->opts->seed, 2, (uint64_t)t);
            uint64_t random = ((uint64_t)draw.v[1] << 32 | draw.v[0]) % (uint64_t)all->count;
            bases[t - from] = &all->bases[trials < all->count ? (int64_t)random : t];
        }
        try_batch(s, table, bases, count);
        s->match.trials = from + count;
        if (is_certain(s, all_of_model)) return;
    }
}

void reference_geometric_find(const bosc_geometric_opts *opts, const double *model, int64_t n, const double *scene,
                              int64_t m, int64_t *ids, bosc_geometric_match *match)
{
    struct search s = {.opts = opts, .model = make_model(opts, model, n), .scene = {scene, m, 0}};
    double spread, determinant;
    s.affine = opts->kind == BOSC_GEOMETRIC_AFFINE;
    if (s.model.neighbours) s.scene.neighbours = s.model.neighbours < m - 1 ? s.model.neighbours : m - 1;
    if (s.scene.neighbours < 0) s.scene.neighbours = 0;
    s.list = choose_bases(opts, &s.model);
    measure_spread(&s.model, &spread, &determinant);
    s.tolerance = opts->tolerance > 0 ? opts->tolerance : 0.03 * sqrt(spread);
    s.min_fraction = opts->min_fraction > 0 ? opts->min_fraction : 0.4;
    s.stop_fraction = opts->stop_fraction > 0 ? opts->stop_fraction : 0.9;
    s.match.size = sizeof s.match;
    for (int64_t i = 0; i < n; i++) s.best[i] = -1;
    struct list all = list_bases(&s.scene, s.affine), all_of_model = list_bases(&s.model, s.affine);
    struct coordinates *table = locate_all(&s.model, &s.list, s.affine);
    try_all(&s, table, &all, &all_of_model);
    s.match.found = (double)s.match.inliers >= s.min_fraction * (double)n;
    *match = s.match;
    memcpy(ids, s.best, (size_t)n * sizeof *ids);
    free(table);
    free(all.bases);
    free(all_of_model.bases);
    free(s.list.bases);
}
