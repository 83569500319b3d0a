/* Writes texts as they are. */
#include "io/file/sink.h"

enum { OUTPUTS_MAX = 16 /* as boscage/io.h says */ };

static bosc_status fill_text(struct bi_sink *sink, const void *what, bosc_io_error *error)
{
    const bosc_text *text = what;
    (void)error;
    bi_sink_write_array(sink, text->data, (size_t)text->size);
    return BOSC_OK;
}

bosc_status bosc_texts_write(const char *const *paths, const bosc_text *texts, int32_t count, bosc_io_error *error)
{
    BI_IO_ENTER;
    struct bi_output outputs[OUTPUTS_MAX];
    if (!paths) return bi_io_fail(error, BOSC_ERR_ARG, "paths: NULL");
    if (!texts) return bi_io_fail(error, BOSC_ERR_ARG, "texts: NULL");
    if (count < 1 || count > OUTPUTS_MAX)
        return bi_io_fail(error, BOSC_ERR_ARG, "count: %d is not from 1 to %d", (int)count, OUTPUTS_MAX);
    for (int32_t i = 0; i < count; i++) {
        if (texts[i].size < 0)
            return bi_io_fail(error, BOSC_ERR_ARG, "texts: text %d has %lld bytes", (int)i, (long long)texts[i].size);
        if (!texts[i].data && texts[i].size > 0)
            return bi_io_fail(error, BOSC_ERR_ARG, "texts: text %d is NULL", (int)i);
        outputs[i] = (struct bi_output){paths[i], fill_text, &texts[i], (double)texts[i].size};
    }
    return bi_outputs_write(outputs, count, error);
}
