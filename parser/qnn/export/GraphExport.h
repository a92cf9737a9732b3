//===- GraphExport.h - The tensors of a network in a QNN graph --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Names, types and encodings of a QNN graph's tensors, and its nodes. Names of
// the IR become C identifiers, as the converters write them: "conv1/Relu" is
// "conv1_Relu", and the second tensor of that name "conv1_Relu_1".
//
//   GraphExport g(graph, model);
//   g.addNode("conv1", "Relu", {g.tensor(x)}, {g.tensor(y)});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_EXPORT_GRAPHEXPORT_H
#define YARROW_PARSER_QNN_EXPORT_GRAPHEXPORT_H

#include "dialects/compass/Tensors.h"
#include "parser/qnn/QnnModel.h"
#include "parser/qnn/export/Steps.h"
#include "llvm/ADT/StringSet.h"

namespace yarrow::qnn {

using Lengths = std::vector<std::int64_t>;

class GraphExport {
public:
  GraphExport(mlir::func::FuncOp graph, QnnModel &model);

  QnnModel &model;
  const Steps steps;

  /// The name of \p value's tensor, which is added when first asked for. Its
  /// type must be one of QNN's (typeOf).
  const std::string &tensor(mlir::Value value);
  /// Adds a tensor, by its name or one with a number behind it, which is
  /// returned.
  std::string add(QnnTensor tensor);
  /// A static tensor with the elements of \p values.
  template <typename T>
  std::string addStatic(llvm::StringRef name, DataType type, Lengths dims,
                        const std::vector<T> &values, Encoding encoding = {}) {
    QnnTensor tensor{name.str(), type, std::move(dims), TensorKind::Static,
                     std::move(encoding)};
    auto bytes = std::as_bytes(std::span(values));
    setValue(tensor, {bytes.begin(), bytes.end()});
    return add(std::move(tensor));
  }
  /// Names of the parameters that are tensors are made of the node's.
  void addNode(llvm::StringRef name, llvm::StringRef type,
               std::vector<std::string> inputs,
               std::vector<std::string> outputs,
               std::vector<QnnParam> params = {});

  /// What the tensors of the network are called in the IR.
  std::map<std::string, std::string> irNames() const;

  /// Null if QNN has no such type.
  std::optional<DataType> typeOf(mlir::Value value) const;
  /// How a quantized tensor stores real numbers.
  Encoding encodingOf(mlir::Value value) const;

private:
  std::string freeName(llvm::StringRef wanted, llvm::StringSet<> &taken);

  llvm::StringSet<> tensorNames, nodeNames;
  llvm::DenseMap<mlir::Value, std::string> names;
  llvm::DenseSet<mlir::Value> outputs;
};

/// Whether a result holds truth values or indices, which are stored as they are
/// whatever scale of 1 it says.
bool isPlain(mlir::Value value);

//===--- Parameters of nodes ---===//
QnnParam uint32Param(llvm::StringRef name, std::int64_t value);
QnnParam int32Param(llvm::StringRef name, std::int64_t value);
QnnParam boolParam(llvm::StringRef name, bool value);
QnnParam floatParam(llvm::StringRef name, double value);
/// Of the lengths \p dims; a list if there are none.
QnnParam uint32sParam(llvm::StringRef name, const Lengths &values,
                      Lengths dims = {});
QnnParam int32sParam(llvm::StringRef name, const Lengths &values,
                     Lengths dims = {});

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_EXPORT_GRAPHEXPORT_H
