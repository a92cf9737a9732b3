//===- BuildFlags.h - Options of yarrow build -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_BUILDFLAGS_H
#define YARROW_COMPILER_COMMANDS_BUILDFLAGS_H

#include "compiler/commands/PictureFlags.h"
#include "compiler/model/ImportSettings.h"
#include "quantizer/prequantized/PrequantizedOptions.h"
#include "simulator/engine/Effort.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace yarrow {

struct BuildFlags {
  std::vector<std::string> disabledPasses;
  std::string config, calibrationData, data, label, target, outputDir;
  std::string recipe; ///< Of config::recipes(), or "".
  std::string winograd, cache, html;
  std::vector<std::string> shapeRanges;
  ReadingFlags reading;
  std::size_t samples = 0;
  std::size_t resetEvery = 0; ///< Of a network with state; 0: never.
  uint64_t budget = sim::kDefaultBudget;
  std::vector<std::string> settings, gates;
  std::string goal, price, threshold; ///< As settings.
  PrequantizedOptions given;
  PictureFlags pictures;
  bool allowUnknown = false, isBrief = false, dontOptimize = false;
  bool optimize = false;
};

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_BUILDFLAGS_H
