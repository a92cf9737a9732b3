//===- ConvOutput.h - Output stage of a convolution -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What happens to a convolution's sums: earlier partial sums and the bias are
// added, then activation, requantization, residual add and table, or the sums
// themselves are written as partial sums for a later command.
//
//   ConvOutput output(conv, operands);
//   output.write(sums, pitch, y, x, pixels, firstChannel, channels);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SIMULATOR_ENGINE_CONVOUTPUT_H
#define YARROW_SIMULATOR_ENGINE_CONVOUTPUT_H

#include "simulator/engine/FusedOutput.h"
#include "simulator/engine/FusedWide.h"
#include "simulator/engine/IntegerOutput.h"
#include "simulator/engine/Passes.h"
#include <optional>
#include <vector>

namespace yarrow::sim {

class ConvOutput {
public:
  ConvOutput(const isa::Conv &conv, const ConvOperands &operands);

  /// \p sums is [pixels][pitch]; Sum is int32_t or int64_t.
  template <typename Sum>
  void write(const Sum *sums, uint64_t pitch, uint32_t y, uint32_t x,
             uint32_t pixels, uint32_t firstChannel, uint32_t channels);

private:
  /// A run of output elements: whole pixels, or a part of one.
  struct Run {
    uint32_t y, x, pixels;
    uint32_t firstChannel, channels;
    size_t size() const { return size_t(pixels) * channels; }
  };
  /// Numbers per channel. If pixels are narrow, repeated for several pixels, so
  /// that a run of them is one loop.
  struct Tables {
    std::vector<double> bias, factors, slopes;
  };

  void readTables(const ConvOperands &operands);
  void repeatTables(uint32_t pixels);
  void boundResidual();
  /// Whether `fused` does all of the work on 32-bit sums; fills it.
  bool makeFused();
  /// The same for `fusedWide`.
  bool makeFusedWide();
  /// What both of them do, but for scales and the residual.
  bool isFusedForm() const;
  void writeFused(const int32_t *sums, uint64_t pitch, uint32_t y, uint32_t x,
                  uint32_t pixels, uint32_t firstChannel,
                  uint32_t channels) const;
  template <typename Sum> void writePartials(const Sum *sums, const Run &run);
  template <typename Sum> void writeRun(const Sum *sums, const Run &run);
  bool isPlain() const;
  bool isExact(double largest) const;
  void runFast(double *values, const Run &run, int32_t *results);
  template <typename Sum>
  void runIntegers(const Sum *sums, const Run &run, int32_t *results) const;
  int64_t partialAt(const Run &run, size_t i) const;
  template <typename T> void loadResidual(const Run &run, T *to) const;
  void lookUp(int32_t *values, size_t n) const;
  void store(const int32_t *results, const Run &run);

  const isa::Conv &conv;
  ConvOperands at;
  bool is16BitInput;
  uint32_t tablePixels = 1;
  Tables tables;
  double largestScale = 0, largestBias = 0;
  double largestSlope = 0;  ///< Integer multiplier.
  double largestFactor = 1; ///< What an activation can enlarge a sum by.
  bool residualIsExact = true;
  bool isFused = false, isFusedWide = false;
  FusedOutput fused;
  FusedWide fusedWide;
  /// For commands that are often or always beyond doubles.
  std::optional<IntegerOutput> integers;
  bool needsIntegers;
  std::vector<int32_t> lut;
};

} // namespace yarrow::sim

#endif // YARROW_SIMULATOR_ENGINE_CONVOUTPUT_H
