//===- TextTable.cpp - Aligned tables in plain text -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Widths are counted in code points, which is right for the characters that
// layer names and units have.
//
//===----------------------------------------------------------------------===//
#include "support/TextTable.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <string_view>
#include <utility>

namespace yarrow {

namespace {
std::size_t displayWidth(std::string_view text) {
  return std::size_t(std::count_if(text.begin(), text.end(),
                                   [](char c) { return (c & 0xC0) != 0x80; }));
}

void endLine(std::string &out) {
  out.erase(out.find_last_not_of(' ') + 1);
  out += '\n';
}
} // namespace

TextTable &TextTable::column(std::string head) {
  columns.push_back({std::move(head), false});
  return *this;
}

TextTable &TextTable::number(std::string head) {
  columns.push_back({std::move(head), true});
  return *this;
}

TextTable &TextTable::row(std::vector<std::string> cells) {
  assert(cells.size() <= columns.size() && "a cell without a column");
  cells.resize(columns.size());
  rows.push_back(std::move(cells));
  return *this;
}

TextTable &TextTable::rule() {
  rows.emplace_back();
  return *this;
}

std::string TextTable::str() const {
  std::vector<std::size_t> widths;
  std::vector<std::string> heads;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    std::size_t width = displayWidth(columns[c].head);
    for (const std::vector<std::string> &cells : rows)
      if (!cells.empty())
        width = std::max(width, displayWidth(cells[c]));
    widths.push_back(width);
    heads.push_back(columns[c].head);
  }

  std::string out;
  auto line = [&](const std::vector<std::string> &cells) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      std::string text = cells.empty() ? std::string(widths[c], '-') : cells[c];
      std::string padding(widths[c] - displayWidth(text), ' ');
      out += c ? "  " : "";
      out += columns[c].isNumber ? padding + text : text + padding;
    }
    endLine(out);
  };
  line(heads);
  line({});
  for (const std::vector<std::string> &cells : rows)
    line(cells);
  return out;
}

} // namespace yarrow
