//===- StageEngine.h - The engine's output stage on chosen sums -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Runs the output stage of the simulated tensor engine, the machine's own code
// with all its vectors, on sums that a proof chooses. No other code of this
// folder uses the engine.
//
//   StageEngine engine(conv, constants, /*pixels=*/256);
//   engine.setSums(sums);
//   engine.run(/*residual=*/-3, results);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_STAGEENGINE_H
#define YARROW_PROVE_STAGEENGINE_H

#include "isa/Descriptors.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace yarrow::prove {

/// What a command reads beside its operands, as in SRAM.
struct StageConstants {
  std::vector<uint8_t> bias, scales, shifts, slopes, lut;
  bool operator==(const StageConstants &) const = default;
};

class StageEngine {
public:
  /// \p constants outlive it. Sums of so many pixels are done at a time.
  StageEngine(const isa::Conv &conv, const StageConstants &constants,
              uint32_t pixels);
  ~StageEngine();
  StageEngine(const StageEngine &) = delete;
  StageEngine &operator=(const StageEngine &) = delete;

  /// Of all runs that follow: [pixels][outChannels], without bias.
  void setSums(const std::vector<int64_t> &sums);
  /// The same residual joins all; \p results are as the sums.
  void run(int64_t residual, std::vector<int32_t> &results);

private:
  struct Stage;
  std::unique_ptr<Stage> stage;
};

} // namespace yarrow::prove

#endif // YARROW_PROVE_STAGEENGINE_H
