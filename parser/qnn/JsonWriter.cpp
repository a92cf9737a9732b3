//===- JsonWriter.cpp - Writing QNN graphs as JSON ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/JsonWriter.h"
#include "parser/qnn/InlineData.h"
#include "parser/qnn/JsonNumber.h"
#include <algorithm>
#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace yarrow::qnn;
using Form = Encoding::Form;

namespace {

/// Members of an object, put in the order of their names: JSON or, with
/// `indent`, objects on lines of their own.
using Members = OtherMembers;

std::string quote(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

/// An object with a line for each member, \p indent blanks before its end.
std::string objectOf(Members members, std::size_t indent) {
  if (members.empty())
    return "{}";
  std::ranges::stable_sort(members, {}, &Members::value_type::first);
  std::string json = "{";
  for (const auto &[key, value] : members) {
    json += json.size() > 1 ? ",\n" : "\n";
    json.append(indent + 2, ' ');
    json += quote(key) + ": " + value;
  }
  json += '\n';
  json.append(indent, ' ');
  return json + "}";
}

/// One on a single line.
std::string shortObjectOf(const Members &members) {
  std::string json = "{";
  for (const auto &[key, value] : members)
    json += (json.size() > 1 ? ", " : "") + quote(key) + ": " + value;
  return json + "}";
}

template <typename List, typename Print>
std::string listOf(const List &list, Print print) {
  std::string json = "[";
  for (const auto &item : list)
    json += (json.size() > 1 ? ", " : "") + print(item);
  return json + "]";
}

} // namespace

static std::string scaleOf(const Encoding &encoding, std::size_t i) {
  Members members = {{"offset", std::to_string(encoding.offsets[i])},
                     {"scale", jsonNumber(double(encoding.scales[i]))}};
  if (encoding.form == Form::BitWidthScaleOffset)
    members.insert(members.begin(),
                   {"bitwidth", std::to_string(encoding.bitWidth)});
  return shortObjectOf(members);
}

static std::string axisScalesOf(const Encoding &encoding) {
  std::string count = std::to_string(encoding.scales.size());
  std::string scales;
  for (std::size_t i = 0; i < encoding.scales.size(); ++i)
    scales += (i ? ", " : "") + scaleOf(encoding, i);
  Members members = {{"axis", std::to_string(encoding.axis)}};
  if (encoding.form == Form::BitWidthAxisScaleOffset) {
    members.push_back({"bitwidth", std::to_string(encoding.bitWidth)});
    members.push_back({"num_elements", count});
  } else {
    members.push_back({"num_scale_offsets", count});
  }
  members.push_back({"scale_offsets", "[" + scales + "]"});
  return shortObjectOf(members);
}

static std::string encodingOf(const Encoding &encoding) {
  if (!encoding.written.empty())
    return encoding.written;
  constexpr const char *undefined = "2147483647";
  Members members = {{"definition", undefined}, {"encoding", undefined}};
  auto put = [&](const char *number, const char *form, std::string value) {
    members = {{"definition", "1"}, {"encoding", number}};
    members.emplace_back(form, std::move(value));
  };
  switch (encoding.form) {
  case Form::None:
  case Form::Other: // what was not read is only what was written
    break;
  case Form::ScaleOffset:
    put("0", "scale_offset", scaleOf(encoding, 0));
    break;
  case Form::AxisScaleOffset:
    put("1", "axis_scale_offset", axisScalesOf(encoding));
    break;
  case Form::BitWidthScaleOffset:
    put("2", "bw_scale_offset", scaleOf(encoding, 0));
    break;
  case Form::BitWidthAxisScaleOffset:
    put("3", "bw_axis_scale_offset", axisScalesOf(encoding));
    break;
  }
  std::ranges::sort(members);
  return shortObjectOf(members);
}

static std::string tensorOf(const QnnTensor &tensor, std::size_t indent) {
  Members members = tensor.others;
  members.emplace_back("data_type", std::to_string(std::uint32_t(tensor.type)));
  members.emplace_back("dims", listOf(tensor.dims, [](std::int64_t length) {
                         return std::to_string(length);
                       }));
  members.emplace_back("quant_params", encodingOf(tensor.encoding));
  members.emplace_back("type", std::to_string(int(tensor.kind)));
  if (tensor.isInline && tensor.hasValue) {
    std::string data;
    writeData(tensor, data);
    members.emplace_back("data", std::move(data));
  }
  return objectOf(std::move(members), indent);
}

static std::string scalarOf(const QnnParam &param) {
  std::uint64_t type =
      param.writtenType ? param.writtenType : std::uint64_t(param.tensor.type);
  std::string value;
  if (param.tensor.type == DataType::STRING)
    value = quote(param.text);
  else
    writeData(param.tensor, value);
  return shortObjectOf({{std::to_string(type), value}});
}

static std::string nodeOf(const QnnNode &node, std::size_t indent) {
  Members members = node.others, scalars, tensors;
  for (const QnnParam &param : node.params)
    if (param.isScalar)
      scalars.emplace_back(param.name, scalarOf(param));
    else
      tensors.emplace_back(
          param.name,
          objectOf({{param.tensor.name, tensorOf(param.tensor, indent + 6)}},
                   indent + 4));
  members.emplace_back("input_names", listOf(node.inputs, quote));
  members.emplace_back("output_names", listOf(node.outputs, quote));
  members.emplace_back("package", quote(node.package));
  members.emplace_back("scalar_params",
                       objectOf(std::move(scalars), indent + 2));
  members.emplace_back("tensor_params",
                       objectOf(std::move(tensors), indent + 2));
  members.emplace_back("type", quote(node.type));
  return objectOf(std::move(members), indent);
}

static std::string graphOf(const QnnModel &model, std::size_t indent);

static std::string graphsOf(const QnnModel &model, std::size_t indent) {
  Members graphs;
  for (const auto &[name, graph] : model.graphs)
    graphs.emplace_back(name, graphOf(*graph, indent + 2));
  return objectOf(std::move(graphs), indent);
}

/// \p model's tensors and nodes; within one that If names also its graphs.
static Members graphMembers(const QnnModel &model, std::size_t indent) {
  Members members = model.graphOthers, tensors, nodes;
  for (const QnnTensor &tensor : model.tensors)
    tensors.emplace_back(tensor.name, tensorOf(tensor, indent + 4));
  for (const QnnNode &node : model.nodes)
    nodes.emplace_back(node.name, nodeOf(node, indent + 4));
  members.emplace_back("tensors", objectOf(std::move(tensors), indent + 2));
  members.emplace_back("nodes", objectOf(std::move(nodes), indent + 2));
  return members;
}

static std::string graphOf(const QnnModel &model, std::size_t indent) {
  Members members = graphMembers(model, indent);
  if (!model.graphs.empty())
    members.emplace_back("graphs", graphsOf(model, indent + 2));
  return objectOf(std::move(members), indent);
}

std::string qnn::jsonOf(const QnnModel &model) {
  Members members = model.others;
  members.emplace_back("graph", objectOf(graphMembers(model, 2), 2));
  if (!model.graphs.empty())
    members.emplace_back("graphs", graphsOf(model, 2));
  return objectOf(std::move(members), 0) + "\n";
}
