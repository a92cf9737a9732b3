//===- TokenModel.h - A network that decodes token by token -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Takes a token, gives the logits of the next one, and keeps what it has seen
// as state: a network that the evaluator computes in floats or integers, or an
// executable on the simulated machine.
//
//   auto model = openNetwork(network, diags);
//   std::vector<float> logits;
//   for (std::int32_t token : prompt)
//     if (!model->step(token, logits, diags)) return false;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_GENERATE_TOKENMODEL_H
#define YARROW_COMPILER_GENERATE_TOKENMODEL_H

#include "compiler/session/Network.h"
#include "runtime/Executable.h"
#include "support/Diagnostics.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// What steps have cost a machine.
struct StepCosts {
  std::string target;
  uint32_t clockMhz = 0;
  std::size_t steps = 0;
  uint64_t cycles = 0;
  uint64_t busBytes = 0; ///< Of the first step, as all are alike.
};

class TokenModel {
public:
  virtual ~TokenModel() = default;

  /// How many tokens there are.
  std::size_t numTokens() const { return tokenCount; }
  /// The longest sequence; nullopt if the state does not tell.
  std::optional<std::size_t> numPositions() const { return positions; }

  /// Forgets the tokens so far; false if the device is lost.
  virtual bool reset() = 0;
  /// False after errors. The token is one of the vocabulary.
  virtual bool step(std::int32_t token, std::vector<float> &logits,
                    DiagnosticEngine &diags) = 0;
  /// Nullopt of what no machine computes.
  virtual std::optional<StepCosts> costs() const { return std::nullopt; }

protected:
  std::size_t tokenCount = 0;
  std::optional<std::size_t> positions;
};

/// A network of floats or integers. Null after errors.
std::unique_ptr<TokenModel>
openNetwork(std::shared_ptr<const session::Network> network,
            DiagnosticEngine &diags);
/// \p budget is in instructions of a run. Null after errors.
std::unique_ptr<TokenModel>
openExecutable(std::shared_ptr<const runtime::Executable> executable,
               uint64_t budget, DiagnosticEngine &diags);

/// What both kinds have in common, to be checked.
struct TokenShape {
  /// Elements of the inputs and outputs that a caller gives and gets.
  std::vector<int64_t> inputs, outputs;
  bool takesInt32 = false;                  ///< The first input.
  std::vector<std::vector<int64_t>> states; ///< Their shapes.
};

/// The positions that caches have: [1, heads, positions, size]. GenerateForm
/// for what does not decode.
bool checkTokenShape(const TokenShape &shape, const std::string &path,
                     DiagnosticEngine &diags);
std::optional<std::size_t> positionsOf(const TokenShape &shape);

} // namespace yarrow

#endif // YARROW_COMPILER_GENERATE_TOKENMODEL_H
