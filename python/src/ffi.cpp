/* Custom calls of XLA: compiled programs of JAX call the library on their own memory and stream, without Python.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The structs follow the published binary interface of XLA's FFI, xla/ffi/api/c_api.h of version 0.1 and later of its
 * API, as far as it is used here. Its functions are a table in the frame of each call, so no header or library of JAX
 * is needed. Every struct begins with its size, so that later versions can add fields. */
#include "core.hpp"

#include <cstddef>
#include <cstring>
#include <vector>

namespace
{

/* --- The interface ------------------------------------------------------------------------------------------------ */

enum { API_MAJOR = 0, API_MINOR = 1 };
enum ExtensionType : int32_t { METADATA = 1 };
enum ErrorCode : int32_t { INVALID_ARGUMENT = 3, RESOURCE_EXHAUSTED = 8, INTERNAL = 13 };
enum Stage : int32_t { EXECUTE = 3 };
enum ElementType : int32_t { PRED = 1, S32 = 4, S64 = 5, F32 = 11, F64 = 12 };

struct Extension {
    size_t size;
    ExtensionType type;
    Extension *next;
};
struct Version {
    size_t size;
    Extension *extensions;
    int32_t major, minor;
};
struct Metadata {
    size_t size;
    Version version;
    uint32_t traits;
};
struct MetadataExtension {
    Extension base;
    Metadata *metadata;
};
struct Error;
struct CreateError {
    size_t size;
    Extension *extensions;
    const char *message;
    ErrorCode code;
};
struct GetStream {
    size_t size;
    Extension *extensions;
    void *execution, *stream;
};
struct GetDevice {
    size_t size;
    Extension *extensions;
    void *execution;
    int32_t device;
};
struct Api {
    size_t size;
    Extension *extensions;
    Version version;
    const void *internal;
    Error *(*create_error)(CreateError *);
    void *error_message, *destroy_error, *register_handler;
    Error *(*get_stream)(GetStream *);
    void *others[12];
    Error *(*get_device)(GetDevice *);
};
struct Buffer {
    size_t size;
    Extension *extensions;
    ElementType type;
    void *data;
    int64_t rank;
    int64_t *dims;
};
struct Buffers { /* arguments, or results */
    size_t size;
    Extension *extensions;
    int64_t count;
    int32_t *types;
    Buffer **at;
};
struct Name {
    const char *at;
    size_t length;
};
struct Scalar {
    ElementType type;
    void *value;
};
struct Attributes {
    size_t size;
    Extension *extensions;
    int64_t count;
    int32_t *types;
    Name **names;
    Scalar **at;
};
struct Frame {
    size_t size;
    Extension *extensions;
    const Api *api;
    void *execution;
    Stage stage;
    Buffers arguments, results;
    Attributes attributes;
};

Error *fail(const Frame &frame, ErrorCode code, const std::string &text)
{
    CreateError error = {sizeof error, nullptr, text.c_str(), code};
    return frame.api->create_error(&error);
}

/* --- Contexts ----------------------------------------------------------------------------------------------------- */

/* A context and the memory of its last batch. XLA calls from threads of its own, several at once. */
struct Worker {
    bosc_backend backend;
    int32_t device, threads, dim;
    bosc_dtype dtype;
    int32_t id_bits;
    bosc_ctx *ctx;
    bosc_clouds *clouds;
};

std::mutex guard;
std::vector<Worker> &idle = *new std::vector<Worker>; /* never freed: XLA's threads may outlive static objects */
constexpr size_t MOST_IDLE = 16;                      /* more calls at once create their contexts anew: an estimate */

Worker find_worker(bosc_backend backend, int32_t device, int32_t threads)
{
    std::lock_guard<std::mutex> hold(guard);
    for (size_t i = idle.size(); i-- > 0;) {
        const Worker worker = idle[i];
        if (worker.backend != backend || worker.device != device || worker.threads != threads) continue;
        idle.erase(idle.begin() + static_cast<std::ptrdiff_t>(i));
        return worker;
    }
    return {backend, device, threads, 0, BOSC_F32, 0, nullptr, nullptr};
}

void free_worker(const Worker &worker)
{
    bosc_clouds_free(worker.clouds);
    bosc_ctx_free(worker.ctx);
}

/* Keeps a worker for later calls. Too many would hold memory for good: the one idle for longest is freed. */
void keep_worker(const Worker &worker)
{
    Worker oldest = {};
    {
        std::lock_guard<std::mutex> hold(guard);
        idle.push_back(worker);
        if (idle.size() <= MOST_IDLE) return;
        oldest = idle.front();
        idle.erase(idle.begin());
    }
    free_worker(oldest);
}

bosc_status open_context(Worker &worker)
{
    if (worker.ctx) return BOSC_OK;
    auto opts = sized<bosc_ctx_opts>();
    opts.backend = worker.backend;
    opts.device = worker.device;
    opts.threads = worker.threads;
    return bosc_ctx_create(&opts, &worker.ctx);
}

/* The batch of a worker, of another type than the last one if need be. */
bosc_status open_clouds(Worker &worker, bosc_dtype dtype, int32_t dim, int32_t id_bits)
{
    if (worker.clouds && worker.dtype == dtype && worker.dim == dim && worker.id_bits == id_bits) return BOSC_OK;
    bosc_clouds_free(worker.clouds);
    worker.clouds = nullptr;
    auto opts = sized<bosc_clouds_opts>();
    opts.dtype = worker.dtype = dtype;
    opts.dim = worker.dim = dim;
    opts.id_bits = worker.id_bits = id_bits;
    return bosc_clouds_create(worker.ctx, &opts, &worker.clouds);
}

/* --- Arguments ---------------------------------------------------------------------------------------------------- */

/* The value of an attribute; 0 without it. */
double number(const Frame &frame, const char *name)
{
    const Attributes &all = frame.attributes;
    for (int64_t i = 0; i < all.count; i++) {
        if (all.names[i]->length != std::strlen(name) || std::memcmp(all.names[i]->at, name, all.names[i]->length) != 0)
            continue;
        const void *value = all.at[i]->value;
        switch (all.at[i]->type) {
        case PRED: return *static_cast<const bool *>(value);
        case S64: return static_cast<double>(*static_cast<const int64_t *>(value));
        case F64: return *static_cast<const double *>(value);
        default: return 0;
        }
    }
    return 0;
}

/* A vector of int64. Programs without int64 pass each number as a row of two int32. */
const int64_t *integers(const Buffer &buffer, int64_t *count)
{
    *count = buffer.rank > 0 ? buffer.dims[0] : 0;
    return static_cast<const int64_t *>(buffer.data);
}

bosc_status build_clouds(Worker &worker, const Frame &frame, const Buffer &ids)
{
    const Buffer &points = *frame.arguments.at[0];
    int64_t count;
    const int64_t *offsets = integers(*frame.arguments.at[1], &count);
    bosc_status status = open_clouds(worker, points.type == F32 ? BOSC_F32 : BOSC_F64,
                                     static_cast<int32_t>(points.dims[1]), ids.type == S32 ? 32 : 64);
    return status ? status
                  : bosc_clouds_build(worker.ctx, worker.clouds, points.data, points.dims[0], 0, offsets, count - 1);
}

/* Arguments: points, offsets; or queries and their offsets too. Results: dist2, ids. */
bosc_status find_nearest(Worker &worker, const Frame &frame)
{
    const Buffer &dist2 = *frame.results.at[0], &ids = *frame.results.at[1];
    auto queries = sized<bosc_clouds_queries>();
    queries.exclude_self = number(frame, "exclude_self") != 0;
    if (frame.arguments.count == 4) {
        const Buffer &rows = *frame.arguments.at[2];
        int64_t count;
        queries.points = rows.data;
        queries.count = rows.dims[0];
        queries.offsets = integers(*frame.arguments.at[3], &count);
    }
    bosc_status status = build_clouds(worker, frame, ids);
    return status ? status
                  : bosc_clouds_knn(worker.ctx, worker.clouds, &queries, ids.dims[1], number(frame, "r"), ids.data,
                                    dist2.data);
}

/* Arguments: points, offsets, offsets of the samples, and first samples if there are any. Result: ids. */
bosc_status sample_farthest(Worker &worker, const Frame &frame)
{
    const Buffer &ids = *frame.results.at[0];
    int64_t count;
    const int64_t *samples = integers(*frame.arguments.at[2], &count);
    const int64_t *starts = frame.arguments.count == 4 ? integers(*frame.arguments.at[3], &count) : nullptr;
    bosc_status status = build_clouds(worker, frame, ids);
    return status ? status
                  : bosc_clouds_sample_farthest(worker.ctx, worker.clouds, samples, ids.dims[0], starts, ids.data);
}

/* --- Handlers ----------------------------------------------------------------------------------------------------- */

/* Runs a call on the program's device and stream. */
template <bosc_backend BACKEND, auto CALL> Error *run_call(const Frame &frame)
{
    GetStream stream = {sizeof stream, nullptr, frame.execution, nullptr};
    GetDevice device = {sizeof device, nullptr, frame.execution, 0};
    /* 1. The place of the program. */
    if (BACKEND == BOSC_BACKEND_CUDA) {
        if (Error *error = frame.api->get_stream(&stream)) return error;
        const bool has_device = frame.api->size >= offsetof(Api, get_device) + sizeof frame.api->get_device;
        if (has_device)
            if (Error *error = frame.api->get_device(&device)) return error;
        if (!stream.stream) stream.stream = reinterpret_cast<void *>(uintptr_t{1}); /* the legacy default stream */
    }
    /* 2. The call. */
    Worker worker = find_worker(BACKEND, device.device, static_cast<int32_t>(number(frame, "threads")));
    bosc_status status = open_context(worker);
    if (!worker.ctx) return fail(frame, INTERNAL, bosc_status_text(status));
    if (!status && BACKEND == BOSC_BACKEND_CUDA) status = bosc_ctx_set_stream(worker.ctx, stream.stream);
    if (!status) status = CALL(worker, frame);
    const std::string text = status ? bosc_ctx_message(worker.ctx) : "";
    /* 3. The program may destroy its stream before the context. */
    if (BACKEND == BOSC_BACKEND_CUDA) (void)bosc_ctx_set_stream(worker.ctx, nullptr);
    keep_worker(worker);
    if (!status) return nullptr;
    const bool refused = status == BOSC_ERR_ARG || status == BOSC_ERR_DATA || status == BOSC_ERR_LIMIT;
    return fail(frame,
                refused                    ? INVALID_ARGUMENT
                : status == BOSC_ERR_NOMEM ? RESOURCE_EXHAUSTED
                                           : INTERNAL,
                text.empty() ? bosc_status_text(status) : text);
}

/* Reports the version of the interface when XLA registers the handler; else runs the call. */
template <bosc_backend BACKEND, auto CALL> Error *handle(Frame *frame)
{
    for (Extension *extension = frame->extensions; extension; extension = extension->next) {
        if (extension->type != METADATA) continue;
        Metadata *metadata = reinterpret_cast<MetadataExtension *>(extension)->metadata;
        metadata->version.major = API_MAJOR;
        metadata->version.minor = API_MINOR;
        metadata->traits = 0;
        return nullptr;
    }
    if (frame->stage != EXECUTE) return nullptr;
    try {
        return run_call<BACKEND, CALL>(*frame);
    } catch (const std::exception &error) {
        return fail(*frame, INTERNAL, error.what());
    }
}

template <auto HANDLER> nb::object capsule()
{
    return nb::steal(PyCapsule_New(reinterpret_cast<void *>(HANDLER), nullptr, nullptr));
}

/* The handlers of a platform, by name. */
nb::dict handlers(const std::string &backend)
{
    nb::dict d;
    if (backend == "cpu") {
        d["knn"] = capsule<handle<BOSC_BACKEND_CPU, find_nearest>>();
        d["sample_farthest"] = capsule<handle<BOSC_BACKEND_CPU, sample_farthest>>();
    } else {
        d["knn"] = capsule<handle<BOSC_BACKEND_CUDA, find_nearest>>();
        d["sample_farthest"] = capsule<handle<BOSC_BACKEND_CUDA, sample_farthest>>();
    }
    return d;
}

} // namespace

void bind_ffi(nb::module_ &m) { m.def("ffi_handlers", &handlers, "backend"_a); }
