//===- LayerExport.h - One layer as nodes of QNN ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The functions of the operators use this: the tensors of a layer, its nodes,
// and the activation after it.
//
//   LogicalResult exportSoftmax(LayerExport &n) {
//     return n.result("Softmax", {n.in(0)}, {uint32Param("axis", axis)});
//   }
//
// The first node has the layer's name; the others append what they do.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_EXPORT_LAYEREXPORT_H
#define YARROW_PARSER_QNN_EXPORT_LAYEREXPORT_H

#include "dialects/compass/Keys.h"
#include "dialects/compass/LayerError.h"
#include "parser/qnn/export/GraphExport.h"

namespace yarrow::qnn {

class LayerExport {
public:
  LayerExport(GraphExport &graph, mlir::Operation *op) : graph(graph), op(op) {}

  GraphExport &graph;
  mlir::Operation *op;

  compass::TensorInfo input(unsigned i) const;
  compass::TensorInfo output(unsigned i = 0) const;
  /// The result's lengths.
  Lengths shape() const;
  std::size_t rank() const { return shape().size(); }
  llvm::StringRef layerType() const;
  /// Whether the layer computes in integers with scales.
  bool isInteger() const;

  /// Names of its tensors.
  std::string in(unsigned i) { return graph.tensor(op->getOperand(i)); }
  std::string out(unsigned i = 0) { return graph.tensor(op->getResult(i)); }
  std::vector<std::string> ins();
  std::vector<std::string> outs();
  /// Operand \p i, which is given as indices: int32, none of them negative if
  /// they are constant. \p length is that of the axis.
  std::string indices(unsigned i, std::int64_t length);
  /// Operand \p i as truth values.
  std::string truth(unsigned i);

  /// A node that writes \p outputs. Where result 0 has fewer integers than its
  /// type, a clamp follows.
  void node(llvm::StringRef type, std::vector<std::string> inputs,
            std::vector<std::string> outputs,
            std::vector<QnnParam> params = {});
  /// A tensor between two nodes, stored as result 0 is.
  std::string between(llvm::StringRef suffix);
  std::string between(llvm::StringRef suffix, DataType type, Lengths dims,
                      Encoding encoding = {});
  /// The node that makes result 0, and the layer's with_activation behind it.
  llvm::LogicalResult result(llvm::StringRef type,
                             std::vector<std::string> inputs,
                             std::vector<QnnParam> params = {});
  /// The node that makes result 0 in \p type, whatever type it has.
  llvm::LogicalResult resultAs(DataType type, llvm::StringRef qnnType,
                               std::vector<std::string> inputs,
                               std::vector<QnnParam> params = {});
  /// The word of \p key as a node from \p x to result 0.
  llvm::LogicalResult activate(std::string x, compass::WordKey key);

  /// A constant of the layer with its axes in \p order (as they are if empty).
  /// Integers have the scale that the layer says of them.
  llvm::FailureOr<std::string>
  constant(compass::TensorKey key, Lengths dims,
           llvm::ArrayRef<std::int64_t> order = {});
  std::string suffixed(llvm::StringRef suffix) const;

  /// QnnExport: this layer has no form in QNN.
  compass::LayerError refuse(llvm::StringRef key, const llvm::Twine &why);

private:
  void addNode(llvm::StringRef type, std::vector<std::string> inputs,
               std::vector<std::string> outputs, std::vector<QnnParam> params);

  bool hasNode = false;
};

/// The bytes of a constant with its axes in \p order.
std::vector<std::byte> turned(const compass::ConstantView &view,
                              llvm::ArrayRef<std::int64_t> order);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_EXPORT_LAYEREXPORT_H
