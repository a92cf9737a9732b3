//===- EnumText.h - Enumerations of the machine in MLIR text ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// How the npu dialect prints and parses enumerations of isa/Types.h, by the
// names that they have there: #npu.element_type<int8>.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_NPU_ENUMTEXT_H
#define YARROW_DIALECTS_NPU_ENUMTEXT_H

#include "isa/Types.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/STLExtras.h"

namespace yarrow::npu {

template <typename E> void printEnum(mlir::AsmPrinter &printer, E value) {
  printer.printKeywordOrString(llvm::StringRef(isa::name(value)));
}

/// Emits an error that names all values.
template <typename E>
mlir::ParseResult parseEnum(mlir::AsmParser &parser, E &value) {
  llvm::SMLoc loc = parser.getCurrentLocation();
  std::string word;
  if (parser.parseKeywordOrString(&word))
    return mlir::failure();
  for (auto [i, name] : llvm::enumerate(isa::kNames<E>))
    if (word == name) {
      value = static_cast<E>(i);
      return mlir::success();
    }
  auto error = parser.emitError(loc) << "found '" << word << "'; expected ";
  llvm::interleave(
      isa::kNames<E>,
      [&](std::string_view name) { error << llvm::StringRef(name); },
      [&] { error << ", "; });
  return error;
}

} // namespace yarrow::npu

#endif // YARROW_DIALECTS_NPU_ENUMTEXT_H
