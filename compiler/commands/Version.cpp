//===- Version.cpp - What this program is ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Version.h"
#include "compiler/driver/Mpi.h"
#include "dialects/compass/Records.h"
#include "isa/Machine.h"
#include "kernels/registry/Registry.h"
#include "llvm/Config/llvm-config.h"

using namespace yarrow;

std::string yarrow::versionText() {
  std::string targets;
  for (const std::string &name : isa::builtinTargetNames())
    targets += " " + name;
  std::string features = " onnx tflite qnn gguf nnapi compass-driver";
  if (MpiSession::isAvailable())
    features += " mpi";
#ifndef NDEBUG
  features += " assertions";
#endif
  return "yarrow " YARROW_VERSION "\n"
         "LLVM and MLIR " LLVM_VERSION_STRING "\n"
         "targets:" +
         targets +
         "\noperators: " + std::to_string(compass::allOperators().size()) +
         ", kernels: " + std::to_string(kernels::allKernels().size()) +
         "\nfeatures:" + features + "\n";
}
