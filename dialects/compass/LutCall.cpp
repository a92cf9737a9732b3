//===- LutCall.cpp - A look-up as a step of a program ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LutCall.h"
#include "kernels/activation/Activation.h"
#include "llvm/Support/MathExtras.h"

using namespace yarrow;
using namespace yarrow::compass;

KernelCall &compass::callLut(LayerProgram &program, const TensorInfo &in,
                             const BufferBinding &table,
                             std::optional<int64_t> first) {
  kernels::LutParams p;
  p.count = uint32_t(in.numElements());
  p.inType = in.dtype, p.tableType = table.view.dtype;
  p.indexMin = int32_t(first.value_or(dtypeRange(in.storedType()).first));
  p.inBits = in.bits();
  p.log2Size = llvm::Log2_64(table.view.numElements());
  KernelCall &call = program.call<kernels::Lut>(p);
  call["table"] = table;
  return call;
}
