//===- NnapiOps.cpp - yarrow ops --nnapi ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/NnapiOps.h"
#include "parser/nnapi/OperationRules.h"
#include "parser/nnapi/OperationTable.h"
#include "support/TextTable.h"
#include "support/diagnostics/Settings.h"

#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace yarrow::nnapi;
using Json = nlohmann::ordered_json;
using Kind = OperandRow::Kind;

namespace {

/// "TENSOR_FLOAT32 (27), ..."; \p isShort without what all tensors say.
std::string typesText(const OperationEntry &entry, bool isShort) {
  std::string text;
  for (const OperationEntry::Type &type : entry.types) {
    std::string_view name = entryOf(type.type).name;
    if (isShort)
      name.remove_prefix(std::string_view("TENSOR_").size());
    text += (text.empty() ? "" : ", ") + std::string(name);
    if (type.level > entry.level)
      text += " (" + std::to_string(type.level) + ")";
  }
  return text.empty() ? "as the operands say" : text;
}

std::string axesText(const OperationEntry &entry) {
  if (!entry.minAxes)
    return "";
  std::string least = std::to_string(entry.minAxes);
  return entry.maxAxes == 0 ? least + " or more axes"
         : entry.maxAxes == entry.minAxes
             ? least + " axes"
             : least + " to " + std::to_string(entry.maxAxes) + " axes";
}

const char *kindText(const OperandRow &row) {
  switch (row.kind) {
  case Kind::One:
    return row.isConstant ? "value needed" : "one";
  case Kind::Optional:
    return "optional";
  case Kind::List:
    return "list";
  }
  return "";
}

Json rowsJson(const std::vector<OperandRow> &rows) {
  Json list = Json::array();
  for (const OperandRow &row : rows)
    list.push_back({{"name", row.name},
                    {"type", nameOf(row.operandClass)},
                    {"type_meaning", textOf(row.operandClass)},
                    {"kind", kindText(row)},
                    {"level", row.level}});
  return list;
}

Json operationJson(const OperationEntry &entry) {
  Json types = Json::array(), forms = Json::array(), rules = Json::array();
  for (const OperationEntry::Type &type : entry.types)
    types.push_back({{"name", entryOf(type.type).name}, {"level", type.level}});
  for (const OperationForm &form : entry.forms)
    forms.push_back({{"name", form.name},
                     {"level", form.level},
                     {"inputs", rowsJson(form.inputs)},
                     {"outputs", rowsJson(outputsOf(entry, &form))}});
  for (const OperationRule &rule : rulesOf(entry.name))
    rules.push_back(textOf(rule));
  return {{"name", entry.name},        {"code", entry.code},
          {"level", entry.level},      {"means", entry.means},
          {"becomes", entry.becomes},  {"axes", {entry.minAxes, entry.maxAxes}},
          {"types", std::move(types)}, {"forms", std::move(forms)},
          {"rules", std::move(rules)}};
}

/// What the numbers of a type stand for.
const char *storageText(const OperandTypeEntry &type) {
  if (type.type == OperandType::MODEL)
    return "none: it is a model";
  switch (type.storage) {
  case Storage::Plain:
    return "as they are";
  case Storage::Asymmetric:
    return "scale * (stored - zero point)";
  case Storage::Symmetric:
    return "scale * stored";
  case Storage::PerChannel:
    return "scale of the channel * stored";
  }
  return "";
}

Json typesJson() {
  Json list = Json::array();
  for (const OperandTypeEntry &type : allOperandTypes())
    list.push_back({{"name", type.name},
                    {"code", std::int32_t(type.type)},
                    {"tensor", type.isTensor},
                    {"bytes", elementBytes(type.element)},
                    {"level", type.level},
                    {"storage", storageText(type)}});
  return list;
}

std::string nnapiListText(std::size_t width) {
  TextTable table;
  table.column("operation").number("code").number("level");
  table.column("types").wrapped().optional(1).column("becomes").wrapped();
  table.column("what it computes").wrapped().optional(2);
  for (const OperationEntry &entry : allOperations())
    table.row({entry.name, std::to_string(entry.code),
               std::to_string(entry.level), typesText(entry, true),
               entry.becomes, entry.means});
  return table.str(width) + std::to_string(allOperations().size()) +
         " operations\n";
}

using RuleKind = OperationRule::Kind;

bool isShape(const OperationRule &rule) {
  return rule.kind == RuleKind::Shape || rule.kind == RuleKind::Image ||
         rule.kind == RuleKind::Series;
}

/// The rows of a form's inputs or outputs.
class RowsTable {
public:
  RowsTable(const OperationEntry &entry) : entry(entry) {
    table.column("operand").column("name").column("need");
    table.column("type, lengths, values").wrapped();
  }
  void add(const std::vector<OperandRow> &rows, bool areOutputs, int level) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      table.row({(areOutputs ? "out " : "in ") + std::to_string(i),
                 rows[i].name, needText(rows[i], level),
                 typeText(rows[i], areOutputs)});
  }
  std::string str(std::size_t width) const { return table.str(width); }

private:
  static std::string needText(const OperandRow &row, int level) {
    bool isPlain = row.kind == Kind::One && !row.isConstant;
    std::string need = isPlain ? "" : kindText(row);
    if (row.level > level)
      need += (need.empty() ? "" : ", ") + std::string("from ") +
              std::to_string(row.level);
    return need;
  }
  bool isOf(const OperationRule &rule, const OperandRow &row,
            bool isOutput) const {
    return rule.operands[0].name == row.name &&
           rule.operands[0].isOutput == isOutput;
  }
  std::string lengthsText(const OperandRow &row, bool isOutput) const {
    for (const OperationRule &rule : rulesOf(entry.name))
      if (isShape(rule) && isOf(rule, row, isOutput))
        return shapeText(rule);
    return "";
  }
  /// With the lengths that it has, and the values that it may have.
  std::string typeText(const OperandRow &row, bool isOutput) const {
    std::string text = textOf(row.operandClass);
    if (std::string lengths = lengthsText(row, isOutput); !lengths.empty())
      text += " " + lengths;
    for (const OperationRule &rule : rulesOf(entry.name))
      if (isOf(rule, row, isOutput))
        if (std::string values = valueText(rule); !values.empty())
          text += ", " + values;
    return text;
  }

  const OperationEntry &entry;
  TextTable table;
};

std::string formText(const OperationEntry &entry, const OperationForm &form,
                     std::size_t width) {
  std::string text = "\n";
  if (*form.name)
    text += form.name + std::string(":\n");
  if (form.level > entry.level)
    text += "from feature level " + std::to_string(form.level) + "\n";
  RowsTable table(entry);
  table.add(form.inputs, false, form.level);
  table.add(outputsOf(entry, &form), true, form.level);
  return text + table.str(width);
}

/// What the tables of operands do not say: what is between operands.
std::vector<std::string> relationsOf(const OperationEntry &entry) {
  std::vector<std::string> texts;
  bool hasImages = false, hasSeries = false;
  for (const OperationRule &rule : rulesOf(entry.name)) {
    hasImages |= rule.kind == RuleKind::Image;
    hasSeries |= rule.kind == RuleKind::Series;
    if (!isShape(rule) && valueText(rule).empty())
      texts.push_back(textOf(rule));
  }
  if (hasImages)
    texts.push_back("with nchw the last axis of images is the second");
  if (hasSeries)
    texts.push_back("without time_major the second axis of sequences is first");
  return texts;
}

/// Everything about one operation.
std::string explainText(const OperationEntry &entry, std::size_t width) {
  std::string text;
  auto printLine = [&](const std::string &indent,
                       const std::string &paragraph) {
    for (const std::string &line :
         wrapText(paragraph, width - std::min(width, indent.size())))
      text += indent + line + "\n";
  };
  printLine("", std::string(entry.name) + ": " + entry.means);
  printLine("  ", "number " + std::to_string(entry.code) +
                      ", from feature level " + std::to_string(entry.level));
  printLine("  ", std::string("becomes: ") + entry.becomes);
  printLine("  ", "T: " + typesText(entry, false) +
                      (entry.minAxes ? "; " + axesText(entry) : ""));
  for (const OperationForm &form : entry.forms)
    text += formText(entry, form, width);
  std::vector<std::string> relations = relationsOf(entry);
  if (!relations.empty())
    text += "\n";
  for (const std::string &relation : relations)
    printLine("", relation);
  return text;
}

const OperationEntry *findAnyCase(std::string name) {
  for (char &c : name)
    c = char(std::toupper(static_cast<unsigned char>(c)));
  return findOperation(name);
}

} // namespace

void yarrow::printNnapiOps(const std::string &name, const std::string &format,
                           Driver &driver) {
  const OperationEntry *one = name.empty() ? nullptr : findAnyCase(name);
  if (!name.empty() && !one) {
    std::vector<std::string> known;
    for (const OperationEntry &entry : allOperations())
      known.push_back(entry.name);
    driver.diags
        .report(diag::UsageInvalid, {}, "NNAPI has no operation " + name)
        .suggest(name, known);
    return;
  }
  if (format == "json") {
    Json operations = Json::array();
    for (const OperationEntry &entry : allOperations())
      if (!one || one == &entry)
        operations.push_back(operationJson(entry));
    driver.printLine(
        Json{{"operations", std::move(operations)}, {"types", typesJson()}}
            .dump(1) +
        "\n");
    return;
  }
  driver.printLine(one ? explainText(*one, driver.tableWidth())
                       : nnapiListText(driver.tableWidth()));
}
