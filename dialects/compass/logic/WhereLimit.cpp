//===- WhereLimit.cpp - Choices that are a minimum or maximum -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/logic/WhereLimit.h"
#include "dialects/compass/LayerKeys.h"
#include "kernels/arithmetic/Eltwise.h"
#include "support/Numeric.h"

#include <algorithm>
#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::BinaryOp;

/// What the result stores of x, the zero point included: at most 33 bits, times
/// 16 of a scale.
static int64_t storedOf(int64_t x, const kernels::WhereChoice &c,
                        const kernels::Requant &r) {
  return clamp<int64_t>(roundShiftHalfEven(x * c.scale, c.shift) - r.zp, r.lo,
                        r.hi);
}

/// The one value of the result that all of \p values are stored as.
static std::optional<int64_t> storedAlike(const ConstantView &values,
                                          const kernels::WhereChoice &c,
                                          const kernels::Requant &r) {
  std::optional<int64_t> stored;
  for (int64_t i = 0, e = values.numElements(); i < e; ++i) {
    int64_t y = storedOf(values.intAt(i) + c.zp, c, r);
    if (y != stored.value_or(y))
      return std::nullopt;
    stored = y;
  }
  return stored;
}

namespace {

/// Values of a mask, times `scale`: beyond all of x where x is kept, and what
/// the result stores as the constant elsewhere.
struct MaskValues {
  DType type;
  int64_t scale, shown, hidden;
};

} // namespace

/// Those for a minimum or a maximum of x and the mask, of 8 bits if there are.
static std::optional<MaskValues> maskValues(const kernels::WhereChoice &x,
                                            int64_t constant, bool isLeast,
                                            const kernels::Requant &r) {
  auto [lo, hi] = dtypeRange(x.type);
  int64_t beyond = isLeast ? hi + x.zp : lo + x.zp;
  double target = std::ldexp(double(constant + r.zp), x.shift) / x.scale;
  for (DType type : {DType::I8, DType::I16}) {
    auto [least, most] = dtypeRange(type);
    for (int64_t scale = 1; scale <= 1 << 15; scale *= 2) {
      int64_t shown = isLeast ? most : least;
      if (isLeast ? shown * scale < beyond : shown * scale > beyond)
        continue;
      auto nearest = int64_t(
          std::clamp(std::floor(target / double(scale)), -65536.0, 65536.0));
      for (int64_t candidate = nearest - 1; candidate <= nearest + 2;
           ++candidate) {
        int64_t hidden = clamp(candidate, least, most);
        if (storedOf(hidden * scale, x, r) == constant)
          return MaskValues{type, scale, shown, hidden};
      }
    }
  }
  return std::nullopt;
}

bool compass::appendLimit(Operation *op, const kernels::WhereIntParams &params,
                          LayerProgram &program) {
  auto condition = constantInput(op, 0);
  const kernels::Requant &r = params.requant;
  if (!condition || dtypeIsFloat(condition->dtype) || params.shape.rank == 0)
    return false;
  for (unsigned constantChoice : {1, 0}) {
    unsigned kept = 1 - constantChoice;
    auto values = constantInput(op, 1 + constantChoice);
    const kernels::WhereChoice &x = params.choices[kept];
    if (!values || dtypeIsFloat(values->dtype) ||
        kernels::dtypeBytes(x.type) > 2 || x.shift < 0)
      continue;
    auto constantValue =
        storedAlike(*values, params.choices[constantChoice], r);
    if (!constantValue)
      continue;
    // Of x nothing may be stored beyond the constant.
    auto [lo, hi] = dtypeRange(x.type);
    bool isLeast = storedOf(lo + x.zp, x, r) >= *constantValue;
    if (!isLeast && storedOf(hi + x.zp, x, r) > *constantValue)
      continue;
    auto mask = maskValues(x, *constantValue, isLeast, r);
    if (!mask)
      continue;
    std::vector<char> bytes;
    for (int64_t i = 0, e = condition->numElements(); i < e; ++i) {
      bool isFirst = condition->intAt(i) + params.conditionZp != 0;
      int64_t value = isFirst == (kept == 0) ? mask->shown : mask->hidden;
      bytes.push_back(char(value));
      if (mask->type == DType::I16)
        bytes.push_back(char(value >> 8));
    }
    kernels::EltwiseIntParams p;
    p.shape.rank = params.shape.rank;
    for (uint32_t d = 0; d < p.shape.rank; ++d) {
      p.shape.dims[d] = params.shape.dims[d];
      p.shape.strideA[d] = params.shape.strides[1 + kept][d];
      p.shape.strideB[d] = params.shape.strides[0][d];
    }
    p.op = isLeast ? BinaryOp::Min : BinaryOp::Max;
    p.typeA = x.type, p.typeB = mask->type;
    p.zpA = x.zp;
    p.scaleB = int32_t(mask->scale);
    p.requant = r;
    p.requant.scale = x.scale, p.requant.shift = x.shift;
    KernelCall &call = program.call<kernels::EltwiseInt>(p);
    call["a"] = operand(1 + kept);
    call["b"] =
        constant({condition->numElements()}, mask->type, std::move(bytes));
    call["output"] = result(0);
    return true;
  }
  return false;
}
