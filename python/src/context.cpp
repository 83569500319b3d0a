/* Contexts: one for each thread, device, stream and number of threads; exceptions; device memory.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

#include <memory>
#include <vector>

namespace
{

/* The library's progress callback; runs in the call's thread, without the GIL. Returns true to cancel the call. */
int on_progress(void *user, const char *stage, double fraction)
{
    Context *context = static_cast<Context *>(user);
    nb::gil_scoped_acquire acquire;
    bool stop = PyErr_CheckSignals() != 0;
    if (!stop && context->progress) {
        PyObject *answer = PyObject_CallFunction(context->progress, "sd", stage, fraction);
        stop = answer == nullptr;
        Py_XDECREF(answer);
    }
    if (stop) {
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_NormalizeException(&type, &value, &trace);
        if (trace) PyException_SetTraceback(value, trace);
        Py_XDECREF(type);
        Py_XDECREF(trace);
        Py_XDECREF(context->raised);
        context->raised = value;
    }
    return stop;
}

thread_local bool thread_ends = false; /* trivial type: readable after thread_local objects are destroyed */

struct Contexts {
    std::vector<std::unique_ptr<Context>> all;
    ~Contexts()
    {
        thread_ends = true;
        for (auto &context : all) bosc_ctx_free(context->ctx);
    }
};

thread_local Contexts contexts;

/* One context serves all streams of a device. */
bool same_place(const Where &a, const Where &b)
{
    return a.backend == b.backend && a.device == b.device && a.threads == b.threads;
}

[[noreturn]] void raise(PyObject *type, const std::string &text)
{
    PyErr_SetString(type, text.c_str());
    throw nb::python_error();
}

Context *create_context(const Where &where)
{
    auto context = std::make_unique<Context>();
    context->where = where;
    context->where.stream = 0;
    context->where.progress.reset();
    auto opts = sized<bosc_ctx_opts>();
    opts.backend = where.backend;
    opts.device = where.device;
    opts.threads = where.threads;
    opts.progress = on_progress;
    opts.progress_user = context.get();
    bosc_status status = bosc_ctx_create(&opts, &context->ctx);
    if (status == BOSC_ERR_NOMEM) throw std::bad_alloc();
    if (status != BOSC_OK) {
        const char *reason = bosc_backend_reason(where.backend);
        std::string text = where.backend == BOSC_BACKEND_CUDA ? "cuda: " : "cpu: ";
        text += *reason ? reason : bosc_status_text(status);
        raise(status == BOSC_ERR_ARG ? PyExc_ValueError : PyExc_RuntimeError, text);
    }
    contexts.all.push_back(std::move(context));
    return contexts.all.back().get();
}

Context *find_context(const Where &where)
{
    for (auto &context : contexts.all)
        if (same_place(context->where, where)) return context.get();
    return create_context(where);
}

PyObject *exception_of(bosc_status status)
{
    switch (status) {
    case BOSC_ERR_ARG:
    case BOSC_ERR_DATA:
    case BOSC_ERR_FORMAT:
    case BOSC_ERR_LIMIT: return PyExc_ValueError;
    case BOSC_ERR_NOMEM: return PyExc_MemoryError;
    case BOSC_ERR_IO: return PyExc_OSError;
    case BOSC_ERR_COMM: return PyExc_ConnectionError;
    default: return PyExc_RuntimeError;
    }
}

/* Device memory, for libraries whose arrays are read-only. */
struct Memory {
    Where where;
    void *at = nullptr;
    size_t bytes = 0;
    ~Memory()
    {
        try { // a library may keep arrays to the end of the process: then the memory is not freed
            if (at && !thread_ends) bosc_ctx_release(find_context(where)->ctx, at, bytes);
        } catch (...) { // the context is gone with its device
        }
    }
};

Memory *allocate(const Where &where, size_t bytes)
{
    auto memory = std::make_unique<Memory>();
    memory->where = where;
    memory->where.progress.reset();
    memory->bytes = bytes;
    Call(where).run([&](bosc_ctx *ctx) { return bosc_ctx_alloc(ctx, bytes, &memory->at); });
    return memory.release();
}

/* Copies between addresses of the host or the device, and waits. */
void copy(const Where &where, uintptr_t to, uintptr_t from, size_t bytes)
{
    Call(where).run([&](bosc_ctx *ctx) {
        return bosc_ctx_copy(ctx, reinterpret_cast<void *>(to), reinterpret_cast<const void *>(from), bytes);
    });
}

bosc_backend backend_of(const std::string &name)
{
    if (name == "cpu") return BOSC_BACKEND_CPU;
    if (name == "cuda") return BOSC_BACKEND_CUDA;
    throw nb::value_error(("backend: '" + name + "' is neither 'cpu' nor 'cuda'").c_str());
}

nb::dict info(const Where &where)
{
    auto about = sized<bosc_ctx_info>();
    Call(where).run([&](bosc_ctx *ctx) { return bosc_ctx_get_info(ctx, &about); });
    nb::dict d;
    d["backend"] = about.backend == BOSC_BACKEND_CUDA ? "cuda" : "cpu";
    d["cpu_level"] = static_cast<int>(about.cpu_level);
    d["threads"] = about.threads;
    d["device"] = about.device;
    d["device_name"] = static_cast<const char *>(about.device_name);
    d["scratch_bytes"] = about.scratch_bytes;
    return d;
}

/* An array at an address, for libraries that have only __cuda_array_interface__. */
nb::ndarray<nb::array_api> at_address(uintptr_t address, const nb::tuple &shape, const std::string &kind, int bits,
                                      int device, nb::object owner)
{
    size_t sizes[8];
    size_t ndim = nb::len(shape);
    if (ndim > 8) throw nb::value_error("shape: more than 8 dimensions");
    for (size_t i = 0; i < ndim; i++) sizes[i] = nb::cast<size_t>(shape[i]);
    nb::dlpack::dtype dtype;
    dtype.code = static_cast<uint8_t>(kind == "f"   ? nb::dlpack::dtype_code::Float
                                      : kind == "u" ? nb::dlpack::dtype_code::UInt
                                                    : nb::dlpack::dtype_code::Int);
    dtype.bits = static_cast<uint8_t>(bits);
    dtype.lanes = 1;
    return nb::ndarray<nb::array_api>(reinterpret_cast<void *>(address), ndim, sizes, owner, nullptr, dtype,
                                      nb::device::cuda::value, device, 'C');
}

} // namespace

Call::Call(const Where &where) : context(find_context(where))
{
    if (context->busy) raise(PyExc_RuntimeError, "a progress function may not call what it hears of");
    context->busy = true;
    context->progress = where.progress.is_valid() && !where.progress.is_none() ? where.progress.ptr() : nullptr;
    on_callers_stream = where.stream != 0;
    if (!on_callers_stream) return;
    bosc_status status = bosc_ctx_set_stream(context->ctx, reinterpret_cast<void *>(where.stream));
    if (status == BOSC_OK) return;
    leave();
    raise_failure(status);
}

Call::~Call()
{
    // The caller's stream may be destroyed before the context.
    if (on_callers_stream) (void)bosc_ctx_set_stream(context->ctx, nullptr);
    leave();
}

void Call::leave()
{
    context->busy = false;
    context->progress = nullptr;
}

/* Raises the exception of the progress function or of a signal, even if it was too late to cancel the call; else the
 * call's failure. */
void Call::raise_failure(bosc_status status)
{
    if (context->raised) {
        PyObject *value = context->raised;
        context->raised = nullptr;
        PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(value)), value);
        Py_DECREF(value);
        throw nb::python_error();
    }
    if (status == BOSC_OK) return;
    const char *text = bosc_ctx_message(context->ctx);
    raise(exception_of(status), *text ? text : bosc_status_text(status));
}

int append_bytes(void *user, const void *bytes, size_t count)
{
    try {
        static_cast<std::string *>(user)->append(static_cast<const char *>(bytes), count);
    } catch (const std::bad_alloc &) {
        return 1;
    }
    return 0;
}

int take_bytes(void *user, void *bytes, size_t count)
{
    Source *source = static_cast<Source *>(user);
    if (source->left < count) return 1;
    memcpy(bytes, source->at, count);
    source->at += count;
    source->left -= count;
    return 0;
}

void bind_context(nb::module_ &m)
{
    /* 1. The place of a call. */
    nb::class_<Where>(m, "Where")
        .def(
            "__init__",
            [](Where *self, const std::string &backend, int32_t device, int32_t threads, uintptr_t stream,
               nb::object progress) {
                if (threads < 0) throw nb::value_error("threads: less than 0");
                if (!progress.is_none() && !PyCallable_Check(progress.ptr()))
                    throw nb::type_error("progress: not a function");
                new (self) Where{backend_of(backend), device, threads, stream, progress};
            },
            "backend"_a = "cpu", "device"_a = 0, "threads"_a = 0, "stream"_a = 0, "progress"_a = nb::none())
        .def_prop_ro("backend", [](const Where &w) { return w.backend == BOSC_BACKEND_CUDA ? "cuda" : "cpu"; })
        .def_ro("device", &Where::device)
        .def_ro("threads", &Where::threads)
        .def_ro("stream", &Where::stream)
        .def("info", &info)
        .def("sync", [](const Where &w) { Call(w).run(bosc_ctx_sync); });

    /* 2. Device memory, and facts about the build. */
    nb::class_<Memory>(m, "Memory")
        .def_prop_ro("address", [](const Memory &s) { return reinterpret_cast<uintptr_t>(s.at); })
        .def_ro("bytes", &Memory::bytes);
    m.def("allocate", &allocate, "where"_a, "bytes"_a);
    m.def("copy", &copy, "where"_a, "to"_a, "from_"_a, "bytes"_a);
    m.def("at_address", &at_address, "address"_a, "shape"_a, "kind"_a, "bits"_a, "device"_a, "owner"_a);
    m.def("version", &bosc_version);
    m.def("device_count", &bosc_device_count);
    m.def("backend_reason", [](const std::string &backend) { return bosc_backend_reason(backend_of(backend)); });
}
