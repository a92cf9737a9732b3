//===- MlirTestHeaders.h - Headers of tests of the compiler -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Precompiled for tests of what sees MLIR, see MlirHeaders.h.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CMAKE_MLIRTESTHEADERS_H
#define YARROW_CMAKE_MLIRTESTHEADERS_H

#include "cmake/MlirHeaders.h"
#include "cmake/TestHeaders.h"
#include "mlir/Parser/Parser.h"

#endif // YARROW_CMAKE_MLIRTESTHEADERS_H
