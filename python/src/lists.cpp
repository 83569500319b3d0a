/* CSR rows as lists, sets and arrays of pairs of Python.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

#include <algorithm>
#include <vector>

namespace
{

/* Integers of Python for ids. Where ids repeat, equal ones share one object, which is created once. */
class Integers
{
  public:
    Integers(const int64_t *ids, int64_t count)
    {
        int64_t limit = 0;
        for (int64_t k = 0; k < count; k++) limit = std::max(limit, ids[k] + 1);
        if (limit <= count / 2) made.resize(static_cast<size_t>(limit), nullptr);
    }

    /* A new reference. */
    PyObject *operator()(int64_t id)
    {
        if (!made.empty() && made[static_cast<size_t>(id)]) {
            PyObject *known = made[static_cast<size_t>(id)];
            Py_INCREF(known);
            return known;
        }
        PyObject *integer = PyLong_FromLongLong(id);
        if (!integer) throw nb::python_error();
        if (!made.empty()) made[static_cast<size_t>(id)] = integer;
        return integer;
    }

  private:
    std::vector<PyObject *> made; /* borrowed: each is in the answer. Empty: ids seldom repeat */
};

nb::object steal_or_raise(PyObject *made)
{
    if (!made) throw nb::python_error();
    return nb::steal(made);
}

} // namespace

nb::object list_rows(const FoundRows &rows)
{
    const int64_t *offsets = rows.offsets.data(), *ids = rows.ids.get();
    Integers integer(ids, offsets[rows.count]);
    nb::object lists = steal_or_raise(PyList_New(rows.count));
    for (int64_t i = 0; i < rows.count; i++) {
        nb::object row = steal_or_raise(PyList_New(offsets[i + 1] - offsets[i]));
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++)
            PyList_SetItem(row.ptr(), k - offsets[i], integer(ids[k])); // takes the reference
        PyList_SetItem(lists.ptr(), i, row.release().ptr());
    }
    return lists;
}

nb::object set_of_pairs(const FoundRows &rows)
{
    const int64_t *offsets = rows.offsets.data(), *ids = rows.ids.get();
    Integers integer(ids, offsets[rows.count]);
    nb::object pairs = steal_or_raise(PySet_New(nullptr));
    for (int64_t i = 0; i < rows.count; i++) {
        if (offsets[i] == offsets[i + 1]) continue;
        const nb::object first = steal_or_raise(PyLong_FromLongLong(i));
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) {
            const nb::object second = nb::steal(integer(ids[k]));
            const nb::object pair = steal_or_raise(PyTuple_Pack(2, first.ptr(), second.ptr()));
            if (PySet_Add(pairs.ptr(), pair.ptr())) throw nb::python_error();
        }
    }
    return pairs;
}

void write_pairs(const FoundRows &rows, int64_t *pairs)
{
    const int64_t *offsets = rows.offsets.data(), *ids = rows.ids.get();
    for (int64_t i = 0; i < rows.count; i++)
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) {
            *pairs++ = i;
            *pairs++ = ids[k];
        }
}
