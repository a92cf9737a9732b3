//===- ConvLayer.h - A convolution in the tensor engine's terms -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Convolution, depthwise convolution and fully connected layers (a 1x1
// convolution over rows) as the tensor engine sees them: the fields of the
// command that do not depend on the tile, the constants that they point to, and
// the proof that no sum exceeds the accumulators.
//
//   ConvLayer layer;
//   if (!describeConv(call, layer) || !fitsAccumulator(layer)) return false;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_CONVLAYER_H
#define YARROW_PASSES_LOWER_DESCRIBE_CONVLAYER_H

#include "dialects/compass/LayerProgram.h"
#include "isa/Descriptors.h"
#include "isa/Machine.h"
#include "kernels/Params.h"
#include "kernels/arithmetic/Eltwise.h"

namespace yarrow::npu {

using compass::KernelCall;

/// Outputs that one command of a tile computes, when not all: those at row,
/// column of each tile of outputs (Winograd's tiles on a machine without the
/// mode, the strides of a transposed convolution). Its windows begin at startY,
/// startX of the tile's inputs.
struct ConvPhase {
  uint32_t row = 0, column = 0;
  uint32_t startY = 0, startX = 0;
  uint32_t kernelY = 0, kernelX = 0; ///< 0: the layer's
  uint32_t columns = 0; ///< Outputs of a row; 0: all from `column` on.
};

/// A kernel's columns as channels (ConvFold.h).
struct ConvFold {
  uint32_t kernelX = 0; ///< of the layer; 0: not folded
  uint32_t padLeft = 0; ///< of the layer
  /// Of a row of the input in SRAM, those of padding included.
  uint32_t columns = 0;
  /// Whether columns of padding lie among those of the input: then a tile has a
  /// copy of its own, wherever the input is.
  bool isPadded = false;
};

/// A ConvLayer's fields.
struct ConvFields {
  isa::Conv base; ///< everything that does not depend on the tile
  uint32_t batch = 1, inH = 1, inW = 1, inC = 1, outH = 1, outW = 1, outC = 1;
  uint32_t groups = 1;
  bool depthwise = false;
  uint64_t inElem = 1, outElem = 1, weightElem = 1, residualElem = 1;
  /// The input lies in DDR plane by plane, a channel each: tiles put their rows
  /// in order as they load them.
  bool isInputPlanar = false;
  /// From a pixel of the result to the next one; 0: they touch. Others'
  /// channels lie between them only in SRAM.
  uint64_t outPitchBytes = 0;
  /// Weights per output channel, of phases that have the layer's kernel.
  uint64_t filterElements = 0;
  kernels::Requant requant;
  bool hasResidual = false;
  /// [phase][channel][...]
  compass::ConstantView weights;
  bool hasPhaseBiases = false; ///< biases are [phase][channel]
  /// Scales and shifts if requant.perChannel, slopes of PRELU, tap shifts of
  /// Winograd or nothing.
  compass::ConstantView biases, scales, shifts, slopes, tapShifts;
  /// Behind views, if derived.
  std::vector<char> ownWeights, ownBiases, ownScales, ownShifts, ownSlopes;

  /// Output rows are cut in multiples of tileRows, which see tileSpan rows of
  /// the input; the next ones begin tileStep rows further down.
  uint32_t tileRows = 1, tileSpan = 1, tileStep = 1;
  llvm::SmallVector<ConvPhase, 4> phases = {ConvPhase()};
  uint32_t phaseRows = 1, phaseColumns = 1; ///< phases along both axes
  ConvFold fold;
};

struct ConvLayer : ConvFields {
  ConvLayer() = default;
  // Views of constants may point into ownWeights and ownBiases.
  ConvLayer(const ConvLayer &) = delete;
  ConvLayer &operator=(const ConvLayer &) = delete;
  /// With views into its own.
  void copyFrom(const ConvLayer &other);

  /// Input rows that so many output rows need, padding included.
  uint64_t inputRows(uint32_t outRows) const {
    return (llvm::divideCeil(outRows, tileRows) - 1) * uint64_t(tileStep) +
           tileSpan;
  }
  /// Output channels are cut in multiples of this.
  uint32_t channelUnit() const {
    return depthwise ? outC / inC : outC / groups;
  }
  bool splitsInput() const { return depthwise || groups > 1; }
  /// Weights per output channel of a phase, and those of all channels of the
  /// phases before it.
  uint64_t filterElementsOf(uint32_t phase) const;
  uint64_t firstWeightOf(uint32_t phase) const;
  /// Outputs of a row that a phase computes.
  uint32_t columnsOf(const ConvPhase &phase) const {
    return phase.columns ? phase.columns
                         : llvm::divideCeil(outW - phase.column, phaseColumns);
  }
  /// The multiplier of an output channel.
  int32_t scaleOf(uint64_t channel) const;
  /// Multiplications that the engine does.
  uint64_t macs() const;
};

/// Geometry, requantization and constants of the kernel call; false if the
/// engine lacks something. Of a Winograd layer it describes the convolution
/// behind it, with weights that are not yet those of any command
/// (ConvWinograd.h).
bool describeConv(const KernelCall &call, ConvLayer &layer);

/// Activation, zero point and bounds of a command's own result.
void setActivation(const kernels::Requant &requant, isa::Conv &command);
/// Whether the output stage has this multiplier of a tensor, shift and
/// rounding.
bool isEngineRequant(const kernels::Requant &requant,
                     const isa::Machine &machine);
/// The activation behind a function of two tensors; nullopt if it has none.
std::optional<isa::Activation> sumActivationOf(const kernels::Requant &requant);
/// Whether it rounds all products of values up to \p most exactly: those with
/// slopes and with the multiplier keep within 2^62.
bool roundsExactly(double most, const kernels::Requant &requant);

/// Scales, shifts and the rounding of a layer whose constants are there; false
/// if the engine lacks them.
bool describeRequant(ConvLayer &layer);

/// The magnitude that an element has at most, with its zero point.
double mostOf(kernels::DType type, int32_t zeroPoint);
/// Whether the output stage has the arithmetic of this function of two tensors,
/// with whatever slopes of 16 bits.
bool isEngineSum(const kernels::EltwiseIntParams &sum,
                 const isa::Machine &machine);
/// The fields of such a function, of which the command's own result is the
/// first operand or the second one.
void describeSum(const kernels::EltwiseIntParams &sum, bool isFirst,
                 isa::Conv &command);
/// Whether the machine has multipliers as wide as the layer's.
bool hasScales(const ConvLayer &layer, const isa::Machine &machine);

/// Adds a function of two tensors, of which the layer makes an operand; false
/// if the command has no room for its slopes.
bool describeResidual(mlir::Operation *join, unsigned convOperand,
                      ConvLayer &layer);

/// Adds the look-up table; its result is what the command writes.
bool describeTable(const KernelCall &lookup, ConvLayer &layer);

/// Does every sum, in any order, fit the accumulators, and its product with the
/// scale the output stage? Not for layers in Winograd's mode.
bool fitsAccumulator(const ConvLayer &layer);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_CONVLAYER_H
