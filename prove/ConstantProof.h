//===- ConstantProof.h - Whether constants are those of the IR --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The provenance states the integers by which the IR defines a layer: biases,
// multipliers, shifts, a digest of each filter and of tables, the range of its
// result. A convolution that has the layer's filters unchanged, or some of
// their channels, must have these numbers. Lowering can give a layer another
// form (Winograd's, a decomposition). Then nothing can be compared, and the
// certificate says so.
//
//   ConstantProof constants(executable, problems, certificate);
//   constants.check(command, conv, weights, channels, table);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_CONSTANTPROOF_H
#define YARROW_PROVE_CONSTANTPROOF_H

#include "prove/Certificate.h"
#include "prove/CommandStream.h"
#include "prove/Problems.h"
#include "prove/StageDefinition.h"

namespace yarrow::prove {

class ConstantProof {
public:
  ConstantProof(const runtime::Executable &executable, Problems &problems,
                Certificate &certificate)
      : e(executable), problems(problems), certificate(certificate) {}

  /// Of a command that writes results. \p weights are as in SRAM.
  void check(const StreamCommand &command, const isa::Conv &conv,
             std::span<const uint8_t> weights,
             const std::vector<StageChannel> &channels,
             std::span<const int32_t> table);

private:
  struct Match;
  static Match findChannels(const isa::Conv &conv,
                            std::span<const uint8_t> weights,
                            const std::vector<StageChannel> &channels,
                            const runtime::ProvenanceIntegers &stated);
  void compare(const StreamCommand &command, size_t channel,
               std::string_view what, int64_t found, int64_t expected);
  void checkSum(const StreamCommand &command, const isa::Conv &conv,
                const runtime::ProvenanceLayer &layer);
  void checkResult(const StreamCommand &command, const isa::Conv &conv,
                   const runtime::ProvenanceLayer &layer);
  void checkTable(const StreamCommand &command,
                  const runtime::ProvenanceLayer &layer,
                  std::span<const int32_t> table);

  const runtime::Executable &e;
  Problems &problems;
  Certificate &certificate;
};

} // namespace yarrow::prove

#endif // YARROW_PROVE_CONSTANTPROOF_H
