/* Merges constraints with proportional forms. Modulo a prime, coefficients divided by the first nonzero one
 * are
 * the same for all multiples: a hash of these finds candidates, and exact products confirm them. */
#include <math.h>
#include <string.h>

#include "plan/builder.h"

enum { EMPTY = -1 };

/* Returns the first nonzero coefficient; BI_PLAN_COEFFICIENTS: none. */
static int first_coefficient(const struct bi_exact *form)
{
    int k = 0;
    while (k < BI_PLAN_COEFFICIENTS && form[k].n == 0) k++;
    return k;
}

static uint64_t hash_form(const struct bi_exact *form, int first)
{
    uint64_t scale = bi_exact_modulo(&form[first]), hash = (uint64_t)first + 1;
    scale = scale ? bi_modulo_inverse(scale) : 1; /* a multiple of the prime: any scale will do */
    for (int k = first; k < BI_PLAN_COEFFICIENTS; k++) {
        hash = (hash ^ bi_modulo_product(bi_exact_modulo(&form[k]), scale)) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 32;
    }
    return hash;
}

static void load_coefficient(const struct bi_plan_builder *m, int64_t constraint, int k, struct bi_exact *x)
{
    const int64_t *offsets = (const int64_t *)m->offsets.block.data + 10 * constraint + k;
    x->n = (int)(offsets[1] - offsets[0]);
    memcpy(x->part, (const double *)m->parts.block.data + offsets[0], (size_t)x->n * sizeof(double));
}

/* Returns 1 or -1 if the form is a positive or negative multiple of the constraint's, else 0. */
static int compare_forms(const struct bi_plan_builder *m, int64_t constraint, const struct bi_exact *form, int first)
{
    struct bi_exact lead = {0}, other = {0}, left;
    for (int k = 0; k <= first; k++) {
        load_coefficient(m, constraint, k, &lead);
        if ((lead.n > 0) != (k == first)) return 0;
    }
    for (int k = first + 1; k < BI_PLAN_COEFFICIENTS; k++) {
        load_coefficient(m, constraint, k, &other);
        left.n = 0;
        bi_exact_add_product(&left, &other, &form[first], 1);
        bi_exact_add_product(&left, &lead, &form[k], -1);
        if (left.n > 0) return 0;
    }
    return bi_exact_sign(&lead) == bi_exact_sign(&form[first]) ? 1 : -1;
}

/* Rounds a form and bounds its error. Products of components of a scaled quaternion are below 4; coefficients have an
 * error of a unit in the last place, products and ten sums of half a unit each: below 2^-46 of the sum in all. */
static void set_row(double *row, const struct bi_exact *form)
{
    double sum = 0;
    for (int k = 0; k < BI_PLAN_COEFFICIENTS; k++) {
        row[k] = bi_exact_round(&form[k]);
        sum += fabs(row[k]);
    }
    row[BI_PLAN_COEFFICIENTS] = 0x1p-46 * sum;
    row[BI_PLAN_COEFFICIENTS + 1] = 0;
}

/* Appends a form as a new constraint: its row, expansions, candidate and hash. */
static bosc_status append_form(struct bi_plan_builder *m, int64_t candidate, const struct bi_exact *form, uint64_t hash)
{
    int64_t total = 0;
    if (m->rows.count >= BI_PLAN_MAX_CONSTRAINTS)
        return bi_fail(m->ctx, BOSC_ERR_LIMIT, "scene: over %d constraints", BI_PLAN_MAX_CONSTRAINTS);
    for (int k = 0; k < BI_PLAN_COEFFICIENTS; k++) total += form[k].n;
    double *row = bi_plan_list_extend(m, &m->rows, 1);
    double *parts = bi_plan_list_extend(m, &m->parts, total);
    int64_t *offsets = bi_plan_list_extend(m, &m->offsets, BI_PLAN_COEFFICIENTS);
    int64_t *of = bi_plan_list_extend(m, &m->candidate_of, 1);
    uint64_t *stored_hash = bi_plan_list_extend(m, &m->hashes, 1);
    if (!row || !parts || !offsets || !of || !stored_hash) return BOSC_ERR_NOMEM;
    set_row(row, form);
    for (int k = 0; k < BI_PLAN_COEFFICIENTS; k++) {
        memcpy(parts, form[k].part, (size_t)form[k].n * sizeof *parts);
        parts += form[k].n;
        offsets[k] = offsets[k - 1] + form[k].n;
    }
    *of = candidate;
    *stored_hash = hash;
    m->longest = total > m->longest ? total : m->longest;
    return BOSC_OK;
}

bosc_status bi_plan_add_form(struct bi_plan_builder *m, int64_t candidate, const struct bi_exact *form)
{
    int first = first_coefficient(form);
    bi_plan_ref *ref = bi_plan_refs_of(m) + candidate;
    int32_t *slots = m->slots.data;
    if (first == BI_PLAN_COEFFICIENTS) {
        *ref = BI_PLAN_REF_ZERO;
        m->culled++;
        return BOSC_OK;
    }
    /* Probe linearly for a multiple; without one, the form becomes a constraint. */
    uint64_t hash = hash_form(form, first), at = hash & m->slot_mask;
    for (; slots[at] != EMPTY && !m->keep_duplicates; at = (at + 1) & m->slot_mask) {
        int32_t constraint = slots[at];
        if (((const uint64_t *)m->hashes.block.data)[constraint] != hash) continue;
        int same = compare_forms(m, constraint, form, first);
        if (same == 0) continue;
        *ref = 2 * constraint + (same < 0);
        m->merged++;
        return BOSC_OK;
    }
    slots[at] = (int32_t)m->rows.count;
    *ref = 2 * slots[at];
    return append_form(m, candidate, form, hash);
}
