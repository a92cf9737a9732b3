//===- RightNodes.h - A node for each operator ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Nodes that the records of QnnOps.def call right, made from them: the tests
// take something away, or make it wrong.
//
//   RightNode right(*findOp("Softmax"));
//   right.param("axis") = scalar("axis", DataType::UINT_32, 4);
//   std::vector<Diagnostic> problems = right.check();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_QNN_RIGHTNODES_H
#define YARROW_TEST_UNIT_QNN_RIGHTNODES_H

#include "parser/qnn/OpTable.h"

namespace yarrow::qnn {

/// All tensors of the nodes have so many axes.
inline constexpr std::size_t kNumAxes = 4;

QnnParam scalar(const std::string &name, DataType type, double value);
QnnParam tensor(const std::string &name, DataType type,
                std::vector<std::int64_t> dims,
                const std::vector<double> &values);
QnnParam text(const std::string &name, std::string value);

/// The values that a parameter of \p row has in a right node.
std::vector<double> rightValues(const OpEntry &entry, const ParamRow &row);
/// A parameter of \p row with these values, of its type or \p type.
QnnParam paramOf(const ParamRow &row, const std::vector<double> &values,
                 std::optional<DataType> type = {});

/// A node with all parameters and all mandatory tensors.
class RightNode {
public:
  explicit RightNode(const OpEntry &entry);

  const OpEntry &entry;
  QnnModel model;
  QnnNode node;

  QnnParam &param(const std::string &name);
  void erase(const std::string &name);
  std::vector<Diagnostic> check() const;

private:
  void addSide(bool isInput);
};

} // namespace yarrow::qnn

#endif // YARROW_TEST_UNIT_QNN_RIGHTNODES_H
