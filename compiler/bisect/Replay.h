//===- Replay.h - One layer with its operands, as a network -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Writes what computes one result, from the nearest results that are known on,
// as an IR of its own, with the operands as its inputs, what should come out of
// it and what has:
//
//   layer.txt layer.bin input.npy input1.npy ... expected.npy actual.npy
//
//   yarrow eval layer.txt -i input.npy -o out.npy
//   yarrow compile layer.txt -o layer.aipu && yarrow run layer.aipu -i
//   input.npy
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_BISECT_REPLAY_H
#define YARROW_COMPILER_BISECT_REPLAY_H

#include "compiler/bisect/NetworkRun.h"

namespace yarrow {

struct ReplayFiles {
  std::string text, weights, expected, actual;
  std::vector<std::string> inputs;
};

/// The files that will be in \p folder, of \p numInputs inputs.
ReplayFiles replayFiles(const std::string &folder, std::size_t numInputs);

/// \p known has the operands by the names of their tensors; what is not in it
/// is computed by the written network as well. Nullopt after errors.
std::optional<ReplayFiles>
writeReplay(const NetworkRun &network, const LayerResult &expected,
            const LayerResult &found, const Execution &known,
            const std::string &folder, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_BISECT_REPLAY_H
