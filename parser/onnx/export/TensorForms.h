//===- TensorForms.h - The tensors of a network in an ONNX model *- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A tensor of Compass IR can have several forms in an ONNX model: more than one
// order of its axes, as ONNX has channels second, and, if it is quantized, the
// stored integers and the real values after a DequantizeLinear. Forms are made
// on demand: a Transpose of the IR only records in which order its operand's
// forms are forms of its result, and becomes a node if a layer needs an order
// that does not exist yet.
//
//   forms.define(value, "x_quantized", {0, 3, 1, 2}, Form::Stored);
//   std::string x = forms.real(value, {0, 1, 2, 3});  // transposed, in floats
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_EXPORT_TENSORFORMS_H
#define YARROW_PARSER_ONNX_EXPORT_TENSORFORMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "parser/onnx/ModelWriter.h"
#include "parser/onnx/TensorReader.h"
#include "parser/onnx/export/Carrier.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace yarrow::onnx {

class TensorForms {
public:
  TensorForms(ModelSpec &model, mlir::func::FuncOp graph);

  /// \p name holds \p value as it is stored, in \p order.
  void define(mlir::Value value, std::string name, Order order);
  /// \p value is the value of a Constant layer.
  void defineConstant(mlir::Value value, compass::ConstantView view);
  /// \p result is \p operand with its axes in the order \p perm.
  void defineTransposed(mlir::Value result, mlir::Value operand,
                        llvm::ArrayRef<int64_t> perm);

  /// The names of tensors that hold \p value.
  std::string stored(mlir::Value value, llvm::ArrayRef<int64_t> order);
  /// As floats; of a quantized tensor by another ONNX scale than its own if \p
  /// scale is not 0.
  std::string real(mlir::Value value, llvm::ArrayRef<int64_t> order,
                   double scale = 0);
  /// Stored elements in the order of plainOrder, whatever axes of length 1
  /// there are.
  std::string storedInLine(mlir::Value value);
  /// An order in which \p value is there already.
  Order readyOrder(mlir::Value value);
  bool isConstant(mlir::Value value);
  /// Whether any form of \p value is there.
  bool isDefined(mlir::Value value);

  /// A name for a form of \p value: that of the tensor in the IR if it is free.
  std::string nameFor(mlir::Value value, llvm::ArrayRef<int64_t> order,
                      bool isReal);
  /// \p wanted, or with a number behind it.
  std::string freeName(llvm::StringRef wanted);

  /// Constants of the model.
  std::string constant(llvm::StringRef name, const compass::ConstantView &view,
                       llvm::ArrayRef<int64_t> order,
                       std::shared_ptr<const void> owner = nullptr);
  template <typename T>
  std::string constantOf(llvm::StringRef name, compass::DType type,
                         Lengths lengths, const std::vector<T> &values,
                         llvm::ArrayRef<int64_t> order = {}) {
    auto bytes =
        std::make_shared<std::vector<std::byte>>(values.size() * sizeof(T));
    std::memcpy(bytes->data(), values.data(), bytes->size());
    return addConstant(name, type, std::move(lengths), order, *bytes, bytes);
  }
  std::string floats(llvm::StringRef name, Lengths lengths,
                     const std::vector<float> &values,
                     llvm::ArrayRef<int64_t> order = {}) {
    return constantOf(name, compass::DType::F32, std::move(lengths), values,
                      order);
  }
  std::string integers(llvm::StringRef name,
                       const std::vector<int64_t> &values) {
    return constantOf(name, compass::DType::I64, {int64_t(values.size())},
                      values);
  }
  /// Scalars of a quantized tensor; one constant for each value and type.
  std::string scalar(float value);
  std::string zeroPoint(compass::DType type, int64_t value);

  NodeSpec &addNode(const std::string &name, std::string op,
                    std::vector<std::string> inputs, std::string output,
                    AttributeList attributes = {});

  /// Gives the tensor \p from, which only nodes at the end of the model know,
  /// another name. False if another layer's node or none makes it.
  bool rename(const std::string &from, const std::string &to, size_t firstNode);
  size_t numNodes() const { return model.nodes.size(); }

private:
  struct Form {
    std::string name;
    Order order;
  };
  struct Tensor {
    std::vector<Form> forms;
    std::optional<compass::ConstantView> constant;
    bool isOutput = false;
  };
  std::string addConstant(llvm::StringRef name, compass::DType type,
                          Lengths source, llvm::ArrayRef<int64_t> order,
                          Bytes bytes, std::shared_ptr<const void> owner);
  std::string reordered(mlir::Value value, llvm::ArrayRef<int64_t> order);
  std::string constantForm(mlir::Value value, Tensor &tensor,
                           llvm::ArrayRef<int64_t> order);
  std::string realConstant(mlir::Value value, llvm::ArrayRef<int64_t> order);

  ModelSpec &model;
  llvm::DenseMap<mlir::Value, Tensor> tensors;
  std::map<std::pair<std::string, double>, std::string> reals;
  std::map<std::pair<int, double>, std::string> scalars;
  llvm::StringSet<> tensorNames, nodeNames;
};

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_EXPORT_TENSORFORMS_H
