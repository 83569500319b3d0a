/* Random points, keys, words and relief.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

void random_bits(const Where &where, uint64_t seed, uint64_t stream, const Out &bits)
{
    uint32_t *to = typed_room<uint32_t>(where, bits, BOSC_U32, size_of(bits), "bits");
    Call(where).run([&](bosc_ctx *ctx) { return bosc_random_bits(ctx, seed, stream, size_of(bits), to); });
}

void random_points(const Where &where, int kind, uint64_t seed, int32_t dim, const Out &points)
{
    const bosc_dtype dtype = points.dtype().bits == 32 ? BOSC_F32 : BOSC_F64;
    const int64_t n = dim > 0 ? size_of(points) / dim : 0;
    void *to = room(where, points, dtype, n * dim, "points");
    Call(where).run([&](bosc_ctx *ctx) {
        return bosc_random_points(ctx, static_cast<bosc_random_points_kind>(kind), seed, n, dim, dtype, to);
    });
}

void random_keys(const Where &where, int kind, uint64_t seed, const Out &keys)
{
    uint64_t *to = typed_room<uint64_t>(where, keys, BOSC_U64, size_of(keys), "keys");
    Call(where).run([&](bosc_ctx *ctx) {
        return bosc_random_keys(ctx, static_cast<bosc_random_keys_kind>(kind), seed, size_of(keys), 64, to);
    });
}

void random_words(const Where &where, int kind, uint64_t seed, int32_t length, int32_t letters, const Out &words)
{
    const int64_t n = length > 0 ? size_of(words) / length : 0;
    uint8_t *to = typed_room<uint8_t>(where, words, BOSC_U8, n * length, "words");
    Call(where).run([&](bosc_ctx *ctx) {
        return bosc_random_words(ctx, static_cast<bosc_random_words_kind>(kind), seed, n, length, letters, to);
    });
}

void random_heights(const Where &where, int kind, uint64_t seed, int64_t width, int64_t height, const Out &heights)
{
    float *to = typed_room<float>(where, heights, BOSC_F32, width * height, "heights");
    Call(where).run([&](bosc_ctx *ctx) {
        return bosc_random_heights(ctx, static_cast<bosc_random_heights_kind>(kind), seed, width, height, to);
    });
}

} // namespace

void bind_random(nb::module_ &m)
{
    m.def("random_bits", &random_bits, "where"_a, "seed"_a, "stream"_a, "bits"_a);
    m.def("random_points", &random_points, "where"_a, "kind"_a, "seed"_a, "dim"_a, "points"_a);
    m.def("random_keys", &random_keys, "where"_a, "kind"_a, "seed"_a, "keys"_a);
    m.def("random_words", &random_words, "where"_a, "kind"_a, "seed"_a, "length"_a, "letters"_a, "words"_a);
    m.def("random_heights", &random_heights, "where"_a, "kind"_a, "seed"_a, "width"_a, "height"_a, "heights"_a);
}
