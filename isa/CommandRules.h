//===- CommandRules.h - Which commands an engine executes -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Rules for the fields of a tensor engine's command, independent of the places
// of its operands. The device rejects commands that break them, and so does the
// compiler before it writes them. (Other code checks the places of operands,
// and the machine's features and SRAM size.)
//
//   if (Refusal why = refusalOf(conv)) // "conv: values [-128, 127] are ..."
//     return false;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_COMMANDRULES_H
#define YARROW_ISA_COMMANDRULES_H

#include "isa/Descriptors.h"

namespace yarrow::isa {

/// Why a command is not valid, with its mnemonic in front.
using Refusal = std::optional<std::string>;

Refusal refusalOf(const Conv &conv);
Refusal refusalOf(const MatMul &product);
Refusal refusalOf(const Pool &pool);
Refusal refusalOf(const Copy &copy);
Refusal refusalOf(const AnyDescriptor &descriptor);

/// The part of a convolution's rules that no tile changes: bounds of the
/// result, of the sum and of the activation, and the table's index.
Refusal outputStageRefusalOf(const Conv &conv);

/// The integers of a type.
struct TypeRange {
  int64_t lowest, highest;
};
TypeRange rangeOf(ElementType type);

/// Types that the tensor engine multiplies.
constexpr bool isOperandType(ElementType type) {
  return uint8_t(type) <= uint8_t(ElementType::U16);
}

/// What is taken off an operand for 16 bits to hold it with its sign.
constexpr int32_t widenOffset(ElementType type) {
  return type == ElementType::U16 ? 1 << 15 : 0;
}

/// The type of a convolution's results.
constexpr ElementType writtenType(const Conv &conv) {
  return conv.hasLut ? conv.lutType : conv.outType;
}

} // namespace yarrow::isa

#endif // YARROW_ISA_COMMANDRULES_H
