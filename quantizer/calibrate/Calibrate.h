//===- Calibrate.h - Statistics of every tensor over sample inputs --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs the float network on a calibration set and keeps an observer per tensor.
// Samples of a batch run in parallel; their statistics are merged in the
// samples' order, so the ranges do not depend on the number of threads.
//
//   auto calibration = Calibration::run(module, {calib}, options, {}, diags);
//   FloatRange r = calibration->range(value, /*bits=*/8, /*symmetric=*/true);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_CALIBRATE_CALIBRATE_H
#define YARROW_QUANTIZER_CALIBRATE_CALIBRATE_H

#include "dialects/compass/Compass.h"
#include "dialects/compass/Tensors.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Value.h"
#include "quantizer/calibrate/IrRanges.h"
#include "quantizer/math/TensorEncoding.h"
#include "quantizer/observe/Observer.h"
#include "quantizer/options/QuantizerOptions.h"
#include "support/Diagnostics.h"
#include "support/Ranks.h"
#include "support/SampleArrays.h"
#include "support/diagnostics/Quantizer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace yarrow {

/// What arrays for a float network's calibration are: real numbers.
inline constexpr SampleOptions kCalibrationData{diag::QuantCalibration,
                                                /*integersAreReal=*/true};

/// How a .npy file has elements of \p type; bfloat16 as its bits.
NpyType npyTypeOf(compass::DType type);

/// Checked samples for the inputs of @main, in input_index order. Samples of a
/// network with state are the steps of sequences: before anything else is done
/// with them the network runs through them in order, so that each has the state
/// that the steps before it have left. From then on it is a sample like others.
class SampleSet {
public:
  /// Null after errors.
  static std::unique_ptr<SampleSet>
  create(mlir::ModuleOp module, const std::vector<NpyView> &arrays,
         DiagnosticEngine &diags, SampleOptions options = kCalibrationData);
  /// How many times the network can run.
  std::size_t count() const { return samples.count(); }
  std::size_t batch() const { return samples.batch(); }
  bool isFirstOfSequence(std::size_t run) const {
    return samples.isFirstOfSequence(run);
  }
  /// The i-th of \p some runs that are spread over all.
  std::size_t spread(std::size_t i, std::size_t some) const {
    return i * count() / some;
  }
  /// The inputs of run \p sample as the network wants them.
  std::vector<std::vector<char>> inputsOf(std::size_t sample) const;
  /// No run before \p sample is needed again. By one thread at a time.
  void releaseBefore(std::size_t sample) { samples.releaseBefore(sample); }

private:
  using Bytes = std::vector<std::vector<char>>;

  explicit SampleSet(SampleArrays samples) : samples(std::move(samples)) {}
  bool findStates(mlir::ModuleOp module, DiagnosticEngine &diags);

  SampleArrays samples;
  std::vector<std::size_t> stateInputs; ///< Their places, ascending.
  std::vector<Bytes> states;            ///< Of each run, by stateInputs.
};

/// Called with the number of samples done and their total.
using CalibrationProgress = std::function<void(std::size_t, std::size_t)>;

class Calibration {
public:
  /// \p ranks, if there are any, take parts of the samples; the result is the
  /// same on all of them, and the one of a single process.
  static std::unique_ptr<Calibration>
  run(mlir::ModuleOp module, const std::vector<NpyView> &arrays,
      const QuantizerOptions &options, const CalibrationProgress &progress,
      DiagnosticEngine &diags, Ranks *ranks = nullptr);

  /// One without samples that makes a range up where nothing is known: what is
  /// refused then is refused whatever the samples are.
  static Calibration madeUp() {
    Calibration made;
    made.isMadeUp = true;
    return made;
  }

  /// The same for a copy of the module; \p map is what cloning filled.
  Calibration forCopy(const mlir::IRMapping &map) const;

  /// The same statistics for other options; nullopt if they ask for others.
  std::optional<Calibration> forOptions(const QuantizerOptions &options) const;

  /// The range to quantize \p value in; contains 0.
  FloatRange range(mlir::Value value, unsigned bits, bool symmetric) const;
  /// The same of what lies between the kernels of \p op.
  FloatRange range(mlir::Operation *op, llvm::StringRef intermediate,
                   unsigned bits, bool symmetric) const;
  /// Smallest and largest value seen, not widened.
  FloatRange extrema(mlir::Value value) const;
  /// By the strategy in_ir; nullopt where the IR gives none.
  std::optional<FloatRange>
  weightRangeInIr(mlir::Operation *op,
                  std::optional<std::size_t> channel = {}) const;
  /// Lets \p value have the range \p range, whatever was observed.
  void setRange(mlir::Value value, FloatRange range);
  /// The same of values that are partly masked: no method sees the others, and
  /// none changes the range.
  void setMasked(mlir::Value value, FloatRange range);
  bool isMasked(mlir::Value value) const { return masked.contains(value); }
  /// Lets the weights of \p op have these ranges: one of all, or one per output
  /// channel.
  void setWeightRanges(mlir::Operation *op, std::vector<FloatRange> ranges);
  /// The range that was set for the weights, or for an output channel of them.
  std::optional<FloatRange>
  weightRangeSet(mlir::Operation *op,
                 std::optional<std::size_t> channel = {}) const;
  /// Lets \p value have this step and these integers, whatever was observed or
  /// set.
  void setEncoding(mlir::Value value, const TensorEncoding &encoding) {
    encodings[value] = encoding;
  }
  /// Null where none was set.
  const TensorEncoding *encodingOf(mlir::Value value) const;
  /// The same of the weights of \p op: one of all, or one per output channel.
  void setWeightEncodings(mlir::Operation *op,
                          std::vector<TensorEncoding> channels);
  /// Without a channel that of all, if they have one.
  const TensorEncoding *
  weightEncodingOf(mlir::Operation *op,
                   std::optional<std::size_t> channel = {}) const;
  /// Whether anything says what \p value is like. Without samples
  /// (sampleCount() == 0) that may be unknown.
  bool hasRange(mlir::Value value) const;
  bool hasRange(mlir::Operation *op, llvm::StringRef intermediate) const {
    return isMadeUp || between.contains({op, intermediate.str()});
  }
  std::size_t sampleCount() const { return samples; }
  void setSampleCount(std::size_t count) { samples = count; }

  /// Null where nothing is known.
  const Observer *observerOf(mlir::Value value) const;
  /// By layer and name.
  const std::map<std::pair<mlir::Operation *, std::string>, Observer> &
  intermediates() const {
    return between;
  }
  void set(mlir::Value value, Observer observer) {
    observers.insert_or_assign(value, std::move(observer));
  }
  void set(mlir::Operation *op, std::string intermediate, Observer observer) {
    between.insert_or_assign({op, std::move(intermediate)},
                             std::move(observer));
  }
  /// The range of \p value is \p range, whatever its strategy.
  void decideRange(mlir::Value value, FloatRange range);
  /// For the strategy in_ir. Warns of what the IR gives no range for.
  void takeRangesInIr(mlir::ModuleOp module, const QuantizerOptions &options,
                      DiagnosticEngine &diags);

  /// Whether a sample led to \p value: not to all branches of sub-graphs.
  bool hasSeen(mlir::Value value) const;

private:
  llvm::DenseMap<mlir::Value, Observer> observers;
  std::map<std::pair<mlir::Operation *, std::string>, Observer> between;
  std::shared_ptr<const IrRanges> rangesInIr;
  llvm::DenseMap<mlir::Value, FloatRange> rangesSet;
  llvm::DenseSet<mlir::Value> masked; ///< Those of rangesSet that stay.
  llvm::DenseMap<mlir::Operation *, std::vector<FloatRange>> weightsSet;
  llvm::DenseMap<mlir::Value, TensorEncoding> encodings;
  llvm::DenseMap<mlir::Operation *, std::vector<TensorEncoding>>
      weightEncodings;
  std::size_t samples = 0;
  bool isMadeUp = false;
  /// Those that it was made with.
  unsigned batchSize = 1;
};

/// The options of \p op, found by its layer_type, name and layer_id.
LayerOptions optionsOf(mlir::Operation *op, const QuantizerOptions &options);

/// Records each layer's position as its layer_id, so that overrides by
/// layer_id mean the layers of the IR that was read, whatever clean-up does.
void recordLayerIds(mlir::ModuleOp module);
using compass::kLayerIdAttr;

} // namespace yarrow

#endif // YARROW_QUANTIZER_CALIBRATE_CALIBRATE_H
