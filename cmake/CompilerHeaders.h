//===- CompilerHeaders.h - Headers of the program's own code ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Precompiled for compiler/, which reads command lines and writes reports:
// CLI11 and nlohmann/json take more to read than all of MLIR, see
// MlirHeaders.h.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CMAKE_COMPILERHEADERS_H
#define YARROW_CMAKE_COMPILERHEADERS_H

#include "cmake/MlirHeaders.h"
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#endif // YARROW_CMAKE_COMPILERHEADERS_H
