//===- QnnModel.h - A graph as QNN's JSON has it ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Tensors and nodes by their names, as the converters write them, with
// everything in the file: reading and writing gives the same file. It is only a
// description. JsonReader.h reads it from a file, CheckNode.h compares its
// nodes with the definitions, QnnGraph.h converts it to an import graph, and
// exportQnn() makes one from a network.
//
//   QnnModel model;
//   model.add({.name = "x", .type = DataType::FLOAT_32, .dims = {1, 4},
//              .kind = TensorKind::Input});
//   model.add({.name = "y", .type = DataType::FLOAT_32, .dims = {1, 4},
//              .kind = TensorKind::Output});
//   model.nodes.push_back({.name = "relu", .type = "Relu", .inputs = {"x"},
//                          .outputs = {"y"}});
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_QNN_QNNMODEL_H
#define YARROW_PARSER_QNN_QNNMODEL_H

#include "parser/qnn/DataTypes.h"
#include "support/Diagnostics.h"
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace yarrow::qnn {

/// Where a tensor's value comes from; the numbers are the format's.
enum class TensorKind {
  Input = 0,  ///< The application writes it.
  Output = 1, ///< The application reads it; nodes may read it, too.
  Both = 2,   ///< Input and output at once.
  Native = 3, ///< A node writes it, others read it.
  Static = 4, ///< The weights, or the file, have its bytes.
  Null = 5,   ///< An optional tensor that is left out.
};

/// How integers stand for real numbers: real = (stored + offset) * scale.
struct Encoding {
  enum class Form {
    None,
    ScaleOffset,
    AxisScaleOffset,
    /// The same two with fewer bits than are stored.
    BitWidthScaleOffset,
    BitWidthAxisScaleOffset,
    /// One that is not read, by its name: "blockwise_expansion".
    Other,
  } form = Form::None;
  /// One, or one for each position along \ref axis.
  std::vector<float> scales = {};
  std::vector<std::int32_t> offsets = {}; ///< As many as scales.
  std::int64_t axis = 0;
  unsigned bitWidth = 0; ///< Of the forms that have one.
  std::string other = {};
  /// The JSON of the file, where it says more than the above.
  std::string written = {};
};

/// Members of the file that mean nothing to Yarrow, as JSON: "axis_format".
using OtherMembers = std::vector<std::pair<std::string, std::string>>;

struct QnnTensor {
  std::string name;
  DataType type = DataType::FLOAT_32;
  std::vector<std::int64_t> dims = {};
  TensorKind kind = TensorKind::Native;
  Encoding encoding = {};
  /// Of static ones: elements as little-endian bytes, perhaps unaligned.
  std::span<const std::byte> value = {};
  std::shared_ptr<const void> owner = {}; ///< Of the bytes.
  bool hasValue = false;                  ///< Also of one without elements.
  /// The JSON has the bytes itself ("data").
  bool isInline = false;
  Place place = {};
  OtherMembers others = {};

  const DataTypeEntry &entry() const { return entryOf(type); }
  std::int64_t numElements() const;
  std::int64_t sizeBytes() const {
    return numElements() * std::int64_t(elementBytes(entry().element));
  }
};

/// Gives \p tensor a value that it owns.
void setValue(QnnTensor &tensor, std::vector<std::byte> bytes);

struct QnnParam {
  std::string name;
  /// A scalar has no dims; its value is in `value`, but for texts.
  bool isScalar = true;
  QnnTensor tensor = {};
  std::string text = {}; ///< Of STRING.
  /// What the file has as the number of the type, where it is no number of one.
  std::uint64_t writtenType = 0;
  Place place = {};
};

struct QnnNode {
  std::string name;
  std::string type; ///< "Conv2d"
  std::string package = "qti.aisw";
  std::vector<std::string> inputs = {}, outputs = {};
  std::vector<QnnParam> params = {}; ///< In the order of the file.
  Place place = {};
  OtherMembers others = {};

  const QnnParam *param(std::string_view paramName) const;
};

struct QnnModel {
  std::string file = "graph";          ///< For messages.
  std::vector<QnnTensor> tensors = {}; ///< In the order of the file.
  std::vector<QnnNode> nodes = {};
  OtherMembers others = {}, graphOthers = {};
  /// Graphs that If names.
  std::map<std::string, std::shared_ptr<QnnModel>> graphs = {};

  const QnnTensor *find(std::string_view tensorName) const;
  /// Of a name that is new.
  QnnTensor &add(QnnTensor tensor);

private:
  std::map<std::string, std::size_t, std::less<>> indices;
};

/// "[1,8,8,3]".
std::string dimsText(const std::vector<std::int64_t> &dims);

/// Whether a package's operators are those of the definitions.
bool isStandardPackage(std::string_view package);

} // namespace yarrow::qnn

#endif // YARROW_PARSER_QNN_QNNMODEL_H
