//===- Allowed.h - Which cases need not pass --------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A list of cases that may fail or be refused, each with its reason. Lines:
//
//   <name of the case, or its beginning and a *> <reason>
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_VTS_ALLOWED_H
#define YARROW_TEST_VTS_ALLOWED_H

#include "support/Diagnostics.h"
#include <map>
#include <string>
#include <vector>

namespace yarrow::vts {

class Allowed {
public:
  /// False after errors. "" is an empty list.
  bool read(const std::string &path, DiagnosticEngine &diags);
  bool allows(const std::string &name);
  /// Lines that nothing needed.
  std::vector<std::string> unneeded() const;

private:
  std::map<std::string, bool> isNeeded; ///< By pattern.
};

} // namespace yarrow::vts

#endif // YARROW_TEST_VTS_ALLOWED_H
