//===- CompassReader.cpp - Compass IR to the compass dialect --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/CompassReader.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/Execution.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/custom/KernelTrial.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"
#include "parser/compass/ConstantCheck.h"
#include "parser/compass/GraphReader.h"
#include "parser/compass/Precision.h"
#include "support/FileKind.h"
#include "support/FolderLock.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Ir.h"
#include "support/diagnostics/Operators.h"
#include "llvm/ADT/StringMap.h"
#include <filesystem>

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

/// Properties of the file that are not supported yet.
static void refuseUnsupported(const IrDocument &doc,
                              yarrow::DiagnosticEngine &diags) {
  auto at = [&](const IrEntry &entry) {
    return Place{doc.fileName, entry.line};
  };
  if (const IrEntry *e = doc.header.find("dynamic_symbols"))
    if (!e->value.isNone())
      diags.report(diag::IrUnsupported, at(*e),
                   "dynamic shapes are not supported yet");
}

/// The name of a sub-graph; "" after reporting that it is not possible.
static std::string subgraphName(const IrSection &header,
                                llvm::StringMap<unsigned> &lines,
                                ReadState &state) {
  const IrEntry *entry = header.find("subgraph_name");
  std::string name = entry->value.str();
  auto [it, isNew] = lines.try_emplace(name, entry->line);
  Place place{state.fileName, entry->line};
  if (!isNew)
    state.diags
        .report(diag::IrBadValue, place, "two sub-graphs have the name " + name)
        .found("the first is in line " + std::to_string(it->second));
  else if (name == kMainGraph || name.empty())
    state.diags
        .report(diag::IrBadValue, place, "a sub-graph has an invalid name")
        .found(name)
        .expected(
            "a name other than main, which is reserved for the whole network");
  else
    return name;
  return "";
}

/// All graphs of a file mean the same by scales.
static void checkCompat(const IrSection &header, ReadState &state) {
  const IrEntry *entry = header.find("compat_quantized_model");
  auto isCompat = entry ? entry->value.asBool() : std::nullopt;
  if (isCompat && *isCompat != state.isCompat)
    state.diags
        .report(diag::IrBadValue, {state.fileName, entry->line},
                "a sub-graph and the file differ in compat_quantized_model")
        .found(entry->value.str())
        .expected(state.isCompat ? "true, as the header of the file says"
                                 : "false, as the header of the file says");
}

/// Names of the model, one for each input and output.
static void checkModelNames(const IrSection &header, ModuleOp module,
                            ReadState &state) {
  auto check = [&](StringRef key, size_t count) {
    const IrEntry *entry = header.find(key.str());
    auto names = entry ? entry->value.asWordList() : std::nullopt;
    if (names && names->size() != count)
      state.diags
          .report(diag::IrBadValue, {state.fileName, entry->line},
                  "the key " + entry->key +
                      " of the header does not have one name for each tensor")
          .found(std::to_string(names->size()))
          .expected(std::to_string(count));
  };
  func::FuncOp graph = mainGraph(module);
  check(kModelInputsKey, graphInputs(graph).size());
  check(kModelOutputsKey, graphOutputs(graph).size());
}

/// All graphs of a document as a module; null after errors.
static OwningOpRef<ModuleOp> readModule(ReadState &state, const IrDocument &doc,
                                        ReadFor purpose) {
  DiagnosticForwarder forward(&state.context, state.diags, diag::OpInvalid);
  refuseUnsupported(doc, state.diags);
  OpBuilder builder(&state.context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(builder.getUnknownLoc());
  builder.setInsertionPointToEnd(module->getBody());
  // The header of the main graph is that of the file, and says what all scales
  // mean.
  (*module)->setAttr(kHeaderAttr, headerEntries(builder, doc.header));
  state.isCompat = isCompat(*module);
  readGraph(state, builder, doc.header, doc.layers, kMainGraph)
      ->removeAttr(kHeaderAttr);
  if (!state.diags.hasErrors())
    checkModelNames(doc.header, *module, state);
  llvm::StringMap<unsigned> lines;
  for (const IrSubgraph &graph : doc.subgraphs) {
    checkCompat(graph.header, state);
    if (std::string name = subgraphName(graph.header, lines, state);
        !name.empty())
      readGraph(state, builder, graph.header, graph.layers, name);
  }
  // Models that were quantized before keep scales beside floats.
  if (!state.isCompat)
    checkPrecision(doc.header, *module, doc.fileName,
                   /*isAsked=*/purpose == ReadFor::Inspection, state.diags);
  checkOverlap(state.constantRanges, doc.fileName, state.diags);
  checkValues(*module);
  // MLIR's verifier would stop at the first layer that does not fit its
  // sub-graphs; it sees layers that are right in themselves alone.
  SymbolTableCollection symbols;
  if (!state.diags.hasErrors())
    module->walk([&](SymbolUserOpInterface user) {
      (void)user.verifySymbolUses(symbols);
    });
  if (state.diags.hasErrors() || failed(verify(*module)))
    return nullptr;
  bool runs =
      purpose == ReadFor::Inspection || checkExecutable(*module, state.diags);
  runs &= checkKernels(*module, purpose == ReadFor::Execution, state.diags) &&
          tryCustomKernels(*module, state.diags);
  if (!runs)
    return nullptr;
  return module;
}

static bool hasConstants(const std::vector<IrSection> &layers) {
  for (const IrSection &layer : layers)
    for (const IrEntry &entry : layer.entries)
      if (StringRef name(entry.key);
          name.consume_back("_offset") && layer.find((name + "_size").str()))
        return true;
  return false;
}

static bool hasConstants(const IrDocument &doc) {
  return hasConstants(doc.layers) ||
         llvm::any_of(doc.subgraphs, [](const IrSubgraph &graph) {
           return hasConstants(graph.layers);
         });
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

/// The document of a text; null after errors.
static std::optional<IrDocument> documentOf(const MappedFile &text,
                                            yarrow::DiagnosticEngine &diags) {
  if (!isKind(FileKind::CompassIr, text.bytes(), text.path(), diag::IrSyntax,
              diags))
    return std::nullopt;
  auto doc = parseIrText(text.text(), text.path(), diags);
  if (!doc)
    return std::nullopt;
  if (!doc->layers.empty())
    return doc;
  diags.report(diag::IrMissingKey, {text.path()}, "the file has no layers")
      .expected("the text of Compass IR: a header, then layer_id=0 ...");
  return std::nullopt;
}

/// Null after errors.
static std::shared_ptr<const MappedFile>
openWeights(const std::string &path, bool isNamed,
            yarrow::DiagnosticEngine &diags) {
  yarrow::DiagnosticEngine reason;
  auto bin = MappedFile::open(path, reason);
  if (!bin)
    diags.report(diag::FileUnreadable, {path}, "cannot read the weights file")
        .found(reason.all().front().foundText)
        .hint(isNamed ? "" : "give another file with -w FILE");
  return bin;
}

/// The network of a document. The weights are those of \p path, if it has any.
static OwningOpRef<ModuleOp>
readDocument(MLIRContext &context, const IrDocument &doc,
             const std::shared_ptr<const MappedFile> &bin,
             const std::string &path, yarrow::DiagnosticEngine &diags,
             compass::ReadFor purpose) {
  // Of other weights everything could be said, and nothing would help.
  if (!checkDigest(doc.header,
                   bin ? bin->bytes() : std::span<const std::byte>(), path,
                   doc.fileName, diags))
    return nullptr;
  ReadState state{context, doc.fileName, bin, diags};
  return readModule(state, doc, purpose);
}

static void loadDialects(MLIRContext &context) {
  DialectRegistry registry;
  registerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

namespace {
/// The problems of one network. The caller's engine may hold errors of other
/// files: this one is judged alone.
struct OwnProblems {
  explicit OwnProblems(yarrow::DiagnosticEngine &all) : all(all) {}
  ~OwnProblems() {
    for (const yarrow::Diagnostic &d : own.all())
      all.add(d);
  }
  yarrow::DiagnosticEngine own, &all;
};
} // namespace

OwningOpRef<ModuleOp> compass::readCompassIr(MLIRContext &context,
                                             const std::string &txtPath,
                                             const std::string &binPath,
                                             yarrow::DiagnosticEngine &diags,
                                             ReadFor purpose) {
  loadDialects(context);
  // Text and weights of one writer, until both are open.
  std::optional<FolderLock> lock(std::in_place, std::vector{txtPath},
                                 FolderLock::Shared);
  auto text = MappedFile::open(txtPath, diags);
  if (!text)
    return nullptr;
  OwnProblems problems(diags);
  auto doc = documentOf(*text, problems.own);
  if (!doc)
    return nullptr;
  std::shared_ptr<const MappedFile> bin;
  std::string path = weightsPath(*doc, txtPath, binPath);
  if (!path.empty()) {
    bin = openWeights(path, !binPath.empty(), problems.own);
    if (!bin || !isKind(FileKind::Binary, bin->bytes(), path,
                        diag::FileUnreadable, problems.own))
      return nullptr;
  }
  lock.reset();
  return readDocument(context, *doc, bin, path, problems.own, purpose);
}

OwningOpRef<ModuleOp>
compass::readCompassIr(MLIRContext &context,
                       const std::shared_ptr<const MappedFile> &text,
                       const std::shared_ptr<const MappedFile> &bin,
                       yarrow::DiagnosticEngine &diags, ReadFor purpose) {
  loadDialects(context);
  OwnProblems problems(diags);
  auto doc = documentOf(*text, problems.own);
  if (!doc)
    return nullptr;
  std::string path = bin ? bin->path() : "";
  if (bin && !isKind(FileKind::Binary, bin->bytes(), path, diag::FileUnreadable,
                     problems.own))
    return nullptr;
  if (!bin && hasConstants(*doc)) {
    problems.own
        .report(diag::FileUnreadable, {text->path()},
                "the network has weights, but no weights file is given")
        .expected("the bytes of its .bin file");
    return nullptr;
  }
  return readDocument(context, *doc, bin, path, problems.own, purpose);
}
