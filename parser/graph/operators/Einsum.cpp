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

/// The diagonal over two axes of one letter: they become one, of which every
/// length + 1 element is taken.
void takeDiagonal(NodeEmitter &n, Operand &o, size_t first, size_t second) {
  int64_t length = shapeOf(o.value)[first];
  std::vector<int64_t> perm;
  Shape shape;
  std::string left;
  for (size_t i = 0; i < o.axes.size(); ++i)
    if (i != first && i != second) {
      perm.push_back(int64_t(i));
      shape.push_back(shapeOf(o.value)[i]);
      left += o.axes[i];
    }
  perm.push_back(int64_t(first));
  perm.push_back(int64_t(second));
  shape.push_back(length * length);
  left += o.axes[first];
  std::vector<int32_t> places;
  for (int64_t i = 0; i < length; ++i)
    places.push_back(int32_t(i * (length + 1)));
  Value all = n.build.reshape(n.build.transpose(o.value, perm), shape);
  Value indices = n.build.constantOf({length}, places);
  o.value = n.layer("Gather", {all, indices},
                    {{"axis", int64_t(shape.size()) - 1}, {"batch_dims", 0}});
  o.axes = left;
}

/// Each letter once; false if one has two lengths.
bool takeDiagonals(NodeEmitter &n, Operand &o) {
  for (size_t i = 0; i < o.axes.size(); ++i) {
    size_t again = o.axes.find(o.axes[i], i + 1);
    if (again == std::string::npos)
      continue;
    if (shapeOf(o.value)[i] != shapeOf(o.value)[again])
      return false;
    takeDiagonal(n, o, i, again);
    return o.value && takeDiagonals(n, o);
  }
  return true;
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
                    "float operands, and letters and ... for their axes");
  };
  if (!n.isFloat(0))
    return refuse("integer tensors are not supported");
  auto e = parse(text, n);
  if (!e)
    return refuse("the equation does not match its operands");
  SmallVector<Operand> operands;
  for (size_t i = 0; i < e->inputs.size(); ++i) {
    operands.push_back({n.plain(i), e->inputs[i]});
    if (!operands.back().value)
      return failure();
    if (!takeDiagonals(n, operands.back()))
      return refuse("a letter stands for different lengths");
  }
  for (char c : e->output)
    if (std::ranges::count(e->output, c) != 1 ||
        std::ranges::none_of(e->inputs, [&](auto &t) { return has(t, c); }))
      return refuse("the result does not match the operands");
  // Two at a time; letters of those that follow are kept.
  Operand made = operands[0];
  for (size_t i = 1; i < operands.size(); ++i) {
    Operand next = operands[i];
    std::string needed = e->output;
    for (const Operand &later : ArrayRef(operands).drop_front(i + 1))
      needed += later.axes;
    for (char c : made.axes)
      if (has(next.axes, c) && made.length(c) != next.length(c))
        return refuse("a letter stands for different lengths");
    sumOver(n, made, needed + next.axes);
    sumOver(n, next, needed + made.axes);
    if (!made.value || !next.value)
      return failure();
    std::string kept =
        letters(made.axes, [&](char c) { return has(needed, c); });
    kept += letters(next.axes, [&](char c) {
      return has(needed, c) && !has(made.axes, c);
    });
    bool isLast = i + 1 == operands.size();
    made = {product(n, made, next, isLast ? e->output : kept),
            isLast ? e->output : kept};
    if (!made.value)
      return failure();
  }
  sumOver(n, made, e->output);
  if (!made.value)
    return failure();
  order(n, made, e->output);
  return n.out(0, made.value);
}
