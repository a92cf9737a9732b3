//===- Models.cpp - Networks from files -----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/model/Models.h"
#include "compiler/config/ModelFormats.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/Compat.h"
#include "dialects/compass/Execution.h"
#include "dialects/compass/Header.h"
#include "dialects/compass/MlirDiagnostics.h"
#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/custom/KernelTrial.h"
#include "dialects/compass/graph/Graphs.h"
#include "dialects/compass/graph/ModelNames.h"
#include "dialects/compass/graph/States.h"
#include "parser/compass/ConstantCheck.h"
#include "parser/gguf/GgufImport.h"
#include "parser/onnx/OnnxImport.h"
#include "parser/qnn/QnnImport.h"
#include "parser/tflite/TfliteImport.h"
#include "quantizer/prequantized/PartialScales.h"
#include "support/FileKind.h"
#include "support/FileName.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Import.h"
#include "support/diagnostics/Ir.h"
#include "support/diagnostics/Quantizer.h"

#include <filesystem>

using namespace yarrow;
using namespace mlir;

/// Null of an IR, and of what is no model.
static const config::ModelFormat *foreignFormat(const std::string &path) {
  if (const config::ModelFormat *format = config::formatOfPath(path))
    return format;
  yarrow::DiagnosticEngine ignored;
  auto file = MappedFile::open(path, ignored);
  return file ? config::formatOfKind(fileKindOf(file->bytes())) : nullptr;
}

/// With the name of the file, unless it has another one.
static graph::ImportOptions named(const graph::ImportOptions &import,
                                  const std::string &path) {
  graph::ImportOptions options = import;
  if (options.modelName == graph::ImportOptions().modelName)
    options.modelName = nameOfFile(path);
  return options;
}

static OwningOpRef<ModuleOp> importModel(MLIRContext &context, FileKind kind,
                                         const std::string &path,
                                         const std::string &weights,
                                         const graph::ImportOptions &import,
                                         yarrow::DiagnosticEngine &diags) {
  graph::ImportOptions options = named(import, path);
  if (kind == FileKind::QnnGraph)
    return qnn::importQnn(context, path, weights, options, diags);
  if (kind == FileKind::Gguf)
    return gguf::importGguf(context, path, options, diags);
  return kind == FileKind::Tflite
             ? tflite::importTflite(context, path, options, diags)
             : onnx::importOnnx(context, path, options, diags);
}

static OwningOpRef<ModuleOp> importModel(MLIRContext &context, FileKind kind,
                                         const ModelInMemory &model,
                                         const graph::ImportOptions &import,
                                         yarrow::DiagnosticEngine &diags) {
  graph::ImportOptions options = named(import, model.file->path());
  if (kind == FileKind::QnnGraph)
    return qnn::importQnn(context, model.file, model.weights, options, diags);
  if (kind == FileKind::Gguf)
    return gguf::importGguf(context, model.file, options, diags);
  return kind == FileKind::Tflite
             ? tflite::importTflite(context, model.file, options, diags)
             : onnx::importOnnx(context, model.file, options, diags);
}

/// Whether the weights of an imported model are numbers, as those of IR are.
static bool areNumbers(ModuleOp module, yarrow::DiagnosticEngine &diags) {
  std::size_t before = diags.numErrors();
  compass::DiagnosticForwarder forward(module.getContext(), diags,
                                       diag::IrNotANumber);
  compass::checkValues(module, /*isImported=*/true);
  return diags.numErrors() == before;
}

/// What the reader of IR checks of what it has read.
static bool canRun(ModuleOp module, compass::ReadFor purpose,
                   yarrow::DiagnosticEngine &diags) {
  bool runs = purpose == compass::ReadFor::Inspection ||
              compass::checkExecutable(module, diags);
  return runs &&
         compass::checkKernels(module, purpose == compass::ReadFor::Execution,
                               diags) &&
         compass::tryCustomKernels(module, diags);
}

/// What a network that was read becomes, for \p purpose. Null after errors.
static OwningOpRef<ModuleOp> makeReady(OwningOpRef<ModuleOp> module,
                                       bool isForeign, compass::ReadFor purpose,
                                       const PrequantizedOptions &given,
                                       PrequantizedResult *converted,
                                       yarrow::DiagnosticEngine &diags) {
  if (!module || (isForeign && !areNumbers(*module, diags)))
    return nullptr;
  bool isPrequantized = compass::isCompat(*module);
  // To be looked at it stays as its file has it: nothing to be computed.
  if (isPrequantized && purpose == compass::ReadFor::Inspection)
    return module;
  // Only models of other formats come with floats that can be quantized.
  if (isForeign && isPrequantized && given.leavesPartial &&
      layersWithoutScales(*module) != 0)
    return module;
  if (isPrequantized && !convertPrequantized(*module, given, diags, converted))
    return nullptr;
  bool mustCheck = isForeign || isPrequantized;
  return !mustCheck || canRun(*module, purpose, diags) ? std::move(module)
                                                       : nullptr;
}

OwningOpRef<ModuleOp>
yarrow::readModel(MLIRContext &context, const std::string &txtPath,
                  const std::string &binPath, yarrow::DiagnosticEngine &diags,
                  compass::ReadFor purpose, const graph::ImportOptions &import,
                  const PrequantizedOptions &given,
                  PrequantizedResult *converted) {
  const config::ModelFormat *foreign = foreignFormat(txtPath);
  return makeReady(
      foreign
          ? importModel(context, foreign->kind, txtPath, binPath, import, diags)
          : compass::readCompassIr(context, txtPath, binPath, diags, purpose),
      foreign, purpose, given, converted, diags);
}

OwningOpRef<ModuleOp> yarrow::readModel(MLIRContext &context,
                                        const ModelInMemory &model,
                                        yarrow::DiagnosticEngine &diags,
                                        compass::ReadFor purpose,
                                        const graph::ImportOptions &import,
                                        const PrequantizedOptions &given,
                                        PrequantizedResult *converted) {
  const config::ModelFormat *foreign =
      config::formatOfKind(fileKindOf(model.file->bytes()));
  return makeReady(
      foreign ? importModel(context, foreign->kind, model, import, diags)
              : compass::readCompassIr(context, model.file, model.weights,
                                       diags, purpose),
      foreign, purpose, given, converted, diags);
}

/// Reads the model once for each of \p imports. Reports the problems of the
/// first one, since the others repeat them, and of one that fails. Empty after
/// errors.
static std::vector<OwningOpRef<ModuleOp>> readEach(
    const std::vector<graph::ImportOptions> &imports,
    yarrow::DiagnosticEngine &diags,
    llvm::function_ref<OwningOpRef<ModuleOp>(const graph::ImportOptions &,
                                             bool isFirst,
                                             yarrow::DiagnosticEngine &own)>
        read) {
  std::vector<OwningOpRef<ModuleOp>> variants;
  for (const graph::ImportOptions &import : imports) {
    yarrow::DiagnosticEngine own;
    variants.push_back(read(import, variants.empty(), own));
    if (variants.size() == 1 || !variants.back())
      for (const yarrow::Diagnostic &d : own.all())
        diags.add(d);
    if (!variants.back())
      return {};
  }
  return variants;
}

/// False, and told, of several shapes of an IR.
static bool canHaveShapes(bool isForeign, std::size_t numShapes,
                          const std::string &path,
                          yarrow::DiagnosticEngine &diags) {
  if (numShapes < 2 || isForeign)
    return true;
  diags
      .report(diag::ImportInputShape, {path},
              "an IR has the fixed shapes of its text")
      .expected("an ONNX, TFLite, QNN or GGUF model for several shapes");
  return false;
}

std::vector<OwningOpRef<ModuleOp>>
yarrow::readVariants(MLIRContext &context, const std::string &txtPath,
                     const std::string &binPath,
                     yarrow::DiagnosticEngine &diags,
                     const std::vector<graph::ImportOptions> &imports,
                     const PrequantizedOptions &given,
                     PrequantizedResult *converted, compass::ReadFor purpose) {
  // Of one shape nobody asks what the file is.
  bool isForeign = imports.size() > 1 && isForeignModel(txtPath);
  if (!canHaveShapes(isForeign, imports.size(), txtPath, diags))
    return {};
  return readEach(imports, diags,
                  [&](const graph::ImportOptions &import, bool isFirst,
                      yarrow::DiagnosticEngine &own) {
                    return readModel(context, txtPath, binPath, own, purpose,
                                     import, given,
                                     isFirst ? converted : nullptr);
                  });
}

std::vector<OwningOpRef<ModuleOp>>
yarrow::readVariants(MLIRContext &context, const ModelInMemory &model,
                     yarrow::DiagnosticEngine &diags,
                     const std::vector<graph::ImportOptions> &imports,
                     const PrequantizedOptions &given,
                     PrequantizedResult *converted, compass::ReadFor purpose) {
  bool isForeign = config::formatOfKind(fileKindOf(model.file->bytes()));
  if (!canHaveShapes(isForeign, imports.size(), model.file->path(), diags))
    return {};
  return readEach(imports, diags,
                  [&](const graph::ImportOptions &import, bool isFirst,
                      yarrow::DiagnosticEngine &own) {
                    return readModel(context, model, own, purpose, import,
                                     given, isFirst ? converted : nullptr);
                  });
}

std::string yarrow::nameOfFile(const std::string &path) {
  std::string name = std::filesystem::path(path).stem().string();
  // What a name cannot have becomes _, as the reference parser writes it.
  for (char &c : name)
    if (!whyNoFileName(std::string{'a', c, 'a'}).empty())
      c = '_';
  bool hasAnything = name.find_first_not_of("_ ") != name.npos;
  return whyNoFileName(name).empty() && hasAnything ? name : "model";
}

bool yarrow::isForeignModel(const std::string &path) {
  return foreignFormat(path) != nullptr;
}

bool yarrow::isNetworkFile(const std::string &path) {
  yarrow::DiagnosticEngine ignored;
  auto file = MappedFile::open(path, ignored);
  return isForeignModel(path) ||
         (file && fileKindOf(file->bytes()) == FileKind::CompassIr);
}

bool yarrow::isQuantized(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        for (Value v : op->getResults())
          if (llvm::isa<RankedTensorType>(v.getType()) &&
              compass::describe(v).isQuantized())
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

bool yarrow::canBeQuantized(ModuleOp module, const std::string &path,
                            yarrow::DiagnosticEngine &diags) {
  if (!isQuantized(module))
    return compass::checkExecutable(module, diags);
  diags
      .report(diag::QuantUnsupported, {path},
              "the network is already quantized")
      .hint("give the float IR that it was made from");
  return false;
}

std::string yarrow::modelNameOf(ModuleOp module) {
  return compass::modelName(module);
}

unsigned yarrow::numLayers(ModuleOp module) {
  unsigned count = 0;
  module.walk(
      [&](Operation *op) { count += compass::recordOf(op) != nullptr; });
  return count;
}

std::pair<std::string, std::string>
yarrow::splitModelPaths(const std::string &text) {
  std::size_t comma = text.find(',');
  if (comma == std::string::npos)
    return {text, ""};
  return {text.substr(0, comma), text.substr(comma + 1)};
}

std::vector<std::string> yarrow::splitList(const std::string &text) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (start <= text.size()) {
    std::size_t end = std::min(text.find(',', start), text.size());
    if (end > start)
      parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::vector<std::string> yarrow::splitPaths(const std::string &text) {
  std::error_code unknown;
  bool isOne =
      text.find(',') != text.npos && std::filesystem::exists(text, unknown);
  return isOne ? std::vector{text} : splitList(text);
}

std::vector<InputName> yarrow::inputNamesOf(mlir::ModuleOp module) {
  std::vector<InputName> names;
  std::vector<std::string> all = compass::inputNames(module);
  auto values = compass::graphInputs(compass::mainGraph(module));
  for (unsigned i : compass::callerInputs(compass::mainGraph(module)))
    names.push_back({all[i], compass::tensorNameOf(values[i])});
  return names;
}

std::vector<std::vector<int64_t>> yarrow::inputShapesOf(mlir::ModuleOp module) {
  std::vector<std::vector<int64_t>> shapes;
  for (mlir::Value value :
       compass::callerInputValues(compass::mainGraph(module))) {
    auto shape = compass::describe(value).shape;
    shapes.emplace_back(shape.begin(), shape.end());
  }
  return shapes;
}

DataSetTask yarrow::dataFor(mlir::ModuleOp network, const std::string &paths,
                            const PictureOptions &pictures) {
  DataSetTask task;
  task.data = splitPaths(paths);
  task.inputShapes = inputShapesOf(network);
  task.inputNames = inputNamesOf(network);
  task.pictures = pictures;
  return task;
}
