/* Declarations shared by the emulator's files. */
#ifndef EMULATOR_EMULATOR_HPP
#define EMULATOR_EMULATOR_HPP

#include <functional>

#include "simt.hpp"

namespace emulator
{

/* A heap block of exactly this size, full of a pattern, so that reading what nobody wrote shows. */
void *poisoned(size_t bytes);

/* The limits that a launch must keep, whose stream is one of the current device; sets the last error and returns false
 * otherwise. */
bool launch_allowed(const void *kernel, dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream);

/* Puts work behind what its stream has to do. It is done when somebody waits for it, one piece at a time. */
void queue(cudaStream_t stream, std::function<void()> work);

} // namespace emulator

#endif
