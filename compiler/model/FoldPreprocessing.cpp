//===- FoldPreprocessing.cpp - Mean and scale as layers -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/model/FoldPreprocessing.h"
#include "compiler/data/pictures/PictureAxes.h"
#include "compiler/model/Models.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/conv/ConvOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/States.h"
#include "dialects/compass/movement/MovementOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "support/diagnostics/Files.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// Layers behind the network's input.
class PixelLayers {
public:
  PixelLayers(Value input, const PictureOptions &options)
      : options(options), builder(input.getContext()),
        name(layerNameOf(input.getDefiningOp()).str()), place(input.getLoc()) {
    builder.setInsertionPointAfterValue(input);
  }

  /// The network's old input, from pixels.
  Value make(Value pixels, bool isFirst) {
    if (!isFirst)
      return convolution(pixels);
    Value last = transposed(pixels, {0, 2, 3, 1}, "_channels_last");
    return transposed(convolution(last), {0, 3, 1, 2}, "_channels_first");
  }

private:
  template <typename Op>
  Value layer(Value x, ArrayRef<int64_t> shape, const std::string &suffix,
              ArrayRef<NamedAttribute> keys) {
    std::string own = name + suffix;
    auto named = NameLoc::get(builder.getStringAttr(own), place);
    OperationState state(named, Op::getOperationName());
    state.addOperands(x);
    state.addTypes(plainType(builder.getContext(), shape, DType::F32));
    state.addAttributes(keys);
    state.addAttribute(kTopNamesAttr, builder.getStrArrayAttr({own + "_0"}));
    return builder.create(state)->getResult(0);
  }

  Value transposed(Value x, ArrayRef<int64_t> perm, const char *suffix) {
    SmallVector<int64_t> shape;
    for (int64_t axis : perm)
      shape.push_back(describe(x).shape[std::size_t(axis)]);
    return layer<TransposeOp>(
        x, shape, suffix,
        builder.getNamedAttr("perm", builder.getDenseI64ArrayAttr(perm)));
  }

  Value convolution(Value x) {
    std::size_t channels = options.numChannels();
    std::vector<float> weights(channels * channels, 0), biases;
    for (std::size_t c = 0; c < channels; ++c) {
      bool isReversed = options.channels == PictureChannels::Bgr;
      std::size_t from = isReversed ? channels - 1 - c : c;
      weights[c * channels + from] = options.scaleOf(c);
      biases.push_back(-options.meanOf(c) * options.scaleOf(c));
    }
    auto count = int64_t(channels);
    SmallVector<NamedAttribute> keys;
    auto set = [&](StringRef key, Attribute value) {
      keys.push_back(builder.getNamedAttr(key, value));
    };
    set("weights", constant("weights", {count, 1, 1, count}, weights));
    set("biases", constant("biases", {count}, biases));
    set("num_output", builder.getI64IntegerAttr(count));
    for (const char *key : {"kernel_x", "kernel_y", "stride_x", "stride_y",
                            "dilation_x", "dilation_y", "group"})
      set(key, builder.getI64IntegerAttr(1));
    for (const char *key : {"pad_left", "pad_right", "pad_top", "pad_bottom"})
      set(key, builder.getI64IntegerAttr(0));
    return layer<ConvolutionOp>(x, describe(x).shape, "_pixels", keys);
  }

  ElementsAttr constant(const char *key, ArrayRef<int64_t> shape,
                        const std::vector<float> &values) {
    return makeConstantOf<float>(builder.getContext(), name + "_pixels." + key,
                                 shape, DType::F32, values);
  }

  const PictureOptions &options;
  OpBuilder builder;
  std::string name;
  Location place;
};

} // namespace

/// Pixels of the network's order with no mean and no scale need no layer.
static bool isIdentity(const PictureOptions &options) {
  bool isSame = options.channels != PictureChannels::Bgr;
  for (std::size_t c = 0; c < options.numChannels(); ++c)
    isSame &= options.meanOf(c) == 0 && options.scaleOf(c) == 1;
  return isSame;
}

bool yarrow::foldPreprocessing(ModuleOp module, const PictureOptions &options,
                               yarrow::DiagnosticEngine &diags) {
  SmallVector<Value> inputs = callerInputValues(mainGraph(module));
  if (inputs.size() != 1 || describe(inputs[0]).dtype != DType::F32) {
    diags
        .report(diag::PictureForm, {modelNameOf(module)},
                "fold_preprocessing needs a network with one float input")
        .found(std::to_string(inputs.size()) + " inputs, the first of " +
               dtypeName(describe(inputs[0]).storedType()).str())
        .hint("leave fold_preprocessing out: Yarrow then prepares the pictures "
              "outside of the network");
    return false;
  }
  auto shape = describe(inputs[0]).shape;
  auto axes = findPictureAxes({shape.begin(), shape.end()}, options,
                              modelNameOf(module), diags);
  if (!axes)
    return false;
  if (isIdentity(options))
    return true;
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : inputs[0].getUses())
    uses.push_back(&use);
  Value prepared =
      PixelLayers(inputs[0], options).make(inputs[0], axes->isFirst);
  for (OpOperand *use : uses)
    use->set(prepared);
  return true;
}
