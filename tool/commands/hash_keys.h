/* Keys of hash tables: columns of numbers of any type, which become the unsigned keys with their bits. */
#ifndef TOOL_COMMANDS_HASH_KEYS_H
#define TOOL_COMMANDS_HASH_KEYS_H

#include "tool/ranks.h"
#include "tool/tool.h"

/* Reads a column (n,) or (n, 1). */
int hash_read_column(struct job *job, const struct ranks *ranks, const char *path, struct input_rows *rows);

/* Replaces numbers of any type by unsigned keys with their bits: u4, or u8 of 8 bytes. Equal numbers have equal bits:
 * -0 is 0, and NaNs are one. *type: the type of the numbers, widened to 4 bytes, as which the keys are read again. */
int hash_convert_keys(const char *path, struct input_rows *rows, bosc_dtype *type);

/* The same for numbers to look up among keys of this type. Numbers that no such key equals become 0, and are marked in
 * *absent (NULL: there is none), which the caller frees. */
int hash_convert_queries(const char *path, struct input_rows *rows, bosc_dtype type, uint8_t **absent);

/* Reads keys, and converts them: hash_convert_keys. */
int hash_read_keys(struct job *job, const struct ranks *ranks, const char *path, struct input_rows *rows,
                   bosc_dtype *type);

/* Returns the type of numbers of the same kind as `type` that have key_bits: 32 or 64. */
bosc_dtype hash_key_type(bosc_dtype type, int32_t key_bits);

/* Reads the options of a table. */
int hash_read_options(const struct job *job, bosc_hash_opts *opts);

/* Loads the saved table that operand 0 names, a map of keys of 32 or 64 bits. */
int hash_load_table(struct job *job, bosc_hash **table, bosc_hash_info *info);

/* Finds the type of the values of a saved table: unsigned integers of their size where it is not known. */
int hash_value_type(const struct job *job, const bosc_hash_info *info, bosc_dtype *type);

/* Widens 8- and 16-bit integers to 32 bits. */
int hash_widen_values(bosc_array *a);

#endif
