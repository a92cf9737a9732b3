//===- Formulas.h - Formulas of QNN's operators -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The common part of operators with many nodes: inputs as formulas take them,
// checks of lengths, and results that are written as outputs.
//
//   Formula f(r);
//   if (!f.expectDims(1, {rois, 4})) return false;
//   f.write(f.add(f.real(0), f.wholeNumbers(1)), 0);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_OPERATORS_FORMULAS_H
#define YARROW_PARSER_QNN_OPERATORS_FORMULAS_H

#include "parser/graph/Expressions.h"
#include "parser/qnn/OpReader.h"

namespace yarrow::qnn {

class Formula : public graph::Expressions {
public:
  using Tensor = graph::Tensor;

  explicit Formula(OpReader &r, std::string where = "f")
      : graph::Expressions(r, std::move(where)), r(r) {}

  OpReader &r;

  //===--- Inputs ---===//
  /// Indices of any integer type as those of 32 bits.
  Tensor *wholeNumbers(std::size_t i);
  /// An input as real numbers in float32, whose integers nobody moves or
  /// multiplies: formulas mix them with others. Null if it is left out.
  Tensor *real(std::size_t i);
  /// Real numbers of static inputs behind one another; else joined at run time.
  Tensor *stacked(const std::vector<std::size_t> &inputs);

  //===--- Movement ---===//
  /// The result of a node that only moves what \p source has, stored as it is.
  Tensor *moved(const Tensor *source, const std::string &op,
                std::vector<Tensor *> from, Attributes attributes = {});
  Tensor *movedTo(Tensor *x, graph::Shape shape);

  //===--- Checks, which report ---===//
  bool expectRank(std::size_t i, std::int64_t rank, const char *form);
  /// -1: any length. An input that is left out fits.
  bool expectDims(std::size_t i, const graph::Shape &dims);
  bool expectOutput(std::size_t i, const graph::Shape &dims);
  /// Refuses one that is computed.
  bool expectStatic(std::size_t i);
  /// A state that is kept from one run to the next is none of a network: the
  /// input that says whether it is given anew must say so.
  bool expectReset(std::size_t i);

  //===--- Results ---===//
  /// As output \p i, of its type; outputs that are left out stay so.
  void write(Tensor *x, std::size_t i);
  /// Whole numbers, truth values among them.
  void writeWhole(Tensor *x, std::size_t i);
  /// The first \p rows of \p x, which has \p had, or zeros behind all of them.
  Tensor *rowsOf(Tensor *x, const graph::Shape &had, std::int64_t axis,
                 std::int64_t rows, bool isWhole);

private:
  std::map<std::size_t, Tensor *> reals; ///< Of inputs of fixed point.
};

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_OPERATORS_FORMULAS_H
