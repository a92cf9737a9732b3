//===- QnnOps.cpp - yarrow ops --qnn --------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/QnnOps.h"
#include "parser/qnn/OpTable.h"
#include "support/TextTable.h"
#include "support/diagnostics/Settings.h"

#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace yarrow::qnn;
using Json = nlohmann::ordered_json;

namespace {

const char *nameOf(Bound::Kind kind) {
  switch (kind) {
  case Bound::Kind::Any:
    return "any";
  case Bound::Kind::AtLeast:
    return "at least";
  case Bound::Kind::Above:
    return "above";
  case Bound::Kind::Range:
    return "range";
  case Bound::Kind::Axis:
    return "axis of in[0]";
  case Bound::Kind::EndAxis:
    return "axis of in[0], or its end";
  case Bound::Kind::OutAxis:
    return "axis of out[0]";
  case Bound::Kind::OneOf:
    return "one of";
  }
  return "";
}

const char *nameOf(Relation::Kind kind) {
  switch (kind) {
  case Relation::Kind::Below:
    return "below";
  case Relation::Kind::AtMost:
    return "at most";
  case Relation::Kind::Without:
    return "not with";
  }
  return "";
}

std::string textOf(double value) {
  std::string text = Json(value).dump();
  return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
}

/// "0", "[1, 1]"; of a list of lists flat.
std::string defaultText(const ParamRow &row) {
  if (row.defaults.empty())
    return row.defaultText;
  std::string text;
  for (double value : row.defaults)
    text += (text.empty() ? "" : ", ") + textOf(value);
  return row.isScalar() ? text : "[" + text + "]";
}

/// The values that a parameter may have, as far as the record says.
std::string boundText(const ParamRow &row) {
  const Bound &bound = row.bound;
  bool isFlag = row.type == DataType::BOOL_8;
  std::string text;
  switch (bound.kind) {
  case Bound::Kind::Any:
    text = isFlag ? "0, or another number" : "";
    break;
  case Bound::Kind::AtLeast:
  case Bound::Kind::Above:
    text = nameOf(bound.kind) + (" " + textOf(bound.low));
    break;
  case Bound::Kind::Range:
    text = textOf(bound.low) + (isFlag ? " or " : " to ") + textOf(bound.high);
    break;
  case Bound::Kind::Axis:
  case Bound::Kind::EndAxis:
  case Bound::Kind::OutAxis:
    text = nameOf(bound.kind);
    break;
  case Bound::Kind::OneOf:
    for (const ParamRow::Value &value : row.values)
      text += (text.empty() ? "" : ", ") + std::to_string(value.number) + " " +
              value.name;
    break;
  }
  auto add = [&](const std::string &more) {
    text += (text.empty() ? "" : "; ") + more;
  };
  if (bound.isUnique)
    add("each once");
  if (bound.isAscending)
    add("ascending");
  if (row.relation)
    add(nameOf(row.relation->kind) + (std::string(" ") + row.relation->other));
  return text;
}

std::string typesText(const TensorRow &row) {
  std::string text;
  for (DataType type : row.types)
    text += (text.empty() ? "" : ", ") + std::string(entryOf(type).name);
  if (row.types.empty())
    return "any";
  return text + (row.hasOtherTypes ? ", others" : "");
}

Json tensorsJson(const std::vector<TensorRow> &rows) {
  Json list = Json::array();
  for (const TensorRow &row : rows) {
    Json types = Json::array();
    for (DataType type : row.types)
      types.push_back(entryOf(type).name);
    list.push_back({{"name", row.name},
                    {"role", row.role},
                    {"mandatory", row.isMandatory},
                    {"list", row.isList},
                    {"count", row.count},
                    {"types", std::move(types)},
                    {"other_types", row.hasOtherTypes},
                    {"shape", row.shape},
                    {"default", row.defaultText},
                    {"constraints", row.constraints}});
  }
  return list;
}

Json paramsJson(const std::vector<ParamRow> &rows) {
  Json list = Json::array();
  for (const ParamRow &row : rows) {
    Json values = Json::object(), relation = nullptr;
    for (const ParamRow::Value &value : row.values)
      values[value.name] = value.number;
    if (row.relation)
      relation = {{"is", nameOf(row.relation->kind)},
                  {"other", row.relation->other}};
    list.push_back({{"name", row.name},
                    {"type", row.type ? Json(entryOf(*row.type).name) : Json()},
                    {"mandatory", row.isMandatory},
                    {"dims", row.dims},
                    {"shape", row.shape},
                    {"default", row.defaults},
                    {"default_text", row.defaultText},
                    {"values", std::move(values)},
                    {"bound",
                     {{"kind", nameOf(row.bound.kind)},
                      {"low", row.bound.low},
                      {"high", row.bound.high},
                      {"unique", row.bound.isUnique},
                      {"ascending", row.bound.isAscending}}},
                    {"relation", std::move(relation)},
                    {"constraints", row.constraints}});
  }
  return list;
}

Json operatorJson(const OpEntry &entry) {
  return {{"name", entry.name},
          {"means", entry.means},
          {"imported", entry.read != nullptr},
          {"becomes", entry.becomes},
          {"constraints", entry.constraints},
          {"deprecated", entry.isDeprecated},
          {"replacement", entry.replacement},
          {"inputs", tensorsJson(entry.inputs)},
          {"params", paramsJson(entry.params)},
          {"outputs", tensorsJson(entry.outputs)}};
}

std::string becomesText(const OpEntry &entry) {
  return entry.read ? entry.becomes
                    : std::string("not imported: ") + entry.becomes;
}

std::string qnnListText(std::size_t width) {
  TextTable table;
  table.column("operator").column("becomes").wrapped();
  table.column("what it computes").wrapped().optional(1);
  std::size_t numImported = 0;
  for (const OpEntry &entry : allOps()) {
    table.row({entry.name, becomesText(entry), entry.means});
    numImported += entry.read != nullptr;
  }
  return table.str(width) + std::to_string(allOps().size()) + " operators, " +
         std::to_string(numImported) + " imported\n";
}

std::string tensorsText(const OpEntry &entry, std::size_t width) {
  TextTable table;
  table.column("tensor").column("is").column("need").column("types").wrapped();
  table.column("lengths").wrapped().column("constraints").wrapped();
  for (const auto *side : {&entry.inputs, &entry.outputs})
    for (const TensorRow &row : *side) {
      std::string need = row.isMandatory ? "" : "optional";
      if (*row.defaultText)
        need += std::string(", default ") + row.defaultText;
      table.row({row.name, row.isList ? "" : row.role, need, typesText(row),
                 row.shape, row.constraints});
    }
  return table.str(width);
}

std::string paramsText(const OpEntry &entry, std::size_t width) {
  TextTable table;
  table.column("parameter").column("type").column("need").wrapped();
  table.column("values").wrapped().column("lengths").wrapped();
  table.column("constraints").wrapped();
  for (const ParamRow &row : entry.params) {
    std::string need = row.isMandatory ? "" : "optional";
    if (std::string text = defaultText(row); !text.empty())
      need += ", default " + text;
    table.row({row.name, row.type ? entryOf(*row.type).name : "any", need,
               boundText(row), row.shape, row.constraints});
  }
  return table.empty() ? "" : "\n" + table.str(width);
}

/// Everything about one operator.
std::string explainText(const OpEntry &entry, std::size_t width) {
  std::string text;
  auto printLine = [&](const std::string &indent,
                       const std::string &paragraph) {
    for (const std::string &line :
         wrapText(paragraph, width - std::min(width, indent.size())))
      text += indent + line + "\n";
  };
  printLine("", std::string(entry.name) + ": " + entry.means);
  printLine("  ", entry.read ? std::string("becomes: ") + entry.becomes
                             : becomesText(entry));
  if (entry.isDeprecated)
    printLine("  ",
              std::string("deprecated: ") + entry.replacement + " instead");
  if (*entry.constraints)
    printLine("  ", entry.constraints);
  return text + "\n" + tensorsText(entry, width) + paramsText(entry, width);
}

} // namespace

void yarrow::printQnnOps(const std::string &name, const std::string &format,
                         Driver &driver) {
  const OpEntry *one = name.empty() ? nullptr : findOp(name);
  if (!name.empty() && !one) {
    std::vector<std::string> known;
    for (const OpEntry &entry : allOps())
      known.push_back(entry.name);
    driver.diags
        .report(diag::UsageInvalid, {},
                "the QNN definitions have no operator " + name)
        .suggest(name, known);
    return;
  }
  if (format == "json") {
    Json operators = Json::array();
    for (const OpEntry &entry : allOps())
      if (!one || one == &entry)
        operators.push_back(operatorJson(entry));
    driver.printLine(operators.dump(1) + "\n");
    return;
  }
  driver.printLine(one ? explainText(*one, driver.tableWidth())
                       : qnnListText(driver.tableWidth()));
}
