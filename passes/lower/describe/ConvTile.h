//===- ConvTile.h - The commands of a convolution that is cut -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The commands and copies of a convolution's tiles, as descriptors without
// addresses, and the order of all tiles. chooseTiling sums the costs of these
// commands, and Conv.cpp emits the same commands, so a cut has the cost for
// which it was chosen.
//
//   struct Count : ConvTileVisitor {
//     void compute(const ConvTile &, unsigned, const isa::Conv &) override
//     { ++commands; } ...
//   } count;
//   visitTiles(layer, tiling, {.input = true}, count);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_DESCRIBE_CONVTILE_H
#define YARROW_PASSES_LOWER_DESCRIBE_CONVTILE_H

#include "passes/lower/describe/ConvBlob.h"

namespace yarrow::npu {

/// How a layer is cut: tiles of rows and of output channels, which loop is
/// outside, and how many phases' weights are in SRAM at once: those of one, or
/// of all.
struct ConvTiling {
  uint32_t rows = 0, channels = 0;
  uint32_t phases = 1;
  bool channelsOutside = false;
};

/// Which tensors of the layer are in SRAM as a whole.
struct ConvResidents {
  /// It may be there and have to be copied for its padding; then `input` is
  /// false.
  bool isInputInSram = false;
  bool input = false, output = false, residual = false, weights = false;
};

/// Rows and channels of one image.
struct OutputPart {
  uint32_t image, row, rows, channel, channels;
};

/// Rows and channels of a layer's results, in all images: what one core makes
/// of them.
struct OutputRange {
  uint32_t row = 0, endRow = 0, channel = 0, endChannel = 0;

  static OutputRange all(const ConvLayer &layer) {
    return {0, layer.outH, 0, layer.outC};
  }
  uint32_t rows() const { return endRow - row; }
  uint32_t channels() const { return endChannel - channel; }
};

/// Rows of the layer's input that a part's windows see; padding is none.
struct InputRows {
  uint32_t first, count;
};
InputRows inputRowsUnder(const ConvLayer &layer, const OutputPart &part);

/// An address of `command` or `copy` is an offset in a tensor; it is 0 where
/// the tile has a buffer of its own, of so many bytes.
struct ConvTile {
  OutputPart part;
  isa::Conv command; ///< Of all phases.
  isa::Copy loadInput, loadResidual, storeOutput;
  /// Of columns of padding beside what loadInput brings.
  llvm::SmallVector<isa::Copy, 2> padInput;
  uint64_t inputBytes = 0, residualBytes = 0, outputBytes = 0;
};

ConvTile describeTile(const ConvLayer &layer, const ConvResidents &resident,
                      const OutputPart &part);

/// What computes a phase's outputs of the tile.
isa::Conv commandOfPhase(const ConvLayer &layer, const ConvTile &tile,
                         const ConvPhase &phase);

/// What happens, in order. Tensors that are in SRAM are not copied.
class ConvTileVisitor {
public:
  virtual ~ConvTileVisitor() = default;
  /// The weights of the commands that follow; others are not needed again
  /// before they are loaded again.
  virtual void loadWeights(const WeightPart &part) = 0;
  /// \p hasNewInput: the input of the tile before is not this one's.
  virtual void begin(const ConvTile &tile, bool hasNewInput) = 0;
  /// The command of a phase; its weights are at the beginning of those that
  /// were loaded for \p part.
  virtual void compute(const ConvTile &tile, const WeightPart &part,
                       uint32_t phase, const isa::Conv &command) = 0;
  virtual void end(const ConvTile &tile) = 0;
};

void visitTiles(const ConvLayer &layer, const ConvTiling &tiling,
                const ConvResidents &resident, ConvTileVisitor &visitor,
                const OutputRange &range);
inline void visitTiles(const ConvLayer &layer, const ConvTiling &tiling,
                       const ConvResidents &resident,
                       ConvTileVisitor &visitor) {
  visitTiles(layer, tiling, resident, visitor, OutputRange::all(layer));
}

/// A copy of consecutive bytes.
isa::Copy copyOfBytes(uint64_t sizeBytes);

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_DESCRIBE_CONVTILE_H
