//===- Schema.h - The parts of a TFLite model as views ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One struct for each table of the format that the reader needs; the numbers of
// the fields are those of the public schema, version 3. Only offsets are
// checked here (Flat.h).
//
//   ModelParts model(file.root("TFL3"));
//   for (FlatTable t : GraphParts(model.graphs[0]).operators)
//     OperatorParts op(t);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_TFLITE_SCHEMA_H
#define YARROW_PARSER_TFLITE_SCHEMA_H

#include "parser/graph/ImportGraph.h"
#include "parser/tflite/Flat.h"
#include <algorithm>
#include <string>

namespace yarrow::tflite {

struct ModelParts {
  explicit ModelParts(const FlatTable &t)
      : version(t.number<std::uint32_t>(0, 0)), codes(t.tables(1)),
        graphs(t.tables(2)), buffers(t.tables(4)) {}
  std::uint32_t version;
  std::vector<FlatTable> codes, graphs, buffers;
};

struct CodeParts {
  explicit CodeParts(const FlatTable &t)
      : // Numbers above 127 do not fit the old field, and files of before 2020
        // have no other.
        number(std::max<std::int32_t>(t.number<std::int8_t>(0, 0),
                                      t.number<std::int32_t>(3, 0))),
        custom(t.text(1)) {}
  std::int32_t number;
  std::string_view custom;
};

struct GraphParts {
  explicit GraphParts(const FlatTable &t)
      : tensors(t.tables(0)), operators(t.tables(3)),
        inputs(t.list<std::int32_t>(1)), outputs(t.list<std::int32_t>(2)),
        name(t.text(4)) {}
  std::vector<FlatTable> tensors, operators;
  FlatList<std::int32_t> inputs, outputs;
  std::string_view name;
};

struct TensorParts {
  explicit TensorParts(const FlatTable &t)
      : shape(t.list<std::int32_t>(0)), signature(t.list<std::int32_t>(7)),
        type(t.number<std::int8_t>(1, 0)),
        buffer(t.number<std::uint32_t>(2, 0)), name(t.text(3)),
        quantization(t.table(4)), sparsity(t.table(6)),
        isVariable(t.number<std::uint8_t>(5, 0) != 0) {}
  FlatList<std::int32_t> shape, signature;
  std::int8_t type;
  std::uint32_t buffer;
  std::string_view name;
  FlatTable quantization, sparsity;
  bool isVariable;
};

struct QuantizationParts {
  explicit QuantizationParts(const FlatTable &t)
      : scales(t.list<float>(2)), zeroPoints(t.list<std::int64_t>(3)),
        detailsType(t.number<std::uint8_t>(4, 0)),
        axis(t.number<std::int32_t>(6, 0)) {}
  FlatList<float> scales;
  FlatList<std::int64_t> zeroPoints;
  std::uint8_t detailsType; ///< 1 custom; beyond: by blocks.
  std::int32_t axis;
};

struct OperatorParts {
  explicit OperatorParts(const FlatTable &t)
      : code(t.number<std::uint32_t>(0, 0)), inputs(t.list<std::int32_t>(1)),
        outputs(t.list<std::int32_t>(2)),
        optionsType(t.number<std::uint8_t>(3, 0)), options(t.table(4)),
        customOptions(t.list<std::byte>(5)),
        intermediates(t.list<std::int32_t>(8)) {}
  std::uint32_t code;
  FlatList<std::int32_t> inputs, outputs; ///< -1: left out.
  std::uint8_t optionsType;
  FlatTable options;
  FlatList<std::byte> customOptions; ///< As the operator's program has them.
  /// Tensors that say how the operator stores what it computes on the way.
  FlatList<std::int32_t> intermediates;
};

/// The tables of options that the reader knows (Options.def).
enum class OptionTable : std::uint8_t {
  None,
#define OPTIONS(TABLE, NUMBER) TABLE,
#include "parser/tflite/Options.def"
};

/// Of its type in the union; 0 of None.
std::uint8_t unionNumber(OptionTable table);

/// The fields of one operator's options by their names in Options.def; a name
/// that is not there is a fault of the program.
class Options {
public:
  Options() = default;
  Options(OptionTable kind, FlatTable table) : kind(kind), table(table) {}

  bool has(std::string_view field) const;
  std::int64_t integer(std::string_view field) const;
  bool flag(std::string_view field) const { return integer(field) != 0; }
  float number(std::string_view field) const;
  std::string text(std::string_view field) const;
  /// Null if the file has not the list.
  std::optional<std::vector<std::int64_t>>
  integers(std::string_view field) const;
  /// All of them but the fused activation, as a node has them.
  std::map<std::string, graph::Attribute, std::less<>> attributes() const;

private:
  OptionTable kind = OptionTable::None;
  FlatTable table;
};

} // namespace yarrow::tflite

#endif // YARROW_PARSER_TFLITE_SCHEMA_H
