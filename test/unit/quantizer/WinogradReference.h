//===- WinogradReference.h - A Winograd layer by its definition -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Accumulators of an integer layer in the form F(2x2,3x3) or F(2,3), computed
// from its IR in 64 bits with the published matrices: what kernels and
// quantizer must agree with, written without them.
//
//   WinogradReference layer(op);
//   std::vector<int64_t> acc = layer.accumulators(input, height, width);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_QUANTIZER_WINOGRADREFERENCE_H
#define YARROW_TEST_UNIT_QUANTIZER_WINOGRADREFERENCE_H

#include "dialects/compass/Compass.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Tensors.h"
#include "test/unit/quantizer/PublishedTile.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace yarrow {

inline std::vector<int64_t> intsOf(mlir::Operation *op,
                                   compass::TensorKey name) {
  mlir::ElementsAttr attr = compass::tensorKey(op, name);
  std::vector<int64_t> values;
  if (!attr)
    return values;
  auto view = compass::viewConstant(attr);
  for (int64_t i = 0; i < view->numElements(); ++i)
    values.push_back(view->intAt(i));
  return values;
}

/// weights_scale, which is not a key of the operator's record.
inline std::vector<double> weightScalesOf(mlir::Operation *op) {
  auto constants =
      op->getAttrOfType<mlir::DictionaryAttr>(compass::kExtraConstantsAttr);
  EXPECT_TRUE(constants && constants.contains("weights_scale"));
  auto view = compass::viewConstant(
      mlir::cast<mlir::ElementsAttr>(constants.get("weights_scale")));
  std::vector<double> scales;
  for (int64_t i = 0; i < view->numElements(); ++i)
    scales.push_back(view->floatAt(i));
  return scales;
}

inline bool isInWinogradForm(mlir::Operation *op) {
  auto flag = op->getAttrOfType<mlir::BoolAttr>(compass::keys::with_winograd);
  return flag && flag.getValue();
}

struct WinogradReference {
  PublishedTile tile;
  int64_t outputs, channels, padTop, padLeft, padBottom, padRight;
  int64_t padValue;
  std::vector<int64_t> weights, shifts, biases;

  explicit WinogradReference(mlir::Operation *op) {
    EXPECT_TRUE(isInWinogradForm(op));
    llvm::SmallVector<int64_t> form =
        compass::intsKey(op, compass::keys::Fmnrs);
    tile.is2D = form.size() == 4;
    EXPECT_EQ(form, tile.is2D ? llvm::SmallVector<int64_t>({2, 2, 3, 3})
                              : llvm::SmallVector<int64_t>({2, 3}));
    auto shape =
        compass::viewConstant(compass::tensorKey(op, compass::keys::weights))
            ->shape;
    EXPECT_EQ(shape[1], tile.rows());
    EXPECT_EQ(shape[2], 4);
    outputs = shape[0], channels = shape[3];
    weights = intsOf(op, compass::keys::weights);
    shifts = intsOf(op, compass::keys::winograd_tap_shift);
    if (shifts.empty())
      shifts.resize(std::size_t(outputs * tile.taps()));
    biases = intsOf(op, compass::keys::biases);
    compass::WindowKeys w = compass::windowKeys(op);
    padTop = w.padTop, padLeft = w.padLeft;
    padBottom = w.padBottom, padRight = w.padRight;
    padValue = -compass::describe(op->getOperand(0)).zp;
  }

  /// Before the activation: [outH, outW, outputs].
  std::vector<int64_t> accumulators(const std::vector<int64_t> &input,
                                    int64_t height, int64_t width) const {
    int64_t outH = height + padTop + padBottom - 2;
    int64_t outW = width + padLeft + padRight - 2;
    auto at = [&](int64_t y, int64_t x, int64_t c) {
      y -= padTop, x -= padLeft;
      bool isInside = y >= 0 && x >= 0 && y < height && x < width;
      return isInside ? input[std::size_t((y * width + x) * channels + c)]
                      : padValue;
    };
    std::vector<int64_t> result(std::size_t(outH * outW * outputs));
    int taps = tile.taps();
    for (int64_t ty = 0; ty < outH; ty += tile.outputRows())
      for (int64_t tx = 0; tx < outW; tx += 2) {
        std::vector<int64_t> v(std::size_t(taps * channels));
        for (int t = 0; t < taps; ++t)
          for (int64_t c = 0; c < channels; ++c)
            for (int cell = 0; cell < taps; ++cell)
              if (int sign = tile.bt(t, cell))
                v[std::size_t(t * channels + c)] +=
                    sign * at(ty + cell / 4, tx + cell % 4, c);
        for (int64_t o = 0; o < outputs; ++o) {
          int64_t y[4] = {};
          for (int t = 0; t < taps; ++t) {
            int64_t m = 0;
            for (int64_t c = 0; c < channels; ++c)
              m += weights[std::size_t((o * taps + t) * channels + c)] *
                   v[std::size_t(t * channels + c)];
            m *= int64_t(1) << shifts[std::size_t(o * taps + t)];
            for (int i = 0; i < tile.outputs(); ++i)
              y[i] += tile.at(i, t) * m;
          }
          for (int i = 0; i < tile.outputs(); ++i)
            if (ty + i / 2 < outH && tx + i % 2 < outW)
              result[std::size_t(((ty + i / 2) * outW + tx + i % 2) * outputs +
                                 o)] = y[i] + biases[std::size_t(o)];
        }
      }
    return result;
  }
};

} // namespace yarrow

#endif // YARROW_TEST_UNIT_QUANTIZER_WINOGRADREFERENCE_H
