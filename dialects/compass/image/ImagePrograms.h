//===- ImagePrograms.h - What programs of sampling layers share -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   auto spatial = numbersWithin(op, "spatial", 0, 65535, /*isWhole=*/true);
//   if (failed(spatial)) return failure();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_IMAGE_IMAGEPROGRAMS_H
#define YARROW_DIALECTS_COMPASS_IMAGE_IMAGEPROGRAMS_H

#include "dialects/compass/LayerCheck.h"
#include "dialects/compass/Layers.h"
#include "support/diagnostics/Operators.h"
#include <cmath>

namespace yarrow::compass {

/// The values of a NumberList key; empty if it is absent.
inline llvm::SmallVector<double> numbersKey(mlir::Operation *op,
                                            llvm::StringRef name) {
  llvm::SmallVector<double> values;
  if (auto list = op->getAttrOfType<mlir::ArrayAttr>(name))
    for (mlir::Attribute value : list)
      values.push_back(numberOf(value).value_or(0));
  return values;
}

/// The same, each within [\p least, \p most], and whole if \p isWhole.
inline mlir::FailureOr<llvm::SmallVector<double>>
numbersWithin(mlir::Operation *op, llvm::StringRef name, double least,
              double most, bool isWhole) {
  llvm::SmallVector<double> values = numbersKey(op, name);
  for (double v : values)
    if (!(v >= least && v <= most) || (isWhole && v != std::floor(v)))
      return layerError(op, diag::OpBadAttribute, name,
                        "the key " + name +
                            " has a number that is out of range")
          .found(std::to_string(v))
          .expected(llvm::Twine(isWhole ? "integers" : "numbers") + " from " +
                    std::to_string(least) + " to " + std::to_string(most));
  return values;
}

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_IMAGE_IMAGEPROGRAMS_H
