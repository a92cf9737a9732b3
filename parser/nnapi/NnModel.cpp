//===- NnModel.cpp - A model as NNAPI has it ------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/NnModel.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::nnapi;

bool Operand::isStatic() const {
  return !isTensor() ||
         (!dims.empty() && std::ranges::find(dims, 0u) == dims.end());
}

std::uint64_t Operand::numElements() const {
  std::uint64_t count = 1;
  for (std::uint32_t length : dims)
    count *= length;
  return count;
}

void nnapi::setValue(Operand &operand, std::span<const std::byte> bytes) {
  auto own =
      std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  operand.value = *own;
  operand.owner = std::move(own);
  operand.lifetime = Lifetime::Constant;
}

std::string nnapi::describe(const NnModel &model, std::uint32_t operand) {
  std::string text = "operand " + std::to_string(operand);
  if (operand < model.operands.size() && !model.operands[operand].name.empty())
    text += " (" + model.operands[operand].name + ")";
  return text;
}
