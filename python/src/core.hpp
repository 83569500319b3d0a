/* Shared by all files of the extension: the place of a call, its frame, arrays, handles. The extension is thin: Python
 * modules convert arrays to a type and a shape, these functions pass pointers to the library, which checks and
 * computes.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BOSCAGE_PYTHON_CORE_HPP
#define BOSCAGE_PYTHON_CORE_HPP

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <boscage/boscage.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

namespace nb = nanobind;
using namespace nb::literals;

using In = nb::ndarray<nb::ro>;
using Out = nb::ndarray<>;

/* Where a call runs, and its progress function. */
struct Where {
    bosc_backend backend = BOSC_BACKEND_CPU;
    int32_t device = 0;
    int32_t threads = 0;
    uintptr_t stream = 0; /* the caller's; 0: the context's own */
    nb::object progress;  /* called with (stage, fraction); an exception cancels the call. None: no function */
};

/* A context of one thread. Each progress report of the library also checks for Python's signals. */
struct Context {
    bosc_ctx *ctx = nullptr;
    Where where; /* without a stream; without progress, since it outlives interpreters */
    PyObject *progress = nullptr;
    bool busy = false;
    PyObject *raised = nullptr; /* the exception of a progress function or a signal */
};

/* The frame of a call of the library: finds this thread's context for `where`, and turns failures into exceptions. */
class Call
{
  public:
    explicit Call(const Where &where);
    ~Call();
    Call(const Call &) = delete;
    Call &operator=(const Call &) = delete;

    /* Runs f(ctx), which returns a status, without the GIL. */
    template <class F> void run(F &&f)
    {
        bosc_status status;
        {
            nb::gil_scoped_release release;
            status = f(context->ctx);
        }
        raise_failure(status);
    }

    /* As run; after an exception of the progress function or of a signal, which may come when f is done, also runs
     * clear(ctx). So a structure is then empty, never one that its Python object does not know. */
    template <class F, class G> void run_or_clear(F &&f, G &&clear)
    {
        bosc_status status;
        {
            nb::gil_scoped_release release;
            status = f(context->ctx);
            if (context->raised) {
                context->progress = nullptr;
                (void)clear(context->ctx);
            }
        }
        raise_failure(status);
    }

  private:
    void raise_failure(bosc_status status);
    void leave();
    Context *context;
    bool on_callers_stream;
};

/* A lock of readers or one writer. Waiting threads enter in the order in which they came: a writer waits only for
 * readers before it. */
class Lock
{
  public:
    Lock();
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;
    bool try_enter(bool exclusive);
    void enter(bool exclusive);
    void leave(bool exclusive);

  private:
    bool is_open(bool exclusive) const { return !writing && (!exclusive || !readers); }
    void admit(bool exclusive);
    void recover_after_fork();
    std::mutex mutex;
    std::condition_variable changed;
    uint64_t next = 0, serving = 0; /* tickets: of the next thread to come, and of the next one to enter */
    int64_t readers = 0;
    bool writing = false;
    std::atomic<uint64_t> forks; /* of this process, when the lock was made or recovered */
};

/* Holds a lock. A thread that holds it already enters again without waiting, so that one hold may span several calls.
 * A running call that changes a structure, such as one that reports progress, refuses further calls of its thread. */
class Hold
{
  public:
    /* WRITE: a method of several calls, which may read and change. CHANGE: one call that changes the structure; while
     * it runs, its thread may not enter again. */
    enum Kind { READ, WRITE, CHANGE };
    Hold(Lock &entered, Kind as);
    ~Hold();
    Hold(const Hold &) = delete;
    Hold &operator=(const Hold &) = delete;

  private:
    Lock &lock;
    Kind kind;
};

/* A structure of the library. Threads may share it: one that changes it waits for the readers before it. */
template <class T, void (*FREE)(T *)> struct Handle : Lock {
    T *of = nullptr;
    Handle() = default;
    ~Handle() { FREE(of); }
};

/* A call that reads or changes a structure. It holds the lock from the checks of sizes to its end, and waits for the
 * lock without the GIL. */
class Reading : public Call
{
  public:
    Reading(const Where &where, Lock &lock) : Call(where), hold(lock, Hold::READ) {}

  private:
    Hold hold;
};
class Writing : public Call
{
  public:
    Writing(const Where &where, Lock &lock) : Call(where), hold(lock, Hold::CHANGE) {}

  private:
    Hold hold;
};

/* Holds two locks for reading, which may be one. All threads enter them in the order of their addresses: else each of
 * two threads could wait behind a writer that waits for the other thread. */
class HoldBoth
{
  public:
    HoldBoth(Lock &a, Lock &b)
        : first(std::less<>()(&a, &b) ? a : b, Hold::READ), second(std::less<>()(&a, &b) ? b : a, Hold::READ)
    {
    }

  private:
    Hold first, second;
};

/* A struct of the library with its size set, and zero elsewhere. */
template <class T> T sized()
{
    T x = {};
    x.size = sizeof x;
    return x;
}

/* The result of bosc_X_get_info. */
template <class I, auto GET, class H> I described(Call &call, H &handle)
{
    auto info = sized<I>();
    call.run([&](bosc_ctx *ctx) { return GET(ctx, handle.of, &info); });
    return info;
}

/* The library's type of an array's elements. */
bosc_dtype dtype_of(const In &array, const char *name);

/* Pointer to `count` contiguous elements of a type in memory that a call at `where` can access; NULL for None. */
const void *elements(const Where &where, const In &array, bosc_dtype dtype, int64_t count, const char *name);
void *room(const Where &where, const Out &array, bosc_dtype dtype, int64_t count, const char *name);

/* Bytes of any type: `count` items of `size` each. */
const void *items(const Where &where, const In &array, size_t size, int64_t count, const char *name);
void *item_room(const Where &where, const Out &array, size_t size, int64_t count, const char *name);

template <class T>
const T *typed(const Where &where, const In &array, bosc_dtype dtype, int64_t count, const char *name)
{
    return static_cast<const T *>(elements(where, array, dtype, count, name));
}
template <class T>
T *typed_room(const Where &where, const Out &array, bosc_dtype dtype, int64_t count, const char *name)
{
    return static_cast<T *>(room(where, array, dtype, count, name));
}

/* Rows of `dim` elements, each without gaps, `stride` elements apart. */
struct Rows {
    const void *data;
    int64_t n, dim, stride;
};
Rows rows_of(const Where &where, const In &array, bosc_dtype dtype, int64_t dim, const char *name);

/* Rows of any type and dimension, which opts receives. */
template <class O> Rows described_rows(const Where &where, const In &array, const char *name, O &opts)
{
    opts.dtype = dtype_of(array, name);
    const Rows rows = rows_of(where, array, opts.dtype, -1, name);
    opts.dim = static_cast<int32_t>(rows.dim);
    return rows;
}

/* An array by its address, without the capsule of DLPack that would be made and checked for it. 0 stands for no array.
 * Python has checked type, gaps and place. */
template <class T> T *at(uintptr_t address) { return reinterpret_cast<T *>(address); }

/* Elements of an array; 0 for None. */
template <class A> int64_t size_of(const A &array) { return array.is_valid() ? static_cast<int64_t>(array.size()) : 0; }

/* CSR rows of ids in memory of the extension, for answers in Python's own types. */
struct FoundRows {
    int64_t count;
    std::vector<int64_t> offsets; /* (count + 1) */
    std::unique_ptr<int64_t[]> ids;

    /* Finds rows by search(ctx, offsets, ids, capacity): first their sizes, with ids NULL, then their ids. */
    template <class F> FoundRows(Call &call, int64_t rows, F &&search) : count(rows), offsets(rows + 1)
    {
        call.run([&](bosc_ctx *ctx) { return search(ctx, offsets.data(), static_cast<int64_t *>(nullptr), 0); });
        ids.reset(new int64_t[offsets[count]]);
        if (offsets[count] == 0) return;
        call.run([&](bosc_ctx *ctx) { return search(ctx, offsets.data(), ids.get(), offsets[count]); });
    }
};
nb::object list_rows(const FoundRows &rows);    /* a list of lists */
nb::object set_of_pairs(const FoundRows &rows); /* of the tuples (row, id) */
void write_pairs(const FoundRows &rows, int64_t *pairs);

/* Builds a structure from a batch of clouds by bosc_X_build. offsets: None for one cloud of all points. */
template <class I, auto GET, auto BUILD, class H>
void build_batch(H &handle, const Where &where, const In &points, const In &offsets)
{
    Writing call(where, handle);
    const I about = described<I, GET>(call, handle);
    const Rows rows = rows_of(where, points, about.dtype, about.dim, "points");
    const int64_t count = offsets.is_valid() ? size_of(offsets) - 1 : 1;
    if (count < 0) throw nb::value_error("offsets: none");
    const int64_t *starts = typed<int64_t>(where, offsets, BOSC_I64, count + 1, "offsets");
    static const int64_t empty[] = {0, 0};
    call.run_or_clear(
        [&](bosc_ctx *ctx) { return BUILD(ctx, handle.of, rows.data, rows.n, rows.stride, starts, count); },
        [&](bosc_ctx *ctx) { return BUILD(ctx, handle.of, nullptr, 0, 0, empty, 1); });
}

/* The options that select clusters by HDBSCAN*. */
struct HdbscanOptions {
    bosc_hdbscan_opts opts = sized<bosc_hdbscan_opts>();
    HdbscanOptions(int64_t min_cluster_size, bool leaf, double epsilon, int64_t max_cluster_size,
                   bool allow_single_cluster)
    {
        opts.selection = leaf ? BOSC_HDBSCAN_LEAF : BOSC_HDBSCAN_EOM;
        opts.allow_single_cluster = allow_single_cluster;
        opts.min_cluster_size = min_cluster_size;
        opts.max_cluster_size = max_cluster_size;
        opts.epsilon = epsilon;
    }
};

/* Distances have the type of the coordinates; distances of integers are double. */
inline bosc_dtype distance_type(bosc_dtype coordinates) { return coordinates == BOSC_F32 ? BOSC_F32 : BOSC_F64; }

/* For bosc_X_write and bosc_X_read. */
int append_bytes(void *user, const void *bytes, size_t count); /* user: std::string * */
struct Source {
    const char *at;
    size_t left;
};
int take_bytes(void *user, void *bytes, size_t count); /* user: Source * */

/* bosc_X_write and bosc_X_read as methods for pickling. */
template <class H, auto WRITE> nb::bytes saved(H &handle, const Where &where)
{
    std::string bytes;
    Reading(where, handle).run([&](bosc_ctx *ctx) { return WRITE(ctx, handle.of, append_bytes, &bytes); });
    return nb::bytes(bytes.data(), bytes.size());
}
template <class H, auto READ> H *loaded(const Where &where, const nb::bytes &bytes)
{
    auto handle = std::make_unique<H>();
    Source source = {bytes.c_str(), bytes.size()};
    Call(where).run([&](bosc_ctx *ctx) { return READ(ctx, take_bytes, &source, &handle->of); });
    return handle.release();
}

/* Constructs a handle by create(ctx, &of) in the memory of a Python object. */
template <class H, class F> void construct_handle(H *self, const Where &where, F &&create)
{
    Call call(where);
    new (self) H;
    try {
        call.run([&](bosc_ctx *ctx) { return create(ctx, &self->of); });
    } catch (...) {
        self->~H();
        throw;
    }
}

void bind_context(nb::module_ &m);
void bind_lock(nb::module_ &m);
void bind_prims(nb::module_ &m);
void bind_kdtree(nb::module_ &m);
void bind_voxelgrid(nb::module_ &m);
void bind_neighborlist(nb::module_ &m);
void bind_clouds(nb::module_ &m);
void bind_ffi(nb::module_ &m);
void bind_voxels(nb::module_ &m);
void bind_graph(nb::module_ &m);
void bind_forest(nb::module_ &m);
void bind_paths(nb::module_ &m);
void bind_cluster(nb::module_ &m);
void bind_hash(nb::module_ &m);
void bind_cellgraph(nb::module_ &m);
void bind_trie(nb::module_ &m);
void bind_cbt(nb::module_ &m);
void bind_terrain(nb::module_ &m);
void bind_arrangement(nb::module_ &m);
void bind_bisectors(nb::module_ &m);
void bind_collision(nb::module_ &m);
void bind_geometric(nb::module_ &m);
void bind_planet(nb::module_ &m);
void bind_planner(nb::module_ &m);
void bind_random(nb::module_ &m);
void bind_ranks(nb::module_ &m);

using KDTree = Handle<bosc_kdtree, bosc_kdtree_free>;
using Graph = Handle<bosc_graph, bosc_graph_free>;
using Cells = Handle<bosc_cellgraph, bosc_cellgraph_free>;

#endif
