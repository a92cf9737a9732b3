//===- Layers.h - What the families' C++ shares ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Pieces of inferShapes and buildProgram that many layers need: requantization
// and fused activation from the IR keys, windows, axes.
//
//   kernels::Conv2DIntParams p;
//   if (failed(buildRequant(op, out, p.requant))) return failure();
//   program.call<kernels::Conv2DInt>(p);
//   bindWeighted(op, program.last()); // input, weights ... output
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_LAYERS_H
#define YARROW_DIALECTS_COMPASS_LAYERS_H

#include "dialects/compass/Compass.h"
#include "dialects/compass/Keys.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/Tensors.h"
#include "kernels/Params.h"

namespace yarrow::compass {

/// A layer is computed in integers if its first result is quantized or integer
/// and so is its first operand, unless its integers stand for the real numbers
/// that it computes (Compat.h).
bool isIntegerLayer(mlir::Operation *op);

/// Scale, shift, zero point, range and fused activation of an integer layer
/// whose result is \p out. Reads scale_value/shift_value (or scale/shift
/// tensors) and the with_activation keys; \p activationKey names the key that
/// holds the activation ("with_activation", or "method" of Activation). Emits
/// an error on inconsistent keys.
mlir::LogicalResult buildRequant(mlir::Operation *op, const TensorInfo &out,
                                 kernels::Requant &requant,
                                 WordKey activationKey = keys::with_activation);

/// The float form of the same.
mlir::LogicalResult
buildFloatAct(mlir::Operation *op, kernels::FloatAct &act,
              WordKey activationKey = keys::with_activation);

/// Binds input, output, and of weights, bias, scale, shift and PRELU slope
/// those that the kernel has and the layer has constants for.
void bindWeighted(mlir::Operation *op, KernelCall &call);

/// The tensor-valued key \p name, or null.
mlir::ElementsAttr tensorKey(mlir::Operation *op, TensorKey name);
/// Value(s) of an Ints key as a vector; empty when absent.
llvm::SmallVector<int64_t> intsKey(mlir::Operation *op, IntsKey name);
/// A word key in upper case, or \p fallback.
std::string wordKey(mlir::Operation *op, WordKey name,
                    llvm::StringRef fallback = "");

/// The layer lacks a key that its kernel needs.
LayerError missingKey(mlir::Operation *op, KeyName key);

/// Wraps a negative axis and checks the range; emits an error on \p op.
mlir::FailureOr<int64_t> normalizeAxis(mlir::Operation *op, int64_t axis,
                                       int64_t rank);

/// numpy-style broadcast of two shapes, extended by Compass's integer multiples
/// (a dimension that divides the other repeats); nullopt if they do not fit.
std::optional<llvm::SmallVector<int64_t>>
broadcastShapes(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);

/// What a window op reads from its keys (kernel_x, stride_y, pad_left ...).
struct WindowKeys {
  int64_t kernelY, kernelX, strideY, strideX, dilationY, dilationX;
  int64_t padTop, padBottom, padLeft, padRight;
};
WindowKeys windowKeys(mlir::Operation *op);
/// Refuses windows that the kernels do not take.
mlir::LogicalResult checkWindow(mlir::Operation *op, const WindowKeys &w);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_LAYERS_H
