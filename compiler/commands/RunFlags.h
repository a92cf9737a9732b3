//===- RunFlags.h - Options of yarrow run -----------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_RUNFLAGS_H
#define YARROW_COMPILER_COMMANDS_RUNFLAGS_H

#include "compiler/commands/PictureFlags.h"
#include "compiler/driver/Driver.h"
#include "compiler/run/OutputFiles.h"
#include "simulator/engine/Effort.h"

#include <cstdint>
#include <string>
#include <vector>

namespace yarrow {

struct RunFlags {
  std::string executable, inputs, output = "output.npy", machine, simulator;
  std::string report, trace, tecTrace, html, commands;
  std::vector<std::string> breaks, inputShapes, states;
  std::string finalState;
  std::size_t resetEvery = 0; ///< Of a network with state; 0: never.
  bool tecProfile = false;
  bool timed = false;
  bool step = false;
  uint32_t batch = 1;
  bool dequantizes = false, isStored = false;
  uint64_t seed = 0; ///< Of inputs that are drawn.
  uint64_t budget = sim::kDefaultBudget;
  PictureFlags pictures;

  bool isStepped() const { return step || !commands.empty(); }
  /// \p cameInFloats: so that outputs mean real numbers.
  OutputNumbers numbers(bool cameInFloats) const {
    if (dequantizes)
      return OutputNumbers::AllReal;
    return cameInFloats && !isStored ? OutputNumbers::Real
                                     : OutputNumbers::Stored;
  }
};

/// `yarrow run`. False after errors.
bool runExecutable(const RunFlags &flags, Driver &driver);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_RUNFLAGS_H
