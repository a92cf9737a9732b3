//===- NpyHeader.cpp - The dictionary at the head of a .npy file ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A cursor over the text; no recursion, so no input can exhaust the stack.
//
//===----------------------------------------------------------------------===//
#include "support/NpyHeader.h"

#include <limits>

namespace yarrow {

namespace {
class HeaderParser {
public:
  HeaderParser(std::string_view text, NpyHeader &header)
      : rest(text), header(header) {}

  std::string parse() {
    if (!take('{'))
      return "the header is not a dictionary";
    while (!take('}')) {
      if (std::string problem = parseEntry(); !problem.empty())
        return problem;
      if (take(','))
        continue;
      if (!take('}'))
        return "the header's dictionary is not closed";
      break;
    }
    skipSpace();
    if (!rest.empty())
      return "text follows the header's dictionary";
    if (!hasDescr || !hasOrder || !hasShape)
      return std::string("the header has no key '") +
             (!hasDescr   ? "descr"
              : !hasOrder ? "fortran_order"
                          : "shape") +
             "'";
    return "";
  }

private:
  void skipSpace() {
    // NumPy pads with blanks; \0 is met in files of other writers.
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\n' ||
                             rest[0] == '\t' || rest[0] == '\0'))
      rest.remove_prefix(1);
  }

  bool take(char wanted) {
    skipSpace();
    if (rest.empty() || rest[0] != wanted)
      return false;
    rest.remove_prefix(1);
    return true;
  }

  bool takeWord(std::string_view word) {
    skipSpace();
    if (!rest.starts_with(word))
      return false;
    rest.remove_prefix(word.size());
    return true;
  }

  bool takeString(std::string &out) {
    skipSpace();
    if (rest.empty() || (rest[0] != '\'' && rest[0] != '"'))
      return false;
    std::size_t end = rest.find(rest[0], 1);
    if (end == std::string_view::npos)
      return false;
    out = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return true;
  }

  std::string parseEntry() {
    std::string key;
    if (!takeString(key) || !take(':'))
      return "the header is not a dictionary of quoted keys";
    bool *isSeen = key == "descr"           ? &hasDescr
                   : key == "fortran_order" ? &hasOrder
                   : key == "shape"         ? &hasShape
                                            : nullptr;
    if (!isSeen)
      return "the header has an unknown key '" + key.substr(0, 40) + "'";
    if (*isSeen)
      return "the header has the key '" + key + "' twice";
    *isSeen = true;
    if (isSeen == &hasDescr)
      return parseDescr();
    return isSeen == &hasOrder ? parseOrder() : parseShape();
  }

  std::string parseDescr() {
    if (takeString(header.descr))
      return header.descr.empty() ? "the header's descr is empty" : "";
    skipSpace();
    if (!rest.starts_with('['))
      return "the header's descr is neither a string nor a list";
    // A structured type. The caller refuses it, so only its end matters.
    int depth = 0;
    while (!rest.empty()) {
      char c = rest[0];
      rest.remove_prefix(1);
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (depth == 0)
        return "";
    }
    return "the header's descr is not closed";
  }

  std::string parseOrder() {
    if (takeWord("True"))
      header.isFortranOrder = true;
    else if (!takeWord("False"))
      return "the header's fortran_order is neither True nor False";
    return "";
  }

  std::string parseShape() {
    constexpr std::string_view notTuple =
        "the header's shape is not a tuple of sizes";
    if (!take('('))
      return std::string(notTuple);
    while (!take(')')) {
      int64_t size = 0;
      if (!takeSize(size))
        return std::string(notTuple);
      header.shape.push_back(size);
      if (take(','))
        continue;
      if (!take(')'))
        return std::string(notTuple);
      // "(3)" is a number in Python, "(3,)" a tuple.
      return header.shape.size() == 1 ? std::string(notTuple) : "";
    }
    return "";
  }

  bool takeSize(int64_t &size) {
    skipSpace();
    std::size_t digits = 0;
    while (digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9') {
      int64_t digit = rest[digits++] - '0';
      if (size > (std::numeric_limits<int64_t>::max() - digit) / 10)
        return false;
      size = size * 10 + digit;
    }
    rest.remove_prefix(digits);
    if (digits && rest.starts_with('L')) // long integers of Python 2
      rest.remove_prefix(1);
    return digits != 0;
  }

  std::string_view rest;
  NpyHeader &header;
  bool hasDescr = false, hasOrder = false, hasShape = false;
};
} // namespace

std::string parseNpyHeader(std::string_view text, NpyHeader &header) {
  return HeaderParser(text, header).parse();
}

} // namespace yarrow
