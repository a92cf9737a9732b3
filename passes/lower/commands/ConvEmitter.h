//===- ConvEmitter.h - The commands of a convolution's tiles ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Gives the commands of tiles their buffers, and emits them with the copies
// that feed them and store their results.
//
//   ConvEmitter emitter(lowering, job);
//   visitTiles(job.layer, tiling, job.resident, emitter);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_COMMANDS_CONVEMITTER_H
#define YARROW_PASSES_LOWER_COMMANDS_CONVEMITTER_H

#include "passes/lower/choose/ConvTiling.h"
#include "passes/lower/commands/Lowering.h"

namespace yarrow::npu {

/// A convolution with what is computed behind it, and where its tensors are.
struct ConvJob {
  explicit ConvJob(const Step &step, mlir::Operation *epilogue = nullptr,
                   const FusedLayer &fused = {})
      : step(step), epilogue(epilogue), fused(fused) {}

  Step step;
  mlir::Operation *epilogue; ///< Or null.
  FusedLayer fused;
  ConvLayer layer;

  Tensor in, out, residual;
  ConvResidents resident;
  /// The look-up table behind it: a layer's, or what a Concat needs.
  compass::BufferBinding table;
  const ConcatTable *concatTable = nullptr;

  mlir::Operation *last() const { return epilogue ? epilogue : step.op; }
  std::string name() const { return compass::layerNameOf(step.op).str(); }
  uint64_t tableBytes() const {
    return layer.base.hasLut ? uint64_t(2) << layer.base.lutLog2Items : 0;
  }
};

/// Gives the commands of all tiles their buffers.
class ConvEmitter final : public ConvTileVisitor {
public:
  ConvEmitter(Lowering &lowering, const ConvJob &job)
      : lowering(lowering), layer(job.layer), name(job.name()), in(job.in),
        out(job.out), residual(job.residual) {}

  mlir::Value table;       ///< in SRAM, or null
  mlir::Value keptWeights; ///< in SRAM, from an earlier call; or null
  bool keepsWeights = false;
  bool hasBytes = true; ///< Constants have them, not only sizes.
  /// Of a cascade: the rows that the layer before has just made, and whether
  /// another one takes this one's.
  mlir::Value chainedInput;
  bool isOutputChained = false;
  mlir::Value lastOutput() const { return outputBuffer; }
  /// \p work counts all weights as they are; some came as streams.
  void countStreams(isa::WorkCost &work) const;

  void loadWeights(const WeightPart &part) override;
  void begin(const ConvTile &tile, bool hasNewInput) override;
  void compute(const ConvTile &tile, const WeightPart &part, uint32_t phase,
               const isa::Conv &command) override;
  void end(const ConvTile &tile) override;

private:
  using Buffers = llvm::SmallVectorImpl<FieldBuffer>;
  bool takesInputInPlace() const {
    return in.inSram && !chainedInput && !layer.fold.isPadded;
  }
  std::string nameOf(llvm::StringRef part) const {
    return name + "." + part.str();
  }
  /// A buffer of the tile's own with what \p copy brings there.
  mlir::Value load(isa::Copy copy, const Tensor &from, uint64_t sizeBytes,
                   llvm::StringRef part, isa::Unit queue);
  void addWeights(const WeightPart &part, uint32_t phase, isa::Conv &d,
                  Buffers &buffers) const;

  Lowering &lowering;
  const ConvLayer &layer;
  std::string name;
  Tensor in, out, residual;
  mlir::Value weightBuffer, inputBuffer, outputBuffer, residualBuffer;
  /// A part's constants in DDR, and how they are loaded.
  struct Blob {
    mlir::Value buffer;
    isa::Copy load;
  };
  Blob makeBlob(const WeightPart &part);

  /// By first channel and phase: constants are stored once.
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, Blob> blobs;
  /// Of loads of streams, and of the same ones if they were none.
  isa::WorkCost streamedWork, plainWork;
};

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_COMMANDS_CONVEMITTER_H
