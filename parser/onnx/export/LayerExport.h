//===- LayerExport.h - One layer as nodes of ONNX ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The functions of the operators use this: the tensors of a layer in the form
// that an ONNX operator takes, its nodes, and its results. They compute with
// real values: a layer of integers comes between DequantizeLinear and
// QuantizeLinear.
//
//   LogicalResult exportErf(LayerExport &n) {
//     Order order = n.readyOrder();
//     return n.result(0, n.node("Erf", {n.real(0, order)}), order);
//   }
//
// The first node has the layer's name; the others append what they do.
// Multipliers of integer layers are in the scales of the DequantizeLinear
// before them, so that the model computes what the integers do, except for the
// rounding of floats.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_EXPORT_LAYEREXPORT_H
#define YARROW_PARSER_ONNX_EXPORT_LAYEREXPORT_H

#include "dialects/compass/Keys.h"
#include "dialects/compass/LayerError.h"
#include "parser/onnx/export/TensorForms.h"

namespace yarrow::onnx {

class LayerExport {
public:
  LayerExport(TensorForms &forms, mlir::Operation *op)
      : forms(forms), op(op), firstNode(forms.numNodes()) {}

  TensorForms &forms;
  mlir::Operation *op;

  compass::TensorInfo in(unsigned i) const {
    return describe(op->getOperand(i));
  }
  compass::TensorInfo out(unsigned i = 0) const {
    return describe(op->getResult(i));
  }
  /// The result's lengths.
  Lengths shape() const {
    compass::TensorInfo info = out();
    return {info.shape.begin(), info.shape.end()};
  }
  size_t rank() const { return out().shape.size(); }
  /// Whether the layer computes in integers with scales.
  bool isInteger() const;

  /// Operand \p i as float32, as TensorForms::real has it.
  std::string real(unsigned i, llvm::ArrayRef<int64_t> order,
                   double scale = 0) {
    return forms.real(op->getOperand(i), order, scale);
  }
  std::string stored(unsigned i, llvm::ArrayRef<int64_t> order) {
    return forms.stored(op->getOperand(i), order);
  }
  /// An order in which most of the operands are there already.
  Order readyOrder();
  /// A node with one result, whose name is returned.
  std::string node(llvm::StringRef onnxOp, std::vector<std::string> inputs,
                   AttributeList attributes = {});
  /// A node that makes several.
  std::vector<std::string> nodeOf(size_t results, llvm::StringRef onnxOp,
                                  std::vector<std::string> inputs,
                                  AttributeList attributes = {});

  /// Result \p i is the float32 tensor \p name, to be quantized as it says.
  llvm::LogicalResult result(unsigned i, std::string name, Order order);
  /// The same of whole steps: the stored integers with their zero point.
  llvm::LogicalResult resultSteps(unsigned i, std::string name, Order order);
  /// Result \p i is \p name as it is stored.
  llvm::LogicalResult resultStored(unsigned i, const std::string &name,
                                   Order order);

  /// \p name behind the layer's with_activation (or the key \p key), in the
  /// order of result 0.
  std::string activated(std::string name, llvm::ArrayRef<int64_t> order,
                        compass::WordKey key = compass::keys::with_activation);

  /// scale / 2^shift of the layer: one value, or one for each channel. {1}
  /// without the keys.
  std::vector<double> multipliers() const;
  /// What the ONNX scale of operand 0 must be for the result to be the
  /// operand's integers times the layer's multiplier; 0 of a float layer.
  double operandScale(double multiplier) const;

  /// A constant of the layer as float32, its axes in \p order (plain if empty).
  std::string realKey(compass::TensorKey key,
                      llvm::ArrayRef<int64_t> order = {});
  std::string floats(llvm::StringRef suffix, Lengths lengths,
                     const std::vector<float> &values) {
    return forms.floats(suffixed(suffix), std::move(lengths), values);
  }
  std::string integers(llvm::StringRef suffix,
                       const std::vector<int64_t> &values) {
    return forms.integers(suffixed(suffix), values);
  }
  std::string suffixed(llvm::StringRef suffix) const;

  /// ExportForm: this layer has no form in ONNX.
  compass::LayerError refuse(llvm::StringRef key, const llvm::Twine &why);

private:
  /// \p name, with \p scale steps to 1, quantized as result \p i.
  llvm::LogicalResult quantized(unsigned i, std::string name, double scale,
                                Order order);

  size_t firstNode;
  bool hasNode = false;
  llvm::StringSet<> ownNames; ///< Of tensors that its nodes made.
};

/// The axis that the key names, counted from the front.
int64_t axisOf(LayerExport &n, compass::IntKey key, size_t rank);
/// Where \p axis is in \p order.
int64_t placeOf(llvm::ArrayRef<int64_t> order, int64_t axis);

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_EXPORT_LAYEREXPORT_H
