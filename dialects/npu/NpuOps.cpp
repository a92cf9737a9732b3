//===- NpuOps.cpp - The dialect of engine commands ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/npu/CommandOps.h"
#include "dialects/npu/Npu.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace yarrow::npu;

#include "dialects/npu/NpuDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/npu/NpuAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/npu/NpuInterfaces.cpp.inc"
#include "dialects/npu/NpuTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/npu/NpuOps.cpp.inc"

void NpuDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/npu/NpuAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/npu/NpuTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/npu/NpuOps.cpp.inc"
      >();
}
