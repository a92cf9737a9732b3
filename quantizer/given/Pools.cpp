//===- Pools.cpp - Pooling and reductions of stored tensors ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerKeys.h"
#include "dialects/compass/Layers.h"
#include "quantizer/given/Forms.h"

using namespace yarrow;
using namespace yarrow::compass;

bool yarrow::givePooling(GivenLayer &layer) {
  auto in = layer.input(0);
  if (!in)
    return layer.hasNoForm("its input is not stored");
  std::string method = wordKey(layer.op, "method", "MAX");
  if (method == "MAX")
    return giveMove(layer);
  if (method != "AVG")
    return layer.hasNoForm("pooling by " + method + " has tables of its own");
  if (!in->means(layer.output))
    return layer.hasNoForm("its input and its result have different scales");
  if (boolKey(layer.op, "count_include_pad"))
    return layer.hasNoForm("padding counts, whose integer is the zero point");
  // What TFLite does: the mean of the stored integers, half away from zero.
  layer.setWord("average_rounding", "HALF_AWAY");
  return true;
}

bool yarrow::giveReduction(GivenLayer &layer) {
  auto in = layer.input(0);
  if (!in)
    return layer.hasNoForm("its input is not stored");
  std::string method = wordKey(layer.op, "method", "MEAN");
  if (method == "MIN" || method == "MAX")
    return giveMove(layer);
  if ((method != "MEAN" && method != "SUM") || in->type.bits() > 8)
    return layer.hasNoForm("a reduction by " + method + " of " +
                           std::to_string(in->type.bits()) +
                           " bits has no exact form");
  double count = double(product(inputShape(layer.op, 0))) /
                 double(product(declaredShape(layer.op, 0)));
  double ratio = in->step / layer.output.step;
  // Sums of 2^23 values of 8 bits fit 32 bits.
  constexpr double kMostValues = 1 << 22;
  if (count > kMostValues)
    return layer.hasNoForm("it adds too many values");
  auto m = multiplierOf(method == "MEAN" ? ratio / count : ratio);
  if (!m)
    return layer.hasNoForm("its scales lie too far apart");
  layer.setRequant(*m);
  return true;
}
