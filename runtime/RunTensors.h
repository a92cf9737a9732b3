//===- RunTensors.h - Tensors in a device's memory, during a run -*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Inputs and results of layers by name: where they are, and whether they are
// there yet, or still, as far as the provenance knows their places.
//
//   RunTensors tensors(executable);
//   tensors.commandDone({isa::Unit::TensorEngine, 3}, view);
//   RunTensors::Contents now = tensors.look(*tensors.find("conv1"), view);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_RUNTENSORS_H
#define YARROW_RUNTIME_RUNTENSORS_H

#include "runtime/Executable.h"
#include "simulator/device/Observer.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace yarrow::runtime {

/// real value = (stored + zeroPoint) / scale
struct RunTensor : ProvenanceValue {
  ProvenanceRange place;
  int64_t layer = -1; ///< An input has none.
  /// The last command that writes to it.
  std::optional<CommandId> completedBy = {};
};

class RunTensors {
public:
  enum class State : uint8_t {
    NoPlace, ///< The program has not said yet where its region begins.
    NotYet,  ///< The last of its commands is not done.
    Whole,
    Replaced, ///< It was whole, and there are other bytes now.
  };
  struct Contents {
    State state = State::NoPlace;
    uint32_t core = 0, address = 0;
    std::span<const std::byte> bytes = {};
  };

  explicit RunTensors(const Executable &executable);

  const std::vector<RunTensor> &all() const { return tensors; }
  std::optional<size_t> find(const std::string &name) const;
  /// Of a layer.
  std::vector<size_t> resultsOf(int64_t layer) const;

  /// The memory before the first command: the inputs are there.
  void noteInputs(const sim::CoreView &view);
  /// The memory right after a command, or after the last TEC's part of a step.
  void commandDone(CommandId command, const sim::CoreView &view);
  /// \p view is where it is looked for until it has been whole.
  Contents look(size_t index, const sim::CoreView &view) const;

private:
  struct Seen {
    const sim::Memory *memory;
    uint32_t core, address;
    uint64_t digest;
  };
  std::vector<RunTensor> tensors;
  void note(size_t index, const sim::CoreView &view);

  std::map<std::string, size_t> byName;
  std::map<CommandId, std::vector<size_t>> completes;
  std::vector<std::optional<Seen>> seen; ///< When it was whole.
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_RUNTENSORS_H
