//===- UnknownRanges.cpp - Tensors that nothing says a range of -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "quantizer/rules/UnknownRanges.h"

#include "dialects/compass/MovedNames.h"
#include "support/Format.h"
#include "support/NameList.h"
#include "support/diagnostics/Quantizer.h"

#include <algorithm>

namespace yarrow {

bool reportUnknownRanges(std::span<const std::string> tensors,
                         DiagnosticEngine &diags) {
  std::vector<std::string> names;
  for (llvm::StringRef name : tensors) {
    while (name.consume_back(compass::kBeforeTranspose))
      ;
    if (std::ranges::find(names, name) == names.end())
      names.push_back(name.str());
  }
  if (names.empty())
    return true;
  diags
      .report(diag::QuantCalibration, {},
              "the ranges of " + formatCount(names.size()) +
                  (names.size() == 1 ? " tensor are not known"
                                     : " tensors are not known"))
      .found(nameList(names) + ": neither encodings nor samples")
      .hint("give calibration data for the ranges that the encodings lack");
  return false;
}

} // namespace yarrow
