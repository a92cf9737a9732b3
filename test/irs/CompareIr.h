//===- CompareIr.h - Whether two IRs say the same ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What was written must say what was read: every key of every layer, known to
// an operator or not, with an equal value, and every constant with the same
// bytes. Where a constant lies in the weights file may change, and so may what
// docs/operators.md calls the normalisation of written text.
//
//   auto before = readIrFiles("net.txt", "net.bin", diags);
//   auto after = readIrFiles("written.txt", "written.bin", diags);
//   std::string difference = compareIr(*before, *after); // "" if none
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_IRS_COMPAREIR_H
#define YARROW_TEST_IRS_COMPAREIR_H

#include "parser/compass/IrDocument.h"
#include "support/MappedFile.h"
#include <memory>

namespace yarrow::testing {

struct IrFiles {
  std::shared_ptr<const MappedFile> text, bin;
  compass::IrDocument document;
};

std::optional<IrFiles> readIrFiles(const std::string &txt,
                                   const std::string &bin,
                                   DiagnosticEngine &diags);

/// What is lost or different in \p after, or "".
std::string compareIr(const IrFiles &before, const IrFiles &after);

} // namespace yarrow::testing

#endif // YARROW_TEST_IRS_COMPAREIR_H
