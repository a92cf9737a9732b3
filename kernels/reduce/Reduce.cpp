//===- Reduce.cpp - Reduction kernels -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/reduce/Reduce.h"
#include "kernels/Epilogue.h"
#include "kernels/Math.h"
#include "kernels/reduce/ReducePlan.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

double mapFloat(ReduceOp op, double x) {
  switch (op) {
  case ReduceOp::L1:
    return math::abs(x);
  case ReduceOp::L2:
    return x * x;
  case ReduceOp::All:
  case ReduceOp::Any:
    return x != 0;
  default:
    return x;
  }
}

/// One step of a float reduction; NaN of either side wins in Min and Max.
double foldFloat(ReduceOp op, double acc, double x) {
  switch (op) {
  case ReduceOp::Min:
  case ReduceOp::All:
    return x < acc || x != x ? x : acc;
  case ReduceOp::Max:
  case ReduceOp::Any:
    return x > acc || x != x ? x : acc;
  case ReduceOp::Prod:
    return acc * x;
  default:
    return acc + x;
  }
}

double neutralFloat(ReduceOp op) {
  switch (op) {
  case ReduceOp::Min:
    return math::kInfinity;
  case ReduceOp::Max:
    return -math::kInfinity;
  case ReduceOp::All:
  case ReduceOp::Prod:
    return 1;
  default:
    return 0;
  }
}

/// As foldOutputs, in double.
template <typename Map>
void foldFloatOutputs(const Plan &plan, const ReduceFloatParams &p,
                      const void *input, uint32_t out, uint32_t n, double *acc,
                      Map map) {
  float x[kChunk];
  uint32_t lanes = plan.lanes(n);
  for (uint32_t i = 0; i < lanes; ++i)
    acc[i] = neutralFloat(p.op);
  plan.forEachInput(out, n, [&](int64_t element, uint32_t count) {
    loadF32(p.inType, input, element, count, x);
    for (uint32_t i = 0; i < count; ++i)
      acc[i] = foldFloat(p.op, acc[i], map(double(x[i]), i));
  });
  for (uint32_t i = 1; plan.innerReduced && i < lanes; ++i)
    acc[0] = foldFloat(p.op, acc[0], acc[i]);
}

/// The sum of `count` neighbours of at most 16 bits.
template <typename T>
int64_t sumOf(const void *input, int64_t element, uint32_t count) {
  auto *x = static_cast<const T *>(input) + element;
  constexpr uint32_t kMost = 1 << 14; // sums of 30 bits
  int64_t total = 0;
  for (uint32_t i = 0, n; i < count; i += n) {
    n = count - i < kMost ? count - i : kMost;
    int32_t sum = 0;
    for (uint32_t k = 0; k < n; ++k)
      sum += x[i + k];
    total += sum;
  }
  return total;
}

/// Of integers of at most 16 bits the sum that output `out` needs, of rows.
int64_t sumOfRows(const Plan &plan, DType type, const void *input,
                  uint32_t out) {
  int64_t base = plan.kept.offset(out), total = 0;
  for (uint32_t r = 0; r < plan.reduced.count(); ++r) {
    int64_t at = base + plan.reduced.offset(r);
    total += type == DType::I8    ? sumOf<int8_t>(input, at, plan.inner)
             : type == DType::U8  ? sumOf<uint8_t>(input, at, plan.inner)
             : type == DType::I16 ? sumOf<int16_t>(input, at, plan.inner)
                                  : sumOf<uint16_t>(input, at, plan.inner);
  }
  return total;
}

bool isVariance(ReduceOp op) {
  return op == ReduceOp::Variance || op == ReduceOp::UnbiasedVariance;
}

} // namespace

YARROW_KERNEL(yk_reduce_int, ReduceInt) {
  Plan plan(p.shape);
  Fold how = foldOf(p.op);
  IntEpilogue epilogue(p.requant);
  auto outputs = [&](uint32_t out, uint32_t n) {
    int64_t acc[kChunk];
    if (isVariance(p.op)) {
      // The zero point cancels; the mean is rounded to an integer.
      int64_t mean[kChunk];
      uint32_t step = plan.innerReduced ? 0 : 1;
      foldOutputs(plan, p.inType, buffers.input(), how, out, n, mean,
                  [](int32_t x, uint32_t) { return int64_t(x); });
      for (uint32_t i = 0; i < n; ++i)
        mean[i] = int64_t(
            int32_t(math::roundEven(math::fromI64(mean[i]) / plan.terms())));
      foldOutputs(plan, p.inType, buffers.input(), how, out, n, acc,
                  [&](int32_t x, uint32_t i) {
                    int64_t d = x - mean[i * step];
                    return d * d;
                  });
    } else if (how == Fold::Sum && plan.innerReduced &&
               dtypeBytes(p.inType) <= 2) {
      acc[0] = sumOfRows(plan, p.inType, buffers.input(), out) +
               int64_t(plan.reduced.count()) * plan.inner * p.inZp;
    } else {
      // MIN and MAX keep the zero point.
      int64_t zp = how == Fold::Min || how == Fold::Max ? 0 : p.inZp;
      foldOutputs(plan, p.inType, buffers.input(), how, out, n, acc,
                  [&](int32_t x, uint32_t) { return x + zp; });
    }
    if (how == Fold::Sum)
      return epilogue.store(acc, n, 0, out, buffers.output());
    int32_t values[kChunk];
    for (uint32_t i = 0; i < n; ++i)
      values[i] = int32_t(acc[i]);
    storeI32(p.requant.outType, buffers.output(), out, n, values);
  };
  plan.forEachOutput(shareOf(plan.outputs(), task, taskCount), outputs);
}

YARROW_KERNEL(yk_reduce_float, ReduceFloat) {
  Plan plan(p.shape);
  double terms = plan.terms();
  auto outputs = [&](uint32_t out, uint32_t n) {
    double acc[kChunk], mean[kChunk];
    float y[kChunk];
    uint32_t step = plan.innerReduced ? 0 : 1;
    if (isVariance(p.op)) {
      foldFloatOutputs(plan, p, buffers.input(), out, n, mean,
                       [](double x, uint32_t) { return x; });
      for (uint32_t i = 0; i < n; ++i)
        mean[i] /= terms;
    }
    foldFloatOutputs(plan, p, buffers.input(), out, n, acc,
                     [&](double x, uint32_t i) {
                       if (!isVariance(p.op))
                         return mapFloat(p.op, x);
                       double d = x - mean[i * step];
                       return d * d;
                     });
    for (uint32_t i = 0; i < n; ++i) {
      double v = acc[i];
      v = p.op == ReduceOp::Mean || p.op == ReduceOp::Variance ? v / terms : v;
      v = p.op == ReduceOp::UnbiasedVariance ? v / (terms - 1) : v;
      y[i] = float(p.op == ReduceOp::L2 ? math::sqrt(v) : v);
    }
    if (contains(kFloats, p.outType))
      return storeF32(p.outType, buffers.output(), out, n, y);
    int32_t truth[kChunk];
    for (uint32_t i = 0; i < n; ++i)
      truth[i] = y[i] != 0;
    storeI32(p.outType, buffers.output(), out, n, truth);
  };
  plan.forEachOutput(shareOf(plan.outputs(), task, taskCount), outputs);
}
