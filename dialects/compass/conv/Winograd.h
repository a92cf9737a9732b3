//===- Winograd.h - Convolutions with transformed weights -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A Convolution with with_winograd=true has weights transformed for Winograd's
// F(m,r) along the width (Fmnrs=[m,r]) or F(m x n, r x s) ([m,n,r,s]), and
// states tiles where others state the window and its step: kernel = m + r - 1,
// stride = m. Its integer meaning is fully given by its keys:
//
//   M[o,t] = sum over c of W[o,t,c] * (B^T d B)[t,c]    of a tile d, tap t
//   Y = A^T (M << winograd_tap_shift) A
//   acc = (Y >> winograd_output_shift) + bias, then as any convolution
//
//   if (std::optional<WinogradForm> form = winogradOf(op))
//     ... form->x.outputs, form->x.at(0, 1), form->tapShift(o, t) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CONV_WINOGRAD_H
#define YARROW_DIALECTS_COMPASS_CONV_WINOGRAD_H

#include "dialects/compass/WindowShape.h"
#include "kernels/conv/Conv.h"
#include "support/Winograd.h"

namespace yarrow::compass {

/// The largest value of winograd_tap_shift.
constexpr int64_t kMaxWinogradTapShift = 15;

/// The transforms of a layer with with_winograd=true. The 1-D form has F(1,
/// kernel_y) along the height: its rows are summed as they are.
struct WinogradForm {
  WinogradMatrices y, x;
  bool is2D = false;
  /// [output][tap], tap = row * x.tile() + column; empty: all are 0.
  llvm::ArrayRef<uint8_t> tapShifts;
  unsigned outputShift = 0;

  unsigned taps() const { return y.tile() * x.tile(); }
  unsigned tapShift(int64_t output, unsigned tap) const {
    return tapShifts.empty() ? 0 : tapShifts[output * taps() + tap];
  }
};

/// Whether a layer says with_winograd=true.
bool isWinogradLayer(mlir::Operation *op);

/// The keys by which a layer has a form that only Yarrow reads: Fmnrs for
/// another than F(2,3), shifts of our own. Empty for other layers.
llvm::SmallVector<llvm::StringRef> ownWinogradKeys(mlir::Operation *op);

/// nullopt if the layer is not of that form, and for tiles above
/// kMaxWinogradTile, which are not executed. The rest is right if the layer's
/// shape was inferred.
std::optional<WinogradForm> winogradOf(mlir::Operation *op);

/// For shape inference: checks the keys of Winograd against each other and the
/// weights, and replaces the tiles in \p axes by the window behind them. Of a
/// layer without with_winograd it checks that it has none of these keys.
mlir::LogicalResult undoWinograd(mlir::Operation *op,
                                 const ConstantView &weights,
                                 llvm::MutableArrayRef<WindowAxis> axes);

/// Parameters of the kernel, from \p conv whose window is that of the tiles;
/// emits an error if the layer cannot be executed.
mlir::FailureOr<kernels::Conv2DWinogradParams>
winogradParams(mlir::Operation *op, const kernels::Conv2DIntParams &conv);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_CONV_WINOGRAD_H
