//===- EmptyTensors.cpp - Operations on tensors without elements ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/nnapi/run/EmptyTensors.h"
#include "api/nnapi/run/Lengths.h"
#include "api/nnapi/run/Network.h"
#include "support/diagnostics/Import.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::nnapi;

bool nnapi::isEmpty(const Value &value) {
  return std::ranges::find(value.dims, 0u) != value.dims.end();
}

/// The lengths of the part's results with \p length in the place of 0.
static std::optional<std::vector<std::vector<std::uint32_t>>>
dimsWith(const PartPrograms &part, std::span<const Value> inputs,
         std::uint32_t length, DiagnosticEngine &diags) {
  std::vector<Value> filled(inputs.begin(), inputs.end());
  for (std::size_t i = 0; i < filled.size(); ++i) {
    if (!isEmpty(filled[i]))
      continue;
    std::ranges::replace(filled[i].dims, 0u, length);
    const Operand &operand = part.model().operands[part.model().inputs[i]];
    filled[i] =
        Value::of(filled[i].dims,
                  std::vector<std::byte>(sizeBytesOf(operand, filled[i].dims)));
  }
  std::vector<std::size_t> kept;
  auto network = Network::make(part.bind(filled, kept), diags);
  return network ? std::optional(network->outputDims()) : std::nullopt;
}

std::optional<std::vector<Value>>
nnapi::emptyResults(const PartPrograms &part, std::span<const Value> inputs,
                    DiagnosticEngine &diags) {
  constexpr std::uint32_t kOne = 2, kOther = 3;
  auto one = dimsWith(part, inputs, kOne, diags);
  auto other = one ? dimsWith(part, inputs, kOther, diags) : std::nullopt;
  if (!other)
    return std::nullopt;
  std::vector<Value> results;
  for (std::size_t i = 0; i < part.model().outputs.size(); ++i) {
    Value result;
    for (std::size_t a = 0; a < (*one)[i].size(); ++a) {
      std::int64_t at2 = (*one)[i][a], at3 = (*other)[i][a];
      std::int64_t at0 = at2 - std::int64_t(kOne) * (at3 - at2);
      result.dims.push_back(std::uint32_t(std::max<std::int64_t>(at0, 0)));
    }
    if (!isEmpty(result)) {
      diags
          .report(diag::NnapiRun, {part.model().name},
                  "an operation would compute elements from a tensor without "
                  "elements")
          .expected("results without elements");
      return std::nullopt;
    }
    results.push_back(std::move(result));
  }
  return results;
}
