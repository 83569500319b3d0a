/* Shared by the commands of clusters: arrays, errors and pictures. */
#ifndef TOOL_COMMANDS_CLUSTERS_H
#define TOOL_COMMANDS_CLUSTERS_H

#include "tool/tool.h"

/* Allocates an array of `rows` rows, each of `columns` elements of 8 bytes. */
int clusters_allocate(bosc_array *array, bosc_dtype dtype, int32_t rank, int64_t rows, int64_t columns);

/* Reports a failure of the library; an error of the points names their file. Returns the exit code. */
int clusters_report_error(const struct job *job, const char *path, bosc_status status);

/* Checks --png and --width before any work. */
int clusters_check_picture(const struct job *job);

/* Writes --png, if given. */
int clusters_draw_picture(struct job *job, const bosc_array *points, const int64_t *labels);

#endif
