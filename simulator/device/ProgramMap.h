//===- ProgramMap.h - What a program of ours may access -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The header of .text tells how large the parts of a program are, the task and
// the parameter block where they lie. From that follow the areas of each TEC:
// code, constants, descriptors and parameters are read only, code alone can be
// executed, and of the stacks in SRAM a TEC has its own.
//
//   ProgramMap map(memory, header, task);
//   tec.setMap(map.areasFor(number));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_DEVICE_PROGRAMMAP_H
#define YARROW_SIMULATOR_DEVICE_PROGRAMMAP_H

#include "isa/ElfLayout.h"
#include "simulator/AddressMap.h"
#include "simulator/device/TaskChain.h"
#include "simulator/engine/Dma.h"
#include <memory>
#include <utility>

namespace yarrow::sim {

class ProgramMap {
public:
  /// \p header tells its sizes (imageBytes is not 0), but may be anything:
  /// nothing outside of memory becomes accessible.
  ProgramMap(const Memory &memory, const isa::TextHeader &header,
             const TaskBlock &task);

  std::shared_ptr<const AddressMap> areasFor(uint32_t tec) const;
  /// What neither TECs nor copies may write, sorted and apart.
  std::vector<ReadOnlyRange> readOnlyRanges() const;
  /// Of these, the constants; empty if there are none.
  ReadOnlyRange constants() const;
  /// Where SRAM ends for data: stacks may come behind.
  uint64_t sramDataEnd() const;
  /// Where the queues' lists are; 0 if the parameter block does not tell.
  uint32_t descriptorsAddress() const { return descriptors; }
  /// Lowest address and end of its stack.
  std::pair<uint32_t, uint32_t> stackOf(uint32_t tec) const;

private:
  struct Range {
    uint64_t begin, end;
    uint8_t permissions;
    const char *name;
  };
  /// The part of [begin, begin + sizeBytes) that is DDR.
  void addReadOnly(uint64_t begin, uint64_t sizeBytes, uint8_t permissions,
                   const char *name);

  const Memory &memory;
  isa::TextHeader header;
  TaskBlock task;
  uint32_t descriptors = 0;
  std::vector<Range> readOnly; ///< Sorted, apart from one another.
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_DEVICE_PROGRAMMAP_H
