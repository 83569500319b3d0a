/* The sorts of sort_hot.c for words of 64 bits. */
#include "core/cpu/level.h"
#include "core/cpu/sort_kernels.h"

#if BI_LEVEL == 4
#define BI_SORT_BITS 64
#define BI_SORT_DOUBLES 0
#define FLOAT BOSC_F64
#define INTEGER BOSC_I64
#include "core/cpu/sort_words.inc"
#include "core/cpu/sort_keys.inc"

/* Doubles as what they are, unless there are NaN, whose words have an order. */
static void sort_wide(bosc_dtype dtype, const void *from, void *to, void *spare, int64_t n)
{
    if (dtype != BOSC_F64 || !bi_sort_doubles_v4(from, to, n)) sort_keys(dtype, from, to, spare, n);
}

const struct bi_word_kernels bi_wide_kernels_v4 = {sort_wide, splitters, divide, sort_group};
#else
const struct bi_word_kernels BI_LEVEL_NAME(bi_wide_kernels) = {NULL, NULL, NULL, NULL};
#endif
