/* Locks of structures.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

#include <atomic>
#include <new>
#include <stdexcept>
#include <vector>

#include <pthread.h>

namespace
{

std::atomic<uint64_t> forks_so_far{0};

/* The locks that this thread holds. */
struct Held {
    const Lock *lock;
    bool exclusive;
    bool changing; /* a call that changes the structure is running */
    int depth;
};
thread_local std::vector<Held> held_locks;

Held *find_held(const Lock *lock)
{
    for (Held &held : held_locks)
        if (held.lock == lock) return &held;
    return nullptr;
}

/* False if a rebuild has replaced the structure while this thread waited for its lock: the caller then locks the new
 * one. */
bool is_current(nb::handle owner, nb::handle structure) { return owner.attr("_handle").is(structure); }

nb::object call_method(const nb::object &method, const nb::tuple &args, const nb::dict &kwargs)
{
    PyObject *answer = PyObject_Call(method.ptr(), args.ptr(), kwargs.ptr());
    if (!answer) throw nb::python_error();
    return nb::steal(answer);
}

/* Returns method(*args, **kwargs) while the structure of args[0] is locked. */
template <Hold::Kind KIND>
nb::object call_locked(const nb::object &method, const nb::tuple &args, const nb::dict &kwargs)
{
    nb::object owner = args[0];
    for (;;) {
        nb::object structure = owner.attr("_handle");
        Hold hold(nb::cast<Lock &>(structure), KIND);
        if (is_current(owner, structure)) return call_method(method, args, kwargs);
    }
}

/* As call_locked, with the structure of a second object locked as well. */
nb::object call_both_locked(const nb::object &other, const nb::object &method, const nb::tuple &args,
                            const nb::dict &kwargs)
{
    nb::object owner = args[0];
    for (;;) {
        nb::object structure = owner.attr("_handle"), second = other.attr("_handle");
        HoldBoth hold(nb::cast<Lock &>(structure), nb::cast<Lock &>(second));
        if (is_current(owner, structure) && is_current(other, second)) return call_method(method, args, kwargs);
    }
}

} // namespace

Lock::Lock() : forks(forks_so_far.load()) {}

/* Admits this thread, and serves the next ticket. So readers behind a waiting writer wait as well. */
void Lock::admit(bool exclusive)
{
    serving++;
    if (exclusive)
        writing = true;
    else
        readers++;
    if (serving != next) changed.notify_all(); /* the next thread may read as well */
}

/* In the child of a fork() other threads neither wait nor read, and one may have held the mutex. A structure that one
 * of them was changing stays locked: calls on it never return. */
void Lock::recover_after_fork()
{
    if (forks.load(std::memory_order_acquire) == forks_so_far) return;
    static std::mutex recovery;
    std::lock_guard<std::mutex> guard(recovery);
    if (forks == forks_so_far) return;
    new (&mutex) std::mutex;
    new (&changed) std::condition_variable;
    serving = next;
    const Held *held = find_held(this);
    readers = held && !held->exclusive;
    forks.store(forks_so_far, std::memory_order_release); /* last: other threads of the child then see the rest */
}

bool Lock::try_enter(bool exclusive)
{
    recover_after_fork();
    std::lock_guard<std::mutex> guard(mutex);
    if (serving != next || !is_open(exclusive)) return false;
    next++;
    admit(exclusive);
    return true;
}

/* Waits. Follows a try_enter, which has recovered the lock. */
void Lock::enter(bool exclusive)
{
    std::unique_lock<std::mutex> guard(mutex);
    const uint64_t ticket = next++;
    changed.wait(guard, [&] { return serving == ticket && is_open(exclusive); });
    admit(exclusive);
}

void Lock::leave(bool exclusive)
{
    recover_after_fork();
    std::lock_guard<std::mutex> guard(mutex);
    if (exclusive)
        writing = false;
    else
        readers--;
    if (serving != next && !readers) changed.notify_all();
}

Hold::Hold(Lock &entered, Kind as) : lock(entered), kind(as)
{
    const bool exclusive = kind != READ;
    if (Held *held = find_held(&lock)) {
        if (held->changing || (exclusive && !held->exclusive))
            throw std::runtime_error("a call that runs in this thread uses the structure: no other may change it, or "
                                     "read it while it changes");
        held->depth++;
        held->changing = kind == CHANGE;
        return;
    }
    held_locks.reserve(held_locks.size() + 1); /* now: nothing may fail while the lock is held */
    if (!lock.try_enter(exclusive)) {
        nb::gil_scoped_release release;
        lock.enter(exclusive);
    }
    held_locks.push_back({&lock, exclusive, kind == CHANGE, 1});
}

Hold::~Hold()
{
    Held *held = find_held(&lock);
    if (kind == CHANGE) held->changing = false;
    if (--held->depth) return;
    lock.leave(held->exclusive); /* while the thread's entry is there, by which the child of a fork() recovers */
    *held = held_locks.back();
    held_locks.pop_back();
}

void bind_lock(nb::module_ &m)
{
    pthread_atfork(nullptr, nullptr, [] { forks_so_far++; });
    nb::class_<Lock>(m, "Lock");
    m.def("call_reading", &call_locked<Hold::READ>, "method"_a, "args"_a, "kwargs"_a);
    m.def("call_writing", &call_locked<Hold::WRITE>, "method"_a, "args"_a, "kwargs"_a);
    m.def("call_reading_both", &call_both_locked, "other"_a, "method"_a, "args"_a, "kwargs"_a);
}
