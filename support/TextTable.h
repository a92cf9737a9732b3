//===- TextTable.h - Aligned tables in plain text -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Columns as wide as their widest cell, two blanks apart, a rule under the
// heads, no blanks at the ends of lines.
//
//   TextTable table;
//   table.column("layer").shortened().number("cycles");
//   table.number("bytes").optional(1);
//   table.row({"conv1", formatCount(12345), formatCount(678)});
//   table.rule().row({"sum", formatCount(12345), formatCount(678)});
//   os << table.str(80);
//
// A table that is wider than there is room for first has its long texts
// shortened or broken into lines, then columns left out, where it was said that
// they may be. Numbers are never cut. A line below names what was left out.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_TEXTTABLE_H
#define YARROW_SUPPORT_TEXTTABLE_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

class TextTable {
public:
  static constexpr std::size_t kAnyWidth = ~std::size_t(0);

  /// Adds a column of text (to the left) or of numbers (to the right).
  TextTable &column(std::string head);
  TextTable &number(std::string head);

  /// What may become of the last column where room is short. Its texts may
  /// lose their middle or beginning, as names do: "/blocks/0…/conv".
  TextTable &shortened();
  /// Its texts may go on in lines below, as prose does.
  TextTable &wrapped();
  /// It may be left out; columns of rank 1 are the first to go.
  TextTable &optional(unsigned rank);

  /// Missing cells at the end are empty; more cells than columns assert.
  TextTable &row(std::vector<std::string> cells);
  /// A line of dashes between rows.
  TextTable &rule();
  bool empty() const { return rows.empty(); }
  /// No line has more than \p width characters, if the columns allow it.
  std::string str(std::size_t width = kAnyWidth) const;

private:
  enum class Fit { Whole, Shortened, Wrapped };
  struct Column {
    std::string head;
    bool isNumber;
    Fit fit = Fit::Whole;
    unsigned rank = 0; ///< 0: never left out.
  };
  using Widths = std::vector<std::size_t>; ///< By column; 0: left out.

  Widths naturalWidths() const;
  Widths fittingWidths(std::size_t width) const;
  std::vector<std::string> textsOf(std::size_t column) const;
  std::string footnote(const Widths &widths, std::size_t width) const;

  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows; ///< A row of no cells is a rule.
};

/// \p text in lines of at most \p width characters, broken at blanks; a longer
/// word is cut.
std::vector<std::string> wrapText(std::string_view text, std::size_t width);

} // namespace yarrow

#endif // YARROW_SUPPORT_TEXTTABLE_H
