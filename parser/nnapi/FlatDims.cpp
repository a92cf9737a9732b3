//===- FlatDims.cpp - Lengths that flat results stand for -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/FlatDims.h"
#include "parser/graph/ImportGraph.h"
#include "parser/nnapi/OperationTable.h"

using namespace yarrow;
using namespace yarrow::nnapi;

std::optional<std::vector<std::uint32_t>>
nnapi::flatResultDims(const NnModel &model, const Operation &operation) {
  const OperationEntry *entry = findOperation(operation.code);
  if (!entry || !entry->isFlat)
    return std::nullopt;
  // MIRROR_PAD is the only one: its input, and a row of pads for each axis.
  const Operand &input = model.operands[operation.inputs[0]],
                &paddings = model.operands[operation.inputs[1]];
  std::vector<std::uint32_t> dims = input.dims;
  if (dims.size() <= graph::kMostAxes)
    return std::nullopt;
  graph::Constant pads{
      ElementType::I32, {std::int64_t(2 * dims.size())}, paddings.value};
  for (std::size_t a = 0; a < dims.size(); ++a)
    dims[a] += std::uint32_t(pads.integerAt(std::int64_t(2 * a)) +
                             pads.integerAt(std::int64_t(2 * a + 1)));
  return dims;
}
