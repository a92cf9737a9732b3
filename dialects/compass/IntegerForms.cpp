//===- IntegerForms.cpp - What integer layers multiply by -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/IntegerForms.h"
#include "dialects/compass/LayerProgram.h"
#include "kernels/Numeric.h"
#include "kernels/activation/Activation.h"
#include "kernels/norm/Softmax.h"
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

double compass::averageMultiplier(const TensorInfo &in, const TensorInfo &out,
                                  uint32_t cells) {
  kernels::ScaleShift m = kernels::averageScale(out.scale / in.scale, cells);
  return std::ldexp(double(m.scale), -m.shift);
}

std::optional<Lookup> compass::lookupOf(Operation *op) {
  auto program = programOf(op);
  const KernelCall *call = succeeded(program) ? program->single() : nullptr;
  if (!call || !call->is<kernels::Lut>())
    return std::nullopt;
  auto p = call->paramsOf<kernels::Lut>();
  if (p.inBits != p.log2Size)
    return std::nullopt;
  return Lookup{(*call)["table"].view, p.indexMin};
}

std::optional<SoftmaxByTable> compass::softmaxByTableOf(Operation *op) {
  auto program = programOf(op);
  const KernelCall *call = succeeded(program) ? program->single() : nullptr;
  if (!call || !call->is<kernels::SoftmaxLutInt>())
    return std::nullopt;
  auto p = call->paramsOf<kernels::SoftmaxLutInt>();
  if (p.inBits != p.log2Size)
    return std::nullopt;
  return SoftmaxByTable{(*call)["table"].view, p.numeratorFirst != 0, p.scale,
                        p.shift, p.extraBits};
}
