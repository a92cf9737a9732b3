//===- TensorReader.h - Tensors of TFLite -----------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A tensor's type, shape, quantization and, if it is constant, elements: a view
// of the file, except for elements of 4 bits, which get a byte each, and sparse
// tensors, which are expanded.
//
//   TensorReader tensors("net.tflite", file, model.buffers, mapped, diags);
//   tensors.read(TensorParts(table), 7, tensor);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_TFLITE_TENSORREADER_H
#define YARROW_PARSER_TFLITE_TENSORREADER_H

#include "parser/graph/ImportGraph.h"
#include "parser/tflite/Schema.h"
#include "support/Diagnostics.h"

namespace yarrow::tflite {

/// The element type of TFLite's number for it; null of foreign types.
std::optional<ElementType> elementTypeOf(std::int64_t number);
/// "int8"; "type 99" of one that is not known.
std::string elementTypeName(std::int64_t number);

class TensorReader {
public:
  TensorReader(std::string path, const FlatFile &file,
               const std::vector<FlatTable> &buffers,
               std::shared_ptr<const void> owner, DiagnosticEngine &diags)
      : path(std::move(path)), file(file), buffers(buffers),
        owner(std::move(owner)), diags(diags) {}

  /// Fills \p tensor, number \p index of its graph. Reports what is wrong. A
  /// tensor that the file gives a length of -1 has none there; what it states
  /// of others is in declaredShape as well.
  void read(const TensorParts &parts, std::size_t index, graph::Tensor &tensor);

private:
  void readShape(const TensorParts &parts, graph::Tensor &tensor);
  void readQuantization(const TensorParts &parts, graph::Tensor &tensor);
  void readConstant(const TensorParts &parts, graph::Tensor &tensor);
  std::optional<Bytes> dataOf(const TensorParts &parts,
                              const graph::Tensor &tensor);
  Diagnostic &malformed(const graph::Tensor &tensor, const std::string &what);

  std::string path;
  const FlatFile &file;
  const std::vector<FlatTable> &buffers;
  std::shared_ptr<const void> owner;
  DiagnosticEngine &diags;
};

} // namespace yarrow::tflite

#endif // YARROW_PARSER_TFLITE_TENSORREADER_H
