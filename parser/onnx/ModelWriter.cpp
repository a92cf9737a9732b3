//===- ModelWriter.cpp - An ONNX model, written ---------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/ModelWriter.h"
#include "parser/onnx/TensorReader.h"
#include "parser/onnx/WireWriter.h"
#include "support/AtomicFile.h"
#include "support/diagnostics/Import.h"
#include <algorithm>
#include <cstring>
#include <filesystem>

using namespace yarrow;
using namespace yarrow::onnx;

namespace {

/// data_location of a constant whose elements lie in another file.
constexpr std::int64_t kExternal = 1;
/// The most bytes that readers of the format take.
constexpr std::uint64_t kMostBytes = (std::uint64_t(1) << 31) - 1;

/// Numbers of the kinds of attributes, and where their values stand.
struct AttributeWriter {
  WireWriter &wire;
  void kind(std::int64_t number) { wire.integer(20, number); }
  void operator()(float value) { wire.number(2, value), kind(1); }
  void operator()(std::int64_t value) { wire.integer(3, value), kind(2); }
  void operator()(const std::string &value) { wire.text(4, value), kind(3); }
  void operator()(const std::vector<float> &values) {
    wire.numbers(7, values), kind(6);
  }
  void operator()(const Lengths &values) { wire.integers(8, values), kind(7); }
  void operator()(const std::vector<std::string> &values) {
    for (const std::string &value : values)
      wire.text(9, value);
    kind(8);
  }
};

WireWriter nodeMessage(const NodeSpec &node) {
  WireWriter wire;
  for (const std::string &name : node.inputs)
    wire.text(1, name);
  for (const std::string &name : node.outputs)
    wire.text(2, name);
  wire.text(3, node.name);
  wire.text(4, node.op);
  for (const auto &[name, value] : node.attributes) {
    WireWriter attribute;
    attribute.text(1, name);
    std::visit(AttributeWriter{attribute}, value);
    wire.message(5, attribute);
  }
  return wire;
}

WireWriter valueMessage(const ValueSpec &value) {
  WireWriter shape, tensor, type, wire;
  for (std::int64_t length : value.lengths) {
    WireWriter dimension;
    dimension.integer(1, length);
    shape.message(1, dimension);
  }
  tensor.integer(1, elementNumber(value.type));
  tensor.message(2, shape);
  type.message(1, tensor);
  wire.text(1, value.name);
  wire.message(2, type);
  if (!value.comment.empty())
    wire.text(3, value.comment);
  return wire;
}

/// The elements in the order of the constant's axes.
std::vector<std::byte> turned(const TensorSpec &tensor) {
  std::size_t rank = tensor.order.size(), size = elementBytes(tensor.type);
  Lengths lengths = tensor.lengths(), strides(rank), at(rank, 0);
  std::int64_t stride = 1;
  Lengths sourceStrides(rank);
  for (std::size_t i = rank; i-- > 0; stride *= tensor.source[i])
    sourceStrides[i] = stride;
  for (std::size_t i = 0; i < rank; ++i)
    strides[i] = sourceStrides[std::size_t(tensor.order[i])];
  std::vector<std::byte> out(tensor.bytes.size());
  std::int64_t from = 0;
  for (std::size_t to = 0; to < out.size(); to += size) {
    std::memcpy(out.data() + to, tensor.bytes.data() + std::size_t(from) * size,
                size);
    for (std::size_t i = rank; i-- > 0;) {
      from += strides[i];
      if (++at[i] < lengths[i])
        break;
      from -= strides[i] * lengths[i];
      at[i] = 0;
    }
  }
  return out;
}

/// External data are mapped: constants of a page or more begin at one.
constexpr std::uint64_t kPageBytes = 4096;

/// Everything of a constant that stands in the model.
struct ConstantField {
  WireWriter head; ///< The elements follow, unless they are external.
  bool isExternal = false;
  std::uint64_t offset = 0; ///< In the file of external data.
};

/// The file as far as it is not elements of constants.
struct WrittenParts {
  WrittenParts(const ModelSpec &model, const std::string &location);

  WireWriter head, tail;
  std::vector<ConstantField> constants;
  std::uint64_t modelBytes = 0, externalBytes = 0;

private:
  void addGraphHead(const ModelSpec &model, WireWriter &wire);
  void addConstants(const ModelSpec &model, const std::string &location);
  void addTail(const ModelSpec &model);
};

WrittenParts::WrittenParts(const ModelSpec &model,
                           const std::string &location) {
  WireWriter graph, operators;
  addGraphHead(model, graph);
  addConstants(model, location);
  addTail(model);
  std::uint64_t graphBytes = graph.bytes().size() + tail.bytes().size();
  for (std::size_t i = 0; i < constants.size(); ++i)
    graphBytes +=
        constants[i].head.bytes().size() +
        (constants[i].isExternal ? 0 : model.constants[i].bytes.size());
  operators.text(1, "");
  operators.integer(2, model.operatorSet);
  head.integer(1, model.irVersion);
  head.text(2, "yarrow");
  head.message(8, operators);
  head.header(7, graphBytes);
  modelBytes = head.bytes().size() + graphBytes;
  head.append(graph);
}

void WrittenParts::addGraphHead(const ModelSpec &model, WireWriter &wire) {
  for (const NodeSpec &node : model.nodes)
    wire.message(1, nodeMessage(node));
  wire.text(2, model.graphName);
}

void WrittenParts::addTail(const ModelSpec &model) {
  for (const ValueSpec &value : model.inputs)
    tail.message(11, valueMessage(value));
  for (const ValueSpec &value : model.outputs)
    tail.message(12, valueMessage(value));
  for (const ValueSpec &value : model.values)
    tail.message(13, valueMessage(value));
}

void WrittenParts::addConstants(const ModelSpec &model,
                                const std::string &location) {
  for (const TensorSpec &tensor : model.constants) {
    ConstantField &field = constants.emplace_back();
    std::uint64_t size = tensor.bytes.size();
    field.isExternal = !location.empty() && size >= kPageBytes;
    WireWriter wire;
    wire.integers(1, tensor.lengths());
    wire.integer(2, elementNumber(tensor.type));
    wire.text(8, tensor.name);
    if (field.isExternal) {
      externalBytes =
          (externalBytes + kPageBytes - 1) / kPageBytes * kPageBytes;
      field.offset = externalBytes;
      externalBytes += size;
      const std::pair<const char *, std::string> entries[] = {
          {"location", location},
          {"offset", std::to_string(field.offset)},
          {"length", std::to_string(size)}};
      for (const auto &[key, value] : entries) {
        WireWriter entry;
        entry.text(1, key);
        entry.text(2, value);
        wire.message(13, entry);
      }
      wire.integer(14, kExternal);
    } else {
      wire.header(9, size);
    }
    field.head.header(5, wire.bytes().size() + (field.isExternal ? 0 : size));
    field.head.append(wire);
  }
}

} // namespace

Lengths TensorSpec::lengths() const {
  Lengths lengths;
  for (std::int64_t axis : order)
    lengths.push_back(source[std::size_t(axis)]);
  return lengths;
}

static void appendElements(AtomicFile &file, const TensorSpec &tensor) {
  if (std::ranges::is_sorted(tensor.order))
    file.append(tensor.bytes);
  else
    file.append(turned(tensor));
}

/// Constants at their offsets, zeros between them.
static void appendExternal(AtomicFile &file, const ModelSpec &model,
                           const WrittenParts &parts) {
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < model.constants.size(); ++i) {
    const ConstantField &field = parts.constants[i];
    if (!field.isExternal)
      continue;
    file.append(std::string(field.offset - end, '\0'));
    appendElements(file, model.constants[i]);
    end = field.offset + model.constants[i].bytes.size();
  }
}

std::optional<std::uint64_t> onnx::writeModel(const ModelSpec &model,
                                              const std::string &path,
                                              DiagnosticEngine &diags,
                                              const std::string &externalPath) {
  WrittenParts parts(model,
                     std::filesystem::path(externalPath).filename().string());
  if (parts.modelBytes > kMostBytes) {
    diags
        .report(diag::ExportTooLarge, {path},
                "the network is too large for an ONNX model")
        .found(std::to_string(parts.modelBytes) + " bytes")
        .expected("at most " + std::to_string(kMostBytes))
        .hint("write the weights into their own file with --external-data, or "
              "quantize them to 8 bits, a quarter of the size of float32");
    return std::nullopt;
  }
  std::vector<AtomicFile *> files;
  std::optional<AtomicFile> external;
  if (!externalPath.empty()) {
    files.push_back(&external.emplace(externalPath, diags));
    appendExternal(*external, model, parts);
  }
  AtomicFile file(path, diags);
  files.push_back(&file);
  file.append(parts.head.bytes());
  for (std::size_t i = 0; i < model.constants.size(); ++i) {
    file.append(parts.constants[i].head.bytes());
    if (!parts.constants[i].isExternal)
      appendElements(file, model.constants[i]);
  }
  file.append(parts.tail.bytes());
  if (!commitTogether(files))
    return std::nullopt;
  return parts.modelBytes + parts.externalBytes;
}
