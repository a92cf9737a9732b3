//===- DriverInterface.h - Between a driver and a device ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Registers, task control blocks and memory as the public Compass user-mode
// driver (version 3, X2) and a device agree on them. The runtime plays the
// driver and writes these structures, the simulator plays the device and reads
// them; nothing else of the two is shared.
//
//   isa::TaskControlBlock task;
//   task.startPc = text + isa::kTextHeaderBytes;
//   task.groupDim[0] = tecs;
//   memory.write(address, &task, sizeof task);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_DRIVERINTERFACE_H
#define YARROW_ISA_DRIVERINTERFACE_H

#include <cstddef>
#include <cstdint>

namespace yarrow::isa {

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// A driver gives out DDR below this: its address spaces have 3 GiB.
constexpr uint64_t kDriverDdrBytes = 0xC0000000u;
/// It places every buffer at a page, and honours no larger alignment.
constexpr uint32_t kPageBytes = 4096;
/// What it adds behind the program and behind tensors.
constexpr uint32_t kTextTailBytes = 16, kTensorTailBytes = 2048;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

enum Register : uint32_t {
  RegCommand = 0x00,
  RegAddressHigh = 0x08,
  RegAddressLow = 0x0C,
  RegBuildInfo = 0x14,
  RegPartition = 0x800,
  RegPoolStatus = 0x804,
  RegClusterConfig = 0xC00,
  RegClusterControl = 0xC04,
};
constexpr uint32_t kCommandCreate = 1, kCommandDestroy = 2,
                   kCommandDispatch = 4;
constexpr uint32_t kStatusIdle = 0x40;

//===----------------------------------------------------------------------===//
// Task control blocks: a chain that begins with an init block, then one block
// for each task. Links are the low words of addresses; 0 ends the chain.
//===----------------------------------------------------------------------===//

constexpr uint32_t kTcbBytes = 128;

/// In the first word of a block. The low bits tell the kind: 0 init, 1 task.
enum ControlBlockFlags : uint32_t {
  kBlockKindMask = 0xF,
  kTaskBlock = 1,
  kWaitsForPrevious = 0x10, ///< First task: the group before is complete.
  kWaitsForAll = 0x20,      ///< First task: all groups before are.
  kEndsGroup = 0x40, ///< The last task of a group: its tasks run together.
  kEndsGrid = 0x80,  ///< The last task of all.
  kOneSegmentBlock = 0x10000, ///< Init: one block for segments follows.
};

/// Permissions in the low bits of an address space's base: read and write.
constexpr uint64_t kSpaceReadWrite = 0x60, kSpaceControlMask = 0xFFF;

struct InitControlBlock {
  uint32_t flags = kOneSegmentBlock;
  uint32_t next = 0; ///< The first task.
  uint32_t reserved0[10] = {};
  /// Base addresses of the address spaces, and their permissions.
  uint64_t spaces[4] = {};
  uint32_t reserved1[12] = {};
};
static_assert(sizeof(InitControlBlock) == kTcbBytes);
static_assert(offsetof(InitControlBlock, spaces) == 48);

struct TaskControlBlock {
  uint32_t flags = kTaskBlock;
  uint32_t next = 0;
  uint32_t loopCount = 0;
  uint32_t startPc = 0;
  uint32_t interrupts = 0x3D; ///< Done, exception, fault, error, signal.
  uint16_t group = 0;         ///< Modulo the number of cores: which one.
  uint16_t grid = 0, reserved0 = 0;
  uint16_t taskId = 0;
  uint16_t gridDim[3] = {1, 1, 1}, groupDim[3] = {1, 1, 1};
  uint16_t groupIndex[3] = {1, 0, 0}, taskIndex[3] = {};
  uint32_t stack = 0, parameters = 0, privateData = 0, rodata = 0;
  uint32_t printBuffer = 0, profileBuffer = 0;
  uint32_t filledByDevice[8] = {}; ///< Core, cluster, TEC and its registers.
  uint32_t ownAddress = 0;
  uint32_t globalParameters = 0;
  uint32_t reserved1[3] = {};
};
static_assert(sizeof(TaskControlBlock) == kTcbBytes);
static_assert(offsetof(TaskControlBlock, taskId) == 26);
static_assert(offsetof(TaskControlBlock, groupDim) == 34);
static_assert(offsetof(TaskControlBlock, taskIndex) == 46);
static_assert(offsetof(TaskControlBlock, stack) == 52);
static_assert(offsetof(TaskControlBlock, ownAddress) == 108);
static_assert(offsetof(TaskControlBlock, globalParameters) == 112);

} // namespace yarrow::isa

#endif // YARROW_ISA_DRIVERINTERFACE_H
