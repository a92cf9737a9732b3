//===- Pools.cpp - Pooling and reductions of stored tensors ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/conv/ConvOps.h"
#include "quantizer/prequantized/Forms.h"

#include <cmath>

using namespace yarrow;
using namespace yarrow::compass;

/// Sums of 2^23 values of 8 bits fit 32 bits.
static constexpr int64_t kMostValues = 1 << 22;

/// Whether all windows have as many cells that count.
static bool haveSameCells(mlir::Operation *op, bool countsPads) {
  WindowKeys w = windowKeys(op);
  auto isWhole = [&](int64_t in, int64_t out, int64_t kernel, int64_t stride,
                     int64_t dilation, int64_t before, int64_t after) {
    int64_t end = (out - 1) * stride + (kernel - 1) * dilation + 1;
    bool hasPads = before != 0 || after != 0;
    return (countsPads || !hasPads) && end <= in + before + after;
  };
  llvm::ArrayRef<int64_t> in = inputShape(op, 0), out = declaredShape(op, 0);
  return isWhole(in[1], out[1], w.kernelY, w.strideY, w.dilationY, w.padTop,
                 w.padBottom) &&
         isWhole(in[2], out[2], w.kernelX, w.strideX, w.dilationX, w.padLeft,
                 w.padRight);
}

/// A depthwise convolution with weights of 1, whose multiplier holds 1 / cells:
/// the exact mean, rounded once.
static bool giveMean(PrequantizedLayer &layer, const StoredTensor &in) {
  mlir::Operation *pool = layer.op;
  WindowKeys w = windowKeys(pool);
  int64_t cells = w.kernelY * w.kernelX, channels = inputShape(pool, 0)[3];
  if (cells > kMostValues)
    return layer.hasNoForm("it adds too many values");
  auto m = multiplierOf(in.step / (layer.output.step * double(cells)));
  if (!m)
    return layer.hasNoForm("its scales are too far apart");
  // A power of two needs no wide multiplier.
  while (m->shift > 0 && m->scale % 2 == 0)
    m->scale /= 2, --m->shift;
  mlir::OpBuilder builder(pool);
  auto mean = DepthwiseConvOp::create(
      builder, pool->getLoc(), pool->getResultTypes(), pool->getOperands());
  mean->setAttr(kTopNamesAttr, pool->getAttr(kTopNamesAttr));
  pool->replaceAllUsesWith(mean->getResults());
  pool->erase();
  layer.op = mean;
  for (auto [key, value] :
       std::initializer_list<std::pair<llvm::StringRef, int64_t>>{
           {"num_output", channels},
           {"group", channels},
           {"multiplier", 1},
           {"kernel_y", w.kernelY},
           {"kernel_x", w.kernelX},
           {"stride_y", w.strideY},
           {"stride_x", w.strideX},
           {"dilation_y", w.dilationY},
           {"dilation_x", w.dilationX},
           {"pad_top", w.padTop},
           {"pad_bottom", w.padBottom},
           {"pad_left", w.padLeft},
           {"pad_right", w.padRight}})
    layer.setInt(key, value);
  std::vector<int64_t> ones(size_t(channels * cells), 1),
      biases(size_t(channels), -in.zero * cells);
  layer.setTensor(keys::weights, {channels, w.kernelY, w.kernelX, 1}, DType::I8,
                  ones);
  layer.setTensor(keys::biases, {channels}, DType::I32, biases);
  layer.setRequant(*m);
  return true;
}

/// Windows of different numbers of cells: means of integers with 7 bits more,
/// which then come to the result's scale.
static bool giveFineMean(PrequantizedLayer &layer, const StoredTensor &in) {
  constexpr int kMoreBits = 7; // 255 steps of 2^7 fit 16 bits
  if (in.type.bits() > 8)
    return layer.hasNoForm("its input and its result have different scales");
  StoredTensor fine{DType::I16, std::ldexp(in.step, -kMoreBits), 0, INT16_MIN,
                    INT16_MAX};
  StoredTensor result = layer.output;
  if (!requantOf(fine, result))
    return layer.hasNoForm("its scales are too far apart");
  layer.output = fine;
  bool isCast = layer.castOperands();
  layer.output = result;
  layer.setWord(keys::average_rounding, "HALF_AWAY");
  return isCast && layer.castResult(fine);
}

bool yarrow::givePooling(PrequantizedLayer &layer) {
  auto in = layer.input(0);
  if (!in)
    return layer.hasNoForm("its input is not stored");
  std::string method = wordKey(layer.op, keys::method, "MAX");
  if (method == "MAX")
    return giveMove(layer);
  if (method != "AVG")
    return layer.hasNoForm("pooling by " + method + " has its own tables");
  bool isExact = layer.options.rounding == PrequantizedRounding::Exact;
  bool countsPads = boolKey(layer.op, keys::count_include_pad);
  if ((isExact || countsPads || !in->means(layer.output)) &&
      in->type.bits() <= 8 && haveSameCells(layer.op, countsPads))
    return giveMean(layer, *in);
  if (countsPads)
    return layer.hasNoForm("padding counts as the zero point");
  if (!in->means(layer.output))
    return giveFineMean(layer, *in);
  // What TFLite does: the mean of the stored integers, half away from zero.
  layer.setWord(keys::average_rounding, "HALF_AWAY");
  return true;
}

bool yarrow::giveReduction(PrequantizedLayer &layer) {
  auto in = layer.input(0);
  if (!in)
    return layer.hasNoForm("its input is not stored");
  std::string method = wordKey(layer.op, keys::method, "MEAN");
  if (method == "MIN" || method == "MAX")
    return giveMove(layer);
  if ((method != "MEAN" && method != "SUM") || in->type.bits() > 8)
    return layer.hasNoForm("a reduction by " + method + " of " +
                           std::to_string(in->type.bits()) +
                           " bits has no exact form");
  double count = double(product(inputShape(layer.op, 0))) /
                 double(product(declaredShape(layer.op, 0)));
  double ratio = in->step / layer.output.step;
  if (count > double(kMostValues))
    return layer.hasNoForm("it adds too many values");
  auto m = multiplierOf(method == "MEAN" ? ratio / count : ratio);
  if (!m)
    return layer.hasNoForm("its scales are too far apart");
  layer.setRequant(*m);
  return true;
}
