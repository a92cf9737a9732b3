//===- MemoryMirror.h - A driver's buffers in a device's memory -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Engines and TECs work on host pointers, which a driver's memory
// (HostMemory.h) does not give. So what the tasks of a chain can reach is
// copied into the device before they begin, and what they may have changed is
// copied back when the chain is done. They can reach the buffers that their
// control blocks and their parameter blocks point into, each as a whole; the
// rest of the DDR does not exist for them.
//
//   MemoryMirror mirror(host, memories);
//   mirror.begin();
//   fault = mirror.enterSpace(initBlock.space0);
//   fault = mirror.fetch(tasksOfAGroup);  // before it starts
//   ...
//   fault = mirror.writeBack();
//
// A buffer is fetched once in a chain: its groups see one another's results in
// the device's memory. Bytes that are as they were are not written again, so
// that what an engine keeps of constants stays valid.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_MEMORYMIRROR_H
#define YARROW_SIMULATOR_DEVICE_MEMORYMIRROR_H

#include "simulator/Memory.h"
#include "simulator/device/HostMemory.h"
#include "simulator/device/TaskChain.h"
#include "simulator/engine/Fault.h"

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace yarrow::sim {

class MemoryMirror {
public:
  /// \p cores are the memories of all cores; both outlive the mirror.
  MemoryMirror(HostMemory &host, std::span<const std::unique_ptr<Memory>> cores)
      : host(host), cores(cores) {}

  /// A chain begins: nothing is known of the driver's memory.
  void begin();
  /// Address space 0 begins at \p base for what follows. It may not move while
  /// buffers are here.
  Fault enterSpace(uint64_t base);
  /// Before \p group starts.
  Fault fetch(std::span<const TaskBlock> group);
  /// After the last group of a chain.
  Fault writeBack();

private:
  void addBuffer(uint32_t address);
  void addParameters(const TaskBlock &task);
  Fault loadNew();
  Fault load(const HostMemory::Buffer &buffer);
  bool showBuffers();
  void protect(uint64_t begin, uint64_t end);
  void protectProgram(const TaskBlock &task);
  Fault store(uint64_t begin, uint64_t end);
  Memory &memory() { return *cores[0]; }

  HostMemory &host;
  std::span<const std::unique_ptr<Memory>> cores;
  uint64_t base = 0;
  /// As the device sees them, sorted. Those that were not loaded yet are in
  /// \c waiting, too.
  std::vector<HostMemory::Buffer> buffers, waiting;
  std::vector<DdrRange> unchanged; ///< What no task could write.
  std::vector<std::byte> chunk;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_MEMORYMIRROR_H
