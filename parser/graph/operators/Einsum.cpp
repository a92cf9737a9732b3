//===- Einsum.cpp - Products over letters ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/OperatorTable.h"
#include "parser/graph/operators/Scalars.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;

namespace {

/// "bij,bjk->bik" taken apart. The axes of "..." are capital letters here,
/// which only one of ONNX's own equations could have: those are refused.
struct Equation {
  std::vector<std::string> inputs;
  std::string output;
};

std::optional<Equation> parse(std::string text, const NodeEmitter &n) {
  std::erase(text, ' ');
  if (std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; }))
    return std::nullopt;
  Equation e;
  size_t arrow = text.find("->");
  std::string left = text.substr(0, arrow);
  SmallVector<StringRef> terms;
  StringRef(left).split(terms, ',');
  if (terms.size() != n.node.inputs.size())
    return std::nullopt;
  auto expanded = [](std::string term, size_t axes) {
    size_t at = term.find("...");
    if (at == std::string::npos)
      return term;
    std::string capitals;
    for (size_t i = 0; i < axes; ++i)
      capitals += char('Z' - (axes - 1 - i));
    return term.replace(at, 3, capitals);
  };
  size_t most = 0;
  for (size_t i = 0; i < terms.size(); ++i) {
    bool hasDots = terms[i].contains("...");
    size_t letters = terms[i].size() - (hasDots ? 3 : 0);
    auto rank = size_t(n.rank(i));
    if (hasDots ? rank < letters : rank != letters)
      return std::nullopt;
    size_t axes = hasDots ? rank - letters : 0;
    most = std::max(most, axes);
    e.inputs.push_back(expanded(terms[i].str(), axes));
  }
  if (arrow != std::string::npos) {
    e.output = expanded(text.substr(arrow + 2), most);
    return e;
  }
  // Letters that occur once, in order, behind those of "...".
  std::string all, once;
  for (const std::string &term : e.inputs)
    all += term;
  for (char c = 'A'; c <= 'Z'; ++c)
    if (all.find(c) != std::string::npos)
      e.output += c;
  for (char c = 'a'; c <= 'z'; ++c)
    if (std::ranges::count(all, c) == 1)
      e.output += c;
  return e;
}

/// One operand whose axes have the letters of `axes`.
struct Operand {
  Value value;
  std::string axes;

  int64_t length(char c) const {
    size_t at = axes.find(c);
    return at == std::string::npos ? 1 : shapeOf(value)[at];
  }
};

/// Sums over the letters that are in neither \p kept.
void sumOver(NodeEmitter &n, Operand &o, const std::string &kept) {
  std::vector<int64_t> axes;
  Shape shape;
  std::string left;
  for (size_t i = 0; i < o.axes.size(); ++i)
    if (kept.find(o.axes[i]) == std::string::npos) {
      axes.push_back(int64_t(i));
    } else {
      left += o.axes[i];
      shape.push_back(shapeOf(o.value)[i]);
    }
  if (axes.empty())
    return;
  o.value = n.build.reshape(
      n.layer("Reduce", {o.value}, {{"method", "SUM"}, {"axis", axes}}), shape);
  o.axes = left;
}

/// Transposed to the letters of \p order, all of which it has.
void order(NodeEmitter &n, Operand &o, const std::string &letters) {
  std::vector<int64_t> perm;
  for (char c : letters)
    perm.push_back(int64_t(o.axes.find(c)));
  o.value = n.build.transpose(o.value, perm);
  o.axes = letters;
}

/// The letters of \p from that \p test takes, in their order.
template <typename Test>
std::string letters(const std::string &from, Test test) {
  std::string result;
  for (char c : from)
    if (test(c))
      result += c;
  return result;
}

bool has(const std::string &text, char c) {
  return text.find(c) != std::string::npos;
}

} // namespace

/// Both operands as matrices of a batch: [batch, rows, inner] times [batch,
/// inner, columns].
static Value product(NodeEmitter &n, Operand a, Operand b,
                     const std::string &output) {
  std::string both =
      letters(a.axes, [&](char c) { return has(b.axes, c) && has(output, c); });
  std::string inner = letters(
      a.axes, [&](char c) { return has(b.axes, c) && !has(output, c); });
  std::string rows = letters(a.axes, [&](char c) { return !has(b.axes, c); });
  std::string columns =
      letters(b.axes, [&](char c) { return !has(a.axes, c); });
  Shape result;
  int64_t sizes[4] = {1, 1, 1, 1};
  const std::string *const groups[] = {&both, &rows, &inner, &columns};
  for (size_t i = 0; i < 4; ++i)
    for (char c : *groups[i])
      sizes[i] *= std::max(a.length(c), b.length(c));
  for (char c : both + rows + columns)
    result.push_back(std::max(a.length(c), b.length(c)));
  order(n, a, both + rows + inner);
  order(n, b, both + inner + columns);
  Value x = n.build.reshape(a.value, {sizes[0], sizes[1], sizes[2]});
  Value y = n.build.reshape(b.value, {sizes[0], sizes[2], sizes[3]});
  Operand made{
      n.build.reshape(
          n.layer("MatMul", {x, y}, {{"trans_a", false}, {"trans_b", false}}),
          result),
      both + rows + columns};
  if (!made.value)
    return {};
  order(n, made, output);
  return made.value;
}

LogicalResult graph::emitEinsum(NodeEmitter &n) {
  std::string text = n.node.text("equation", "");
  auto refuse = [&](const std::string &why) {
    return n.refuse(why, text,
                    "one or two operands, each letter once in an operand");
  };
  if (!n.isFloat(0))
    return refuse("of integers is not imported");
  auto e = parse(text, n);
  if (!e)
    return refuse("the equation does not fit its operands");
  SmallVector<Operand> operands;
  for (size_t i = 0; i < e->inputs.size(); ++i) {
    for (char c : e->inputs[i])
      if (std::ranges::count(e->inputs[i], c) != 1)
        return refuse("a letter that is repeated is not imported");
    operands.push_back({n.plain(i), e->inputs[i]});
    if (!operands.back().value)
      return failure();
  }
  for (char c : e->output)
    if (std::ranges::count(e->output, c) != 1 ||
        std::ranges::none_of(e->inputs, [&](auto &t) { return has(t, c); }))
      return refuse("the result does not fit the operands");
  if (operands.size() == 1) {
    sumOver(n, operands[0], e->output);
    if (!operands[0].value)
      return failure();
    order(n, operands[0], e->output);
    return n.out(0, operands[0].value);
  }
  for (char c : e->inputs[0])
    if (has(e->inputs[1], c) && operands[0].length(c) != operands[1].length(c))
      return refuse("lengths of a letter differ");
  sumOver(n, operands[0], e->output + operands[1].axes);
  sumOver(n, operands[1], e->output + operands[0].axes);
  if (!operands[0].value || !operands[1].value)
    return failure();
  return n.out(0, product(n, operands[0], operands[1], e->output));
}
