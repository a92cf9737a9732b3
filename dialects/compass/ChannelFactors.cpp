//===- ChannelFactors.cpp - Channels larger than the model has them -------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/ChannelFactors.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/Records.h"

using namespace yarrow;
using namespace yarrow::compass;

static constexpr llvm::StringLiteral kKey = "channel_factors";

void compass::setChannelFactors(mlir::Operation *op,
                                llvm::ArrayRef<float> factors) {
  setExtraConstant(op, kKey,
                   makeConstantOf<float>(
                       op->getContext(), (layerNameOf(op) + "." + kKey).str(),
                       {int64_t(factors.size())}, DType::F32, factors));
}

llvm::SmallVector<double> compass::channelFactors(mlir::Value tensor) {
  mlir::Operation *op = tensor.getDefiningOp();
  if (!op || op->getNumResults() != 1)
    return {};
  // Quantization puts them where a reader wants another type.
  const OperatorRecord *record = recordOf(op);
  if (record && record->layerType == "Cast")
    return channelFactors(op->getOperand(0));
  return extraNumbers(op, kKey);
}

bool compass::hasChannelFactors(mlir::Value tensor) {
  return !channelFactors(tensor).empty();
}

void compass::toChannelsOf(mlir::Value tensor, std::span<float> values) {
  llvm::SmallVector<double> factors = channelFactors(tensor);
  if (factors.empty() || values.size() % factors.size() != 0)
    return;
  llvm::SmallVector<float> each(factors.begin(), factors.end());
  for (std::size_t i = 0; i < values.size(); i += each.size())
    for (std::size_t c = 0; c < each.size(); ++c)
      values[i + c] *= each[c];
}
