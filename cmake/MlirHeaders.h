//===- MlirHeaders.h - Headers of MLIR that are read once -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What nearly every file of the compiler includes, precompiled: reading it
// takes four of the five seconds that such a file takes. Files include what
// they use all the same; a build without (-DYARROW_PRECOMPILED_HEADERS=OFF, as
// the presets of scripts/check.sh have it) finds those that do not.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CMAKE_MLIRHEADERS_H
#define YARROW_CMAKE_MLIRHEADERS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#endif // YARROW_CMAKE_MLIRHEADERS_H
