/* The CUDA runtime on host memory. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "cuda_runtime_api.h"
#include "emulator.hpp"
#include "processes.hpp"

namespace
{

const size_t DEVICE_BYTES = (size_t)4 << 30, SHARED_BYTES = 48 * 1024;
enum { DEVICES = 4, MULTIPROCESSORS = 2, ALIGNMENT = 256 };
const cudaError_t CAPTURE_UNSUPPORTED = (cudaError_t)900, CAPTURE_INVALIDATED = (cudaError_t)901; /* CUDA's numbers */
const cudaStreamCaptureStatus CAPTURES = (cudaStreamCaptureStatus)1;

enum origin { HEAP, SHARED, IMPORTED };

struct allocation {
    size_t bytes;
    cudaMemoryType type;
    int device;
    uint64_t id;
    origin from;
    int file; /* of SHARED and IMPORTED memory */
};

/* A handle of the memory of another process. */
struct handle {
    pid_t process;
    int file, device;
    uint64_t inode, bytes;
};
static_assert(sizeof(handle) <= sizeof(cudaIpcMemHandle_t), "it fits a handle of CUDA");

/* Most shared memory of a block: 227 KB as on an H100, or BI_EMULATOR_SHARED (in KB) for other devices. */
size_t shared_optin_bytes()
{
    static const char *const given = getenv("BI_EMULATOR_SHARED");
    static const size_t bytes = (given ? (size_t)atoi(given) : 227) * 1024;
    return bytes;
}

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
std::map<const char *, allocation> live;
std::map<const void *, size_t> dynamic_limits[DEVICES];
size_t device_bytes_used[DEVICES];
cudaError_t last_error = cudaSuccess;
thread_local int current_device;
uint64_t allocations;
bool shares_memory; /* device memory can be mapped by other processes; then AddressSanitizer does not see its ends */
thread_local cudaStream_t recording; /* the stream whose graph this thread records */

struct locked {
    locked() { pthread_mutex_lock(&lock); }
    ~locked() { pthread_mutex_unlock(&lock); }
};

cudaError_t failed(cudaError_t error)
{
    if (error != cudaSuccess) __atomic_store_n(&last_error, error, __ATOMIC_RELAXED);
    return error;
}

/* Allocates pages of a file without a name, as device memory that other processes can map. */
void *allocate_shared(size_t bytes, int *file)
{
    *file = memfd_create("emulated device", MFD_CLOEXEC);
    if (*file < 0) return nullptr;
    void *p = ftruncate(*file, (off_t)bytes) == 0 ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *file, 0)
                                                  : MAP_FAILED;
    if (p != MAP_FAILED) return p;
    close(*file);
    return nullptr;
}

bool breaks_graph(); /* whether the thread records a graph: allocations and waits for the device spoil it */

cudaError_t allocate(void **memory, size_t bytes, cudaMemoryType type)
{
    *memory = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (breaks_graph()) return failed(CAPTURE_UNSUPPORTED);
    locked guard;
    if (type == cudaMemoryTypeDevice && bytes > DEVICE_BYTES - device_bytes_used[current_device])
        return failed(cudaErrorMemoryAllocation);
    void *p = nullptr;
    const bool shared = shares_memory && type == cudaMemoryTypeDevice;
    int file = -1;
    if (shared)
        p = allocate_shared(bytes, &file);
    else if (posix_memalign(&p, ALIGNMENT, bytes) != 0)
        p = nullptr;
    if (!p) return failed(cudaErrorMemoryAllocation);
    memset(p, 0xcb, bytes);
    if (type == cudaMemoryTypeDevice) device_bytes_used[current_device] += bytes;
    live[static_cast<char *>(p)] = {bytes, type, current_device, ++allocations, shared ? SHARED : HEAP, file};
    *memory = p;
    return cudaSuccess;
}

/* True if all these bytes lie in one allocation. */
bool allocated(const char *from, size_t bytes)
{
    locked guard;
    auto after = live.upper_bound(from);
    if (after == live.begin()) return false;
    auto found = --after;
    return from + bytes <= found->first + found->second.bytes;
}

void finish_all(); /* waits for the device, as cudaFree does */

cudaError_t release(void *memory, cudaMemoryType type)
{
    if (!memory) return cudaSuccess;
    if (breaks_graph()) return failed(CAPTURE_UNSUPPORTED);
    finish_all();
    locked guard;
    auto found = live.find(static_cast<char *>(memory));
    if (found == live.end() || found->second.type != type || found->second.from == IMPORTED)
        return failed(cudaErrorInvalidValue);
    if (type == cudaMemoryTypeDevice) device_bytes_used[found->second.device] -= found->second.bytes;
    const allocation freed = found->second;
    live.erase(found);
    if (freed.from == HEAP) {
        free(memory);
    } else {
        munmap(memory, freed.bytes);
        close(freed.file);
    }
    return cudaSuccess;
}

} // namespace

struct emulated_graph {
    std::vector<std::function<void()>> calls;
    bool broken;
};
struct emulated_executable {
    std::vector<std::function<void()>> calls;
};
struct emulated_stream {
    int device;
    std::deque<std::function<bool()>> work; /* false: not yet possible, it waits for another rank */
    emulated_graph *recorded;               /* if not NULL, queued work goes to this graph */
};
struct emulated_event {
    unsigned flags;
    cudaStream_t stream;
    std::shared_ptr<bool> done;
};

namespace
{

pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER; /* held while work is done, too */
std::set<emulated_stream *> &streams =
    *new std::set<emulated_stream *>{new emulated_stream()}; /* the first one is the null stream */
emulated_stream *const null_stream = *streams.begin();

struct streams_locked {
    streams_locked() { pthread_mutex_lock(&streams_lock); }
    ~streams_locked() { pthread_mutex_unlock(&streams_lock); }
};

/* Runs the work of a stream up to the first that cannot run yet; the caller holds the lock. True if the queue is then
 * empty. */
bool finish(emulated_stream *stream)
{
    while (!stream->work.empty() && stream->work.front()()) stream->work.pop_front();
    return stream->work.empty();
}

/* Leaves work that waits for other ranks. */
void finish_all()
{
    streams_locked guard;
    for (emulated_stream *stream : streams) (void)finish(stream);
}

bool finished(emulated_stream *stream)
{
    streams_locked guard;
    return finish(stream);
}

bool breaks_graph()
{
    if (recording) recording->recorded->broken = true;
    return recording != nullptr;
}

/* The same of a call that waits for one stream, which another thread may record. */
bool breaks_graph_of(emulated_stream *stream)
{
    streams_locked guard;
    if (stream->recorded) stream->recorded->broken = true;
    return stream->recorded != nullptr;
}

} // namespace

#ifdef BOSC_FAULTS
/* A call that fails does not wait, and its stack is gone when it has returned. CUDA has read and written the caller's
 * pageable memory by then. */
extern "C" void bi_fault_raised(void) { finish_all(); }
#endif

namespace emulator
{

void queue(cudaStream_t stream, std::function<void()> work)
{
    streams_locked guard;
    emulated_stream *to = stream ? stream : null_stream;
    if (to->recorded)
        to->recorded->calls.push_back(std::move(work));
    else
        to->work.push_back([work = std::move(work)] {
            work();
            return true;
        });
}

void *poisoned(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p) abort();
    return memset(p, 0xa5, bytes);
}

bool launch_allowed(const void *kernel, dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream)
{
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    bool shape = threads >= 1 && threads <= 1024 && block.z <= 64 && grid.x >= 1 && grid.x <= 0x7fffffffu &&
                 grid.y >= 1 && grid.y <= 65535 && grid.z >= 1 && grid.z <= 65535;
    if (!shape) return failed(cudaErrorInvalidConfiguration), false;
    if (stream && stream->device != current_device) return failed(cudaErrorInvalidResourceHandle), false;
    locked guard;
    auto found = dynamic_limits[current_device].find(kernel);
    size_t limit = found == dynamic_limits[current_device].end() ? SHARED_BYTES : found->second;
    if (shared_bytes > limit) return failed(cudaErrorInvalidValue), false;
    return true;
}

} // namespace emulator

/* For stand-ins of NCCL: the thread's device, and work that is tried again until it returns true. */
extern "C" __attribute__((visibility("default"))) int emulated_device() { return current_device; }

extern "C" __attribute__((visibility("default"))) void emulated_queue_attempt(void *stream, int (*attempt)(void *),
                                                                              void *user)
{
    streams_locked guard;
    static_cast<cudaStream_t>(stream)->work.push_back([=] { return attempt(user) != 0; });
}

cudaError_t cudaGetDeviceCount(int *count)
{
    *count = DEVICES;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device)
{
    if (device < 0 || device >= DEVICES) return failed(cudaErrorInvalidDevice);
    current_device = device;
    return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device)
{
    *device = current_device;
    return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
    *can = 0;
    if (device < 0 || device >= DEVICES || peer < 0 || peer >= DEVICES) return failed(cudaErrorInvalidDevice);
    *can = device != peer;
    return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int device, unsigned flags)
{
    if (device < 0 || device >= DEVICES || device == current_device) return failed(cudaErrorInvalidDevice);
    return flags ? failed(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    if (device < 0 || device >= DEVICES) return failed(cudaErrorInvalidDevice);
    *properties = cudaDeviceProp();
    snprintf(properties->name, sizeof properties->name, "emulated device");
    properties->totalGlobalMem = DEVICE_BYTES;
    properties->sharedMemPerBlock = SHARED_BYTES;
    properties->sharedMemPerBlockOptin = shared_optin_bytes();
    properties->multiProcessorCount = MULTIPROCESSORS;
    properties->maxThreadsPerBlock = 1024;
    properties->warpSize = 32;
    properties->major = 9;
    properties->l2CacheSize = 1 << 20;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    if (device < 0 || device >= DEVICES) return failed(cudaErrorInvalidDevice);
    switch (attribute) {
    case cudaDevAttrMultiProcessorCount: *value = MULTIPROCESSORS; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)shared_optin_bytes(); break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = (int)shared_optin_bytes() + 1024; break;
    case cudaDevAttrL2CacheSize: *value = 12 << 10; break; /* little: the tests' points do not fit */
    default: return failed(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize()
{
    if (breaks_graph()) return failed(CAPTURE_UNSUPPORTED);
    finish_all();
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *unused, size_t *total)
{
    locked guard;
    *unused = DEVICE_BYTES - device_bytes_used[current_device];
    *total = DEVICE_BYTES;
    return cudaSuccess;
}

cudaError_t cudaMalloc(void **memory, size_t bytes) { return allocate(memory, bytes, cudaMemoryTypeDevice); }
cudaError_t cudaFree(void *memory) { return release(memory, cudaMemoryTypeDevice); }
cudaError_t cudaMallocHost(void **memory, size_t bytes) { return allocate(memory, bytes, cudaMemoryTypeHost); }
cudaError_t cudaFreeHost(void *memory) { return release(memory, cudaMemoryTypeHost); }

/* ---- memory of other processes ---- */

extern "C" void emulated_share_memory() { shares_memory = true; }

bool emulated_find_allocation(const void *p, void **begin, uint64_t *id)
{
    locked guard;
    auto after = live.upper_bound(static_cast<const char *>(p));
    if (after == live.begin()) return false;
    auto found = --after;
    if (static_cast<const char *>(p) >= found->first + found->second.bytes || found->second.from != SHARED)
        return false;
    *begin = const_cast<char *>(found->first);
    *id = found->second.id;
    return true;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *to, void *memory)
{
    locked guard;
    auto found = live.find(static_cast<char *>(memory));
    struct stat info;
    if (found == live.end() || found->second.from != SHARED || fstat(found->second.file, &info) != 0)
        return failed(cudaErrorInvalidValue);
    const handle made = {getpid(), found->second.file, found->second.device, (uint64_t)info.st_ino,
                         found->second.bytes};
    memset(to, 0, sizeof *to);
    memcpy(to, &made, sizeof made);
    return cudaSuccess;
}

/* Maps the pages through the other process's open file. A process cannot map its own memory, nor memory that was
 * freed. */
cudaError_t cudaIpcOpenMemHandle(void **memory, cudaIpcMemHandle_t from, unsigned flags)
{
    handle opened;
    char path[64];
    struct stat info;
    memcpy(&opened, &from, sizeof opened);
    *memory = nullptr;
    if (flags != cudaIpcMemLazyEnablePeerAccess || opened.process == getpid()) return failed(cudaErrorInvalidValue);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)opened.process, opened.file);
    const int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return failed(cudaErrorInvalidValue);
    void *p = fstat(file, &info) == 0 && (uint64_t)info.st_ino == opened.inode
                  ? mmap(nullptr, opened.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
                  : MAP_FAILED;
    if (p == MAP_FAILED) {
        close(file);
        return failed(cudaErrorInvalidValue);
    }
    locked guard;
    live[static_cast<char *>(p)] = {opened.bytes, cudaMemoryTypeDevice, opened.device, ++allocations, IMPORTED, file};
    *memory = p;
    return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(void *memory)
{
    finish_all();
    locked guard;
    auto found = live.find(static_cast<char *>(memory));
    if (found == live.end() || found->second.from != IMPORTED) return failed(cudaErrorInvalidValue);
    munmap(memory, found->second.bytes);
    close(found->second.file);
    live.erase(found);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t stream)
{
    if (bytes && (!to || !from)) return failed(cudaErrorInvalidValue);
    if (bytes) emulator::queue(stream, [=] { memmove(to, from, bytes); });
    return cudaSuccess;
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    cudaError_t error = cudaMemcpyAsync(to, from, bytes, kind, nullptr);
    (void)cudaStreamSynchronize(nullptr);
    return error;
}
/* As a device does, it refuses memory that CUDA did not allocate. */
cudaError_t cudaMemsetAsync(void *memory, int byte, size_t bytes, cudaStream_t stream)
{
    if (bytes && !allocated(static_cast<char *>(memory), bytes)) return failed(cudaErrorInvalidValue);
    if (bytes) emulator::queue(stream, [=] { memset(memory, byte, bytes); });
    return cudaSuccess;
}
cudaError_t cudaMemset(void *memory, int byte, size_t bytes) { return cudaMemsetAsync(memory, byte, bytes, nullptr); }

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes, const void *p)
{
    const char *at = static_cast<const char *>(p);
    *attributes = {cudaMemoryTypeUnregistered, -2, nullptr, const_cast<char *>(at)};
    locked guard;
    auto after = live.upper_bound(at);
    if (after == live.begin()) return cudaSuccess;
    auto found = --after;
    if (at >= found->first + found->second.bytes) return cudaSuccess;
    attributes->type = found->second.type;
    attributes->device = found->second.device;
    attributes->devicePointer = const_cast<char *>(at);
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
    streams_locked guard;
    *stream = *streams.insert(new emulated_stream{current_device, {}, nullptr}).first;
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    streams_locked guard;
    (void)finish(stream);
    streams.erase(stream);
    delete stream;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    if (breaks_graph_of(stream ? stream : null_stream)) return failed(CAPTURE_UNSUPPORTED);
    while (!finished(stream ? stream : null_stream)) sched_yield();
    return cudaSuccess;
}
/* A query counts as waiting: it runs the queued work. */
cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    if (breaks_graph_of(stream ? stream : null_stream)) return failed(CAPTURE_UNSUPPORTED);
    return finished(stream ? stream : null_stream) ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
    streams_locked guard;
    *status = stream && stream->recorded ? CAPTURES : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
    if (!stream || recording) return failed(CAPTURE_UNSUPPORTED);
    streams_locked guard;
    if (stream->recorded) return failed(cudaErrorInvalidValue);
    stream->recorded = new emulated_graph();
    recording = stream;
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    *graph = nullptr;
    if (!stream || stream != recording) return failed(cudaErrorInvalidValue);
    streams_locked guard;
    *graph = stream->recorded;
    stream->recorded = nullptr;
    recording = nullptr;
    if (!(*graph)->broken) return cudaSuccess;
    delete *graph;
    *graph = nullptr;
    return failed(CAPTURE_INVALIDATED);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long)
{
    *executable = new emulated_executable{graph->calls};
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    delete graph;
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream)
{
    for (const std::function<void()> &call : executable->calls) emulator::queue(stream, call);
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable)
{
    finish_all();
    delete executable;
    return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned)
{
    finish_all();
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    *event = new emulated_event{flags, nullptr, std::make_shared<bool>(true)};
    return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    auto done = std::make_shared<bool>(false);
    event->stream = stream ? stream : null_stream;
    event->done = done;
    emulator::queue(stream, [done] { *done = true; });
    return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    if (event->stream) (void)finished(event->stream);
    streams_locked guard;
    return *event->done ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaDeviceSynchronize(); }
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t, cudaEvent_t)
{
    *milliseconds = 0;
    return cudaSuccess;
}

cudaError_t cudaGetLastError() { return __atomic_exchange_n(&last_error, cudaSuccess, __ATOMIC_RELAXED); }
cudaError_t cudaPeekAtLastError() { return __atomic_load_n(&last_error, __ATOMIC_RELAXED); }

const char *cudaGetErrorString(cudaError_t error)
{
    switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    case cudaErrorInvalidDevice: return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle: return "invalid resource handle";
    default: return error == CAPTURE_UNSUPPORTED ? "operation not permitted when stream is capturing" : "unknown error";
    }
}
const char *cudaGetErrorName(cudaError_t error) { return cudaGetErrorString(error); }

cudaError_t emulated_func_attribute(const void *kernel, cudaFuncAttribute attribute, int value)
{
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    if (value < 0 || (size_t)value > shared_optin_bytes()) return failed(cudaErrorInvalidValue);
    locked guard;
    dynamic_limits[current_device][kernel] = (size_t)value;
    return cudaSuccess;
}

cudaError_t emulated_occupancy(int *blocks, int threads, size_t shared_bytes)
{
    if (threads < 1 || threads > 1024) return failed(cudaErrorInvalidValue);
    size_t most = 2048 / (size_t)threads, by_memory = shared_bytes ? shared_optin_bytes() / shared_bytes : most;
    *blocks = (int)(by_memory < most ? by_memory : most);
    return cudaSuccess;
}
