//===- ProviderCheck.h - yarrow check --provider ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   checkProvider({"net.onnx", "Z2_1104"}, reading, driver);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_PROVIDERCHECK_H
#define YARROW_COMPILER_COMMANDS_PROVIDERCHECK_H

#include "compiler/driver/Driver.h"
#include "compiler/model/ImportSettings.h"

#include <string>

namespace yarrow {

struct ProviderCheck {
  std::string graph, target;
  bool isJson = false;
};

/// Says which nodes of an ONNX model the NPU takes and which the CPU.
void checkProvider(const ProviderCheck &check, const ReadingFlags &reading,
                   Driver &driver);

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_PROVIDERCHECK_H
