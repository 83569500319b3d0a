/* Keys of hash tables: columns of numbers of any type, which become the unsigned keys with their bits, and words. */
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

/* Reads words, the keys of a text: (n, 2) u8. absent: NULL: long words are refused; else they are marked in *absent,
 * which stays NULL without any. words: receives the words, if not NULL. The caller frees both. */
int hash_read_words(struct job *job, const char *path, struct input_rows *rows, uint8_t **absent, bosc_names *words);

/* Returns the bits of keys that were read: 32, 64, or 128 of words. */
int32_t hash_key_bits(const bosc_array *keys);

/* Reads keys to look up in a table of key_bits: hash_read_words or hash_convert_queries. type: of the table's numbers;
 * NULL: the file keeps none, so it is of the kind of the queries. */
int hash_read_queries(struct job *job, const struct ranks *ranks, const char *path, int32_t key_bits,
                      const bosc_dtype *type, struct input_rows *rows, uint8_t **absent, bosc_names *words);

/* Reads keys: numbers, converted by hash_convert_keys, or words, which leave *type unchanged. */
int hash_read_keys(struct job *job, const struct ranks *ranks, const char *path, struct input_rows *rows,
                   bosc_dtype *type);

/* Returns the type of numbers of the same kind as `type` that have key_bits: 32 or 64. */
bosc_dtype hash_key_type(bosc_dtype type, int32_t key_bits);

/* Reads the options of a table. */
int hash_read_options(const struct job *job, bosc_hash_opts *opts);

/* Loads the saved table that operand 0 names, a map. */
int hash_load_table(struct job *job, bosc_hash **table, bosc_hash_info *info);

/* Finds the type of the values of a saved table: unsigned integers of their size where it is not known. */
int hash_value_type(const struct job *job, const bosc_hash_info *info, bosc_dtype *type);

/* Widens 8- and 16-bit integers to 32 bits. */
int hash_widen_values(bosc_array *a);

#endif
