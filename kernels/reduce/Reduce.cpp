//===- Reduce.cpp - Reduction kernels -------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/reduce/Reduce.h"
#include "kernels/Epilogue.h"
#include "kernels/FloatStrips.h"
#include "kernels/Math.h"
#include "kernels/StripRuns.h"
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

/// Whether a fold is one of small integers whose values fit 32 bits: sums of
/// bytes, or of a few values of 16 bits; minima and maxima.
bool isSmallFold(const Plan &plan, Fold how, DType type) {
  double most = dtypeBytes(type) == 1 ? 1 << 22 : 1 << 14;
  bool isSmallSum = how == Fold::Sum && plan.terms() <= most;
  return contains(kInt8To16, type) &&
         (isSmallSum || how == Fold::Min || how == Fold::Max);
}

/// Of the elements, all of rows, that output `out` needs.
template <typename T>
int32_t foldRows(const Plan &plan, Fold how, const void *input, uint32_t out) {
  int64_t base = plan.kept.offset(out);
  auto foldRow = [&](int64_t at) -> int32_t {
    return how == Fold::Sum
               ? sumOfRun<T>(input, at, plan.inner)
               : extremeOf<T>(how == Fold::Max, input, at, plan.inner);
  };
  int32_t folded = foldRow(base);
  for (uint32_t r = 1; r < plan.reduced.count(); ++r) {
    int32_t row = foldRow(base + plan.reduced.offset(r));
    if (how == Fold::Sum)
      folded += row;
    else
      folded = (how == Fold::Max) == (row > folded) ? row : folded;
  }
  return folded;
}

/// Of neighbouring outputs from `out` on, whose elements lie side by side.
template <typename T, typename Size>
void foldColumns(const Plan &plan, Fold how, const void *input, uint32_t out,
                 Size size, Strip<int32_t> &folded) {
  int64_t base = plan.kept.offset(out / plan.inner) + out % plan.inner;
  uint32_t count = plan.reduced.count();
  if (how == Fold::Sum) {
    folded = Strip<int32_t>{};
    for (uint32_t begin = 0; begin < count; begin += kLaneSums) {
      uint32_t end = count - begin < kLaneSums ? count : begin + kLaneSums;
      Strip<SumLane<T>> x, sums{};
      for (uint32_t r = begin; r < end; ++r) {
        loadStrip<T>(input, base + plan.reduced.offset(r), size, x);
        sums += x;
      }
      folded += __builtin_convertvector(sums, Strip<int32_t>);
    }
    return;
  }
  Strip<T> x, extreme;
  loadStrip<T>(input, base, size, extreme);
  for (uint32_t r = 1; r < count; ++r) {
    loadStrip<T>(input, base + plan.reduced.offset(r), size, x);
    extreme = how == Fold::Max ? __builtin_elementwise_max(extreme, x)
                               : __builtin_elementwise_min(extreme, x);
  }
  folded = __builtin_convertvector(extreme, Strip<int32_t>);
}

/// The folds of outputs [out, out + n), which if they are of columns lie side
/// by side.
template <typename T>
void foldSmall(const Plan &plan, Fold how, const void *input, uint32_t out,
               uint32_t n, int32_t *values) {
  if (plan.innerReduced) {
    for (uint32_t i = 0; i < n; ++i)
      values[i] = foldRows<T>(plan, how, input, out + i);
    return;
  }
  forEachStrip(0, n, [&](uint32_t i, auto size) {
    Strip<int32_t> folded;
    foldColumns<T>(plan, how, input, out + i, size, folded);
    storeStrip<int32_t>(folded, size, values, i);
  });
}

void foldSmall(const Plan &plan, DType type, Fold how, const void *input,
               uint32_t out, uint32_t n, int32_t *values) {
  switch (type) {
  case DType::I8:
    return foldSmall<int8_t>(plan, how, input, out, n, values);
  case DType::U8:
    return foldSmall<uint8_t>(plan, how, input, out, n, values);
  case DType::I16:
    return foldSmall<int16_t>(plan, how, input, out, n, values);
  default:
    return foldSmall<uint16_t>(plan, how, input, out, n, values);
  }
}

bool isVariance(ReduceOp op) {
  return op == ReduceOp::Variance || op == ReduceOp::UnbiasedVariance;
}

/// Outputs side by side, each a lane: what has to be added up in one order is,
/// for all of them at once.
class FloatLanes {
public:
  FloatLanes(const Plan &plan, ReduceOp op, const void *input)
      : plan(plan), op(op), input(input) {}

  /// How many outputs from `out` on lie at one distance from each other.
  uint32_t runFrom(uint32_t out) const {
    uint32_t inner = plan.innerReduced ? plan.kept.innermost() : plan.inner;
    return inner - out % inner;
  }

  /// The fold of the outputs from `out` on, in foldFloatOutputs' order, of what
  /// map(x) makes of elements.
  template <typename Size, typename Map>
  void fold(uint32_t out, Size size, Strip<double> &total, Map map) const {
    uint32_t rows = plan.reduced.count();
    Strip<double> neutral = Strip<double>{} + neutralFloat(op), x;
    if (!plan.innerReduced) {
      int64_t base = plan.kept.offset(out / plan.inner) + out % plan.inner;
      total = neutral;
      for (uint32_t r = 0; r < rows; ++r) {
        loadStrip<float>(input, base + plan.reduced.offset(r), size, x);
        map(x);
        step(total, x);
      }
      return;
    }
    int64_t base = plan.kept.offset(out);
    int32_t stride = int32_t(plan.kept.innermostStride());
    uint32_t lanes = plan.lanes(1);
    auto foldLane = [&](uint32_t i, Strip<double> &acc) {
      for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t k = i; k < plan.inner; k += kChunk) {
          loadStrided<float>(input, base + plan.reduced.offset(r) + k, stride,
                             size, x);
          map(x);
          step(acc, x);
        }
    };
    total = neutral;
    if (rows == 1 && plan.inner <= kChunk) {
      // One element a lane: added to the total as it is, not to the neutral
      // element first. Of sums that may change the sign of a 0, which a total,
      // never -0, does not show.
      for (uint32_t i = 0; i < lanes; ++i) {
        loadStrided<float>(input, base + i, stride, size, x);
        map(x);
        step(total, x);
      }
      return;
    }
    foldLane(0, total);
    for (uint32_t i = 1; i < lanes; ++i) {
      Strip<double> acc = neutral;
      foldLane(i, acc);
      step(total, acc);
    }
  }

private:
  /// As foldFloat.
  void step(Strip<double> &acc, const Strip<double> &x) const {
    if (op == ReduceOp::Min || op == ReduceOp::Max)
      acc = ((op == ReduceOp::Min ? x < acc : x > acc) | (x != x)) ? x : acc;
    else if (op == ReduceOp::Prod)
      acc *= x;
    else
      acc += x;
  }

  const Plan &plan;
  ReduceOp op;
  const void *input;
};

/// Whether lanes reduce float32: not truth values, nor a few long rows.
bool areFloatLanes(const Plan &plan, const ReduceFloatParams &p) {
  constexpr uint32_t kFew = 8;
  return p.inType == DType::F32 && contains(kFloats, p.outType) &&
         p.op != ReduceOp::All && p.op != ReduceOp::Any &&
         (!plan.innerReduced || plan.kept.innermost() >= kFew);
}

/// The results of the outputs from `out` on, before they are stored.
template <typename Size>
void reduceLanes(const FloatLanes &lanes, ReduceOp op, double terms,
                 uint32_t out, Size size, Strip<double> &y) {
  if (isVariance(op)) {
    Strip<double> mean;
    lanes.fold(out, size, mean, [](Strip<double> &) {});
    mean /= terms;
    lanes.fold(out, size, y, [&](Strip<double> &x) {
      x -= mean;
      x *= x;
    });
  } else {
    lanes.fold(out, size, y, [op](Strip<double> &x) {
      if (op == ReduceOp::L1)
        x = __builtin_elementwise_abs(x);
      else if (op == ReduceOp::L2)
        x *= x;
    });
  }
  if (op == ReduceOp::Mean || op == ReduceOp::Variance)
    y /= terms;
  else if (op == ReduceOp::UnbiasedVariance)
    y /= terms - 1;
  else if (op == ReduceOp::L2)
    y = __builtin_elementwise_sqrt(y);
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
  Share share = shareOf(plan.outputs(), task, taskCount);
  if (isVariance(p.op) || !isSmallFold(plan, how, p.inType))
    return plan.forEachOutput(share, outputs);
  int64_t terms =
      int64_t(plan.reduced.count()) * (plan.innerReduced ? plan.inner : 1);
  auto small = [&](uint32_t out, uint32_t n) {
    int32_t values[kChunk];
    foldSmall(plan, p.inType, how, buffers.input(), out, n, values);
    if (how != Fold::Sum)
      return storeI32(p.requant.outType, buffers.output(), out, n, values);
    int64_t acc[kChunk];
    for (uint32_t i = 0; i < n; ++i)
      acc[i] = values[i] + terms * p.inZp;
    epilogue.store(acc, n, 0, out, buffers.output());
  };
  if (plan.innerReduced)
    forEachChunk(share.begin, share.end, small);
  else
    plan.forEachOutput(share, small);
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
  Share share = shareOf(plan.outputs(), task, taskCount);
  if (!areFloatLanes(plan, p))
    return plan.forEachOutput(share, outputs);
  FloatLanes lanes(plan, p.op, buffers.input());
  for (uint32_t out = share.begin, n; out < share.end; out += n) {
    n = lanes.runFrom(out) < share.end - out ? lanes.runFrom(out)
                                             : share.end - out;
    forEachStrip(0, n, [&](uint32_t i, auto size) {
      Strip<double> wide;
      reduceLanes(lanes, p.op, terms, out + i, size, wide);
      Strip<float> y = __builtin_convertvector(wide, Strip<float>);
      storeFloats(p.outType, y, size, buffers.output(), out + i);
    });
  }
}
