//===- OnnxOracle.cpp - Our reader of ONNX beside libonnx -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   onnx_oracle FOLDER...
//
// Reads every .onnx file below the folders twice: as protobuf with the classes
// of libonnx (Debian: libonnx-dev), and with parser/onnx. Message by message
// (Model.h) and as an import graph (OnnxReader.h), both must have the same
// nodes, attributes, types and functions, and constants of the same bytes.
// Prints what differs, and counts. Returns 1 if anything does, 77 without
// files.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/Model.h"
#include "parser/onnx/OnnxReader.h"
#include "parser/onnx/TensorReader.h"
#include "support/MappedFile.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <onnx/onnx_pb.h>
#include <set>

using namespace yarrow;
using yarrow::onnx::Bytes;
namespace ours = yarrow::onnx;
namespace proto = ::onnx;
namespace fs = std::filesystem;

namespace {

/// What was compared, of all files.
struct Counts {
  std::size_t files = 0, graphs = 0, nodes = 0, attributes = 0, constants = 0,
              values = 0, functions = 0, bytes = 0;
};

/// Compares one model; what differs is in `differences`.
class Comparison {
public:
  Comparison(std::string path, std::shared_ptr<const void> owner,
             Counts &counts)
      : path(std::move(path)), tensors(this->path, std::move(owner), diags),
        counts(counts) {}

  void model(const proto::ModelProto &expected, Bytes bytes);
  /// The graph that the reader made of it.
  void graph(const proto::GraphProto &expected, const graph::Graph &found,
             bool isMain, const std::string &where);

  std::vector<std::string> differences;

private:
  void differ(const std::string &where, const std::string &what) {
    differences.push_back(where + ": " + what);
  }
  template <typename T, typename U>
  void equal(const T &expected, const U &found, const std::string &where,
             const char *what) {
    if (!std::ranges::equal(expected, found))
      differ(where, std::string(what) + " differ");
  }
  template <typename T, typename U>
  void same(const T &expected, const U &found, const std::string &where,
            const char *what) {
    if (expected != found)
      differ(where, std::string(what) + " differs");
  }
  template <typename Parts>
  Parts parsed(Bytes bytes, const std::string &where) {
    Parts result;
    if (const char *why = ours::parse(bytes, result))
      differ(where, why);
    return result;
  }
  /// Calls \p compare with every pair of two lists that are as long.
  template <typename List, typename Compare>
  void each(const List &expected, const std::vector<Bytes> &found,
            const std::string &where, Compare compare) {
    if (std::size_t(expected.size()) != found.size())
      return differ(where, std::to_string(found.size()) + " instead of " +
                               std::to_string(expected.size()));
    for (int i = 0; i < expected.size(); ++i)
      compare(expected[i], found[std::size_t(i)],
              where + " " + std::to_string(i));
  }

  template <typename List>
  void sets(const List &expected, const ours::OperatorSets &found,
            const std::string &where);
  void graph(const proto::GraphProto &expected, Bytes bytes,
             const std::string &where);
  void node(const proto::NodeProto &expected, Bytes bytes,
            const std::string &where);
  void attribute(const proto::AttributeProto &expected, Bytes bytes,
                 const std::string &where);
  void value(const proto::ValueInfoProto &expected, Bytes bytes,
             const std::string &where);
  void tensor(const proto::TensorProto &expected, Bytes bytes,
              const std::string &where);
  void function(const proto::FunctionProto &expected, Bytes bytes,
                const std::string &where);

  void type(const proto::ValueInfoProto &expected, const graph::Tensor &found,
            const std::string &where);
  void node(const proto::NodeProto &expected, const graph::Node &found,
            const std::string &where);
  void attribute(const proto::AttributeProto &expected,
                 const graph::Attribute &found, const std::string &where);
  void constant(const proto::TensorProto &expected,
                const graph::Constant &found, const std::string &foreignType,
                const std::string &where);

  std::string path;
  DiagnosticEngine diags;
  ours::TensorReader tensors;
  Counts &counts;
};

std::string plainDomain(const std::string &domain) {
  return domain == "ai.onnx" ? "" : domain;
}

template <typename T, typename List> std::string packed(const List &values) {
  std::string bytes;
  for (auto value : values) {
    T narrow = T(value);
    bytes.append(reinterpret_cast<const char *>(&narrow), sizeof narrow);
  }
  return bytes;
}

/// Elements as the format stores them, two to a byte of those of 4 bits.
std::string storedBytes(const proto::TensorProto &t, const std::string &path) {
  using T = proto::TensorProto;
  if (t.data_location() == T::EXTERNAL) {
    std::map<std::string, std::string> keys;
    for (const auto &entry : t.external_data())
      keys[entry.key()] = entry.value();
    DiagnosticEngine ignored;
    auto file = MappedFile::open(
        (fs::path(path).parent_path() / keys["location"]).string(), ignored);
    if (!file)
      return "";
    std::string all(reinterpret_cast<const char *>(file->bytes().data()),
                    file->bytes().size());
    std::size_t offset =
        keys.contains("offset") ? std::stoul(keys["offset"]) : 0;
    return all.substr(offset, keys.contains("length")
                                  ? std::stoul(keys["length"])
                                  : std::string::npos);
  }
  if (t.has_raw_data())
    return t.raw_data();
  switch (t.data_type()) {
  case T::FLOAT:
    return packed<float>(t.float_data());
  case T::DOUBLE:
    return packed<double>(t.double_data());
  case T::INT64:
    return packed<std::int64_t>(t.int64_data());
  case T::UINT64:
    return packed<std::uint64_t>(t.uint64_data());
  case T::UINT32:
    return packed<std::uint32_t>(t.uint64_data());
  case T::INT32:
    return packed<std::int32_t>(t.int32_data());
  case T::INT16:
  case T::UINT16:
  case T::FLOAT16:
  case T::BFLOAT16:
    return packed<std::uint16_t>(t.int32_data());
  default:
    return packed<std::uint8_t>(t.int32_data());
  }
}

void Comparison::constant(const proto::TensorProto &expected,
                          const graph::Constant &found,
                          const std::string &foreignType,
                          const std::string &where) {
  ++counts.constants;
  auto known = ours::elementTypeOf(expected.data_type());
  if (!foreignType.empty()) {
    if (known)
      differ(where, "a type that is known is foreign");
    return;
  }
  equal(expected.dims(), found.shape, where, "dims");
  std::string bytes = storedBytes(expected, path);
  counts.bytes += bytes.size();
  if (found.narrowBits == 0) {
    if (known != found.type)
      differ(where, "the element type differs");
    if (bytes.size() != found.bytes.size() ||
        (!bytes.empty() &&
         std::memcmp(bytes.data(), found.bytes.data(), bytes.size()) != 0))
      differ(where, "bytes differ");
    return;
  }
  for (std::size_t i = 0; i < found.bytes.size(); ++i)
    if (i / 2 >= bytes.size() ||
        (unsigned(found.bytes[i]) & 15) !=
            ((unsigned(bytes[i / 2]) >> (i % 2 * 4)) & 15))
      return differ(where, "halves of bytes differ");
}

template <typename List>
void Comparison::sets(const List &expected, const ours::OperatorSets &found,
                      const std::string &where) {
  ours::OperatorSets wanted;
  for (const auto &set : expected)
    wanted[plainDomain(set.domain())] = set.version();
  same(wanted, found, where, "the operator sets");
}

void Comparison::model(const proto::ModelProto &expected, Bytes bytes) {
  auto found = parsed<ours::ModelParts>(bytes, "the model");
  same(expected.ir_version(), found.irVersion, "the model", "the IR version");
  sets(expected.opset_import(), found.operatorSets, "the model");
  same(expected.has_graph(), found.hasGraph, "the model", "having a graph");
  if (expected.has_graph())
    graph(expected.graph(), found.graph, "graph");
  each(expected.functions(), found.functions, "function",
       [&](const auto &e, Bytes f, const auto &w) { function(e, f, w); });
}

void Comparison::graph(const proto::GraphProto &expected, Bytes bytes,
                       const std::string &where) {
  ++counts.graphs;
  auto found = parsed<ours::GraphParts>(bytes, where);
  same(expected.name(), found.name, where, "the name");
  each(expected.node(), found.nodes, where + ", node",
       [&](const auto &e, Bytes f, const auto &w) { node(e, f, w); });
  each(expected.initializer(), found.initializers, where + ", initializer",
       [&](const auto &e, Bytes f, const auto &w) { tensor(e, f, w); });
  auto compareValues = [&](const auto &e, Bytes f, const auto &w) {
    value(e, f, w);
  };
  each(expected.input(), found.inputs, where + ", input", compareValues);
  each(expected.output(), found.outputs, where + ", output", compareValues);
  each(expected.value_info(), found.valueInfos, where + ", value",
       compareValues);
  same(std::size_t(expected.sparse_initializer_size()), found.sparse.size(),
       where, "the number of sparse constants");
}

void Comparison::node(const proto::NodeProto &expected, Bytes bytes,
                      const std::string &where) {
  ++counts.nodes;
  auto found = parsed<ours::NodeParts>(bytes, where);
  same(expected.name(), found.name, where, "the name");
  same(expected.op_type(), found.op, where, "the operator");
  same(plainDomain(expected.domain()), found.domain, where, "the domain");
  equal(expected.input(), found.inputs, where, "inputs");
  equal(expected.output(), found.outputs, where, "outputs");
  each(expected.attribute(), found.attributes, where + ", attribute",
       [&](const auto &e, Bytes f, const auto &w) { attribute(e, f, w); });
}

void Comparison::attribute(const proto::AttributeProto &expected, Bytes bytes,
                           const std::string &where) {
  ++counts.attributes;
  auto found = parsed<ours::AttributeParts>(bytes, where);
  same(expected.name(), found.name, where, "the name");
  same(expected.ref_attr_name(), found.reference, where, "the reference");
  same(std::int64_t(expected.type()), found.type, where, "the type");
  same(expected.i(), found.integer, where, "the integer");
  float number = expected.f();
  if (std::memcmp(&number, &found.number, sizeof number) != 0)
    differ(where, "the number differs");
  same(expected.s(), found.text, where, "the text");
  equal(expected.ints(), found.integers, where, "integers");
  same(packed<float>(expected.floats()), packed<float>(found.numbers), where,
       "the list of numbers");
  equal(expected.strings(), found.texts, where, "texts");
  if (expected.has_t())
    tensor(expected.t(), found.tensor, where);
  if (expected.has_g())
    graph(expected.g(), found.graph, where);
}

void Comparison::value(const proto::ValueInfoProto &expected, Bytes bytes,
                       const std::string &where) {
  ++counts.values;
  auto found = parsed<ours::ValueParts>(bytes, where);
  same(expected.name(), found.name, where, "the name");
  const proto::TypeProto &type = expected.type();
  using T = proto::TypeProto;
  const char *other = "";
  if (type.has_sequence_type())
    other = "sequence";
  else if (type.has_map_type())
    other = "map";
  else if (type.has_sparse_tensor_type())
    other = "sparse tensor";
  else if (type.has_optional_type())
    other = "optional";
  same(std::string_view(other), std::string_view(found.otherKind), where,
       "the kind of type");
  if (*other || type.value_case() != T::kTensorType)
    return;
  const auto &tensor = type.tensor_type();
  same(tensor.elem_type(), found.elementType, where, "the element type");
  same(tensor.has_shape(), found.hasShape, where, "having a shape");
  std::vector<std::int64_t> lengths;
  std::vector<std::string> symbols;
  for (const auto &dim : tensor.shape().dim()) {
    lengths.push_back(
        dim.has_dim_value() && dim.dim_value() >= 0 ? dim.dim_value() : -1);
    symbols.push_back(dim.dim_param());
  }
  same(lengths, found.lengths, where, "the shape");
  equal(symbols, found.symbols, where, "symbols");
}

void Comparison::tensor(const proto::TensorProto &expected, Bytes bytes,
                        const std::string &where) {
  auto found = tensors.read(bytes, where);
  if (!found)
    return differ(where, "the constant is refused");
  same(expected.name(), found->name, where, "the name");
  constant(expected, found->constant, found->foreignType, where);
}

void Comparison::function(const proto::FunctionProto &expected, Bytes bytes,
                          const std::string &where) {
  ++counts.functions;
  auto found = parsed<ours::FunctionParts>(bytes, where);
  same(expected.name(), found.name, where, "the name");
  same(plainDomain(expected.domain()), found.domain, where, "the domain");
  equal(expected.input(), found.inputs, where, "inputs");
  equal(expected.output(), found.outputs, where, "outputs");
  sets(expected.opset_import(), found.operatorSets, where);
  each(expected.node(), found.nodes, where + ", node",
       [&](const auto &e, Bytes f, const auto &w) { node(e, f, w); });
}

//===----------------------------------------------------------------------===//
// The import graph
//===----------------------------------------------------------------------===//

std::string nameOf(const graph::Tensor *tensor) {
  return tensor ? tensor->name : "";
}

void Comparison::type(const proto::ValueInfoProto &expected,
                      const graph::Tensor &found, const std::string &where) {
  if (!expected.type().has_tensor_type())
    return same(found.foreignType.empty(), expected.type().value_case() == 0,
                where, "the kind of type");
  const auto &tensor = expected.type().tensor_type();
  if (found.foreignType.empty())
    same(ours::elementTypeOf(tensor.elem_type()), found.type, where,
         "the element type");
  same(tensor.has_shape(), found.shape.has_value(), where, "having a shape");
  if (tensor.has_shape() && found.shape)
    same(std::size_t(tensor.shape().dim_size()), found.shape->size(), where,
         "the number of axes");
}

void Comparison::graph(const proto::GraphProto &expected,
                       const graph::Graph &found, bool isMain,
                       const std::string &where) {
  same(expected.name(), found.name, where, "the name");
  std::set<std::string> constants;
  for (const auto &t : expected.initializer()) {
    constants.insert(t.name());
    const graph::Tensor *tensor = found.find(t.name());
    if (!tensor || (!tensor->constant && tensor->foreignType.empty()))
      differ(where, "constant " + t.name() + " is missing");
    else
      constant(t, tensor->constant.value_or(graph::Constant()),
               tensor->foreignType, where + ", constant " + t.name());
  }
  std::size_t numInputs = 0;
  for (const auto &input : expected.input()) {
    if (isMain && constants.contains(input.name()))
      continue;
    if (numInputs >= found.inputs.size())
      return differ(where, "inputs are missing");
    const graph::Tensor &tensor = *found.inputs[numInputs++];
    same(input.name(), tensor.name, where, "the name of an input");
    type(input, tensor, where + ", input " + input.name());
  }
  same(numInputs, found.inputs.size(), where, "the number of inputs");
  std::vector<std::string> outputs, foundOutputs;
  for (const auto &output : expected.output())
    outputs.push_back(output.name());
  for (const graph::Tensor *output : found.outputs)
    foundOutputs.push_back(nameOf(output));
  same(outputs, foundOutputs, where, "the list of outputs");
  if (std::size_t(expected.node_size()) != found.nodes.size())
    return differ(where, "the number of nodes differs");
  for (int i = 0; i < expected.node_size(); ++i)
    node(expected.node(i), *found.nodes[std::size_t(i)],
         where + ", " + found.nodes[std::size_t(i)]->describe());
}

void Comparison::node(const proto::NodeProto &expected,
                      const graph::Node &found, const std::string &where) {
  same(expected.name(), found.name, where, "the name");
  same(expected.op_type(), found.op, where, "the operator");
  same(plainDomain(expected.domain()), found.domain, where, "the domain");
  std::vector<std::string> inputs, outputs;
  for (const graph::Tensor *tensor : found.inputs)
    inputs.push_back(nameOf(tensor));
  for (const graph::Tensor *tensor : found.outputs)
    outputs.push_back(nameOf(tensor));
  equal(expected.input(), inputs, where, "inputs");
  equal(expected.output(), outputs, where, "outputs");
  same(std::size_t(expected.attribute_size()), found.attributes.size(), where,
       "the number of attributes");
  for (const auto &a : expected.attribute())
    if (const graph::Attribute *attribute_ = found.attribute(a.name()))
      attribute(a, *attribute_, where + ", " + a.name());
    else
      differ(where, "attribute " + a.name() + " is missing");
}

void Comparison::attribute(const proto::AttributeProto &expected,
                           const graph::Attribute &found,
                           const std::string &where) {
  using Kind = graph::Attribute::Kind;
  using A = proto::AttributeProto;
  float number = expected.f();
  switch (found.kind) {
  case Kind::Int:
    same(A::INT, expected.type(), where, "the type");
    return same(expected.i(), found.integer, where, "the integer");
  case Kind::Float:
    same(A::FLOAT, expected.type(), where, "the type");
    if (std::memcmp(&number, &found.number, sizeof number) != 0)
      differ(where, "the number differs");
    return;
  case Kind::String:
    same(A::STRING, expected.type(), where, "the type");
    return same(expected.s(), found.text, where, "the text");
  case Kind::Tensor:
    same(A::TENSOR, expected.type(), where, "the type");
    return constant(expected.t(), *found.tensor, "", where);
  case Kind::Graph:
    same(A::GRAPH, expected.type(), where, "the type");
    return graph(expected.g(), *found.graph, /*isMain=*/false, where);
  case Kind::Ints:
    same(A::INTS, expected.type(), where, "the type");
    return equal(expected.ints(), found.integers, where, "integers");
  case Kind::Floats:
    same(A::FLOATS, expected.type(), where, "the type");
    return same(packed<float>(expected.floats()), packed<float>(found.numbers),
                where, "the list of numbers");
  case Kind::Strings:
    same(A::STRINGS, expected.type(), where, "the type");
    return equal(expected.strings(), found.texts, where, "texts");
  case Kind::Other: {
    bool isForeign = expected.type() == A::TENSOR && !found.text.empty();
    if (!isForeign && expected.type() <= A::STRINGS)
      differ(where, "the value is left out");
    return;
  }
  }
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    std::error_code error;
    for (const auto &entry : fs::recursive_directory_iterator(argv[i], error))
      if (entry.path().extension() == ".onnx")
        files.push_back(entry.path().string());
  }
  if (files.empty()) {
    std::printf("skipped: no .onnx files (Debian: libonnx-testdata)\n");
    return 77;
  }
  std::ranges::sort(files);
  Counts counts;
  std::size_t numDifferent = 0, numInlined = 0;
  std::map<std::string, std::size_t> refused; // By the code of the first error.
  for (const std::string &path : files) {
    ++counts.files;
    DiagnosticEngine diags;
    auto file = MappedFile::open(path, diags);
    proto::ModelProto expected;
    bool isModel = file && expected.ParseFromArray(file->bytes().data(),
                                                   int(file->bytes().size()));
    Comparison comparison(path, file, counts);
    if (!isModel) {
      comparison.differences.push_back("libonnx does not read it");
    } else {
      comparison.model(expected, file->bytes());
      auto graph = ours::parseOnnx(file->bytes(), file, path, diags);
      if (!graph)
        ++refused[std::string(diags.all().front().id->code)];
      else if (expected.functions_size() > 0) // compared as messages
        ++numInlined;
      else
        comparison.graph(expected.graph(), *graph, /*isMain=*/true, "network");
    }
    if (comparison.differences.empty())
      continue;
    ++numDifferent;
    for (const std::string &difference : comparison.differences)
      std::printf("%s: %s\n", path.c_str(), difference.c_str());
  }
  std::printf("%zu files, %zu differ: %zu graphs, %zu nodes, %zu attributes, "
              "%zu types, %zu functions, %zu constants of %zu bytes\n",
              counts.files, numDifferent, counts.graphs, counts.nodes,
              counts.attributes, counts.values, counts.functions,
              counts.constants, counts.bytes);
  for (const auto &[code, count] : refused)
    std::printf(
        "%zu compared as messages alone: the reader refuses them (%s)\n", count,
        code.c_str());
  if (numInlined > 0)
    std::printf("%zu compared as messages alone: the reader inlines their "
                "functions\n",
                numInlined);
  google::protobuf::ShutdownProtobufLibrary();
  return numDifferent > 0;
}
