//===- Ops.cpp - yarrow ops -----------------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Lists the operators, or explains one: what it means from its record, what
// computes it from the lowering's answers about its kernels.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/Commands.h"
#include "compiler/commands/NnapiOps.h"
#include "compiler/commands/QnnOps.h"
#include "dialects/compass/Records.h"
#include "passes/lower/commands/Engines.h"
#include "support/TextTable.h"
#include "support/diagnostics/Settings.h"
#include "llvm/ADT/StringExtras.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace yarrow::compass;
using Json = nlohmann::ordered_json;

namespace {

struct OpsFlags {
  std::string layerType, format = "text";
  bool isNnapi = false, isQnn = false;
};

const char *kindText(KeyKind kind) {
  switch (kind) {
  case KeyKind::Int:
    return "integer";
  case KeyKind::Float:
  case KeyKind::Number:
    return "number";
  case KeyKind::Bool:
    return "true or false";
  case KeyKind::Word:
    return "word";
  case KeyKind::Ints:
    return "integer(s)";
  case KeyKind::IntList:
    return "list of integers";
  case KeyKind::FloatList:
  case KeyKind::NumberList:
    return "list of numbers";
  case KeyKind::Nested:
    return "lists of integers";
  case KeyKind::NestedFloats:
    return "lists of numbers";
  case KeyKind::Words:
    return "word(s)";
  case KeyKind::WordList:
    return "list of words";
  case KeyKind::Symbol:
    return "sub-graph";
  case KeyKind::Tensor:
    return "constant";
  }
  return "";
}

/// "required", "required with CLIP, in integer IR", "".
std::string needText(const KeyRecord &key) {
  std::string text = key.need == Need::Required   ? "required"
                     : key.need == Need::Expected ? "expected"
                                                  : "optional";
  if (!key.of.empty())
    text += " with " + llvm::join(key.of, ", ");
  if (key.ir != IrKind::Both)
    text += key.ir == IrKind::Int ? ", integer IR" : ", float IR";
  return text;
}

std::string valuesText(const KeyRecord &key, const OperatorRecord &record) {
  if (key.choosesMethod) {
    std::vector<std::string> names;
    for (const MethodRecord &m : record.methods)
      names.push_back(m.name.str());
    return llvm::join(names, ", ");
  }
  if (!key.words.empty())
    return llvm::join(key.words, ", ");
  if (key.least != INT64_MIN || key.most != INT64_MAX)
    return std::to_string(key.least) + " to " + std::to_string(key.most);
  return "";
}

/// What computes a layer of which an operator or a method says \p in, in
/// integer or float IR; "-" if it needs no kernels, "none" if it has no such
/// form.
std::string whereText(const OperatorRecord &r, ComputedIn in, bool integer) {
  if (!isComputed(in, integer))
    return "none";
  std::string units = npu::unitsOf(r.kernels(integer));
  return units.empty() ? "-" : units;
}

/// A kernel that an operator's programs call.
struct KernelUse {
  llvm::StringRef symbol;
  bool inFloat, inInt;
  std::string takes; ///< What an engine has of it, in words.

  std::string where() const { return npu::unitsOf(symbol); }
  const char *ir() const {
    return !inFloat ? "integer" : !inInt ? "float" : "both";
  }
};

std::vector<KernelUse> kernelsOf(const OperatorRecord &r) {
  std::vector<KernelUse> uses;
  for (llvm::StringRef symbol : r.floatKernels)
    uses.push_back({symbol, true, llvm::is_contained(r.intKernels, symbol)});
  for (llvm::StringRef symbol : r.intKernels)
    if (!llvm::is_contained(r.floatKernels, symbol))
      uses.push_back({symbol, false, true});
  for (KernelUse &use : uses)
    for (const npu::EngineForm &form : npu::engineForms(use.symbol))
      use.takes += (use.takes.empty() ? "" : "; ") + form.takes.str();
  return uses;
}

Json tensorsJson(llvm::ArrayRef<TensorRecord> tensors) {
  Json list = Json::array();
  for (const TensorRecord &t : tensors) {
    const char *type = t.type == TensorClass::Any       ? "any"
                       : t.type == TensorClass::Integer ? "integer"
                                                        : "float";
    list.push_back({{"name", t.name.str()},
                    {"shape", t.shape.str()},
                    {"type", type},
                    {"meaning", t.doc.str()},
                    {"optional", t.optional},
                    {"variadic", t.variadic}});
  }
  return list;
}

Json operatorJson(const OperatorRecord &r) {
  Json json = {{"layer_type", r.layerType.str()},
               {"family", r.family.str()},
               {"summary", r.summary.str()},
               {"formula", r.formula.str()},
               {"description", r.description.str()},
               {"source", r.source.str()},
               {"rule", ruleRecord(r.rule).name.str()},
               {"rule_meaning", ruleRecord(r.rule).doc.str()},
               {"float", whereText(r, r.computedIn, false)},
               {"int", whereText(r, r.computedIn, true)},
               {"inputs", tensorsJson(r.inputs)},
               {"outputs", tensorsJson(r.outputs)}};
  Json keys = Json::array(), methods = Json::array(), kernels = Json::array(),
       spellings = Json::array(), variants = Json::array(),
       resolved = Json::array();
  for (const KeyRecord &k : r.keys)
    keys.push_back({{"name", k.name.str()},
                    {"kind", kindText(k.kind)},
                    {"need", needText(k)},
                    {"default", k.defaultText.str()},
                    {"values", valuesText(k, r)},
                    {"meaning", k.doc.str()}});
  for (const MethodRecord &m : r.methods)
    methods.push_back({{"name", m.name.str()},
                       {"formula", m.formula.str()},
                       {"float", whereText(r, m.computedIn, false)},
                       {"int", whereText(r, m.computedIn, true)}});
  for (const KernelUse &use : kernelsOf(r)) {
    Json engines = Json::array();
    for (const npu::EngineForm &form : npu::engineForms(use.symbol))
      engines.push_back(
          {{"name", name(form.engine)}, {"takes", form.takes.str()}});
    kernels.push_back({{"name", use.symbol.str()},
                       {"float", use.inFloat},
                       {"int", use.inInt},
                       {"engines", std::move(engines)}});
  }
  for (llvm::StringRef s : r.spellings)
    spellings.push_back(s.str());
  for (const TextPair &v : r.keyVariants)
    variants.push_back({{"printed", v.first.str()}, {"meant", v.second.str()}});
  for (const TextPair &q : r.resolved)
    resolved.push_back(
        {{"question", q.first.str()}, {"reading", q.second.str()}});
  const KeyRecord *methodKey = r.methodKey();
  json["method_key"] = methodKey ? methodKey->name.str() : "";
  json["methods"] = std::move(methods);
  json["kernels"] = std::move(kernels);
  json["keys"] = std::move(keys);
  json["spellings"] = std::move(spellings);
  json["key_variants"] = std::move(variants);
  json["resolved"] = std::move(resolved);
  return json;
}

std::string listText(size_t width) {
  TextTable table;
  table.column("layer_type").column("method").shortened().column("float");
  table.column("int").column("what it computes").wrapped().optional(1);
  size_t rows = 0;
  for (const OperatorRecord &r : allOperators()) {
    if (r.methods.empty()) {
      table.row({r.layerType.str(), "", whereText(r, r.computedIn, false),
                 whereText(r, r.computedIn, true), r.summary.str()});
      ++rows;
    }
    for (const MethodRecord &m : r.methods) {
      table.row({r.layerType.str(), m.name.str(),
                 whereText(r, m.computedIn, false),
                 whereText(r, m.computedIn, true),
                 m.formula.empty() ? r.summary.str() : m.formula.str()});
      ++rows;
    }
  }
  return table.str(width) + std::to_string(allOperators().size()) +
         " layer types, " + std::to_string(rows) + " operators\n";
}

/// Everything about one operator.
std::string explainText(const OperatorRecord &r, size_t width) {
  std::string text;
  auto printLine = [&](const std::string &indent,
                       const std::string &paragraph) {
    for (const std::string &line :
         wrapText(paragraph, width - std::min(width, indent.size())))
      text += indent + line + "\n";
  };
  printLine("", r.layerType.str() + ": " + r.summary.str());
  if (!r.formula.empty())
    printLine("  ", r.formula.str());
  if (!r.description.empty())
    printLine("  ", r.description.str());
  printLine("  ", "float: " + whereText(r, r.computedIn, false) +
                      "; integer: " + whereText(r, r.computedIn, true) +
                      "; quantization: " + ruleRecord(r.rule).doc.str());
  if (!r.source.empty())
    printLine("  ", "source: " + r.source.str());
  TextTable tensors;
  tensors.column("tensor").column("shape").column("meaning").wrapped();
  for (const TensorRecord &t : r.inputs)
    tensors.row({"in " + t.name.str() + (t.optional ? " (optional)" : ""),
                 "[" + t.shape.str() + "]" + (t.variadic ? " each" : ""),
                 t.doc.str()});
  for (const TensorRecord &t : r.outputs)
    tensors.row({"out " + t.name.str() + (t.optional ? " (optional)" : ""),
                 "[" + t.shape.str() + "]" + (t.variadic ? " each" : ""),
                 t.doc.str()});
  text += "\n" + tensors.str(width);
  if (!r.methods.empty()) {
    TextTable methods;
    methods.column(r.methodKey() ? r.methodKey()->name.str() : "method");
    methods.column("float").column("int").column("formula").wrapped();
    for (const MethodRecord &m : r.methods)
      methods.row({m.name.str(), whereText(r, m.computedIn, false),
                   whereText(r, m.computedIn, true), m.formula.str()});
    text += "\n" + methods.str(width);
  }
  if (std::vector<KernelUse> uses = kernelsOf(r); !uses.empty()) {
    TextTable kernels;
    kernels.column("kernel").column("IR").column("runs on");
    kernels.column("the engine takes").wrapped();
    for (const KernelUse &use : uses)
      kernels.row({use.symbol.str(), use.ir(), use.where(), use.takes});
    text += "\n" + kernels.str(width);
  }
  if (!r.keys.empty()) {
    TextTable keys;
    keys.column("key").column("kind").optional(2).column("need").wrapped();
    keys.column("default").wrapped().column("values").wrapped().optional(1);
    keys.column("meaning").wrapped();
    for (const KeyRecord &k : r.keys)
      keys.row({k.name.str(), kindText(k.kind), needText(k),
                k.defaultText.str(), valuesText(k, r), k.doc.str()});
    text += "\n" + keys.str(width);
  }
  for (const TextPair &q : r.resolved) {
    text += "\n";
    printLine("", "unclear in the definition: " + q.first.str());
    printLine("  ", "Yarrow's reading: " + q.second.str());
  }
  return text;
}

void runOps(const OpsFlags &flags, Driver &driver) {
  if (flags.isNnapi)
    return printNnapiOps(flags.layerType, flags.format, driver);
  if (flags.isQnn)
    return printQnnOps(flags.layerType, flags.format, driver);
  const OperatorRecord *one =
      flags.layerType.empty() ? nullptr : findLayerType(flags.layerType);
  if (!flags.layerType.empty() && !one) {
    std::vector<std::string> known;
    for (const OperatorRecord &r : allOperators())
      known.push_back(r.layerType.str());
    Diagnostic &d = driver.diags.report(
        diag::UsageInvalid, {}, flags.layerType + " is not a layer type");
    // Conv2D, as others call a Convolution.
    constexpr std::size_t kStem = 4;
    std::string stem = flags.layerType.substr(0, kStem),
                begun = begunNames(flags.layerType, known);
    if (begun.empty() && stem.size() == kStem)
      begun = begunNames(stem, known);
    if (!d.suggest(flags.layerType, known))
      d.hint(begun.empty() ? "`yarrow ops` lists all" : begun);
    return;
  }
  if (flags.format == "json") {
    Json json = Json::array();
    for (const OperatorRecord &r : allOperators())
      if (!one || one == &r)
        json.push_back(operatorJson(r));
    driver.printLine(json.dump(1) + "\n");
    return;
  }
  driver.printLine(one ? explainText(*one, driver.tableWidth())
                       : listText(driver.tableWidth()));
}

} // namespace

void yarrow::addOpsCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<OpsFlags>();
  CLI::App *command = app.add_subcommand(
      "ops", "List the operators of Compass IR, or explain one");
  command->add_option("layer_type", flags->layerType,
                      "Operator to explain: tensors, keys, methods");
  CLI::Option *nnapi = command->add_flag(
      "--nnapi", flags->isNnapi,
      "List operations of NNAPI instead, and what they become");
  command
      ->add_flag(
          "--qnn", flags->isQnn,
          "List operators of the QNN definitions instead, and what they become")
      ->excludes(nnapi);
  command->add_option("--format", flags->format, "Print text or json")
      ->check(CLI::IsMember({"text", "json"}));
  command->footer(
      "The columns float and int list what computes an operator in float "
      "and\ninteger IR, kernel by kernel: TECs compute what no engine "
      "takes.\n\"-\": there is nothing to compute.\n\"none\": the operator is "
      "only read, checked and written: this form is not\ndefined, the "
      "quantizer leaves it in floats, or no source describes it.");
  command->callback([flags, &driver] {
    runOps(*flags, driver);
    driver.finish();
  });
}
