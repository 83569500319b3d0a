#include "reference/hash_published.h"

#include <stdlib.h>
#include <string.h>

enum { SUBTABLE = 192, NONE = -1 };

/* Writes all keys marked in `writes` to their slots; the first key of a slot wins. Other keys, and overwritten ones,
 * are then not placed. */
static void write_all(const int32_t *slot_of, const bool *writes, int n, int32_t *occupant, int slots, bool *placed)
{
    int32_t *winner = malloc((size_t)slots * sizeof *winner);
    for (int s = 0; s < slots; s++) winner[s] = NONE;
    for (int i = 0; i < n; i++)
        if (writes[i] && winner[slot_of[i]] == NONE) winner[slot_of[i]] = i;
    for (int s = 0; s < slots; s++) {
        if (winner[s] == NONE) continue;
        if (occupant[s] != NONE) placed[occupant[s]] = false;
        occupant[s] = winner[s];
        placed[winner[s]] = true;
    }
    free(winner);
}

static bool try_hybrid(const bosc_hash_word *hashes, int n, int32_t key_bits, uint32_t seed, int32_t *occupant)
{
    int32_t slot_of[512] = {0};
    bool placed[512] = {false}, writes[512] = {false};
    for (int s = 0; s < 3 * SUBTABLE; s++) occupant[s] = NONE;
    for (uint32_t round = 0; round < 75; round++) {
        int left = 0;
        for (int i = 0; i < n; i++) {
            uint32_t mixed = bosc_hash_remix(hashes[i], key_bits, seed);
            slot_of[i] = (int32_t)bosc_hash_slot_in_subtable(mixed, round % 3, 3 * SUBTABLE);
            writes[i] = !placed[i];
        }
        write_all(slot_of, writes, n, occupant, 3 * SUBTABLE, placed);
        for (int i = 0; i < n; i++) left += !placed[i];
        if (!left) return true;
    }
    return false;
}

uint32_t reference_hash_hybrid(const bosc_hash_word *hashes, int n, int32_t key_bits, int32_t occupant[576])
{
    uint32_t seed = 0;
    while (seed < 63 && !try_hybrid(hashes, n, key_bits, seed, occupant)) seed++;
    return seed;
}

static bool stash_all(const bosc_hash_word *hashes, int n, int32_t key_bits, uint32_t seed, const bool *placed,
                      int32_t *stash)
{
    for (int s = 0; s < 101; s++) stash[s] = NONE;
    for (int i = 0; i < n; i++) {
        if (placed[i]) continue;
        uint64_t s = bosc_hash_slot_by_function(hashes[i], key_bits, seed, 4, 101);
        if (stash[s] != NONE) return false;
        stash[s] = i;
    }
    return true;
}

static bool try_cuckoo(const bosc_hash_word *hashes, int n, int32_t key_bits, uint32_t functions, uint32_t seed,
                       int slots, int32_t *occupant, int *stashed)
{
    int32_t *slot_of = malloc((size_t)n * sizeof *slot_of);
    uint32_t *function = calloc((size_t)n, sizeof *function);
    bool *placed = calloc((size_t)n, 1), *writes = calloc((size_t)n, 1);
    *stashed = n;
    for (int s = 0; s < slots; s++) occupant[s] = NONE;
    for (int round = 0; round < 4096 && *stashed; round++) {
        for (int i = 0; i < n; i++) {
            writes[i] = !placed[i];
            slot_of[i] = (int32_t)bosc_hash_slot_by_function(hashes[i], key_bits, seed, function[i], (uint64_t)slots);
        }
        write_all(slot_of, writes, n, occupant, slots, placed);
        *stashed = 0;
        for (int i = 0; i < n; i++) {
            if (!placed[i]) function[i] = (function[i] + 1) % functions;
            *stashed += !placed[i];
        }
        if (round == 255 && *stashed > 101 + n / 64) break;
    }
    bool all = *stashed <= 101 && stash_all(hashes, n, key_bits, seed, placed, occupant + slots);
    free(slot_of);
    free(function);
    free(placed);
    free(writes);
    return all;
}

uint32_t reference_hash_cuckoo(const bosc_hash_word *hashes, int n, int32_t key_bits, uint32_t functions, int slots,
                               int32_t *occupant, int *stashed)
{
    uint32_t seed = 0;
    while (seed < 63 && !try_cuckoo(hashes, n, key_bits, functions, seed, slots, occupant, stashed)) seed++;
    return seed;
}

void reference_hash_chained(const uint32_t *choices, int functions, int batches, int n, uint32_t buckets,
                            uint32_t *chosen)
{
    int *length = calloc(buckets, sizeof *length), batch = (n + batches - 1) / batches;
    for (int from = 0; from < n; from += batch) {
        int to = from + batch < n ? from + batch : n;
        for (int i = from; i < to; i++) {
            const uint32_t *of_key = choices + (size_t)i * (size_t)functions;
            chosen[i] = of_key[0];
            for (int f = 1; f < functions; f++)
                if (length[of_key[f]] < length[chosen[i]]) chosen[i] = of_key[f];
        }
        for (int i = from; i < to; i++) length[chosen[i]]++;
    }
    free(length);
}
