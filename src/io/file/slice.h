/* Slices: the rows of an array that one of several readers receives. */
#ifndef BI_IO_FILE_SLICE_H
#define BI_IO_FILE_SLICE_H

#include "io/io.h"

/* BOSC_ERR_ARG for an invalid slice. */
bosc_status bi_slice_check(const bosc_slice *slice, bosc_io_error *error);

/* Sets begin and rows for an array of n rows; returns the number of rows in the slice. */
int64_t bi_slice_set_range(bosc_slice *slice, int64_t n);

/* Removes the rows outside the slice, and sets begin and rows. */
void bi_array_trim_to_slice(bosc_array *array, bosc_slice *slice);

#endif
