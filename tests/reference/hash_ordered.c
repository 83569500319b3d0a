#include "reference/hash_ordered.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pair, or an empty slot. */
struct entry {
    bosc_hash_word hash;
    const struct reference_pair *pair;
    uint32_t words[2]; /* multimap: first value and number of values; counted map: words[1] is the count */
};

static int hash_less(bosc_hash_word a, bosc_hash_word b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

static int compare_hashes(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return hash_less(y->hash, x->hash) - hash_less(x->hash, y->hash);
}

static void *allocate_zeros(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    if (!memory) abort();
    return memory;
}

/* Builds one entry per key, sorted by hash. */
static struct entry *build_entries(const struct reference_hash *t, int64_t *count)
{
    struct entry *entries = allocate_zeros(t->n, sizeof *entries);
    uint32_t value = 0;
    *count = 0;
    for (int64_t i = 0; i < t->n; i++) {
        const struct reference_pair *p = &t->pairs[i];
        struct entry *last = entries + *count - 1;
        if (*count && memcmp(&last->pair->key, &p->key, sizeof p->key) == 0)
            last->words[1] += (uint32_t)p->count;
        else
            entries[(*count)++] =
                (struct entry){bosc_hash_of(p->key, t->opts.key_bits, t->opts.seed), p, {0, (uint32_t)p->count}};
    }
    qsort(entries, (size_t)*count, sizeof *entries, compare_hashes);
    for (int64_t i = 0; i < *count; value += entries[i++].words[1]) entries[i].words[0] = value;
    return entries;
}

/* Returns hash * homes / 2^bits. */
static int64_t home_of(bosc_hash_word hash, int32_t key_bits, int64_t homes)
{
    if (key_bits == 32) return (int64_t)(hash.low * (uint64_t)homes >> 32);
    return (int64_t)((unsigned __int128)(key_bits == 64 ? hash.low : hash.high) * (uint64_t)homes >> 64);
}

/* Inserts an entry at the first slot from its home on that is empty or holds a greater hash; that pair is displaced to
 * the next one. Returns the slot that was empty. */
static int64_t insert_entry(struct entry *slots, struct entry entry, int64_t home)
{
    for (int64_t at = home;; at++) {
        const struct entry displaced = slots[at];
        if (displaced.pair && hash_less(displaced.hash, entry.hash)) continue;
        slots[at] = entry;
        if (!displaced.pair) return at;
        entry = displaced;
    }
}

/* Inserts all entries. The greatest possible hash goes to the last slot. False if the entries, with that one treated
 * like others, reach the last two slots. */
static bool insert_all(const struct entry *entries, int64_t n, int32_t bits, int64_t homes, int64_t size,
                       struct entry *slots)
{
    const bosc_hash_word greatest = {bits == 32 ? UINT32_MAX : UINT64_MAX, bits == 128 ? UINT64_MAX : 0};
    int64_t last = -1;
    for (int64_t i = 0; i < n; i++) { /* in scrambled order */
        const struct entry e = entries[(i * 7919 + 3) % n];
        const int64_t at = insert_entry(slots, e, home_of(e.hash, bits, homes));
        if (at > last) last = at;
    }
    if (last >= size - 2) return false;
    if (n == 0 || hash_less(entries[n - 1].hash, greatest)) return true;
    slots[size - 1] = slots[last];
    slots[last] = (struct entry){.pair = NULL};
    return true;
}

static void write_word(unsigned char *to, int32_t bits, bosc_hash_word word)
{
    memcpy(to, &word.low, bits == 32 ? 4 : 8);
    if (bits == 128) memcpy(to + 8, &word.high, 8);
}

static void write_entry(unsigned char *to, const bosc_hash_opts *o, const struct entry *e)
{
    unsigned char *stored = to + o->key_bits / 8;
    write_word(to, o->key_bits, e->hash);
    if (o->kind == BOSC_HASH_MULTIMAP) {
        memcpy(stored, e->words, 8);
    } else {
        memcpy(stored, e->pair->value, (size_t)o->value_size);
        if (o->counted) memcpy(stored + o->value_size, &e->words[1], 4);
    }
}

/* Writes the slots, and computes the costs of look-ups. */
static void write_slots(const struct entry *slots, const bosc_hash_opts *o, int64_t stride, int64_t homes,
                        struct reference_ordered *r)
{
    const bosc_hash_word greatest = {UINT64_MAX, UINT64_MAX};
    for (int64_t s = 0; s < r->size; s++) {
        unsigned char *to = r->slots + s * stride;
        if (!slots[s].pair) {
            if (s < r->size - 1) write_word(to, o->key_bits, greatest);
            continue;
        }
        write_entry(to, o, &slots[s]);
        if (r->linear || s == r->size - 1) continue;
        const int64_t extra = s - home_of(slots[s].hash, o->key_bits, homes);
        r->extra += extra;
        if (extra >= r->length) r->length = extra + 1;
    }
}

/* Returns 32 times the home of a hash, by its top 31 bits of 64: the home and the 32nd part of it. */
static int64_t home_in_32nds(bosc_hash_word hash, int32_t key_bits, int64_t homes)
{
    const int width = key_bits == 32 ? 32 : 31;
    return (int64_t)((unsigned __int128)(hash.low >> (key_bits - width)) * (uint64_t)homes >> (width - 5));
}

/* Builds the directory. A word per home: bits of the ranges that hold a key, and in the top byte the displacement of
 * the first key. Four 32nds of a home are three ranges. A key whose home by the top bits is the previous one sets
 * range 0, and the last range of the previous home; the greatest hash sets the last range of the last home. */
static uint32_t *build_directory(const struct entry *slots, int32_t key_bits, const struct reference_ordered *r)
{
    const uint32_t last = 1u << 23;
    uint32_t *directory = allocate_zeros(r->homes, sizeof *directory);
    for (int64_t s = 0; s < r->size - 1; s++) {
        if (!slots[s].pair) continue;
        const int64_t home = home_of(slots[s].hash, key_bits, r->homes), displacement = s - home < 255 ? s - home : 255;
        const int64_t part = home_in_32nds(slots[s].hash, key_bits, r->homes);
        if (directory[home] == 0) directory[home] = (uint32_t)displacement << 24;
        if (part / 32 == home) directory[home] |= 1u << (part % 32 * 3 / 4);
        if (part / 32 != home) directory[home] |= 1, directory[home - 1] |= last;
    }
    if (slots[r->size - 1].pair) directory[r->homes - 1] |= last;
    return directory;
}

void reference_ordered_free(struct reference_ordered *r)
{
    free(r->slots);
    free(r->directory);
}

struct reference_ordered reference_ordered_of(const struct reference_hash *pairs, int64_t stride)
{
    const bosc_hash_opts *o = &pairs->opts;
    struct reference_ordered r = {.length = 1};
    int64_t n, behind = (int64_t)(18 / (1 - o->load_factor));
    struct entry *entries = build_entries(pairs, &n);
    r.homes = (int64_t)ceil((double)n / o->load_factor);
    if (behind > n) behind = n;
    r.size = n ? r.homes + behind + 2 : 0;
    r.bytes = r.size * stride;
    struct entry *slots = allocate_zeros(r.size + n, sizeof *slots);
    r.linear = n && !insert_all(entries, n, o->key_bits, r.homes, r.size, slots);
    if (r.linear) r.size = n;
    r.slots = allocate_zeros(r.bytes, 1);
    write_slots(r.linear ? entries : slots, o, stride, r.homes, &r);
    if (n && !r.linear && o->key_bits != 128) r.directory = build_directory(slots, o->key_bits, &r);
    free(slots);
    free(entries);
    return r;
}
