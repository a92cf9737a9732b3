//===- NamedValues.h - Options that are a name and a value ------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Options of an import such as --input-shape x=1,3,224,224 and
// --input-value sr=16000.
//
//   addNamedValues({"--input-value", "a name and numbers", "NAME=NUMBER,..."},
//                  texts, numbersOf, options.values, diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_MODEL_NAMEDVALUES_H
#define YARROW_COMPILER_MODEL_NAMEDVALUES_H

#include "support/Diagnostics.h"
#include "support/diagnostics/Import.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

/// An option whose texts are NAME=VALUE, in the words of its diagnostic.
struct NamedOption {
  std::string option, what, expected;
};

/// Puts what \p parse makes of each VALUE, an optional, under its NAME into
/// \p values. A name may contain '='. False after errors, of which each text
/// that is not NAME=VALUE gives one.
template <typename Parse, typename Value>
bool addNamedValues(const NamedOption &named,
                    const std::vector<std::string> &texts, Parse parse,
                    std::map<std::string, Value> &values,
                    DiagnosticEngine &diags) {
  bool isGood = true;
  for (const std::string &text : texts) {
    std::size_t equals = text.rfind('=');
    if (equals != text.npos && equals != 0)
      if (auto value = parse(std::string_view(text).substr(equals + 1))) {
        values[text.substr(0, equals)] = *value;
        continue;
      }
    isGood = false;
    diags
        .report(diag::ImportInputShape, {named.option},
                "the option is not " + named.what)
        .found(text)
        .expected(named.expected);
  }
  return isGood;
}

} // namespace yarrow

#endif // YARROW_COMPILER_MODEL_NAMEDVALUES_H
