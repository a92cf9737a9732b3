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
#include <set>
#include <utility>

namespace yarrow {

namespace {

constexpr std::size_t kGap = 2; ///< Between two columns.
/// Columns go before names are shorter or lines of prose narrower than this.
constexpr std::size_t kLeastName = 20, kLeastProse = 24;
/// And where no more can go, they are not cut below this.
constexpr std::size_t kLeastText = 8;
constexpr std::string_view kEllipsis = "…";

bool beginsCharacter(char c) { return (c & 0xC0) != 0x80; }

std::size_t displayWidth(std::string_view text) {
  return std::size_t(std::count_if(text.begin(), text.end(), beginsCharacter));
}

/// Where character \p index begins; the end of \p text if it has fewer.
std::size_t offsetOf(std::string_view text, std::size_t index) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (beginsCharacter(text[i]) && index-- == 0)
      return i;
  return text.size();
}

/// The first \p head characters stay, and as many of the last as have room.
std::string shorten(const std::string &text, std::size_t width,
                    std::size_t head) {
  std::size_t length = displayWidth(text);
  if (length <= width)
    return text;
  std::size_t tail = width - 1 - head;
  return text.substr(0, offsetOf(text, head)) + std::string(kEllipsis) +
         text.substr(offsetOf(text, length - tail));
}

/// How much of a text's beginning to keep, so that different texts look alike
/// as seldom as can be. Of a path of names the end tells most.
std::size_t headLength(const std::vector<std::string> &texts,
                       std::size_t width) {
  std::size_t room = width - 1, best = 0, mostKept = 0;
  for (std::size_t head : {room / 3, std::size_t(0), room * 2 / 3}) {
    std::set<std::string> shortened;
    for (const std::string &text : texts)
      shortened.insert(shorten(text, width, head));
    if (shortened.size() > mostKept) {
      mostKept = shortened.size();
      best = head;
    }
  }
  return best;
}

void endLine(std::string &out) {
  out.erase(out.find_last_not_of(' ') + 1);
  out += '\n';
}

std::size_t sumOf(const std::vector<std::size_t> &widths) {
  std::size_t sum = 0;
  for (std::size_t width : widths)
    if (width)
      sum += width + (sum ? kGap : 0);
  return sum;
}

} // namespace

std::vector<std::string> wrapText(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  while (displayWidth(text) > width) {
    std::size_t end = offsetOf(text, width);
    // The blank after the last word that fits, if there is one.
    std::size_t blank = text.find_last_of(' ', end);
    std::size_t cut =
        blank == std::string_view::npos || blank == 0 ? end : blank;
    lines.emplace_back(text.substr(0, cut));
    lines.back().erase(lines.back().find_last_not_of(' ') + 1);
    text.remove_prefix(std::min(text.find_first_not_of(' ', cut), text.size()));
  }
  if (!text.empty() || lines.empty())
    lines.emplace_back(text);
  return lines;
}

TextTable &TextTable::column(std::string head) {
  columns.push_back({std::move(head), false});
  return *this;
}

TextTable &TextTable::number(std::string head) {
  columns.push_back({std::move(head), true});
  return *this;
}

TextTable &TextTable::shortened() {
  columns.back().fit = Fit::Shortened;
  return *this;
}

TextTable &TextTable::wrapped() {
  columns.back().fit = Fit::Wrapped;
  return *this;
}

TextTable &TextTable::optional(unsigned rank) {
  columns.back().rank = rank;
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

TextTable::Widths TextTable::naturalWidths() const {
  Widths widths;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    // A column of nothing is a column all the same.
    std::size_t width = std::max<std::size_t>(displayWidth(columns[c].head), 1);
    for (const std::vector<std::string> &cells : rows)
      if (!cells.empty())
        width = std::max(width, displayWidth(cells[c]));
    widths.push_back(width);
  }
  return widths;
}

TextTable::Widths TextTable::fittingWidths(std::size_t width) const {
  Widths natural = naturalWidths();
  if (sumOf(natural) <= width)
    return natural;
  auto least = [&](unsigned maxLeftOut, std::size_t name, std::size_t prose) {
    Widths widths = natural;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].rank && columns[c].rank <= maxLeftOut)
        widths[c] = 0;
      else if (columns[c].fit != Fit::Whole)
        widths[c] = std::min(natural[c],
                             columns[c].fit == Fit::Shortened ? name : prose);
    }
    return widths;
  };
  unsigned maxRank = 0;
  for (const Column &column : columns)
    maxRank = std::max(maxRank, column.rank);
  Widths widths = least(maxRank, kLeastText, kLeastText);
  for (unsigned rank = 0; rank <= maxRank; ++rank)
    if (Widths these = least(rank, kLeastName, kLeastProse);
        sumOf(these) <= width) {
      widths = std::move(these);
      break;
    }
  // What is left goes to the texts: names first, they are read at a glance.
  for (Fit fit : {Fit::Shortened, Fit::Wrapped})
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (columns[c].fit == fit && widths[c])
        widths[c] += std::min(natural[c] - widths[c],
                              width - std::min(width, sumOf(widths)));
  return widths;
}

std::vector<std::string> TextTable::textsOf(std::size_t c) const {
  std::vector<std::string> texts;
  for (const std::vector<std::string> &cells : rows)
    if (!cells.empty())
      texts.push_back(cells[c]);
  return texts;
}

std::string TextTable::footnote(const Widths &widths, std::size_t width) const {
  std::string heads;
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (!widths[c])
      heads += (heads.empty() ? "" : ", ") + columns[c].head;
  if (heads.empty())
    return "";
  std::string text;
  for (const std::string &line :
       wrapText("(--wide also shows: " + heads + ")", width))
    text += line + "\n";
  return text;
}

std::string TextTable::str(std::size_t width) const {
  const Widths widths = fittingWidths(width);
  std::vector<std::size_t> heads(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (columns[c].fit == Fit::Shortened && widths[c])
      heads[c] = headLength(textsOf(c), widths[c]);
  std::string out;
  auto line = [&](auto textOf) {
    bool isFirst = true;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (!widths[c])
        continue;
      std::string text = textOf(c);
      std::size_t length = displayWidth(text);
      std::string padding(widths[c] - std::min(widths[c], length), ' ');
      out += isFirst ? "" : std::string(kGap, ' ');
      out += columns[c].isNumber ? padding + text : text + padding;
      isFirst = false;
    }
    endLine(out);
  };
  auto lines = [&](auto cellOf) {
    std::vector<std::vector<std::string>> parts;
    std::size_t height = 1;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].fit == Fit::Wrapped && widths[c])
        parts.push_back(wrapText(cellOf(c), widths[c]));
      else if (columns[c].fit == Fit::Shortened && widths[c])
        parts.push_back({shorten(cellOf(c), widths[c], heads[c])});
      else
        parts.push_back({cellOf(c)});
      height = std::max(height, parts.back().size());
    }
    for (std::size_t i = 0; i < height; ++i)
      line([&](std::size_t c) {
        return i < parts[c].size() ? parts[c][i] : "";
      });
  };
  auto dashes = [&] {
    line([&](std::size_t c) { return std::string(widths[c], '-'); });
  };
  lines([&](std::size_t c) { return columns[c].head; });
  dashes();
  for (const std::vector<std::string> &cells : rows) {
    if (cells.empty())
      dashes();
    else
      lines([&](std::size_t c) { return cells[c]; });
  }
  return out + footnote(widths, width);
}

} // namespace yarrow
