//===- MaskConstants.cpp - What layers of masks hold ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/masks/MaskConstants.h"

#include "dialects/compass/Compass.h"
#include "dialects/compass/ConstantValues.h"
#include "dialects/compass/Layers.h"
#include "quantizer/calibrate/TensorValues.h"

using namespace yarrow::compass;

namespace yarrow {

std::optional<std::vector<float>> floatsOfConstant(mlir::Operation *constant) {
  auto data = tensorKey(constant, keys::weights);
  auto view = data ? viewConstant(data) : std::nullopt;
  if (!view || !dtypeIsFloat(view->dtype))
    return std::nullopt;
  return floatsOf(*view);
}

void setFloats(mlir::Operation *constant, llvm::ArrayRef<float> values) {
  mlir::Value result = constant->getResult(0);
  TensorInfo info = describe(result);
  TensorInfo plain;
  plain.dtype = info.dtype;
  constant->setAttr(keys::weights,
                    makeConstant(constant->getContext(),
                                 (layerNameOf(constant) + ".weights").str(),
                                 info.shape, info.dtype,
                                 storedValues(plain, values)));
}

} // namespace yarrow
