//===- TensorReader.h - Constants and types of ONNX -------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Tensors of a model as views of the file that holds their data: the model, or
// external data in its folder. Data in lists of numbers are copied.
//
//   TensorReader tensors("net.onnx", mapped, diags);
//   std::optional<NamedConstant> weights = tensors.read(bytes, "node Conv_3");
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_TENSORREADER_H
#define YARROW_PARSER_ONNX_TENSORREADER_H

#include "parser/graph/ImportGraph.h"
#include "parser/onnx/Wire.h"
#include "support/Diagnostics.h"
#include "support/MappedFile.h"
#include <map>
#include <memory>
#include <string>

namespace yarrow::onnx {

struct NamedConstant {
  std::string name;
  graph::Constant constant;
  std::string foreignType; ///< Of elements that nothing computes.
};

/// The element type of ONNX's number for it; null of foreign types.
std::optional<ElementType> elementTypeOf(std::int64_t number);
/// ONNX's number for an element type, whole bytes an element.
std::int64_t elementNumber(ElementType type);
/// "float8e4m3fn"; "type 99" of one that is not known.
std::string elementTypeName(std::int64_t number);

class TensorReader {
public:
  TensorReader(std::string path, std::shared_ptr<const void> owner,
               DiagnosticEngine &diags)
      : path(std::move(path)), owner(std::move(owner)), diags(diags) {}

  /// Null after reporting what is wrong, at \p where if the tensor has no name.
  std::optional<NamedConstant> read(Bytes message, const std::string &where);
  /// The name of a tensor that was not read.
  static std::string nameOf(Bytes message);
  /// What is wrong with external data, once for each file, when all is read.
  void reportExternal();

private:
  struct Fields;
  bool readFields(Bytes message, Fields &fields, const std::string &where);
  bool readExternal(Fields &fields, std::uint64_t sizeBytes, Bytes &data,
                    std::shared_ptr<const void> &dataOwner);
  /// A file beside the model, and what is wrong with it.
  struct External {
    std::shared_ptr<const MappedFile> file;
    std::optional<Diagnostic> problem = {};
    /// Constants that cannot be had, and the first of them.
    std::size_t numMissing = 0;
    std::string firstMissing = {};
  };
  External openExternal(const std::string &location);
  Diagnostic externalProblem(const std::string &message) const;

  std::string path;
  std::shared_ptr<const void> owner;
  DiagnosticEngine &diags;
  std::map<std::string, External> files; ///< By what the model calls them.
};

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_TENSORREADER_H
