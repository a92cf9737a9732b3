//===- ErrorSplit.h - Where the error of a layer comes from -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Takes a layer with weights from floats to integers one step at a time, and
// gives the energy of the change in its result at each step (docs/diagnose.md).
// The first step replaces the float network's inputs by those of the integer
// network; the last one is the integer layer itself.
//
//   std::optional<SplitLayer> split = SplitLayer::create(floatOp, intOp);
//   split->add(inputs, realInputs, floatResult, intResult, parts);
//   parts.share(ErrorPart::WeightRound); // of the signal
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_METRICS_ERRORSPLIT_H
#define YARROW_QUANTIZER_METRICS_ERRORSPLIT_H

#include "dialects/compass/BoundProgram.h"
#include "dialects/compass/Tensors.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace yarrow {

enum class ErrorPart {
  Inherited,   ///< The inputs' error, through the float layer.
  WeightRound, ///< Weights on their grid, none of them clipped.
  WeightClip,  ///< Those beyond the range at its ends.
  Bias,        ///< Integer bias at its effective bits.
  Multiplier,  ///< m / 2^s for output scale / (input scale * weight scale).
  OutputClip,  ///< The result within its range.
  OutputRound, ///< And on its grid.
  Method       ///< What is left: how the integer layer computes.
};
inline constexpr std::size_t kErrorParts = 8;
/// "inherited", "weight_round" and so on.
const char *errorPartName(ErrorPart part);

/// Energies over any number of samples. The steps follow one another, so their
/// errors add up to that of the result; their energies do not where errors are
/// alike or cancel, and the rest is the interaction.
struct ErrorParts {
  std::array<double, kErrorParts> energy{};
  double total = 0, signal = 0;
  /// The largest relative error of a multiplier.
  double multiplierError = 0;

  bool isKnown() const { return signal > 0; }
  double interaction() const;
  /// Noise by signal.
  double share(ErrorPart part) const {
    return energy[std::size_t(part)] / signal;
  }
  /// The part that is largest.
  ErrorPart largest() const;
  void merge(const ErrorParts &other);
};

class SplitLayer {
public:
  /// Nullopt for layers without weights of the same form in both networks.
  static std::optional<SplitLayer> create(mlir::Operation *floatOp,
                                          mlir::Operation *intOp);

  /// \p inputs are those of the integer network as real numbers; the results
  /// those of the two networks, as real numbers. May be called from several
  /// threads.
  void add(std::span<const float> input, std::span<const float> floatResult,
           std::span<const float> intResult, ErrorParts &parts) const;

private:
  SplitLayer() = default;
  std::vector<float> run(const compass::BoundProgram &program,
                         std::span<const float> input) const;

  /// The float layer: as it is; with its weights on their grid, those clipped
  /// that are; and with the bias of the integers.
  compass::BoundProgram asIs, rounded, clipped, withBias;
  bool clipsWeights = false;
  compass::TensorInfo result;
  /// By channel of the result: m / 2^s by what it stands for.
  std::vector<float> multiplierRatio;
  /// A result at this bound is clipped by the layer's activation, whatever the
  /// multiplier.
  std::optional<float> activationMax;
  double multiplierError = 0;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_METRICS_ERRORSPLIT_H
