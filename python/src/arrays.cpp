/* Arrays of Python's libraries as pointers, after checks of type, size, strides and device.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

struct Kind {
    nb::dlpack::dtype_code code;
    uint8_t bits;
    bosc_dtype dtype;
};

const Kind kinds[] = {
    {nb::dlpack::dtype_code::Float, 32, BOSC_F32}, {nb::dlpack::dtype_code::Float, 64, BOSC_F64},
    {nb::dlpack::dtype_code::Int, 32, BOSC_I32},   {nb::dlpack::dtype_code::Int, 64, BOSC_I64},
    {nb::dlpack::dtype_code::UInt, 32, BOSC_U32},  {nb::dlpack::dtype_code::UInt, 64, BOSC_U64},
    {nb::dlpack::dtype_code::UInt, 8, BOSC_U8},    {nb::dlpack::dtype_code::Int, 8, BOSC_I8},
    {nb::dlpack::dtype_code::Int, 16, BOSC_I16},   {nb::dlpack::dtype_code::UInt, 16, BOSC_U16},
    {nb::dlpack::dtype_code::Bool, 8, BOSC_U8},
};

[[noreturn]] void refuse(const char *name, const std::string &why)
{
    throw nb::value_error((std::string(name) + ": " + why).c_str());
}

[[noreturn]] void refuse_type(const char *name, const std::string &why)
{
    throw nb::type_error((std::string(name) + ": " + why).c_str());
}

template <class A> void check_place(const Where &where, const A &array, const char *name)
{
    switch (array.device_type()) {
    case nb::device::cpu::value:
    case nb::device::cuda_host::value:
    case nb::device::cuda_managed::value: return;
    case nb::device::cuda::value:
        if (where.backend != BOSC_BACKEND_CUDA) refuse(name, "on a CUDA device, but the call runs on the CPU");
        if (array.device_id() != where.device)
            refuse(name, "on device " + std::to_string(array.device_id()) + ", but the call runs on device " +
                             std::to_string(where.device));
        return;
    default: refuse(name, "on a device that is neither the CPU nor CUDA's");
    }
}

template <class A> bool dense(const A &array)
{
    if (array.size() == 0) return true;
    int64_t expected = 1;
    for (size_t i = array.ndim(); i-- > 0;) {
        if (array.shape(i) != 1 && array.stride(i) != expected) return false;
        expected *= static_cast<int64_t>(array.shape(i));
    }
    return true;
}

template <class A> void check(const Where &where, const A &array, int64_t count, const char *name)
{
    check_place(where, array, name);
    if (!dense(array)) refuse(name, "the array has gaps");
    if (static_cast<int64_t>(array.size()) != count)
        refuse(name, std::to_string(array.size()) + " elements where " + std::to_string(count) + " are needed");
}

template <class A> void check_type(const A &array, bosc_dtype dtype, const char *name)
{
    for (const Kind &kind : kinds)
        if (kind.dtype == dtype && array.dtype().code == static_cast<uint8_t>(kind.code) &&
            array.dtype().bits == kind.bits && array.dtype().lanes == 1)
            return;
    refuse_type(name, std::string("elements are not ") + bosc_dtype_name(dtype));
}

template <class A> void check_bytes(const Where &where, const A &array, size_t size, int64_t count, const char *name)
{
    check_place(where, array, name);
    if (!dense(array)) refuse(name, "the array has gaps");
    if (static_cast<int64_t>(array.nbytes()) != static_cast<int64_t>(size) * count)
        refuse(name, std::to_string(array.nbytes()) + " bytes where " +
                         std::to_string(static_cast<int64_t>(size) * count) + " are needed");
}

} // namespace

bosc_dtype dtype_of(const In &array, const char *name)
{
    for (const Kind &kind : kinds)
        if (array.dtype().code == static_cast<uint8_t>(kind.code) && array.dtype().bits == kind.bits &&
            array.dtype().lanes == 1)
            return kind.dtype;
    refuse_type(name, "the library has no such type of elements");
}

const void *elements(const Where &where, const In &array, bosc_dtype dtype, int64_t count, const char *name)
{
    if (!array.is_valid()) return nullptr;
    check_type(array, dtype, name);
    check(where, array, count, name);
    return array.data();
}

void *room(const Where &where, const Out &array, bosc_dtype dtype, int64_t count, const char *name)
{
    if (!array.is_valid()) return nullptr;
    check_type(array, dtype, name);
    check(where, array, count, name);
    return array.data();
}

const void *items(const Where &where, const In &array, size_t size, int64_t count, const char *name)
{
    if (!array.is_valid()) return nullptr;
    check_bytes(where, array, size, count, name);
    return array.data();
}

void *item_room(const Where &where, const Out &array, size_t size, int64_t count, const char *name)
{
    if (!array.is_valid()) return nullptr;
    check_bytes(where, array, size, count, name);
    return array.data();
}

Rows rows_of(const Where &where, const In &array, bosc_dtype dtype, int64_t dim, const char *name)
{
    check_place(where, array, name);
    check_type(array, dtype, name);
    if (array.ndim() != 2) refuse(name, "not an array of two dimensions");
    int64_t n = static_cast<int64_t>(array.shape(0)), wide = static_cast<int64_t>(array.shape(1));
    if (dim >= 0 && wide != dim)
        refuse(name, "rows of " + std::to_string(wide) + " where " + std::to_string(dim) + " are needed");
    int64_t stride = n > 1 ? array.stride(0) : wide;
    if (n > 0 && ((wide > 1 && array.stride(1) != 1) || stride < wide)) refuse(name, "rows have gaps, or overlap");
    return {array.data(), n, wide, stride};
}
