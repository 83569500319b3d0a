/* CUDA's vector types. */
#ifndef EMULATOR_VECTORS_HPP
#define EMULATOR_VECTORS_HPP

#define EMULATOR_VECTORS(base, name)                                                           \
    struct name##1 { base x; };                                                                \
    struct alignas(2 * sizeof(base)) name##2 { base x, y; };                                   \
    struct name##3 { base x, y, z; };                                                          \
    struct alignas(sizeof(base) < 4 ? 4 * sizeof(base) : 16) name##4 { base x, y, z, w; };     \
    static inline name##2 make_##name##2(base x, base y) { return name##2 {x, y}; }            \
    static inline name##3 make_##name##3(base x, base y, base z) { return name##3 {x, y, z}; } \
    static inline name##4 make_##name##4(base x, base y, base z, base w) { return name##4 {x, y, z, w}; }

EMULATOR_VECTORS(unsigned char, uchar)
EMULATOR_VECTORS(unsigned short, ushort)
EMULATOR_VECTORS(int, int)
EMULATOR_VECTORS(unsigned, uint)
EMULATOR_VECTORS(float, float)
EMULATOR_VECTORS(double, double)
EMULATOR_VECTORS(long long, longlong)
EMULATOR_VECTORS(unsigned long long, ulonglong)
#undef EMULATOR_VECTORS

#endif
