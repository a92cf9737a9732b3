//===- Totals.h - How many recorded cases hold ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What programs that replay recorded cases say in the end, and how they go
// through the files.
//
//   Totals totals("operation");
//   totals.add("CONV_2D", outcome);
//   std::cout << totals.table() << totals.summary();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_VTS_TOTALS_H
#define YARROW_TEST_VTS_TOTALS_H

#include "support/OrderedLoop.h"
#include "test/vts/Compare.h"
#include <map>

namespace yarrow::vts {

inline constexpr int kSkipped = 77; // SKIP_RETURN_CODE of ctest

class Totals {
public:
  /// \p kind: what the rows of the table are.
  explicit Totals(std::string kind) : kind(std::move(kind)) {}

  void add(const std::string &name, const Outcome &outcome);
  std::string table() const;
  /// The numbers of 8-bit results, and of cases.
  std::string summary() const;
  std::size_t numNames() const { return rows.size(); }
  bool has(const std::string &name) const { return rows.contains(name); }
  /// Some case passed, and all did.
  bool isGood() const { return all.passed && !all.failed && !all.refused; }

private:
  struct Row {
    std::size_t passed = 0, failed = 0, refused = 0;
    Difference difference = {};
  };
  std::string kind;
  std::map<std::string, Row> rows;
  Row all;
};

/// A line about a case that did not pass; of one that did "".
std::string lineOf(const std::string &name, const Outcome &outcome);

/// Whether there are such files; says that they are missing.
bool haveCases(const std::vector<std::string> &files);

/// Every so many cases of \p files. \p play fills the slot of a case, several
/// at once, and is given its place in its file; \p tell hears of them in their
/// order. False after errors of a file.
template <typename Slot, typename Play, typename Report>
bool forEachCase(const std::vector<std::string> &files, std::size_t every,
                 DiagnosticEngine &diags, Play play, Report notify) {
  for (const std::string &path : files) {
    auto file = CaseFile::open(path, diags);
    if (!file)
      return false;
    std::size_t window = defaultWindow();
    std::vector<Slot> slots(window);
    bool isWhole = orderedLoop(
        file->count(), window,
        [&](std::size_t i) {
          Slot &slot = slots[i % window] = {};
          if (i % every != 0)
            return true;
          auto recorded = file->read(i, diags);
          if (recorded)
            play(std::move(*recorded), i, slot);
          return recorded.has_value();
        },
        [&](std::size_t i) {
          notify(slots[i % window]);
          return true;
        });
    if (!isWhole)
      return false;
  }
  return true;
}

} // namespace yarrow::vts

#endif // YARROW_TEST_VTS_TOTALS_H
