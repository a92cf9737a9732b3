//===- LayerContext.h - What a rule sees of a layer and does to it --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Rules turn a float layer into an integer one in place: they set the result
// types and the integer keys. Layers are visited in order, so the operands'
// types already say how they are quantized.
//
//   LinearParams in = layer.input(0);
//   LinearParams out = layer.outputParams(/*isSigned=*/true);
//   layer.setRequant(approximateScale(out.scale / in.scale, bits), bits);
//   layer.setOutput(0, out);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_RULES_LAYERCONTEXT_H
#define YARROW_QUANTIZER_RULES_LAYERCONTEXT_H

#include "dialects/compass/Compass.h"
#include "dialects/compass/Keys.h"
#include "dialects/compass/Tensors.h"
#include "quantizer/calibrate/Calibrate.h"
#include "quantizer/options/QuantizerOptions.h"
#include "quantizer/rules/GraphBorders.h"
#include "quantizer/rules/TensorParams.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <string>
#include <vector>

namespace yarrow {

/// What layers of a network share while it is quantized.
struct QuantizerState {
  const Calibration &calibration;
  GraphBorders &borders;
  DiagnosticEngine &diags;
  /// Tensors of plain integers such as indices: scale 1, never rescaled.
  llvm::DenseSet<mlir::Value> invariant;
  /// The layer in hand has a tensor or a ratio without a scale (QuantRange).
  bool hasNoScale = false;
  /// Why the layer in hand has no integer form (LayerContext::stayInFloats);
  /// empty if it may have.
  std::string staysInFloats = {};
  /// Tensors whose range was asked for and that nothing says one of.
  std::vector<std::string> unknown = {};
};

class LayerContext {
public:
  LayerContext(mlir::Operation *op, const LayerOptions &options,
               QuantizerState &state)
      : op(op), options(options), state(state) {}

  mlir::Operation *const op;
  const LayerOptions options;

  //===--- What the layer has ---------------------------------------------===//

  unsigned numInputs() const { return op->getNumOperands(); }
  /// How operand \p index is quantized.
  LinearParams input(unsigned index) const;
  bool isInvariant(unsigned input) const;
  /// Whether a tensor of the network has been quantized and is not invariant.
  bool isScaled(mlir::Value value) const;
  /// Calibrated range of result \p index.
  FloatRange range(unsigned index = 0) const;
  FloatRange extrema(unsigned index = 0) const;
  /// Calibrated range of operand \p index.
  FloatRange inputRange(unsigned index) const;
  /// Calibrated range of what lies between the kernels of the layer, over all
  /// its steps (dialects/compass/LayerProgram.h).
  FloatRange intermediateRange(llvm::StringRef name) const;
  /// Notes \p value as unknown (QuantizerState) if nothing says its range. For
  /// rules that do not ask for it here.
  void askFor(mlir::Value value) const;
  /// What the IR says of the weights, or of one output channel of them.
  std::optional<FloatRange>
  weightRangeInIr(std::optional<std::size_t> channel = {}) const {
    return state.calibration.weightRangeInIr(op, channel);
  }
  /// What a method of global_calibration has chosen for them.
  std::optional<FloatRange>
  weightRangeSet(std::optional<std::size_t> channel = {}) const {
    return state.calibration.weightRangeSet(op, channel);
  }
  /// Whether a file says how result \p index becomes integers.
  bool hasEncoding(unsigned index = 0) const {
    return state.calibration.encodingOf(op->getResult(index));
  }
  /// The same of the weights, or of one output channel of them; or null.
  const TensorEncoding *
  weightEncoding(std::optional<std::size_t> channel = {}) const {
    return state.calibration.weightEncodingOf(op, channel);
  }
  /// How \p value is quantized if it goes into or out of a sub-graph.
  const GraphBorder *border(mlir::Value value) const {
    return state.borders.of(value);
  }
  /// Scale and zero point for result \p index at the layer's options, or as a
  /// file says.
  LinearParams outputParams(bool isSigned, unsigned index = 0) const;
  /// The same for a tensor with the values of \p r.
  LinearParams rangeParams(const FloatRange &r, unsigned bits,
                           bool isSigned) const;
  std::vector<int64_t> shapeOf(mlir::Value value) const;
  /// A table of \p f with as many items as the options say, or, where they fit
  /// tables, as f asks for.
  std::vector<int64_t> tableOf(const std::function<double(double)> &f,
                               const LinearParams &from,
                               const LinearParams &to) const;

  /// Keys; the word is in upper case.
  std::string word(compass::WordKey name, llvm::StringRef fallback = "") const;
  std::optional<double> number(compass::NumericKey name) const;
  std::vector<int64_t> ints(compass::IntsKey name) const;
  std::vector<std::string> words(compass::WordsKey name) const;
  /// The constant \p name as floats and its shape; nullopt if absent.
  struct FloatConstant {
    std::vector<float> values;
    std::vector<int64_t> shape;
  };
  std::optional<FloatConstant> floats(compass::TensorKey name) const;

  //===--- What the rule decides ------------------------------------------===//

  /// The multiplier and shift for \p ratio; QuantRange if there is none.
  ScaleApproximation approximate(float ratio, unsigned multiplierBits,
                                 int32_t maxShift = 31);
  void checkMultiplier(const ScaleApproximation &r);
  /// The layer has another multiplier than its scales ask for.
  void warnOfForcedShift() const;
  /// QuantRange if \p params have no positive finite scale.
  void setOutput(unsigned index, const LinearParams &params,
                 bool isInvariant = false);
  /// Result \p index has operand \p from's scale, zero point and type.
  void shareWithInput(unsigned index = 0, unsigned from = 0);
  /// Keys that every layer of integer IR has.
  void setCommonKeys();
  /// Puts a Cast before operand \p index that gives it \p params, with a
  /// multiplier of the options' width or of \p multiplierBits.
  void castInput(unsigned index, const LinearParams &params,
                 std::optional<unsigned> multiplierBits = {});
  /// The same for plain integers, which stay such.
  void castInvariant(unsigned index, const LinearParams &params) {
    castInput(index, params);
    state.invariant.insert(op->getOperand(index));
  }
  /// scale_value and shift_value with their types.
  void setRequant(ScaleApproximation r, unsigned multiplierBits);
  /// The same with several entries.
  void setRequants(llvm::ArrayRef<ScaleApproximation> requants,
                   unsigned multiplierBits);
  /// scale and shift tensors, one entry per channel.
  void setRequantTensors(const std::vector<ScaleApproximation> &requant,
                         compass::DType scaleType);
  void setFlag(compass::BoolKey name, bool value);
  void setInt(compass::NumericKey name, int64_t value);
  void setInts(compass::IntsKey name, llvm::ArrayRef<int64_t> values);
  /// The same of a key X_value, with the text X_type beside it, which says how
  /// the reference tools would store the integers.
  void setTypedInts(compass::IntsKey name, llvm::ArrayRef<int64_t> values,
                    llvm::StringRef types);
  void setWord(compass::WordKey name, llvm::StringRef value);
  void setTensor(compass::TensorKey name, llvm::ArrayRef<int64_t> shape,
                 compass::StoredType type, llvm::ArrayRef<int64_t> values);
  /// A constant that the operator's record does not know.
  void setExtraTensor(llvm::StringRef name, llvm::ArrayRef<int64_t> shape,
                      compass::StoredType type, llvm::ArrayRef<int64_t> values);
  void setExtraTensor(llvm::StringRef name, llvm::ArrayRef<float> values);
  /// A key that the operator's record does not know, as text.
  void setExtra(llvm::StringRef name, llvm::StringRef text);
  void remove(compass::KeyName name);

  /// Reports that the layer cannot be quantized this way, at the line of \p key
  /// if one says so; returns false.
  bool unsupported(const std::string &message, const std::string &hint = "",
                   llvm::StringRef key = "");
  /// Reports that the layer is computed in float16, as its options have no
  /// integer form; returns false. Before the rule has changed anything.
  bool stayInFloats(const std::string &message, const std::string &hint);
  /// Reports that the values have no scale (QuantRange). The first reason of a
  /// layer is told, the others come of it: null for those.
  Diagnostic *failWithoutScale(const std::string &message) const;

private:
  FloatRange finite(FloatRange range, const std::string &name) const;

  QuantizerState &state;
  std::string constantName(llvm::StringRef name) const;
};

/// A key that the operator's record does not know, as text.
void setExtraKey(mlir::Operation *op, llvm::StringRef name,
                 llvm::StringRef text);

/// What a Quantize or DeQuantize says of its tensor of integers beside the
/// tensor's type: the scale as the reference tools write it.
void setConversionKeys(mlir::Operation *conversion,
                       const compass::TensorInfo &stored);

/// A float as IR text spells it: the double nearest to it.
std::string floatText(float value);

} // namespace yarrow

#endif // YARROW_QUANTIZER_RULES_LAYERCONTEXT_H
