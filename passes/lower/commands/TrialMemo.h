//===- TrialMemo.h - What trials need not find again ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Trials lower a network in different ways. But the programs of its layers, and
// the form of a convolution on the tensor engine, depend only on layer and
// machine, so they are kept. The tiling also depends on the places of tensors
// and on the free SRAM.
//
//   TrialMemo memo;
//   lowerForTrial(module, machine, options, streams, {trial, memo}, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_COMMANDS_TRIALMEMO_H
#define YARROW_PASSES_LOWER_COMMANDS_TRIALMEMO_H

#include "dialects/compass/ProgramMemo.h"
#include "passes/lower/choose/ConvTiling.h"

#include <map>
#include <memory>
#include <vector>

namespace yarrow::npu {

class TrialMemo {
public:
  /// How a layer is described as a convolution.
  enum class Form { Plain, Transposed, WinogradMode, WinogradPhases };

  /// Describes the single call of a layer's program, by \p describe if it is
  /// not known; false if the engine cannot do it.
  bool describe(mlir::Operation *op, Form form, ConvLayer &layer,
                llvm::function_ref<bool(ConvLayer &)> describe) {
    std::unique_ptr<Known> &known = convs[{op, form}];
    if (!known) {
      known = std::make_unique<Known>();
      known->isDone = describe(known->layer);
    }
    layer.copyFrom(known->layer);
    return known->isDone;
  }

  /// As chooseTiling, of the machine that all trials are for.
  ConvTiling tilingOf(const ConvLayer &layer, const TilingLimits &limits,
                      const ConvResidents &resident,
                      const isa::Machine &machine);

private:
  struct Known {
    ConvLayer layer;
    bool isDone = false;
  };
  /// Views of constants are of programs.
  compass::ProgramMemo programs;
  std::map<std::pair<mlir::Operation *, Form>, std::unique_ptr<Known>> convs;
  /// By all that a cut depends on.
  std::map<std::vector<uint64_t>, ConvTiling> tilings;
};

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_COMMANDS_TRIALMEMO_H
