/* The sorts of sort_hot.c for 64-bit words. */
#include "core/cpu/level.h"
#include "core/cpu/sort_kernels.h"

#if BI_LEVEL == 4
#define BI_SORT_BITS 64
#define BI_SORT_DOUBLES 0
#define BI_SORT_FLOAT BOSC_F64
#define BI_SORT_INTEGER BOSC_I64
#include "core/cpu/sort_words.inc"
#include "core/cpu/sort_keys.inc"

/* Doubles are sorted as such, unless there are NaNs, which are ordered by their words. */
static void sort_keys_64(bosc_dtype dtype, const void *from, void *to, void *spare, int64_t n)
{
    if (dtype != BOSC_F64 || !bi_sort_doubles_v4(from, to, n)) sort_keys(dtype, from, to, spare, n);
}

const struct bi_word_kernels bi_word_64_kernels_v4 = {sort_keys_64, choose_splitters, partition_block, sort_group};
#else
const struct bi_word_kernels BI_LEVEL_NAME(bi_word_64_kernels) = {NULL, NULL, NULL, NULL};
#endif
