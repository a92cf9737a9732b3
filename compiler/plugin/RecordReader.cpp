//===- RecordReader.cpp - The YAML record of a plugin ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/plugin/RecordReader.h"

#include "compiler/plugin/RecordFields.h"
#include "dialects/compass/Layers.h"
#include "support/MappedFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace yarrow;
using namespace yarrow::compass;
using kernels::DType;
using kernels::DTypeSet;
using llvm::StringRef;

namespace {

using Names = std::vector<std::string>;

constexpr unsigned kMostTensors = 8;

const Names kFloatTypes = {"float32", "float16", "bfloat16"};
const Names kIntTypes = {"int8", "uint8", "int16", "uint16", "int32"};

class RecordReader : RecordFields {
public:
  RecordReader(const std::string &path, DiagnosticEngine &diags)
      : RecordFields(path, diags) {}

  std::optional<PluginRecord> read(const YamlValue &top);

private:
  void readLayerType(const YamlValue &top);
  void readTensors(const YamlValue &top, StringRef key);
  void readShape(const YamlValue &tensor, bool isOutput, PluginShape &shape,
                 std::string &doc);
  void readKernels(const YamlValue &top);
  DTypeSet readTypes(const YamlValue *types, StringRef key, const Names &known,
                     const Names &otherwise);
  void readQuantization(const YamlValue &top);
  void readOnnx(const YamlValue &top);
  void addIntegerKeys();

  std::unique_ptr<PluginOperator> plugin = std::make_unique<PluginOperator>();
};

void RecordReader::readLayerType(const YamlValue &top) {
  OperatorRecord &record = plugin->record;
  std::string type = text(top, "layer_type", "the record", true);
  const YamlValue &at = top.find("layer_type") ? *top.find("layer_type") : top;
  plugin->line = at.line;
  if (!type.empty() && (!isIdentifier(type) || !llvm::isUpper(type.front())))
    problem(at.line, "the layer type's name is not valid")
        .found(type)
        .expected("a capital letter, and letters, digits and _");
  if (const OperatorRecord *other =
          type.empty() ? nullptr : findLayerType(type))
    problem(at.line,
            "the layer type " + other->layerType.str() + " already exists")
        .found(type)
        .hint(other->plugin
                  ? "it belongs to " + other->plugin->file
                  : "`yarrow ops " + other->layerType.str() + "` describes it");
  record.layerType = plugin->text(type);
  record.family = "plugin";
  record.summary = plugin->text(text(top, "summary", "the record", true));
  record.formula = plugin->text(text(top, "formula", "the record"));
  record.description = plugin->text(text(top, "description", "the record"));
  record.source = plugin->text("plugin " + path);
  record.extension = "plugin_layers";
}

/// any, "as NAME" of an input before, or a list of axes.
void RecordReader::readShape(const YamlValue &tensor, bool isOutput,
                             PluginShape &shape, std::string &axesText) {
  axesText = "...";
  const YamlValue *value = tensor.find("shape");
  if (!value) {
    if (isOutput)
      problem(tensor.line, "an output has no key shape")
          .expected("shape: as INPUT, or a list of axes");
    return;
  }
  auto wrong = [&](std::string message, std::string found) {
    problem(value->line, std::move(message))
        .found(std::move(found))
        .expected(isOutput ? "\"as NAME\" with the name of an input, or a list "
                             "of numbers and of inputs' axes"
                           : "\"any\", \"as NAME\" with the name of an earlier "
                             "input, or a list of numbers and axis names")
        .hint("shapes that are computed in other ways are not supported yet");
  };
  StringRef like = value->text;
  if (value->kind == Kind::Text && like == "any" && !isOutput)
    return;
  if (value->kind == Kind::Text && like.consume_front("as ")) {
    auto &inputs = plugin->inputs;
    const auto *it = std::find_if(inputs.data(), inputs.data() + inputs.size(),
                                  [&](auto &t) { return t.name == like; });
    if (it == inputs.data() + inputs.size())
      return wrong("no earlier input has the name " + like.str(), value->text);
    shape.like = unsigned(it - inputs.data());
    axesText = "... as " + like.str();
    return;
  }
  if (value->kind != Kind::List)
    return wrong("the shape is not valid",
                 value->kind == Kind::Text ? value->text : value->kindName());
  std::vector<std::string> axes;
  for (const YamlValue &axis : value->items) {
    unsigned length = 0;
    bool isLength =
        !StringRef(axis.text).getAsInteger(10, length) && length > 0;
    bool isName = isIdentifier(axis.text) && llvm::isUpper(axis.text[0]) &&
                  llvm::all_of(axis.text, llvm::isAlnum);
    bool isKnown = isLength || !isOutput;
    for (const PluginShape &input : plugin->inputShapes)
      isKnown |= input.axes && llvm::is_contained(*input.axes, axis.text);
    if (!isLength && !isName)
      return wrong("an axis of the shape is neither a number nor a name",
                   axis.kind == Kind::Text ? axis.text : axis.kindName());
    if (!isKnown)
      return wrong("no input has an axis " + axis.text, axis.text);
    axes.push_back(axis.text);
  }
  axesText = llvm::join(axes, ",");
  if (axes.empty())
    return wrong("the shape has no axes", "[]");
  shape.axes = std::move(axes);
}

void RecordReader::readTensors(const YamlValue &top, StringRef key) {
  bool isOutput = key == "outputs";
  const YamlValue *value = top.find(key);
  if (!value || value->kind != Kind::List || value->items.empty() ||
      value->items.size() > kMostTensors) {
    problem(value ? value->line : top.line,
            "the record has no list of " + key.str())
        .found(value ? value->kind == Kind::List
                           ? std::to_string(value->items.size()) + " of them"
                           : value->kindName()
                     : "nothing")
        .expected("1 to " + std::to_string(kMostTensors) +
                  " mappings with name, shape and doc");
    return;
  }
  auto &tensors = isOutput ? plugin->outputs : plugin->inputs;
  for (const YamlValue &item : value->items) {
    std::string what = isOutput ? "an output" : "an input";
    if (!isMapping(item, what, {"name", "shape", "doc"}))
      continue;
    std::string found = text(item, "name", what, true);
    auto hasName = [&](const TensorRecord &t) { return t.name == found; };
    name(item, what, found,
         llvm::none_of(plugin->inputs, hasName) &&
             llvm::none_of(plugin->outputs, hasName));
    PluginShape shape;
    std::string axes;
    readShape(item, isOutput, shape, axes);
    TensorRecord tensor{};
    tensor.name = plugin->text(found);
    tensor.doc = plugin->text(text(item, "doc", what, true));
    tensor.shape = plugin->text(axes);
    tensors.push_back(tensor);
    (isOutput ? plugin->outputShapes : plugin->inputShapes).push_back(shape);
  }
}

DTypeSet RecordReader::readTypes(const YamlValue *types, StringRef key,
                                 const Names &known, const Names &otherwise) {
  const YamlValue *value = types ? types->find(key) : nullptr;
  Names words = value ? list(*value, "the element types") : otherwise;
  DTypeSet set = 0;
  for (const std::string &type : words) {
    if (!llvm::is_contained(known, type)) {
      problem(value->line, "kernels of plugins do not take this type")
          .found(type)
          .expected(llvm::join(known, ", "))
          .suggest(type, known);
      continue;
    }
    set |= kernels::setOf(parseType(type)->dtype);
  }
  return set;
}

void RecordReader::readKernels(const YamlValue &top) {
  const YamlValue *value = top.find("kernels");
  if (!value) {
    problem(top.line, "the record has no key kernels")
        .expected("kernels: {float: SYMBOL}");
    return;
  }
  if (!isMapping(*value, "kernels", {"float", "int"}))
    return;
  plugin->floatSymbol = text(*value, "float", "kernels", true);
  plugin->intSymbol = text(*value, "int", "kernels");
  for (const std::string &symbol : {plugin->floatSymbol, plugin->intSymbol}) {
    if (symbol.empty())
      continue;
    bool isFree = !kernels::findKernel(symbol) &&
                  !StringRef(symbol).starts_with("yk_") &&
                  plugin->floatSymbol != plugin->intSymbol;
    name(*value, "a kernel", symbol, isFree);
  }
  const YamlValue *types = top.find("types");
  if (types && !isMapping(*types, "types", {"float", "int"}))
    return;
  plugin->floatTypes = readTypes(types, "float", kFloatTypes, {"float32"});
  plugin->intTypes =
      readTypes(types, "int", kIntTypes, {"int8", "uint8", "int16", "uint16"});
}

void RecordReader::readQuantization(const YamlValue &top) {
  const YamlValue *value = top.find("quantize");
  if (!value || !isMapping(*value, "quantize", {"by", "multipliers", "signed"}))
    return;
  std::string by =
      word(*value, "by", "quantize", {"table", "requantize", "none"}, "");
  if (!value->find("by"))
    problem(value->line, "quantize has no key by")
        .expected("by: table, requantize or none");
  std::string multipliers =
      word(*value, "multipliers", "quantize", {"product", "each"}, "product");
  plugin->isSigned =
      word(*value, "signed", "quantize", {"true", "false"}, "true") == "true";
  if (by == "table") {
    plugin->quantization = PluginQuantization::Table;
    if (plugin->inputs.size() != 1 || plugin->outputs.size() != 1 ||
        !plugin->outputShapes[0].like)
      problem(value->line, "a table is a function of one value")
          .found(std::to_string(plugin->inputs.size()) + " inputs, " +
                 std::to_string(plugin->outputs.size()) + " outputs")
          .expected("one input, and one output of its shape");
    if (!plugin->intSymbol.empty())
      problem(value->line, "a layer quantized by a table has no integer kernel")
          .found(plugin->intSymbol);
  } else if (by == "requantize") {
    plugin->quantization = multipliers == "each"
                               ? PluginQuantization::MultiplierEach
                               : PluginQuantization::Multiplier;
    if (plugin->intSymbol.empty())
      problem(value->line, "a requantized layer needs an integer kernel")
          .expected("kernels: {float: ..., int: SYMBOL}");
    if (plugin->outputs.size() != 1)
      problem(value->line, "a requantized layer has one output")
          .found(std::to_string(plugin->outputs.size()));
  }
  if (value->find("multipliers") && by != "requantize")
    problem(value->find("multipliers")->line,
            "multipliers need a requantized layer")
        .expected("by: requantize");
}

void RecordReader::readOnnx(const YamlValue &top) {
  const YamlValue *value = top.find("onnx");
  if (!value || !isMapping(*value, "onnx", {"domain", "type"}))
    return;
  plugin->onnxDomain = text(*value, "domain", "onnx", true);
  plugin->onnxType = text(*value, "type", "onnx");
  if (plugin->onnxType.empty())
    plugin->onnxType = plugin->record.layerType.str();
  if (const PluginOperator *other =
          findOnnxPlugin(plugin->onnxType, plugin->onnxDomain))
    problem(value->line, "another plugin already has this ONNX operator")
        .found(plugin->onnxDomain + "." + plugin->onnxType)
        .hint("it is " + other->file);
  const Names others = {"ai.onnx", "com.microsoft", "tflite", "nnapi", "qnn"};
  if (llvm::is_contained(others, plugin->onnxDomain))
    problem(value->line, "this domain is reserved")
        .found(plugin->onnxDomain)
        .expected("a domain of your own");
}

/// Those that the quantizer makes (LutRules and Requant in the records of
/// others).
void RecordReader::addIntegerKeys() {
  plugin->numKeys = unsigned(plugin->keys.size());
  auto add = [&](StringRef name, KeyKind kind, StringRef doc) {
    KeyRecord key{};
    key.name = name;
    key.kind = kind;
    key.need = Need::Optional;
    key.ir = IrKind::Int;
    key.selector = "method";
    key.least = INT64_MIN, key.most = INT64_MAX;
    key.doc = doc;
    plugin->keys.push_back(key);
  };
  auto &needs = plugin->lists.emplace_back();
  OperatorRecord &record = plugin->record;
  switch (plugin->quantization) {
  case PluginQuantization::Table:
    add("lut", KeyKind::Tensor,
        "the function over the input's range, of the result's type");
    needs = {"lut"};
    record.rule = RuleClass::CustomTableRule;
    break;
  case PluginQuantization::Multiplier:
  case PluginQuantization::MultiplierEach:
    add("scale_value", KeyKind::Ints, "multiplier(s) of the requantization");
    add("shift_value", KeyKind::Ints, "right shift(s) of the requantization");
    needs = {"scale_value", "shift_value"};
    record.rule = RuleClass::CustomRequantRule;
    break;
  case PluginQuantization::None:
    record.rule = RuleClass::CustomFloatRule;
    break;
  }
  record.integerNeeds = needs;
  record.computedIn = plugin->quantization == PluginQuantization::None
                          ? ComputedIn::Float
                          : ComputedIn::Both;
  record.multipliers =
      plugin->quantization == PluginQuantization::MultiplierEach
          ? Multipliers::Operands
          : Multipliers::Result;
  record.resultTypes = ResultTypes::Chosen;
  auto &floats = plugin->lists.emplace_back();
  floats = {plugin->text(plugin->floatSymbol)};
  record.floatKernels = floats;
  auto &integers = plugin->lists.emplace_back();
  if (plugin->quantization == PluginQuantization::Table)
    integers = {"yk_lut"};
  else if (plugin->quantization != PluginQuantization::None)
    integers = {plugin->text(plugin->intSymbol)};
  record.intKernels = integers;
  record.keys = plugin->keys;
  record.inputs = plugin->inputs;
  record.outputs = plugin->outputs;
}

std::optional<PluginRecord> RecordReader::read(const YamlValue &top) {
  if (!isMapping(top, "the record",
                 {"layer_type", "summary", "formula", "description", "source",
                  "inputs", "outputs", "keys", "kernels", "types", "quantize",
                  "onnx"}))
    return std::nullopt;
  PluginRecord result;
  plugin->file = path;
  readLayerType(top);
  result.source = text(top, "source", "the record", true);
  if (llvm::sys::path::is_relative(result.source)) {
    llvm::SmallString<128> beside(llvm::sys::path::parent_path(path));
    llvm::sys::path::append(beside, result.source);
    result.source = beside.str().str();
  }
  readTensors(top, "inputs");
  readTensors(top, "outputs");
  ok &= readRecordKeys(top, path, diags, *plugin);
  readKernels(top);
  if (ok) // others would be told of what is wrong above
    readQuantization(top);
  readOnnx(top);
  if (!ok)
    return std::nullopt;
  addIntegerKeys();
  result.plugin = std::move(plugin);
  return result;
}

} // namespace

std::optional<PluginRecord> yarrow::parsePluginRecord(StringRef text,
                                                      const std::string &path,
                                                      DiagnosticEngine &diags) {
  std::optional<YamlValue> top = readYaml(text, path, diags);
  return top ? RecordReader(path, diags).read(*top) : std::nullopt;
}

std::optional<PluginRecord> yarrow::readPluginRecord(const std::string &path,
                                                     DiagnosticEngine &diags) {
  auto file = MappedFile::open(path, diags);
  if (!file)
    return std::nullopt;
  auto bytes = file->bytes();
  // The parser wants a byte of 0 behind the text.
  std::string text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return parsePluginRecord(text, path, diags);
}
