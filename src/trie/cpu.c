/* Tries on the CPU: the steps of the context's level. */
#include "core/cpu/level.h"
#include "trie/steps.h"

extern const struct bi_trie_steps bi_trie_cpu_v1, bi_trie_cpu_v3, bi_trie_cpu_v4;

const struct bi_trie_steps *bi_trie_cpu(const bosc_ctx *ctx) { return BI_LEVEL_PICK(ctx->level, bi_trie_cpu); }
