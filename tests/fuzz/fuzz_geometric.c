/* Compares geometric hashing with the plain version. The scene contains mapped points of the model and others. */
#include "reference/geometric.c"
#include "fuzz.h"

enum { MODEL_MOST = 14, SCENE_MOST = 20 };

static double read_number(struct input *in)
{
    uint32_t byte = next_byte(in);
    return byte < 192 ? (double)(byte % 8) : (double)byte / 16 + (double)next_byte(in) / 4096;
}

static bosc_geometric_opts read_options(struct input *in)
{
    static const double fractions[4] = {0, 0.2, 0.6, 1}, tolerances[4] = {0, 0.05, 0.4, 3}, votes[4] = {0, 0.1, 0.3, 1};
    static const int64_t bases[4] = {0, 12, 30, 60}, trials[4] = {5, 12, 20, 40};
    uint32_t kind = next_byte(in), limits = next_byte(in);
    bosc_geometric_opts o = {.size = sizeof o, .kind = (bosc_geometric_kind)(kind % 2), .seed = next_byte(in)};
    o.neighbours = kind & 2 ? 8 + (int32_t)(kind >> 2 & 1) : 0;
    o.id_bits = kind & 8 ? 32 : 64;
    o.tolerance = tolerances[kind >> 4 & 3];
    o.vote_radius = votes[kind >> 6];
    o.max_bases = bases[limits & 3];
    if (o.max_bases == 0 && o.kind == BOSC_GEOMETRIC_AFFINE) o.max_bases = 100;
    o.max_trials = trials[limits >> 2 & 3];
    o.min_fraction = fractions[limits >> 4 & 3];
    o.stop_fraction = fractions[limits >> 6];
    return o;
}

/* Reads a scene: points of the model, mapped, and others. */
static int64_t read_scene(struct input *in, const double *model, int64_t n, double *scene)
{
    double t[6];
    int64_t m = next_byte(in) % (SCENE_MOST + 1);
    for (int k = 0; k < 6; k++) t[k] = read_number(in) - 2;
    for (int64_t i = 0; i < m; i++) {
        uint32_t from = next_byte(in);
        const double *p = model + 2 * (from % n);
        for (int k = 0; k < 2; k++)
            scene[2 * i + k] = from < 200 ? t[3 * k] * p[0] + t[3 * k + 1] * p[1] + t[3 * k + 2] : read_number(in);
    }
    return m;
}

static void check(const bosc_geometric_opts *o, const bosc_geometric *table, const double *model, int64_t n,
                  const double *scene, int64_t m)
{
    bosc_ctx *ctx = fuzz_context();
    int64_t ids[MODEL_MOST], expected_ids[MODEL_MOST];
    bosc_geometric_match match = {.size = sizeof match}, expected = {.size = sizeof expected};
    if (bosc_geometric_find(ctx, table, scene, m, ids, &match) != BOSC_OK) abort();
    reference_geometric_find(o, model, n, scene, m, expected_ids, &expected);
    if (memcmp(&match, &expected, sizeof match) != 0) abort();
    for (int64_t i = 0; i < n; i++) {
        int64_t id = o->id_bits == 64 ? ids[i] : (int64_t)((const int32_t *)ids)[i];
        if (id != expected_ids[i]) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    bosc_ctx *ctx = fuzz_context();
    bosc_geometric_opts o = read_options(&in);
    bosc_geometric *table = NULL;
    double model[2 * MODEL_MOST], scene[2 * SCENE_MOST];
    int64_t least = o.kind == BOSC_GEOMETRIC_AFFINE ? 4 : 3;
    if (bosc_geometric_create(ctx, &o, &table) != BOSC_OK) abort();
    for (int builds = 0; builds < 3 && in.size; builds++) {
        int64_t n = least + next_byte(&in) % (MODEL_MOST - least + 1);
        for (int64_t i = 0; i < 2 * n; i++) model[i] = read_number(&in);
        int64_t bases = reference_geometric_bases(&o, model, n);
        bosc_geometric_info info = {.size = sizeof info};
        bosc_status status = bosc_geometric_build(ctx, table, model, n);
        if (status != (bases ? BOSC_OK : BOSC_ERR_DATA)) abort();
        if (!bases) continue;
        if (bosc_geometric_get_info(ctx, table, &info) != BOSC_OK || info.bases != bases) abort();
        for (int scenes = 0; scenes < 2 && in.size; scenes++)
            check(&o, table, model, n, scene, read_scene(&in, model, n, scene));
    }
    bosc_geometric_free(table);
    return 0;
}
