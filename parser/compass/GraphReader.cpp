//===- GraphReader.cpp - One graph of IR text as a function ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/GraphReader.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/Locations.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/Verify.h"
#include "dialects/compass/convert/ConvertOps.h"
#include "dialects/compass/custom/PluginOperator.h"
#include "dialects/compass/graph/GraphOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "parser/compass/AbsentKeys.h"
#include "parser/compass/ConstantCheck.h"
#include "parser/compass/KeyCheck.h"
#include "parser/compass/LayerOrder.h"
#include "parser/compass/LayerTops.h"
#include "support/diagnostics/Ir.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// With the lines of all keys.
static Location locationOf(MLIRContext *context, const IrSection &layer,
                           const std::string &fileName) {
  SmallVector<std::pair<StringRef, unsigned>> keys;
  for (const IrEntry &entry : layer.entries)
    keys.push_back({entry.key, entry.line});
  return layerLocation(context, layer.layerName(), fileName, layer.line, keys);
}

namespace {

/// Reads one graph; collects problems and goes on.
class GraphReader {
public:
  GraphReader(ReadState &state, OpBuilder &builder, const IrSection &header,
              const std::vector<IrSection> &layers)
      : state(state), context(state.context), builder(builder), header(header),
        layers(layers), diags(state.diags) {}

  Operation *read(StringRef name);

private:
  void checkLayerNumber();
  void readLayer(const IrSection &layer);
  const OperatorRecord *findRecord(const IrSection &layer);
  std::optional<SmallVector<Value>> readBottoms(const IrSection &layer);
  void createLayer(OperationState &op, const OperatorRecord &record,
                   const IrSection &layer, const LayerTops &tops,
                   ArrayRef<Value> operands);
  void checkReadNetwork(OperationState &op, const OperatorRecord &record,
                        const IrSection &layer, const LayerTops *tops,
                        ArrayRef<Value> operands);
  Value standIn(Type type);
  std::string nearTensor(const std::string &name);
  void warnOfDefaults(Operation *op, const IrSection &layer,
                      const std::string &reported);
  void noteUnread();
  SmallVector<Value> readOutputs();
  void checkInputs();
  void numberInputs();

  Place at(const IrSection &section, const IrEntry *entry = nullptr) const {
    return {state.fileName, entry ? entry->line : section.line,
            section.layerName()};
  }

  ReadState &state;
  MLIRContext &context;
  OpBuilder &builder;
  const IrSection &header;
  const std::vector<IrSection> &layers;
  yarrow::DiagnosticEngine &diags;
  llvm::StringSet<> isDeclared; ///< What any layer's layer_top names.
  llvm::StringMap<Value> tensors;
  llvm::StringMap<int64_t> inputIndex;
};

void GraphReader::checkLayerNumber() {
  // What is no number checkHeaderKeys has said.
  if (const IrEntry *e = header.find("layer_number"); e && e->value.asInt())
    if (e->value.asInt() != int64_t(layers.size()))
      diags
          .report(diag::IrLayerCount, at(header, e),
                  "layer_number is not the number of layers")
          .found(e->value.str())
          .expected(std::to_string(layers.size()));
}

/// The record of the layer's type; reports a missing or unknown type.
const OperatorRecord *GraphReader::findRecord(const IrSection &layer) {
  const IrEntry *type = layer.find("layer_type");
  if (!type) {
    diags
        .report(diag::IrMissingKey, at(layer),
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
  diags
      .report(diag::IrUnknownLayerType, at(layer, type),
              "layer_type " + name + " is not known")
      .found(name)
      .expected("one of the " + std::to_string(known.size()) +
                " layer types that `yarrow ops` lists")
      .hint("if a plugin has this operator, load it with --plugin FILE")
      .suggest(name, known);
  return nullptr;
}

/// A tensor whose producer is broken or missing, with the type that it is said
/// to have, so that the layers behind it are checked all the same.
Value GraphReader::standIn(Type type) {
  return UnrealizedConversionCastOp::create(builder, builder.getUnknownLoc(),
                                            type, ValueRange())
      .getResult(0);
}

/// The operands of a layer; nullopt if one has no producer and no usable type.
std::optional<SmallVector<Value>>
GraphReader::readBottoms(const IrSection &layer) {
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
          .report(diag::IrBadValue, at(layer, entry),
                  "the key " + entry->key + " has a wrong value")
          .found(entry->value.str())
          .expected(entry == shape ? "a list of shapes such as [[1,32,32,3]]"
                                   : "a list of element types such as [int8]");
  auto checkCount = [&](const IrEntry *entry, size_t count) {
    if (count != names.size())
      diags
          .report(diag::IrShapeMismatch, at(layer, entry),
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
    std::optional<StoredType> stored =
        useTypes ? parseType((*types)[i]) : std::nullopt;
    if (!value) {
      // What a layer of the same cycle writes is reported with the cycle.
      if (!isDeclared.contains(name))
        diags
            .report(diag::IrUndefinedTensor, at(layer, bottom).withToken(name),
                    "no layer writes tensor " + name)
            .hint(nearTensor(name));
      if (!useShapes || !stored || !isPossibleShape((*shapes)[i]))
        return std::nullopt;
      value = standIn(plainType(&context, (*shapes)[i], *stored));
      tensors[name] = value; // one report per tensor is enough
    }
    TensorInfo info = describe(value);
    if (useShapes &&
        ArrayRef<int64_t>((*shapes)[i]) != ArrayRef<int64_t>(info.shape))
      diags
          .report(diag::IrBottomMismatch,
                  at(layer, shape).withToken(shapeText((*shapes)[i])),
                  "layer_bottom_shape is not the shape of tensor " + name)
          .found(shapeText((*shapes)[i]))
          .expected(shapeText(info.shape) + ", as its producer declares");
    if (useTypes && stored != info.storedType())
      diags
          .report(diag::IrBottomMismatch,
                  at(layer, type).withToken((*types)[i]),
                  "layer_bottom_type is not the type of tensor " + name)
          .found((*types)[i])
          .expected(dtypeName(info.storedType()).str() +
                    ", as its producer declares");
    operands.push_back(value);
  }
  return operands;
}

/// The tensor whose name is nearest to \p name, as a hint. Looks at every
/// tensor, so it gives up after some hints: a text of thousands of undefined
/// names must not take quadratic time.
std::string GraphReader::nearTensor(const std::string &name) {
  constexpr unsigned kMostHints = 20;
  if (++state.tensorHints > kMostHints)
    return "";
  std::vector<std::string> names;
  for (auto &entry : tensors)
    names.push_back(entry.getKey().str());
  llvm::sort(names);
  return didYouMean(nearestName(name, names));
}

/// Layers whose results nobody reads: often the trace of a tensor name that was
/// changed in one place. Some results of a layer may well be unread, and so may
/// an input or a constant, which the parser leaves behind.
void GraphReader::noteUnread() {
  constexpr size_t kMostShown = 5;
  std::string names;
  size_t count = 0;
  for (Operation &op : *builder.getInsertionBlock())
    if (recordOf(&op) && !op.hasTrait<trait::Source>() && op.use_empty() &&
        ++count <= kMostShown)
      names += (names.empty() ? "" : ", ") + layerNameOf(&op).str() +
               " (line " + std::to_string(sourceLineOf(&op).second) + ")";
  if (count)
    diags
        .report(diag::IrUnread, {state.fileName},
                std::to_string(count) +
                    (count == 1 ? " layer computes a result"
                                : " layers compute results") +
                    " that nothing reads")
        .found(names + (count > kMostShown ? ", ..." : ""));
}

/// \p told names the keys whose values the shapes have told.
void GraphReader::warnOfDefaults(Operation *op, const IrSection &layer,
                                 const std::string &reported) {
  std::string list;
  for (const KeyRecord *key : missingExpectedKeys(op))
    if (!layer.find(key->name) && !layer.find(key->name.str() + "_offset"))
      list += (list.empty() ? "" : ", ") + key->name.str() +
              (key->defaultText.empty() ? "" : "=" + key->defaultText.str());
  // Integers say how wide they are.
  const OperatorRecord *record = recordOf(op);
  for (const KeyRecord &key : record->keys)
    if (key.ir == IrKind::Int && key.name.ends_with("_value") &&
        layer.find(key.name)) {
      std::string type = key.name.drop_back(5).str() + "type";
      if (!layer.find(type))
        list += (list.empty() ? "" : ", ") + type;
    }
  if (!reported.empty())
    list += (list.empty() ? "" : ", ") + reported;
  if (!list.empty())
    diags
        .report(diag::IrDefaultAssumed, at(layer),
                "the layer lacks keys that affect its results; defaults are "
                "assumed")
        .found("no " + list)
        .hint("add these keys to the layer");
}

void GraphReader::readLayer(const IrSection &layer) {
  for (const char *key : {"layer_id", "layer_name"})
    if (!layer.find(key))
      diags
          .report(diag::IrMissingKey, at(layer),
                  "the layer has no key " + std::string(key))
          .expected(std::string(key) + "=...");
  const OperatorRecord *record = findRecord(layer);
  auto tops = readTops(&context, layer, state.isCompat, state.fileName, diags);
  auto operands = readBottoms(layer);
  if (record) {
    OperationState op(locationOf(&context, layer, state.fileName),
                      record->opName);
    setLayerType(op, *record);
    bool ok = readAttributes(op, *record, layer, state.fileName, state.bin,
                             state.isCompat, state.constantRanges, diags);
    if (ok && tops && operands) {
      createLayer(op, *record, layer, *tops, *operands);
      return;
    }
    checkReadNetwork(op, *record, layer, tops ? &*tops : nullptr,
                     operands ? ArrayRef<Value>(*operands) : ArrayRef<Value>());
  }
  if (!tops)
    return;
  for (auto [name, type] : llvm::zip(tops->names, tops->types))
    tensors.try_emplace(name, standIn(type));
}

/// Whether the layer has \p key, if with a value that could not be read: by its
/// name, by the parts of a constant's, or by what is reported as misspelt.
static bool statesKey(const OperatorRecord &record, const IrSection &layer,
                      StringRef key) {
  return llvm::any_of(layer.entries, [&](const IrEntry &entry) {
    std::string meant = meantKey(record, entry.key);
    StringRef written = meant;
    for (StringRef part : {"_type", "_offset", "_size", "_shape"})
      if (StringRef base = written;
          base.consume_back(part) && !record.findKey(written))
        written = base;
    return written == key || (!record.findKey(written) &&
                              !nearestName(written.str(), {key.str()}).empty());
  });
}

/// A layer that cannot be built has more to say than the first value that could
/// not be read: all that can be checked of what was read.
void GraphReader::checkReadNetwork(OperationState &state,
                                   const OperatorRecord &record,
                                   const IrSection &layer,
                                   const LayerTops *tops,
                                   ArrayRef<Value> operands) {
  state.addOperands(operands);
  if (tops)
    state.addTypes(tops->types);
  // Without types it is not known which keys the layer needs.
  auto isUnread = [&](StringRef key) {
    return !tops || statesKey(record, layer, key);
  };
  Operation *op = Operation::create(state);
  fillAbsentKeys(op);
  (void)verifyReadNetwork(op, isUnread);
  op->destroy();
}

/// The Parser may give the integers that a Quantize layer makes their meaning
/// by its own keys alone.
static void takeScaleOfQuantize(Operation *op) {
  if (!isa<QuantizeOp>(op) || describe(op->getResult(0)).isQuantized())
    return;
  TensorInfo info = describe(op->getResult(0));
  if (auto meaning = meaningOf(op, "quantize"); meaning && info.isInteger())
    if (Type type = steppedType(op->getContext(), info.shape, info.storedType(),
                                meaning->stepAt(0), meaning->zeroPointAt(0)))
      op->getResult(0).setType(cast<RankedTensorType>(type));
}

void GraphReader::createLayer(OperationState &newOp,
                              const OperatorRecord &record,
                              const IrSection &layer, const LayerTops &tops,
                              ArrayRef<Value> operands) {
  SmallVector<StringRef> names(tops.names.begin(), tops.names.end());
  newOp.addAttribute(kTopNamesAttr, builder.getStrArrayAttr(names));
  if (record.layerType == "Input" && !names.empty()) {
    auto [it, isNew] =
        inputIndex.try_emplace(names.front(), int64_t(inputIndex.size()));
    newOp.addAttribute("input_index", builder.getI64IntegerAttr(it->second));
  }
  newOp.addOperands(operands);
  newOp.addTypes(tops.types);
  Operation *op = builder.create(newOp);
  if (state.isCompat)
    takeScaleOfQuantize(op);
  std::string reported = fillAbsentKeys(op);
  (void)verify(op);
  warnOfDefaults(op, layer, reported);
  for (auto [i, name] : llvm::enumerate(tops.names))
    tensors.try_emplace(name, op->getResult(i));
}

SmallVector<Value> GraphReader::readOutputs() {
  SmallVector<Value> outputs;
  const IrEntry *entry = header.find("output_tensors");
  auto names = entry ? entry->value.asWordList() : std::nullopt;
  if (names && !names->empty()) {
    for (const std::string &name : *names) {
      if (Value v = tensors.lookup(name))
        outputs.push_back(v);
      else
        diags
            .report(diag::IrUndefinedTensor, at(header, entry).withToken(name),
                    "no layer writes the output " + name)
            .hint(nearTensor(name));
    }
    return outputs;
  }
  // Default order: tensors that nobody reads.
  for (Operation &op : *builder.getInsertionBlock())
    for (Value v : op.getResults())
      if (v.use_empty())
        outputs.push_back(v);
  return outputs;
}

/// Every name in input_tensors is the result of an Input layer, and the other
/// way round.
void GraphReader::checkInputs() {
  const IrEntry *entry = header.find("input_tensors");
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
        .report(diag::IrUndefinedTensor, at(header, entry).withToken(name),
                "the input " + name + " is not the tensor of an Input layer")
        .hint(v ? "" : nearTensor(name));
  }
  for (const IrSection &layer : layers) {
    const IrEntry *type = layer.find("layer_type"),
                  *top = layer.find("layer_top");
    if (!type || !top || type->value.str() != "Input")
      continue;
    for (const std::string &name : topNames(layer))
      if (!listed.contains(name))
        diags
            .report(diag::IrUndefinedTensor, at(layer, top).withToken(name),
                    "the header's input_tensors does not list the tensor " +
                        name + " of an Input layer")
            .found(entry->value.str());
  }
}

void GraphReader::numberInputs() {
  if (const IrEntry *entry = header.find("input_tensors"))
    for (const std::string &name :
         entry->value.asWordList().value_or(std::vector<std::string>()))
      inputIndex.try_emplace(name, inputIndex.size());
}

Operation *GraphReader::read(StringRef name) {
  checkHeaderKeys(header, state.fileName, diags);
  checkLayerNumber();
  OpBuilder::InsertionGuard guard(builder);
  auto func = func::FuncOp::create(builder, builder.getUnknownLoc(), name,
                                   builder.getFunctionType({}, {}));
  func->setAttr(kHeaderAttr, headerEntries(builder, header));
  numberInputs();
  builder.setInsertionPointToEnd(func.addEntryBlock());
  for (const IrSection &layer : layers)
    for (const std::string &tensor : topNames(layer))
      isDeclared.insert(tensor);
  for (const IrSection *layer : topologicalOrder(layers, state.fileName, diags))
    readLayer(*layer);
  checkInputs();
  SmallVector<Value> outputs = readOutputs();
  func::ReturnOp::create(builder, builder.getUnknownLoc(), outputs);
  if (!diags.hasErrors()) // else a broken layer may be the reader
    noteUnread();
  func.setFunctionType(
      builder.getFunctionType({}, ValueRange(outputs).getTypes()));
  return func;
}

} // namespace

ArrayAttr compass::headerEntries(Builder &builder, const IrSection &header) {
  SmallVector<Attribute> entries;
  for (const IrEntry &entry : header.entries)
    if (entry.key != kDigestKey) // of these weights; others will be written
      entries.push_back(
          builder.getStrArrayAttr({entry.key, entry.value.str()}));
  return builder.getArrayAttr(entries);
}

Operation *compass::readGraph(ReadState &state, OpBuilder &builder,
                              const IrSection &header,
                              const std::vector<IrSection> &layers,
                              StringRef name) {
  return GraphReader(state, builder, header, layers).read(name);
}
