//===- SampleArrays.h - Arrays of samples for a network's inputs ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The one rule by which data become inputs of a network, for calibration,
// evaluation and runs alike. An array is taken if it has one of these shapes,
// where the first axis of the input is its batch B:
//
//   the input's shape itself         one run
//   [N, ...the input's other axes]   N / B runs; N is a multiple of B
//   [N, elements of the input]       N runs, with the note DataFlat
//
// and if all its numbers are finite and the input can hold them. Everything
// else is an error before anything is computed, which names the transposition
// that would fit. Floats are real numbers, which an integer input quantizes by
// its scale and zero point; what integers are, the caller says.
//
//   auto data = SampleArrays::create(arrays, inputs, {}, diags);
//   for (std::size_t run = 0; data && run < data->count(); ++run)
//     evaluate(data->inputsOf(run));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_SAMPLEARRAYS_H
#define YARROW_SUPPORT_SAMPLEARRAYS_H

#include "support/Diagnostics.h"
#include "support/Npy.h"
#include "support/diagnostics/Files.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace yarrow {

/// An input of a network: what its arrays must fit, and how it stores values.
struct SampleInput {
  std::string name;
  /// Batch first. Empty for a scalar, and where it is not known.
  std::vector<int64_t> shape;
  std::size_t numElements = 1;
  NpyType type = NpyType::Float32; ///< UInt16 for bfloat16.
  bool isBfloat = false;
  // Of integers:
  float scale = 1;
  int64_t zeroPoint = 0;
  int64_t min = 0, max = 0;
  /// "input_0: uint8[1,8,8,1], scale 255, zero point 0"
  std::string text;

  bool isFloat() const {
    return isBfloat || type == NpyType::Float16 || type == NpyType::Float32 ||
           type == NpyType::Float64;
  }
};

/// Whether an array of some shape holds samples of an input.
struct SampleFit {
  std::size_t runs = 0; ///< 0: it does not fit.
  bool isFlat = false;  ///< Its rows do not show the layout.
  /// What would fit, where that can be told.
  std::string problem, hint;
};
SampleFit fitSamples(std::span<const int64_t> shape, const SampleInput &input);

struct SampleOptions {
  /// What is reported for arrays whose number or shape is wrong.
  DiagId code = diag::TensorMismatch;
  /// Integers are real numbers, as a float network sees them, and not what a
  /// quantized input stores.
  bool integersAreReal = false;
};

/// Checked arrays, one for each input.
class SampleArrays {
public:
  /// nullopt after errors.
  static std::optional<SampleArrays> create(std::vector<NpyView> arrays,
                                            std::vector<SampleInput> inputs,
                                            SampleOptions options,
                                            DiagnosticEngine &diags);
  /// How many times the network can run.
  std::size_t count() const { return runs; }
  /// The first input's first axis: as many samples may be in one run.
  std::size_t batch() const;
  /// Whether a sequence begins with \p run (NpyView::sequenceRuns).
  bool isFirstOfSequence(std::size_t run) const;
  /// The bytes of each input for one run. May be called from several threads.
  std::vector<std::vector<char>> inputsOf(std::size_t run) const;
  /// No run before \p run is needed again. By one thread at a time.
  void releaseBefore(std::size_t run);

private:
  bool checkShapes(DiagnosticEngine &diags);
  bool checkValues(std::size_t index, DiagnosticEngine &diags) const;
  std::vector<char> bytesOf(std::size_t index, std::size_t run) const;
  /// Whether integers of the array go into the input as they are.
  bool isStored(std::size_t index) const;

  std::vector<NpyView> arrays;
  std::vector<SampleInput> inputs;
  SampleOptions options;
  std::size_t runs = 0, released = 0;
};

} // namespace yarrow

#endif // YARROW_SUPPORT_SAMPLEARRAYS_H
