//===- ModelWriter.h - An ONNX model, written -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The parts of a model that an export makes, and their file. Constants are
// views of bytes that the caller owns, in the caller's order of axes. They are
// transposed one at a time while the file is written, so that the weights of a
// network are never in memory twice.
//
//   ModelSpec model{.graphName = "net"};
//   model.nodes.push_back({"/relu", "Relu", {"x"}, {"y"}});
//   writeModel(model, "net.onnx", diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_ONNX_MODELWRITER_H
#define YARROW_PARSER_ONNX_MODELWRITER_H

#include "parser/onnx/Wire.h"
#include "support/Diagnostics.h"
#include "support/ElementType.h"
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace yarrow::onnx {

using Lengths = std::vector<std::int64_t>;

using AttributeSpec =
    std::variant<std::int64_t, float, std::string, Lengths, std::vector<float>,
                 std::vector<std::string>>;
using AttributeList = std::vector<std::pair<std::string, AttributeSpec>>;

struct NodeSpec {
  std::string name, op;
  std::vector<std::string> inputs, outputs;
  AttributeList attributes;
};

/// An input, output or inner tensor.
struct ValueSpec {
  std::string name;
  ElementType type = ElementType::F32;
  Lengths lengths;
  std::string comment; ///< doc_string, which viewers show.
};

/// A constant: axis i of it is axis order[i] of what lies in \p bytes.
struct TensorSpec {
  std::string name;
  ElementType type = ElementType::F32;
  Lengths source; ///< Lengths of the axes in \p bytes.
  Lengths order;
  Bytes bytes = {};
  std::shared_ptr<const void> owner; ///< Of the bytes; null if the caller is.

  Lengths lengths() const;
};

struct ModelSpec {
  std::string graphName;
  std::int64_t operatorSet = 21, irVersion = 10;
  std::vector<NodeSpec> nodes;
  std::vector<TensorSpec> constants;
  std::vector<ValueSpec> inputs, outputs, values;
};

/// How many bytes were written. With \p externalPath, a file in the same
/// folder, constants of 4 KB and more are written there, each from the
/// beginning of a page; both files appear together. Null after reporting what
/// is wrong: a file that cannot be written, a model of more than 2 GB
/// (ExportTooLarge).
std::optional<std::uint64_t> writeModel(const ModelSpec &model,
                                        const std::string &path,
                                        DiagnosticEngine &diags,
                                        const std::string &externalPath = "");

} // namespace yarrow::onnx

#endif // YARROW_PARSER_ONNX_MODELWRITER_H
