//===- TextTable.h - Aligned tables in plain text -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Columns as wide as their widest cell, two blanks apart, a rule under the
// heads, no blanks at the ends of lines.
//
//   TextTable table;
//   table.column("layer").number("cycles");
//   table.row({"conv1", formatCount(12345)});
//   table.rule().row({"sum", formatCount(12345)});
//   os << table.str();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_TEXTTABLE_H
#define YARROW_SUPPORT_TEXTTABLE_H

#include <string>
#include <vector>

namespace yarrow {

class TextTable {
public:
  /// Adds a column of text (to the left) or of numbers (to the right).
  TextTable &column(std::string head);
  TextTable &number(std::string head);
  /// Missing cells at the end are empty; more cells than columns assert.
  TextTable &row(std::vector<std::string> cells);
  /// A line of dashes between rows.
  TextTable &rule();
  bool empty() const { return rows.empty(); }
  std::string str() const;

private:
  struct Column {
    std::string head;
    bool isNumber;
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows; ///< A row of no cells is a rule.
};

} // namespace yarrow

#endif // YARROW_SUPPORT_TEXTTABLE_H
