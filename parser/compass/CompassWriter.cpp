//===- CompassWriter.cpp - The compass dialect as Compass IR --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/ExtraKeys.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/GraphOps.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "dialects/compass/network/Extensions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "parser/compass/CompassReader.h"
#include "parser/compass/ConstantCheck.h"
#include "parser/compass/ImpliedKeys.h"
#include "parser/compass/IrConstant.h"
#include "parser/compass/IrDocument.h"
#include "parser/compass/Precision.h"
#include "support/AtomicFile.h"
#include "support/Digest.h"
#include "support/diagnostics/Ir.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include <filesystem>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// The extensions that layers of a file use.
class UsedExtensions {
public:
  void add(Operation &op) {
    for (const Extension &extension : extensions()) {
      SmallVector<StringRef> keys = extension.keysOf(&op);
      if (keys.empty())
        continue;
      Use &use = uses[&extension];
      use.keys.insert_range(keys);
      if (use.layers++ == 0)
        use.firstLayer = layerNameOf(&op).str();
    }
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto &[extension, use] : uses)
      names.push_back(extension->name.str());
    return names;
  }
  /// Other tools refuse such layers, or compute something else.
  void notify(const std::string &txtPath,
              yarrow::DiagnosticEngine &diags) const {
    if (uses.empty())
      return;
    std::string found, hint;
    for (const auto &[extension, use] : uses) {
      found += (found.empty() ? "" : "; ") + extension->name.str() + " in " +
               std::to_string(use.layers) +
               (use.layers == 1 ? " layer" : " layers") + ", first in " +
               use.firstLayer + ", keys " + llvm::join(use.keys, ", ");
      if (!extension->hint.empty())
        hint = extension->hint.str();
    }
    diags
        .report(diag::IrOwnForm, {txtPath},
                "layers have a form that only Yarrow reads")
        .found(found)
        .hint(hint);
  }

private:
  struct Use {
    llvm::SetVector<StringRef> keys; ///< by which layers have it
    size_t layers = 0;
    std::string firstLayer;
  };
  /// In the order of their first use.
  llvm::MapVector<const Extension *, Use> uses;
};

/// Builds the document and the weights of a module.
class Writer {
public:
  Writer(ModuleOp module, std::string binName)
      : module(module), binName(std::move(binName)) {}

  IrDocument write();
  std::vector<std::pair<const char *, size_t>>
      chunks; ///< the weights file, in order
  UsedExtensions used;

private:
  void writeLayers(func::FuncOp func, std::vector<IrSection> &layers);
  IrSection writeLayer(Operation &op, size_t id);
  void writeKey(IrSection &layer, const KeyRecord &key, Operation &op);
  void writeTops(IrSection &layer, Operation &op);
  void writeSteps(IrSection &layer, Operation &op);
  void writeConstants(IrSection &layer, const OperatorRecord &record,
                      Operation &op);
  void writeMeaning(IrSection &layer, StringRef constant, Operation &op);
  void writeConstant(IrSection &layer, StringRef name, ElementsAttr attr);
  void writeHeader(func::FuncOp func, ArrayAttr entries, IrSection &header,
                   size_t layerNumber);
  IrValue valueOf(const KeyRecord &key, Attribute attr);

  ModuleOp module;
  std::string binName;
  bool hasSteps = isCompat(module); ///< Scales are those of Compat.h.
  IrDocument doc;
  uint64_t offsetBytes = 0;
};

std::vector<std::string> namesOf(ValueRange values) {
  std::vector<std::string> names;
  for (Value v : values)
    names.push_back(tensorNameOf(v));
  return names;
}

std::vector<std::vector<int64_t>> shapesOf(ValueRange values) {
  std::vector<std::vector<int64_t>> shapes;
  for (Value v : values) {
    auto shape = cast<RankedTensorType>(v.getType()).getShape();
    shapes.emplace_back(shape.begin(), shape.end());
  }
  return shapes;
}

std::vector<std::string> typesOf(ValueRange values) {
  std::vector<std::string> types;
  for (Value v : values)
    types.push_back(dtypeName(describe(v).storedType()).str());
  return types;
}

/// A value whose canonical text was kept from reading, lists included.
IrValue asRead(std::string text) {
  IrValue value;
  value.kind = text.empty() ? IrValue::Kind::Empty : IrValue::Kind::Word;
  value.spelling = std::move(text);
  return value;
}

IrValue nested(const std::vector<std::vector<int64_t>> &lists) {
  return lists.empty() ? IrValue::list({}) : IrValue::nestedIntList(lists);
}
IrValue words(const std::vector<std::string> &list) {
  return list.empty() ? IrValue::list({}) : IrValue::wordList(list);
}

IrValue numberValue(Attribute attr) {
  if (auto i = dyn_cast<IntegerAttr>(attr))
    return IrValue::integer(i.getInt());
  return IrValue::floating(cast<FloatAttr>(attr).getValueAsDouble());
}

bool isDefault(const KeyRecord &key, const IrValue &value) {
  IrValue standard = IrValue::scalar(key.defaultText);
  return value.str() == standard.str() ||
         (value.asFloat() && value.asFloat() == standard.asFloat());
}

IrValue Writer::valueOf(const KeyRecord &key, Attribute attr) {
  switch (key.kind) {
  case KeyKind::Int:
    return IrValue::integer(cast<IntegerAttr>(attr).getInt());
  case KeyKind::Float:
    return IrValue::floating(cast<FloatAttr>(attr).getValueAsDouble());
  case KeyKind::Bool:
    return IrValue::boolean(cast<BoolAttr>(attr).getValue());
  case KeyKind::Word:
    return IrValue::word(cast<StringAttr>(attr).str());
  case KeyKind::Number:
    return numberValue(attr);
  case KeyKind::NumberList: {
    std::vector<IrValue> numbers;
    for (Attribute number : cast<ArrayAttr>(attr))
      numbers.push_back(numberValue(number));
    return IrValue::list(std::move(numbers));
  }
  case KeyKind::Ints:
  case KeyKind::IntList: {
    auto list = cast<DenseI64ArrayAttr>(attr).asArrayRef();
    if (key.kind == KeyKind::Ints && list.size() == 1)
      return IrValue::integer(list.front());
    return IrValue::intList({list.begin(), list.end()});
  }
  case KeyKind::FloatList: {
    auto list = cast<DenseF64ArrayAttr>(attr).asArrayRef();
    return IrValue::floatList({list.begin(), list.end()});
  }
  case KeyKind::NestedFloats: {
    std::vector<IrValue> rows;
    for (Attribute row : cast<ArrayAttr>(attr)) {
      auto list = cast<DenseF64ArrayAttr>(row).asArrayRef();
      rows.push_back(IrValue::floatList({list.begin(), list.end()}));
    }
    return IrValue::list(std::move(rows));
  }
  case KeyKind::Nested: {
    std::vector<std::vector<int64_t>> rows;
    for (Attribute row : cast<ArrayAttr>(attr)) {
      auto list = cast<DenseI64ArrayAttr>(row).asArrayRef();
      rows.emplace_back(list.begin(), list.end());
    }
    return nested(rows);
  }
  case KeyKind::Symbol:
    return IrValue::word(cast<FlatSymbolRefAttr>(attr).getValue().str());
  case KeyKind::Words:
  case KeyKind::WordList: {
    std::vector<std::string> list;
    for (Attribute word : cast<ArrayAttr>(attr))
      list.push_back(cast<StringAttr>(word).str());
    return key.kind == KeyKind::Words && list.size() == 1
               ? IrValue::word(list.front())
               : words(list);
  }
  case KeyKind::Tensor:
    break;
  }
  llvm_unreachable("constants are written by writeConstant");
}

void Writer::writeConstant(IrSection &layer, StringRef name,
                           ElementsAttr attr) {
  auto view = viewConstant(attr);
  assert(view && "the verifier has seen this constant");
  IrConstant c;
  c.name = name.str();
  c.type = dtypeName(view->storedType()).str();
  c.shape.assign(view->shape.begin(), view->shape.end());
  c.offsetBytes = offsetBytes;
  c.sizeBytes = view->bytes.size();
  appendConstant(layer, c);
  chunks.push_back({view->bytes.data(), view->bytes.size()});
  offsetBytes += view->bytes.size();
}

/// Scales as steps, with the range of real numbers that was read.
void Writer::writeSteps(IrSection &layer, Operation &op) {
  if (StringRef range = extraText(&op, "layer_top_range"); !range.empty())
    layer.append("layer_top_range", asRead(range.str()));
  auto isQuantized = [](Value v) { return describe(v).isQuantized(); };
  if (llvm::none_of(op.getResults(), isQuantized))
    return;
  std::vector<IrValue> steps, zeroPoints;
  for (Value v : op.getResults()) {
    steps.push_back(isQuantized(v) ? IrValue::floating(stepOf(v))
                                   : IrValue::word("NONE"));
    zeroPoints.push_back(isQuantized(v) ? IrValue::integer(zeroPointOf(v))
                                        : IrValue::word("NONE"));
  }
  layer.append("layer_top_scale", IrValue::list(std::move(steps)));
  layer.append("layer_top_zp", IrValue::list(std::move(zeroPoints)));
}

void Writer::writeTops(IrSection &layer, Operation &op) {
  layer.append("layer_top", words(namesOf(op.getResults())));
  layer.append("layer_top_shape", nested(shapesOf(op.getResults())));
  layer.append("layer_top_type", words(typesOf(op.getResults())));
  if (hasSteps)
    return writeSteps(layer, op);
  std::vector<std::vector<int64_t>> ranges;
  std::vector<double> scales;
  std::vector<int64_t> zps;
  for (Value v : op.getResults()) {
    TensorInfo info = describe(v);
    if (!info.isQuantized())
      return;
    ranges.push_back({info.lo, info.hi});
    scales.push_back(info.scale);
    zps.push_back(info.zp);
  }
  layer.append("layer_top_range", nested(ranges));
  layer.append("layer_top_scale", IrValue::floatList(scales));
  layer.append("layer_top_zp", IrValue::intList(zps));
}

/// MLIR text does not tell a default that was written from one that was not,
/// so both are written: where the key applies, as the reference tools do, and
/// where it does not, never.
void Writer::writeKey(IrSection &layer, const KeyRecord &key, Operation &op) {
  Attribute attr = op.getAttr(key.name);
  std::optional<IrValue> implied = impliedValue(key, &op);
  if (!attr) {
    if (implied)
      layer.append(key.name.str(), std::move(*implied));
    return;
  }
  IrValue value = valueOf(key, attr);
  if (!key.defaultText.empty() && !implied && isDefault(key, value))
    return;
  layer.append(key.name.str(), std::move(value));
}

/// What the integers of a constant mean, in the place that the Parser gives it.
void Writer::writeMeaning(IrSection &layer, StringRef constant, Operation &op) {
  auto extra = op.getAttrOfType<DictionaryAttr>(kExtraConstantsAttr);
  for (StringRef suffix : {"_range", "_scale", "_zp"}) {
    std::string name = (constant + suffix).str();
    if (auto attr = extra ? extra.getAs<ElementsAttr>(name) : ElementsAttr())
      writeConstant(layer, name, attr);
    else if (StringRef text = extraText(&op, name); !text.empty())
      layer.append(name, asRead(text.str()));
  }
}

void Writer::writeConstants(IrSection &layer, const OperatorRecord &record,
                            Operation &op) {
  for (const KeyRecord &key : record.keys)
    if (key.kind == KeyKind::Tensor)
      if (auto attr = op.getAttrOfType<ElementsAttr>(key.name)) {
        writeConstant(layer, key.name, attr);
        if (hasSteps)
          writeMeaning(layer, key.name, op);
      }
  if (auto extra = op.getAttrOfType<DictionaryAttr>(kExtraConstantsAttr))
    for (NamedAttribute named : extra)
      if (!layer.find(named.getName().str() + "_offset"))
        writeConstant(layer, named.getName().strref(),
                      cast<ElementsAttr>(named.getValue()));
}

IrSection Writer::writeLayer(Operation &op, size_t id) {
  const OperatorRecord *record = recordOf(&op);
  assert(record && "only Compass layers are written");
  IrSection layer;
  layer.append("layer_id", IrValue::integer(int64_t(id)));
  layer.append("layer_name", IrValue::word(layerNameOf(&op).empty()
                                               ? tensorNameOf(op.getResult(0))
                                               : layerNameOf(&op).str()));
  layer.append("layer_type", IrValue::word(record->layerType.str()));
  layer.append("layer_bottom", words(namesOf(op.getOperands())));
  layer.append("layer_bottom_shape", nested(shapesOf(op.getOperands())));
  layer.append("layer_bottom_type", words(typesOf(op.getOperands())));
  writeTops(layer, op);
  writeConstants(layer, *record, op);
  for (const KeyRecord &key : record->keys)
    if (key.kind != KeyKind::Tensor && key.name != "input_index")
      writeKey(layer, key, op);
  if (auto extra = op.getAttrOfType<ArrayAttr>(kExtraKeysAttr))
    for (Attribute pair : extra) {
      auto entry = cast<ArrayAttr>(pair);
      std::string text = cast<StringAttr>(entry[1]).str();
      // Of a tensor that was float when it was read: its type says it now.
      if (layer.find(cast<StringAttr>(entry[0]).getValue()))
        continue;
      layer.append(cast<StringAttr>(entry[0]).str(), asRead(std::move(text)));
    }
  return layer;
}

void Writer::writeHeader(func::FuncOp func, ArrayAttr entries,
                         IrSection &header, size_t layerNumber) {
  if (entries)
    for (Attribute pair : entries) {
      auto entry = cast<ArrayAttr>(pair);
      StringRef key = cast<StringAttr>(entry[0]).getValue();
      StringRef text = cast<StringAttr>(entry[1]).getValue();
      bool isOfOthers = (key == kModelInputsKey &&
                         numModelNames(text) != graphInputs(func).size()) ||
                        (key == kModelOutputsKey &&
                         numModelNames(text) != graphOutputs(func).size());
      // What was read is no longer of interest: layers may have changed.
      if (key != kExtensionsKey && !isOfOthers)
        header.append(key.str(), asRead(text.str()));
    }
  header.set("layer_number", IrValue::integer(int64_t(layerNumber)));
  // What was read may be of the network as it was before. Sub-graphs need none.
  const IrEntry *stated = header.find(kPrecisionKey.str());
  if (isMainGraph(func) &&
      (!stated || contradictsTensors(stated->value.str(), module)))
    header.set(kPrecisionKey.str(), IrValue::word(precisionOf(module).str()));
  if (header.find("model_bin"))
    header.set("model_bin", IrValue::word("./" + binName));
  header.set("input_tensors", words(namesOf(graphInputs(func))));
  header.set("output_tensors", words(namesOf(graphOutputs(func))));
}

void Writer::writeLayers(func::FuncOp func, std::vector<IrSection> &layers) {
  for (Operation &op : func.getBody().front().without_terminator()) {
    layers.push_back(writeLayer(op, layers.size()));
    used.add(op);
  }
}

IrDocument Writer::write() {
  auto main = mainGraph(module);
  auto entries = module->getAttrOfType<ArrayAttr>(kHeaderAttr);
  writeLayers(main, doc.layers);
  writeHeader(main, entries, doc.header, doc.layers.size());
  if (!doc.header.find("model_name")) {
    IrSection named;
    named.append("model_name", IrValue::word("model"));
    llvm::append_range(named.entries, doc.header.entries);
    doc.header = std::move(named);
  }
  for (auto func : module.getOps<func::FuncOp>()) {
    if (func == main)
      continue;
    IrSubgraph &graph = doc.subgraphs.emplace_back();
    // The name begins the section, whatever the entries say.
    graph.header.append("subgraph_name", IrValue::word(func.getName().str()));
    writeLayers(func, graph.layers);
    IrSection rest;
    writeHeader(func, func->getAttrOfType<ArrayAttr>(kHeaderAttr), rest,
                graph.layers.size());
    for (IrEntry &entry : rest.entries)
      if (entry.key != "subgraph_name")
        graph.header.append(entry.key, entry.value);
  }
  if (hasSteps) // the Parser's IR, as the Parser ends it
    doc.endLineFeeds = 3;
  if (std::vector<std::string> names = used.names(); !names.empty())
    doc.header.append(kExtensionsKey.str(), words(names));
  return std::move(doc);
}

} // namespace

bool compass::writeCompassIr(ModuleOp module, const std::string &txtPath,
                             const std::string &binPath,
                             yarrow::DiagnosticEngine &diags) {
  Writer writer(module, std::filesystem::path(binPath).filename().string());
  IrDocument doc = writer.write();
  writer.used.notify(txtPath, diags);
  AtomicFile bin(binPath, diags), txt(txtPath, diags);
  Digest digest;
  for (auto [data, size] : writer.chunks) {
    bin.append(std::string_view(data, size));
    digest.add(std::string_view(data, size));
  }
  doc.header.set(kDigestKey, IrValue::word(digest.text()));
  txt.append(irText(doc));
  return commitTogether({&bin, &txt});
}
