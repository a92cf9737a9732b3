//===- CompassReader.cpp - Compass IR to the compass dialect --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/CompassReader.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/Verify.h"
#include "dialects/compass/graph/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "parser/compass/CompassLayerReader.h"
#include "parser/compass/ConstantCheck.h"
#include "parser/compass/KeyCheck.h"
#include "parser/compass/LayerOrder.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <filesystem>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// Reads one document into a module; collects problems and goes on.
class Reader {
public:
  Reader(MLIRContext &context, const IrDocument &doc,
         std::shared_ptr<const MappedFile> bin, yarrow::DiagnosticEngine &diags,
         ReadOptions options)
      : context(context), builder(&context), doc(doc), bin(std::move(bin)),
        diags(diags), options(options) {}

  OwningOpRef<ModuleOp> read();

private:
  void refuseUnsupported();
  void readLayer(const IrSection &layer);
  const OperatorRecord *findRecord(const IrSection &layer);
  std::optional<SmallVector<Value>> readBottoms(const IrSection &layer);
  void createLayer(OperationState &state, const OperatorRecord &record,
                   const IrSection &layer, const LayerTops &tops,
                   ArrayRef<Value> operands);
  Value standIn(Type type);
  std::string nearTensor(const std::string &name);
  void warnOfDefaults(Operation *op, const IrSection &layer);
  void noteUnread();
  void readOutputs();
  void checkInputs();
  SmallVector<Attribute> readHeader();

  Place at(const IrSection &section, const IrEntry *entry = nullptr) const {
    return {doc.fileName, entry ? entry->line : section.line,
            section.layerName()};
  }
  /// Moves the place of a problem to the line of its key.
  void findKey(Place &place, const std::string &key) const {
    if (const IrEntry *entry = current ? current->find(key) : nullptr)
      place.line = entry->line;
  }

  MLIRContext &context;
  OpBuilder builder;
  const IrDocument &doc;
  std::shared_ptr<const MappedFile> bin;
  yarrow::DiagnosticEngine &diags;
  ReadOptions options;
  const IrSection *current = nullptr; ///< The layer that is being verified.
  std::vector<ConstantRange> constantRanges;
  unsigned tensorHints = 0;
  llvm::StringSet<> isDeclared; ///< What any layer's layer_top names.
  llvm::StringMap<Value> tensors;
  llvm::StringMap<int64_t> inputIndex;
  SmallVector<Value> outputs;
};

void Reader::refuseUnsupported() {
  if (doc.hasSubgraphs())
    diags.report(DiagId::IrUnsupported, at(doc.subgraphs.front().header),
                 "sub-graphs are not supported yet");
  if (const IrEntry *e = doc.header.find("compat_quantized_model");
      e && e->value.asBool().value_or(false))
    diags
        .report(
            DiagId::IrUnsupported, at(doc.header, e),
            "models that were quantized before parsing are not supported yet")
        .hint(
            "parse the model with force_float_ir = true and quantize it here");
  if (const IrEntry *e = doc.header.find("dynamic_symbols"))
    if (!e->value.isNone())
      diags.report(DiagId::IrUnsupported, at(doc.header, e),
                   "dynamic shapes are not supported yet");
  if (const IrEntry *e = doc.header.find("layer_number"))
    if (e->value.asInt() != int64_t(doc.layers.size()))
      diags
          .report(DiagId::IrLayerCount, at(doc.header, e),
                  "layer_number does not count the layers")
          .found(e->value.str())
          .expected(std::to_string(doc.layers.size()));
}

/// The record of the layer's type; reports a missing or unknown type.
const OperatorRecord *Reader::findRecord(const IrSection &layer) {
  const IrEntry *type = layer.find("layer_type");
  if (!type) {
    diags
        .report(DiagId::IrMissingKey, at(layer),
                "the layer has no key layer_type")
        .expected("layer_type=NAME");
    return nullptr;
  }
  std::string name = type->value.str();
  if (const OperatorRecord *record = findLayerType(name))
    return record;
  std::vector<std::string> known;
  for (const OperatorRecord &r : allOperators())
    known.push_back(r.layerType.str());
  yarrow::Diagnostic &d =
      diags
          .report(DiagId::IrUnknownLayerType, at(layer, type),
                  "layer_type " + name + " is not known")
          .found(name)
          .expected("one of the " + std::to_string(known.size()) +
                    " layer types that `yarrow ops` lists");
  if (std::string near = nearestName(name, known); !near.empty())
    d.hint("did you mean " + near + "?");
  return nullptr;
}

/// A tensor whose producer is broken or missing, with the type that it is said
/// to have, so that the layers behind it are checked all the same.
Value Reader::standIn(Type type) {
  return UnrealizedConversionCastOp::create(builder, builder.getUnknownLoc(),
                                            type, ValueRange())
      .getResult(0);
}

/// The operands of a layer; nullopt if one has no producer and no usable type.
std::optional<SmallVector<Value>> Reader::readBottoms(const IrSection &layer) {
  SmallVector<Value> operands;
  std::vector<std::string> names = bottomNames(layer);
  const IrEntry *bottom = layer.find("layer_bottom");
  const IrEntry *shape = layer.find("layer_bottom_shape"),
                *type = layer.find("layer_bottom_type");
  auto shapes = shape ? shape->value.asNestedIntList() : std::nullopt;
  auto types = type ? type->value.asWordList() : std::nullopt;
  for (auto [entry, isList] : {std::pair{shape, shapes.has_value()},
                               std::pair{type, types.has_value()}})
    if (entry && !isList && !entry->value.isNone())
      diags
          .report(DiagId::IrBadValue, at(layer, entry),
                  "the key " + entry->key + " has a wrong value")
          .found(entry->value.str())
          .expected(entry == shape ? "a list of shapes such as [[1,32,32,3]]"
                                   : "a list of element types such as [int8]");
  auto checkCount = [&](const IrEntry *entry, size_t count) {
    if (count != names.size())
      diags
          .report(DiagId::IrShapeMismatch, at(layer, entry),
                  "the lists that describe layer_bottom differ in length")
          .found(std::to_string(names.size()) + " names, " +
                 std::to_string(count) + " in " + entry->key)
          .expected("one entry per tensor in each list");
    return count == names.size();
  };
  // A shape list of one empty list stands for one scalar, or for no tensor.
  bool useShapes = shapes && !(names.empty() && shape->value.isNone()) &&
                   checkCount(shape, shapes->size());
  bool useTypes = types && checkCount(type, types->size());
  for (auto [i, name] : llvm::enumerate(names)) {
    Value value = tensors.lookup(name);
    std::optional<DType> dtype =
        useTypes ? parseDType((*types)[i]) : std::nullopt;
    if (!value) {
      // What a layer of the same cycle writes is reported with the cycle.
      if (!isDeclared.contains(name))
        diags
            .report(DiagId::IrUndefinedTensor,
                    at(layer, bottom).withToken(name),
                    "no layer writes tensor " + name)
            .hint(nearTensor(name));
      if (!useShapes || !dtype || !isPossibleShape((*shapes)[i]))
        return std::nullopt;
      value = standIn(plainType(&context, (*shapes)[i], *dtype));
      tensors[name] = value; // one report per tensor is enough
    }
    TensorInfo info = describe(value);
    if (useShapes &&
        ArrayRef<int64_t>((*shapes)[i]) != ArrayRef<int64_t>(info.shape))
      diags
          .report(DiagId::IrBottomMismatch,
                  at(layer, shape).withToken(shapeText((*shapes)[i])),
                  "layer_bottom_shape is not the shape of tensor " + name)
          .found(shapeText((*shapes)[i]))
          .expected(shapeText(info.shape) + ", as its producer declares");
    if (useTypes && dtype != info.dtype)
      diags
          .report(DiagId::IrBottomMismatch,
                  at(layer, type).withToken((*types)[i]),
                  "layer_bottom_type is not the type of tensor " + name)
          .found((*types)[i])
          .expected(dtypeName(info.dtype).str() + ", as its producer declares");
    operands.push_back(value);
  }
  return operands;
}

/// The tensor whose name is nearest to \p name, as a hint. Looks at every
/// tensor, so it gives up after some hints: a text of thousands of undefined
/// names must not take quadratic time.
std::string Reader::nearTensor(const std::string &name) {
  constexpr unsigned kMostHints = 20;
  if (++tensorHints > kMostHints)
    return "";
  std::vector<std::string> names;
  for (auto &entry : tensors)
    names.push_back(entry.getKey().str());
  llvm::sort(names);
  std::string near = nearestName(name, names);
  return near.empty() ? "" : "did you mean " + near + "?";
}

/// Layers whose results nobody reads: often the trace of a tensor name that was
/// changed in one place. Some results of a layer may well be unread, and so may
/// an input or a constant, which the parser leaves behind.
void Reader::noteUnread() {
  constexpr size_t kMostShown = 5;
  std::string names;
  size_t count = 0;
  for (Operation &op : *builder.getInsertionBlock())
    if (recordOf(&op) && !isa<InputOp, ConstantOp>(op) && op.use_empty() &&
        ++count <= kMostShown)
      names += (names.empty() ? "" : ", ") + layerNameOf(&op).str() +
               " (line " + std::to_string(sourceLineOf(&op).second) + ")";
  if (count)
    diags
        .report(DiagId::IrUnread, {doc.fileName},
                std::to_string(count) +
                    (count == 1 ? " layer computes" : " layers compute") +
                    " what nobody reads")
        .found(names + (count > kMostShown ? ", ..." : ""));
}

void Reader::warnOfDefaults(Operation *op, const IrSection &layer) {
  std::string list;
  for (const KeyRecord *key : missingExpectedKeys(op))
    if (!layer.find(key->name))
      list += (list.empty() ? "" : ", ") + key->name.str() + "=" +
              key->defaultText.str();
  // Integers say how wide they are.
  const OperatorRecord *record = recordOf(op);
  for (const KeyRecord &key : record->keys)
    if (key.ir == IrKind::Int && key.name.ends_with("_value") &&
        layer.find(key.name)) {
      std::string type = key.name.drop_back(5).str() + "type";
      if (!layer.find(type))
        list += (list.empty() ? "" : ", ") + type;
    }
  if (!list.empty())
    diags
        .report(DiagId::IrDefaultAssumed, at(layer),
                "the layer lacks keys that decide what it computes; their "
                "defaults are assumed")
        .found("none of " + list)
        .hint("write them, so that the text says what is meant");
}

void Reader::readLayer(const IrSection &layer) {
  for (const char *key : {"layer_id", "layer_name"})
    if (!layer.find(key))
      diags
          .report(DiagId::IrMissingKey, at(layer),
                  "the layer has no key " + std::string(key))
          .expected(std::string(key) + "=...");
  const OperatorRecord *record = findRecord(layer);
  auto tops = readTops(&context, layer, doc.fileName, diags);
  auto operands = readBottoms(layer);
  if (record) {
    Location loc = NameLoc::get(
        StringAttr::get(&context, layer.layerName()),
        FileLineColLoc::get(StringAttr::get(&context, doc.fileName), layer.line,
                            /*column=*/1));
    OperationState state(loc, record->opName);
    bool ok = readAttributes(state, *record, layer, doc.fileName, bin,
                             constantRanges, diags);
    if (ok && tops && operands) {
      createLayer(state, *record, layer, *tops, *operands);
      return;
    }
  }
  if (!tops)
    return;
  for (auto [name, type] : llvm::zip(tops->names, tops->types))
    tensors.try_emplace(name, standIn(type));
}

void Reader::createLayer(OperationState &state, const OperatorRecord &record,
                         const IrSection &layer, const LayerTops &tops,
                         ArrayRef<Value> operands) {
  SmallVector<StringRef> names(tops.names.begin(), tops.names.end());
  state.addAttribute(kTopNamesAttr, builder.getStrArrayAttr(names));
  if (record.layerType == "Input" && !names.empty()) {
    auto [it, isNew] =
        inputIndex.try_emplace(names.front(), int64_t(inputIndex.size()));
    state.addAttribute("input_index", builder.getI64IntegerAttr(it->second));
  }
  state.addOperands(operands);
  state.addTypes(tops.types);
  Operation *op = builder.create(state);
  current = &layer;
  if (succeeded(verify(op)) && options.checkValues)
    (void)checkForNaN(op);
  current = nullptr;
  warnOfDefaults(op, layer);
  for (auto [i, name] : llvm::enumerate(tops.names))
    tensors.try_emplace(name, op->getResult(i));
}

void Reader::readOutputs() {
  const IrEntry *entry = doc.header.find("output_tensors");
  auto names = entry ? entry->value.asWordList() : std::nullopt;
  if (entry && !entry->value.isNone() && !names)
    diags.report(DiagId::IrBadValue, at(doc.header, entry),
                 "output_tensors is not a list of names");
  if (names && !names->empty()) {
    for (const std::string &name : *names) {
      if (Value v = tensors.lookup(name))
        outputs.push_back(v);
      else
        diags
            .report(DiagId::IrUndefinedTensor,
                    at(doc.header, entry).withToken(name),
                    "no layer writes the output " + name)
            .hint(nearTensor(name));
    }
    return;
  }
  // Default order: tensors that nobody reads.
  for (Operation &op : *builder.getInsertionBlock())
    for (Value v : op.getResults())
      if (v.use_empty())
        outputs.push_back(v);
}

/// Every name in input_tensors is the result of an Input layer, and the other
/// way round.
void Reader::checkInputs() {
  const IrEntry *entry = doc.header.find("input_tensors");
  auto names = entry ? entry->value.asWordList() : std::nullopt;
  if (!names || names->empty())
    return;
  llvm::StringMap<bool> listed;
  for (const std::string &name : *names) {
    listed[name] = true;
    Value v = tensors.lookup(name);
    if (v && isa<InputOp, UnrealizedConversionCastOp>(v.getDefiningOp()))
      continue;
    diags
        .report(DiagId::IrUndefinedTensor,
                at(doc.header, entry).withToken(name),
                "the input " + name + " is not the tensor of an Input layer")
        .hint(v ? "" : nearTensor(name));
  }
  for (const IrSection &layer : doc.layers) {
    const IrEntry *type = layer.find("layer_type"),
                  *top = layer.find("layer_top");
    if (!type || !top || type->value.str() != "Input")
      continue;
    for (const std::string &name :
         top->value.asWordList().value_or(std::vector<std::string>()))
      if (!listed.contains(name))
        diags
            .report(DiagId::IrUndefinedTensor, at(layer, top).withToken(name),
                    "the header's input_tensors does not list the tensor " +
                        name + " of an Input layer")
            .found(entry->value.str());
  }
}

SmallVector<Attribute> Reader::readHeader() {
  SmallVector<Attribute> header;
  for (const IrEntry &entry : doc.header.entries)
    header.push_back(builder.getStrArrayAttr({entry.key, entry.value.str()}));
  if (const IrEntry *entry = doc.header.find("input_tensors"))
    for (const std::string &name :
         entry->value.asWordList().value_or(std::vector<std::string>()))
      inputIndex.try_emplace(name, inputIndex.size());
  return header;
}

OwningOpRef<ModuleOp> Reader::read() {
  DiagnosticForwarder forward(
      &context, diags, DiagId::OpInvalid,
      [this](Place &place, const std::string &key) { findKey(place, key); });
  checkHeaderKeys(doc.header, doc.fileName, diags);
  refuseUnsupported();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  (*module)->setAttr(kHeaderAttr, builder.getArrayAttr(readHeader()));
  builder.setInsertionPointToEnd(module->getBody());
  auto func = func::FuncOp::create(builder, builder.getUnknownLoc(), "main",
                                   builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(func.addEntryBlock());
  for (const IrSection &layer : doc.layers)
    if (const IrEntry *top = layer.find("layer_top"))
      for (const std::string &name :
           top->value.asWordList().value_or(std::vector<std::string>()))
        isDeclared.insert(name);
  for (const IrSection *layer :
       topologicalOrder(doc.layers, doc.fileName, diags))
    readLayer(*layer);
  checkInputs();
  checkOverlap(constantRanges, doc.fileName, diags);
  readOutputs();
  func::ReturnOp::create(builder, builder.getUnknownLoc(), outputs);
  noteUnread();
  func.setFunctionType(
      builder.getFunctionType({}, ValueRange(outputs).getTypes()));
  if (diags.hasErrors() || failed(verify(*module)))
    return nullptr;
  return module;
}

} // namespace

static bool hasConstants(const IrDocument &doc) {
  for (const IrSection &layer : doc.layers)
    for (const IrEntry &entry : layer.entries)
      if (StringRef name(entry.key);
          name.consume_back("_offset") && layer.find((name + "_size").str()))
        return true;
  return false;
}

/// The file that \p binPath names; else model_bin or, without that key, the
/// text's name with .bin, both beside the text. "" if there is nothing to read.
static std::string weightsPath(const IrDocument &doc,
                               const std::string &txtPath,
                               const std::string &binPath) {
  namespace fs = std::filesystem;
  if (!binPath.empty())
    return binPath;
  if (const IrEntry *e = doc.header.find("model_bin"))
    return (fs::path(txtPath).parent_path() /
            fs::path(e->value.str()).filename())
        .string();
  return hasConstants(doc)
             ? fs::path(txtPath).replace_extension(".bin").string()
             : "";
}

OwningOpRef<ModuleOp> compass::readCompassIr(MLIRContext &context,
                                             const std::string &txtPath,
                                             const std::string &binPath,
                                             yarrow::DiagnosticEngine &diags,
                                             ReadOptions options) {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  auto text = MappedFile::open(txtPath, diags);
  if (!text)
    return nullptr;
  // The caller's engine may hold errors of other files: judge this one alone.
  yarrow::DiagnosticEngine own;
  auto finish = [&](OwningOpRef<ModuleOp> result) {
    for (const yarrow::Diagnostic &d : own.all()) {
      yarrow::Diagnostic &copy = diags.report(d.id, d.place, d.message);
      copy.foundText = d.foundText;
      copy.expectedText = d.expectedText;
      copy.hintText = d.hintText;
    }
    return result;
  };
  auto doc = parseIrText(text->text(), txtPath, own);
  if (!doc)
    return finish(nullptr);
  if (doc->layers.empty()) {
    own.report(DiagId::IrMissingKey, {txtPath}, "the file has no layers")
        .expected("the text of a Compass IR: a header, then layer_id=0 ...");
    return finish(nullptr);
  }
  std::shared_ptr<const MappedFile> bin;
  if (std::string path = weightsPath(*doc, txtPath, binPath); !path.empty()) {
    yarrow::DiagnosticEngine reason;
    bin = MappedFile::open(path, reason);
    if (!bin) {
      own.report(DiagId::FileUnreadable, {path}, "cannot read the weights file")
          .found(reason.all().front().foundText)
          .hint(binPath.empty() ? "-w FILE names another" : "");
      return finish(nullptr);
    }
  }
  return finish(Reader(context, *doc, bin, own, options).read());
}
