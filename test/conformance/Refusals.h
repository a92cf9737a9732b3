//===- Refusals.h - What may be refused, and how often ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A pack is skipped only for reasons of a list (refusals.txt): the code of each
// diagnostic and what it refuses. A reason that is not on it fails, and so does
// one of the list that holds for more or fewer packs than the list says.
//
//   Refusals list;
//   if (auto problem = list.read("refusals.txt"); !problem.empty()) ...
//   if (!list.allows("int", "E0308 Mod")) ... // the pack fails
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_CONFORMANCE_REFUSALS_H
#define YARROW_TEST_CONFORMANCE_REFUSALS_H

#include <map>
#include <string>
#include <vector>

namespace yarrow::conformance {

class Refusals {
public:
  /// How many packs each reason holds for.
  using Counts = std::map<std::string, size_t>;

  /// "" or what is wrong with the file. Lines are "<IR> <packs> <reason>": IR
  /// is int, float, qdq, onnx or import; # begins a comment.
  std::string read(const std::string &path);

  bool allows(const std::string &ir, const std::string &reason) const {
    return listed.contains(ir + " " + reason);
  }
  /// Where the list for \p ir says another number than \p found, by reason.
  std::vector<std::string> differences(const std::string &ir,
                                       const Counts &found) const;

private:
  Counts listed; ///< By IR and reason.
};

} // namespace yarrow::conformance

#endif // YARROW_TEST_CONFORMANCE_REFUSALS_H
