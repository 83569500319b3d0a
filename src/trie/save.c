/* Saves tries. */
#include "core/call.h"
#include "trie/save.h"

#include <string.h>

static bosc_status write_trie(struct bi_saver *s, const void *structure)
{
    const bosc_trie *trie = structure;
    const bosc_trie_opts *o = &trie->opts;
    struct bi_trie_header h = {.version = BI_TRIE_SAVE_VERSION,
                               .length = (uint32_t)o->length,
                               .letter_bits = (uint32_t)o->letter_bits,
                               .layout = o->layout,
                               .duplicates = o->duplicates,
                               .value_bits = (uint32_t)o->value_bits,
                               .digit_bits = (uint32_t)o->digit_bits,
                               .keys = trie->keys,
                               .rows = trie->rows};
    size_t bytes[3];
    if (o->digit_bits == bi_trie_widest_digit(o->letter_bits)) h.digit_bits = 0;
    memcpy(h.magic, BI_TRIE_SAVE_MAGIC, sizeof h.magic);
    h.hash = bi_xxh3(&h, offsetof(struct bi_trie_header, hash));
    BI_TRY(bi_save_bytes(s, &h, sizeof h));
    bi_trie_saved_bytes(trie, bytes);
    bi_progress_set_total(s->ctx, bi_save_items(bytes[0] + bytes[1] + bytes[2]));
    for (int b = 0; b < 3; b++) BI_TRY(bi_save_padded(s, trie->blocks[b].data, bytes[b]));
    return BOSC_OK;
}

bosc_status bosc_trie_write(bosc_ctx *ctx, const bosc_trie *trie, bosc_write_fn write, void *user)
{
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, trie));
    return bi_save(ctx, write, user, write_trie, trie);
}
