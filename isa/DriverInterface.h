//===- DriverInterface.h - Between a driver and a device ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Registers, task control blocks and memory as the public Compass user-mode
// driver and a device agree on them, in its two forms: version 3 (X2), whose
// blocks are linked, and version 3.2 (X3P, X3S), whose blocks are adjacent. The
// runtime acts as the driver and writes these structures, the simulator acts as
// the device and reads them. They share nothing else.
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
  RegStatus = 0x18,     ///< 3.2: a bit for each command pool that is full.
  RegBlockCount = 0x1C, ///< 3.2: how many blocks a chain has.
  RegPartition = 0x800, ///< Of pool 0; poolRegister() for others.
  RegPoolStatus = 0x804,
  RegClusterConfig = 0xC00,
  RegClusterControl = 0xC04,
};
constexpr uint32_t kCommandCreate = 1, kCommandDestroy = 2,
                   kCommandDispatch = 4;
/// A command's pool, in the bits from 16 on.
constexpr uint32_t kCommandPools = 8;
constexpr uint32_t poolOf(uint32_t command) {
  return command >> 16 & (kCommandPools - 1);
}
/// Each pool has its own RegPartition and RegPoolStatus.
constexpr uint32_t kPoolRegisterBytes = 0x40;
constexpr uint32_t poolRegister(Register ofPool0, uint32_t pool) {
  return ofPool0 + pool * kPoolRegisterBytes;
}
/// Bits of a pool's status. A driver of the simulator looks at idle alone.
constexpr uint32_t kStatusDone = 1, kStatusFault = 8, kStatusIdle = 0x40;

//===----------------------------------------------------------------------===//
// Task control blocks. Version 3: a chain that begins with an init block, then
// one block for each task. Links are the low words of addresses; 0 ends the
// chain. Version 3.2: as many blocks as RegBlockCount tells; a block for the
// grid, then for each group an init block and its tasks.
//===----------------------------------------------------------------------===//

constexpr uint32_t kTcbBytes = 128;

enum class BlockFormat : uint8_t { Linked, Contiguous };
/// Of a device's version in its executables: X2 is 5, X3P and X3S are 6.
constexpr BlockFormat blockFormatOf(uint32_t deviceVersion) {
  return deviceVersion >= 6 ? BlockFormat::Contiguous : BlockFormat::Linked;
}

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
/// Version 3.2: kinds, and what is meant by kWaitsForPrevious there.
enum ContiguousBlockFlags : uint32_t {
  kGridBlock = 0,
  kGroupBlock = 1,
  kGroupTaskBlock = 2,
  kWaitsForGroups = 0x10, ///< Those in TaskControlBlock::awaitedGroups.
  kGridInit = 0x200000,   ///< Of a group's init block.
  kFlushesCache = 0x400000,
};
/// Of an entry of awaitedGroups: there is one.
constexpr uint16_t kAwaitsGroup = 0x8000;

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
  uint16_t grid = 0;
  /// Version 3.2 has the task's number here, and a length of its own in taskId.
  uint16_t contiguousTaskId = 0;
  uint16_t taskId = 0;
  uint16_t gridDim[3] = {1, 1, 1}, groupDim[3] = {1, 1, 1};
  uint16_t groupIndex[3] = {1, 0, 0}, taskIndex[3] = {};
  uint32_t stack = 0, parameters = 0, privateData = 0, rodata = 0;
  uint32_t printBuffer = 0, profileBuffer = 0;
  uint32_t filledByDevice[8] = {}; ///< Core, cluster, TEC and its registers.
  uint32_t ownAddress = 0;
  uint32_t globalParameters = 0;
  uint32_t reserved1 = 0;
  uint16_t awaitedGroups[4] = {}; ///< Version 3.2.
};
static_assert(sizeof(TaskControlBlock) == kTcbBytes);
static_assert(offsetof(TaskControlBlock, awaitedGroups) == 120);
static_assert(offsetof(TaskControlBlock, taskId) == 26);
static_assert(offsetof(TaskControlBlock, groupDim) == 34);
static_assert(offsetof(TaskControlBlock, taskIndex) == 46);
static_assert(offsetof(TaskControlBlock, stack) == 52);
static_assert(offsetof(TaskControlBlock, ownAddress) == 108);
static_assert(offsetof(TaskControlBlock, globalParameters) == 112);

/// What the device writes to TaskControlBlock::profileBuffer when the run is
/// done, if that is not 0. A driver does not look into it. Such a run is timed.
struct ProfileRecord {
  char magic[4] = {'Y', 'P', 'R', 'F'};
  uint32_t version = 1;
  uint64_t cycles = 0, instructions = 0; ///< Of all TECs.
  uint32_t groups = 0, clockMhz = 0;
};
static_assert(sizeof(ProfileRecord) == 32);
/// Of an executable's section for it.
constexpr uint32_t kProfileBytes = 4096;

struct GridControlBlock {
  uint32_t flags = kGridBlock | kFlushesCache;
  uint32_t reserved0 = 0;
  uint32_t groupCount = 0;
  uint32_t reserved1 = 0;
  uint32_t interrupts = 9;
  uint16_t firstGroup = 0, grid = 0;
  uint32_t reserved2[26] = {};
};
static_assert(sizeof(GridControlBlock) == kTcbBytes);
static_assert(offsetof(GridControlBlock, grid) == 22);

struct GroupControlBlock {
  uint32_t flags = kGroupBlock | kGridInit;
  uint32_t reserved0[4] = {};
  uint16_t group = 0, grid = 0;
  uint32_t segments[16] = {};
  /// As of an InitControlBlock, low word first.
  uint32_t spaces[4][2] = {};
  uint16_t awaitedGroups[4] = {};
};
static_assert(sizeof(GroupControlBlock) == kTcbBytes);
static_assert(offsetof(GroupControlBlock, spaces) == 88);
static_assert(offsetof(GroupControlBlock, awaitedGroups) == 120);

} // namespace yarrow::isa

#endif // YARROW_ISA_DRIVERINTERFACE_H
