#include "tool/commands/forests.h"

#include "tool/job.h"
#include "tool/options/number.h"
#include "tool/output/arrays.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

/* Integer weights have an exact sum of 128 bits: reported as an integer if it fits 64 bits, otherwise as the nearest
 * double and as text. Sums of reals are doubles. */
void report_weight(struct job *job, bosc_dtype weight, const bosc_msf_info *found)
{
    bool real = weight == BOSC_F32 || weight == BOSC_F64;
    int64_t high = found->weight_high;
    if (!real && high == ((int64_t)found->weight_low < 0 ? -1 : 0)) {
        job_set_integer(job, "weight", (int64_t)found->weight_low);
        return;
    }
    job_set_number(job, "weight", found->weight);
    if (real) return;
    unsigned __int128 magnitude = (unsigned __int128)(uint64_t)high << 64 | found->weight_low;
    char text[48], *p = text + sizeof text;
    if (high < 0) magnitude = 0 - magnitude;
    *--p = 0;
    do *--p = (char)('0' + (int)(magnitude % 10));
    while (magnitude /= 10);
    if (high < 0) *--p = '-';
    job_set_text(job, "weight_exact", p);
}

int read_forest_ids(struct job *job, const struct ranks *ranks, int32_t id_bits, int64_t entries,
                    struct input_rows *rows)
{
    bosc_io_error error;
    const char *path = job->value[OPT_VERIFY];
    bosc_array *ids = &rows->array;
    int code = ranks_read_npy(job, ranks, path, rows);
    if (code) return code;
    if (ids->dtype == BOSC_F32 || ids->dtype == BOSC_F64 || ids->rank != 1)
        return report_error(EXIT_FAILED, "%s: edge ids are integers in one dimension, but this array is %s in %d", path,
                            dtype_code(ids->dtype), ids->rank);
    bosc_status status = bosc_slice_convert(path, &rows->slice, ids, BOSC_I64, 0, &error);
    if (status != BOSC_OK) return report_io_error(status, &error);
    const int64_t *ids64 = ids->data;
    uint32_t *ids32 = ids->data; /* in place */
    for (int64_t i = 0; i < ids->shape[0]; i++) {
        if (ids64[i] < 0 || ids64[i] >= entries)
            return report_error(EXIT_FAILED, "%s: row %lld: there is no edge %lld", path, (long long)(rows->first + i),
                                (long long)ids64[i]);
        if (id_bits == 32) ids32[i] = (uint32_t)ids64[i];
    }
    return EXIT_DONE;
}

int replicated_bytes(const struct job *job, const struct ranks *ranks, int64_t *bytes)
{
    *bytes = 0;
    if (!job->value[OPT_REPLICATED]) return EXIT_DONE;
    if (!ranks->count) return report_error(EXIT_USAGE, "--replicated: requires --ranks, --devices or mpirun");
    return option_integer(job, OPT_REPLICATED, 1, INT64_MAX, bytes);
}
