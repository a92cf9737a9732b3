//===- Problems.h - What does not hold --------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Diagnostics of a proof, with the executable, the layer and the command. Only
// a few of each kind are reported, since one wrong wait affects many bytes.
//
//   Problems problems(executable, diags);
//   problems.report(diag::ProofUnwritten, layer, "...").found("...");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PROVE_PROBLEMS_H
#define YARROW_PROVE_PROBLEMS_H

#include "runtime/Executable.h"
#include "support/Diagnostics.h"
#include <map>

namespace yarrow::prove {

class Problems {
public:
  static constexpr uint64_t kMostOfAKind = 5;

  Problems(const runtime::Executable &executable, DiagnosticEngine &diags)
      : e(executable), diags(diags) {}

  /// All are counted; the first few are told.
  void report(DiagId id, int64_t layer, const std::string &message,
              const std::string &found = "", const std::string &expected = "");
  uint64_t count() const { return total; }
  /// Tells how many of each kind were not told.
  void finish();

private:
  const runtime::Executable &e;
  DiagnosticEngine &diags;
  std::map<std::string_view, uint64_t> ofKind;
  uint64_t total = 0;
};

} // namespace yarrow::prove

#endif // YARROW_PROVE_PROBLEMS_H
