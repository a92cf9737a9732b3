//===- Formulas.cpp - Formulas of QNN's operators -------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Formulas.h"

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Constant;
using graph::Shape;
using graph::Tensor;

static std::string nameOf(const char *side, std::size_t i) {
  return std::string(side) + "[" + std::to_string(i) + "]";
}

Tensor *Formula::wholeNumbers(std::size_t i) {
  const DataTypeEntry &type = r.inputOf(i).entry();
  if (type.element == ElementType::I32 && !type.isFixed())
    return r.input(i);
  // Numbers that a scale makes lie beside whole ones.
  Tensor *x = type.isFixed() ? of("Round", {real(i)}) : r.input(i);
  return cast(x, ElementType::I32);
}

Tensor *Formula::real(std::size_t i) {
  Tensor *x = r.input(i);
  if (!x || !x->quantization)
    return x;
  Tensor *&result = reals[i];
  if (!result)
    result =
        x->constant
            ? r.constant("real_" + std::to_string(i),
                         graph::realConstant(*x->constant, *x->quantization))
            : of("Identity", {x});
  return result;
}

Tensor *Formula::stacked(const std::vector<std::size_t> &inputs) {
  std::vector<Tensor *> parts;
  std::vector<float> values;
  Shape shape = {0};
  bool isStatic = true;
  for (std::size_t i : inputs) {
    parts.push_back(real(i));
    const auto &constant = parts.back()->constant;
    isStatic &= constant.has_value();
    if (!constant)
      continue;
    for (double value : constant->numbers())
      values.push_back(float(value));
    shape[0] += constant->shape[0];
    shape.resize(1);
    shape.insert(shape.end(), constant->shape.begin() + 1,
                 constant->shape.end());
  }
  return isStatic ? numbers(shape, values) : joined(parts, 0);
}

Tensor *Formula::moved(const Tensor *source, const std::string &op,
                       std::vector<Tensor *> from, Attributes attributes) {
  Tensor *result = of(op, std::move(from), std::move(attributes));
  result->type = source->type;
  result->quantization = source->quantization;
  return result;
}

Tensor *Formula::movedTo(Tensor *x, Shape shape) {
  return moved(x, "Reshape",
               {x, integers({std::int64_t(shape.size())}, shape)});
}

bool Formula::expectRank(std::size_t i, std::int64_t rank, const char *form) {
  return r.rank(i) == rank ||
         r.bad(nameOf("in", i) + " has a wrong number of axes",
               dimsText(r.dims(i)), form);
}

static bool fits(const Shape &dims, const Shape &expected) {
  if (dims.size() != expected.size())
    return false;
  for (std::size_t a = 0; a < dims.size(); ++a)
    if (expected[a] >= 0 && dims[a] != expected[a])
      return false;
  return true;
}

bool Formula::expectDims(std::size_t i, const Shape &dims) {
  return !r.has(i) || fits(r.dims(i), dims) ||
         r.bad(nameOf("in", i) + " has a wrong shape", dimsText(r.dims(i)),
               dimsText(dims));
}

bool Formula::expectOutput(std::size_t i, const Shape &dims) {
  return !r.output(i) || fits(r.outputDims(i), dims) ||
         r.bad(nameOf("out", i) + " has a wrong shape",
               dimsText(r.outputDims(i)), dimsText(dims));
}

bool Formula::expectStatic(std::size_t i) {
  return !r.has(i) || r.input(i)->constant ||
         r.refuse(nameOf("in", i) + " is computed at run time",
                  "tensor " + r.input(i)->name, "a static tensor");
}

bool Formula::expectReset(std::size_t i) {
  if (!r.has(i))
    return true;
  const auto &reset = r.input(i)->constant;
  if (reset && reset->numElements() == 1 && reset->integerAt(0) != 0)
    return true;
  return r.refuse(
      "a state that is kept from one run to the next is not supported",
      nameOf("in", i) + (reset ? " of 0" : " that is computed"),
      nameOf("in", i) + " left out, or static and not 0");
}

void Formula::write(Tensor *x, std::size_t i) {
  if (!r.output(i))
    return;
  const DataTypeEntry &type = r.outputOf(i).entry();
  if (type.isFixed() || type.isFloat())
    r.add("Identity", {x}, {r.output(i)});
  else
    r.addCast(x, type.element, r.output(i));
}

void Formula::writeWhole(Tensor *x, std::size_t i) {
  if (!r.output(i))
    return;
  const DataTypeEntry &type = r.outputOf(i).entry();
  if (!type.isFixed()) {
    r.addCast(x, type.isFloat() ? ElementType::F32 : type.element, r.output(i));
    return;
  }
  // The output's encoding says what the number is.
  write(cast(x, ElementType::F32), i);
}

Tensor *Formula::rowsOf(Tensor *x, const Shape &had, std::int64_t axis,
                        std::int64_t rows, bool isWhole) {
  std::int64_t count = had[std::size_t(axis)];
  if (rows <= count)
    return rows == count ? x : sliced(x, axis, 0, rows);
  Shape rest = had;
  rest[std::size_t(axis)] = rows - count;
  auto elements = std::size_t(graph::numElements(rest));
  Tensor *zeros = isWhole
                      ? integers(rest, std::vector<std::int64_t>(elements, 0))
                      : numbers(rest, std::vector<float>(elements, 0));
  return joined({x, zeros}, axis);
}
