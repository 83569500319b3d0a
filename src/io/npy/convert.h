/* Conversion of element types. */
#ifndef BI_IO_NPY_CONVERT_H
#define BI_IO_NPY_CONVERT_H

#include "io/io.h"

/* As bosc_array_convert, for checked arguments. The first row has number `first` in messages. */
bosc_status bi_array_convert(const char *name, bosc_array *array, int64_t first, bosc_dtype dtype, bool round,
                             bosc_io_error *error);

#endif
