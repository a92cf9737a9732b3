//===- StageProof.h - Whether output stages are what they mean --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Collects the convolutions of a program with the constants that they read, and
// proves for each channel: its sums fit the accumulators and its products 2^62,
// whatever the input; and the engine's function from sums to results is the
// defined one for every sum that these weights can give. If there are few sums,
// all are tried; otherwise the ends of all pieces on which the result is
// constant (docs/prove.md says why that suffices). Equal stages are tried once.
//
//   StageProof stages(executable, problems, certificate, options);
//   stages.add(command, sram);   // for each command, in order
//   stages.run();                // on all threads
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_STAGEPROOF_H
#define YARROW_PROVE_STAGEPROOF_H

#include "prove/Certificate.h"
#include "prove/CommandBytes.h"
#include "prove/CommandStream.h"
#include "prove/ConstantProof.h"
#include "prove/KnownBytes.h"
#include "prove/Problems.h"
#include "prove/StageJob.h"
#include <functional>
#include <map>
#include <set>

namespace yarrow::prove {

struct StageOptions {
  /// Sums, constants and output stages; otherwise the command stream alone.
  bool outputStages = true;
  /// Try every sum, however many there are.
  bool everySum = false;
  std::function<void(size_t done, size_t total)> progress;
};

class StageProof {
public:
  StageProof(const runtime::Executable &executable, Problems &problems,
             Certificate &certificate, const StageOptions &options);

  void add(const StreamCommand &command, const KnownBytes &sram);
  /// To compare the engine's function of one with the definition of the other:
  /// of a command they are the same.
  void addJob(StageJob engine, StageJob meant);
  void run();

private:
  void addConv(const StreamCommand &command, const isa::Conv &conv,
               const KnownBytes &sram);
  void addProduct(const StreamCommand &command, const isa::MatMul &product,
                  const KnownBytes &sram);
  void addPool(const StreamCommand &command, const isa::Pool &pool,
               const KnownBytes &sram);
  const SumBounds &boundsOf(const isa::Conv &conv,
                            std::span<const uint8_t> weights);
  bool joinPartials(const isa::Conv &conv, std::vector<SumRange> &sums) const;
  void notePartials(const StreamCommand &command,
                    const std::vector<SumRange> &sums);
  bool checkSums(const StreamCommand &command, const isa::Conv &conv,
                 const std::vector<SumRange> &sums, int64_t largest);
  void notShown(int64_t layer, std::string_view what, std::string_view why);

  const runtime::Executable &e;
  Problems &problems;
  Certificate &certificate;
  StageOptions options;
  std::map<uint64_t, SumBounds> knownBounds; ///< By digest.
  /// What partial sums at an address of the SRAM can be.
  struct Partials {
    int64_t begin, end;
    std::vector<SumRange> sums;
  };
  std::vector<Partials> partials;
  std::set<uint64_t> seen; ///< Digests of stages.
  /// A comparison that is still to be made, on any thread.
  struct Task {
    std::function<StageFinding()> compare;
    int64_t layer = -1;
    std::string name;
    uint64_t numStages = 1;
  };
  std::vector<Task> tasks;
  ConstantProof constantProof;
};

} // namespace yarrow::prove

#endif // YARROW_PROVE_STAGEPROOF_H
