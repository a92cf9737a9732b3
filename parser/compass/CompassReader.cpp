//===- CompassReader.cpp - Compass IR to the compass dialect --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/CompassReader.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "parser/compass/CompassLayerReader.h"
#include "llvm/ADT/StringMap.h"
#include <filesystem>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

namespace {

/// Reads one document into a module; collects problems and goes on.
class Reader {
public:
  Reader(MLIRContext &context, const IrDocument &doc,
         std::shared_ptr<const MappedFile> bin, yarrow::DiagnosticEngine &diags)
      : context(context), builder(&context), doc(doc), bin(std::move(bin)),
        diags(diags) {}

  OwningOpRef<ModuleOp> read();

private:
  void refuseUnsupported();
  std::vector<const IrSection *> topologicalOrder();
  void readLayer(const IrSection &layer);
  void readOutputs();
  SmallVector<Attribute> readHeader();

  Place at(const IrSection &section, const IrEntry *entry = nullptr) const {
    return {doc.fileName, entry ? entry->line : section.line,
            section.layerName()};
  }

  MLIRContext &context;
  OpBuilder builder;
  const IrDocument &doc;
  std::shared_ptr<const MappedFile> bin;
  yarrow::DiagnosticEngine &diags;
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

/// Layers in file order, but each after the layers whose tensors it reads: the
/// format does not promise an order.
std::vector<const IrSection *> Reader::topologicalOrder() {
  llvm::StringMap<const IrSection *> producer;
  for (const IrSection &layer : doc.layers)
    if (const IrEntry *top = layer.find("layer_top"))
      for (const std::string &name :
           top->value.asWordList().value_or(std::vector<std::string>()))
        if (!producer.try_emplace(name, &layer).second)
          diags
              .report(DiagId::IrDuplicateTensor, at(layer, top),
                      "tensor " + name + " has two producers")
              .found("also written by layer " + producer[name]->layerName());
  std::vector<const IrSection *> order;
  llvm::DenseMap<const IrSection *, int> state; // 1 open, 2 done
  // An explicit stack: chains may be as long as the file.
  for (const IrSection &root : doc.layers) {
    std::vector<const IrSection *> stack = {&root};
    while (!stack.empty()) {
      const IrSection *layer = stack.back();
      if (state[layer] == 2) {
        stack.pop_back();
        continue;
      }
      bool pending = false;
      if (state[layer] == 0) {
        state[layer] = 1;
        auto names = bottomNames(*layer);
        for (auto it = names.rbegin(); it != names.rend(); ++it) {
          const IrSection *p = producer.lookup(*it);
          if (!p || state[p] == 2)
            continue;
          if (state[p] == 1) {
            diags.report(DiagId::IrUndefinedTensor, at(*layer),
                         "the layer is part of a cycle through " + *it);
            continue;
          }
          stack.push_back(p);
          pending = true;
        }
      }
      if (!pending) {
        state[layer] = 2;
        order.push_back(layer);
        stack.pop_back();
      }
    }
  }
  return order;
}

void Reader::readLayer(const IrSection &layer) {
  const IrEntry *type = layer.find("layer_type");
  if (!type) {
    diags.report(DiagId::IrMissingKey, at(layer),
                 "the layer has no key layer_type");
    return;
  }
  std::string typeName = type->value.str();
  const OperatorRecord *record = findLayerType(typeName);
  auto tops = readTops(&context, layer, doc.fileName, diags);
  bool ok = tops.has_value();
  if (!record) {
    std::vector<std::string> known;
    for (const OperatorRecord &r : allOperators())
      known.push_back(r.layerType.str());
    yarrow::Diagnostic &d =
        diags.report(DiagId::IrUnknownLayerType, at(layer, type),
                     "layer_type " + typeName + " is not supported");
    if (std::string near = nearestName(typeName, known); !near.empty())
      d.hint("did you mean " + near + "?");
    ok = false;
  }
  SmallVector<Value> operands;
  for (const std::string &name : bottomNames(layer)) {
    Value v = tensors.lookup(name);
    if (v) {
      operands.push_back(v);
      continue;
    }
    // Follow-up errors of a layer that failed would only hide the first one.
    if (!tensors.contains(name))
      diags.report(DiagId::IrUndefinedTensor,
                   at(layer, layer.find("layer_bottom")),
                   "no layer writes tensor " + name);
    ok = false;
  }
  Operation *op = nullptr;
  if (record) {
    Location loc = NameLoc::get(
        StringAttr::get(&context, layer.layerName()),
        FileLineColLoc::get(StringAttr::get(&context, doc.fileName), layer.line,
                            /*column=*/1));
    OperationState state(loc, record->opName);
    if (!readAttributes(state, *record, layer, doc.fileName, bin, diags))
      ok = false;
    if (ok) {
      SmallVector<StringRef> names(tops->names.begin(), tops->names.end());
      state.addAttribute(kTopNamesAttr, builder.getStrArrayAttr(names));
      if (record->layerType == "Input") {
        auto it = inputIndex.find(names.front());
        state.addAttribute(
            "input_index",
            builder.getI64IntegerAttr(it != inputIndex.end()
                                          ? it->second
                                          : int64_t(inputIndex.size())));
        if (it == inputIndex.end())
          inputIndex[names.front()] = inputIndex.size();
      }
      state.addOperands(operands);
      state.addTypes(tops->types);
      op = builder.create(state);
      if (failed(verify(op)))
        ok = false;
    }
  }
  if (!tops)
    return;
  for (auto [i, name] : llvm::enumerate(tops->names))
    tensors.try_emplace(name, ok && op ? op->getResult(i) : Value());
}

void Reader::readOutputs() {
  const IrEntry *entry = doc.header.find("output_tensors");
  auto names = entry ? entry->value.asWordList() : std::nullopt;
  if (entry && !entry->value.isNone() && !names)
    diags.report(DiagId::IrBadValue, at(doc.header, entry),
                 "output_tensors is not a list of names");
  if (names) {
    for (const std::string &name : *names) {
      if (!tensors.contains(name))
        diags.report(DiagId::IrUndefinedTensor, at(doc.header, entry),
                     "no layer writes the output " + name);
      else if (Value v = tensors.lookup(name))
        outputs.push_back(v);
    }
    return;
  }
  // Default order: tensors that nobody reads.
  for (Operation &op : *builder.getInsertionBlock())
    for (Value v : op.getResults())
      if (v.use_empty())
        outputs.push_back(v);
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
  DiagnosticForwarder forward(&context, diags, DiagId::OpInvalid);
  refuseUnsupported();
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  (*module)->setAttr(kHeaderAttr, builder.getArrayAttr(readHeader()));
  builder.setInsertionPointToEnd(module->getBody());
  auto func = func::FuncOp::create(builder, builder.getUnknownLoc(), "main",
                                   builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(func.addEntryBlock());
  for (const IrSection *layer : topologicalOrder())
    readLayer(*layer);
  readOutputs();
  func::ReturnOp::create(builder, builder.getUnknownLoc(), outputs);
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
                                             yarrow::DiagnosticEngine &diags) {
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
  return finish(Reader(context, *doc, bin, own).read());
}
