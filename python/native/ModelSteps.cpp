//===- ModelSteps.cpp - Quantization and compilation, for Python ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/commands/DisabledPasses.h"
#include "compiler/commands/QuantizeFlags.h"
#include "compiler/config/Recipes.h"
#include "compiler/driver/FormOptions.h"
#include "compiler/driver/Models.h"
#include "compiler/driver/Preflight.h"
#include "compiler/driver/QuantizeStep.h"
#include "compiler/driver/ReportJson.h"
#include "python/native/Interruptible.h"
#include "python/native/Model.h"
#include "python/native/Raise.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Quantizer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <mutex>

using namespace yarrow;
using namespace yarrow::python;
using Json = nlohmann::ordered_json;

/// Throws unless \p word is one of \p words.
static void requireWord(const std::string &what, const std::string &word,
                        const std::vector<std::string> &words) {
  if (llvm::is_contained(words, word))
    return;
  std::string near = nearestName(word, words);
  raiseUsage(what + " is not " + word + " but one of " +
                 llvm::join(words, ", "),
             near.empty() ? "" : didYouMean("'" + near + "'"));
}

static std::vector<std::string> formUses() {
  return {std::begin(kFormUses), std::end(kFormUses)};
}

/// The keywords as the options of `yarrow quantize`.
static QuantizeFlags flagsOf(const QuantizeSettings &settings) {
  CLI::App options; // names the keys that there are
  QuantizeFlags flags;
  addQuantizeFlags(options, flags, /*needsSamples=*/false);
  std::vector<std::string> recipes, keys;
  for (const config::Recipe &recipe : config::recipes())
    recipes.emplace_back(recipe.name);
  keys.assign(config::pictureKeys().begin(), config::pictureKeys().end());
  for (const auto &[key, value] : flags.keys)
    keys.push_back(key);
  if (!settings.recipe.empty()) {
    requireWord("recipe", settings.recipe, recipes);
    flags.recipe = settings.recipe;
  }
  for (const auto &[key, value] : settings.keys) {
    if (config::isPictureKey(key)) {
      flags.pictures.keys[key] = value;
      continue;
    }
    if (!flags.keys.contains(key)) {
      std::string near = nearestName(key, keys);
      raiseUsage("quantize has no keyword " + key,
                 near.empty() ? "docs/configuration.md lists the keys"
                              : didYouMean("'" + near + "'"));
    }
    flags.keys[key] = value;
  }
  return flags;
}

static config::BuildConfig quantizeConfig(const QuantizeSettings &settings,
                                          const std::string &graph,
                                          const std::string &name) {
  QuantizeFlags flags = flagsOf(settings);
  flags.graph = graph;
  flags.calibrationData = settings.dataFiles;
  DiagnosticEngine diags;
  auto config = yarrow::configOf(flags, diags);
  raiseIf(!config, diags);
  config->target = settings.target;
  config->places["GBuilder.target"] = {"target"};
  if (!settings.winograd.empty())
    requireWord("winograd", settings.winograd, formUses());
  (void)targetAt(config->target, config->place("GBuilder.target"), diags);
  applyWinogradFlag(settings.winograd, *config, diags);
  raiseIf(false, diags);
  config->modelName = name;
  return *config;
}

static std::string reportOf(const QuantizedModel &model,
                            const config::BuildConfig &config,
                            const DiagnosticEngine &diags) {
  ReportDocument report = quantizeReport(config, model);
  report.diagnostics = Json::parse(jsonOf(diags));
  return report.text();
}

/// Those among \p keys.
static PictureOptions
picturesAmong(const std::map<std::string, std::string> &keys) {
  PictureFlags flags;
  for (const auto &[key, value] : keys)
    if (config::isPictureKey(key))
      flags.keys[key] = value;
  DiagnosticEngine diags;
  auto options = pictureOptions(flags, diags);
  raiseIf(!options, diags);
  return options->outside();
}

std::shared_ptr<Model> Model::quantize(const std::shared_ptr<Model> &model,
                                       const QuantizeSettings &settings,
                                       const NamedArrays &data) {
  std::vector<NpyView> views;
  if (!data.empty()) {
    DataTarget target = model->dataTarget();
    target.pictures = picturesAmong(settings.keys);
    views = boundViews(data, target);
  }
  pybind11::gil_scoped_release released;
  config::BuildConfig config =
      quantizeConfig(settings, model->fileName, model->modelName);
  Driver driver;
  std::string unread;
  driver.capture = &unread;
  if (model->hasIntegers) {
    driver.diags
        .report(diag::QuantUnsupported, {model->fileName},
                "the network is quantized already")
        .hint("give the float network, or go on with yarrow.compile()");
    throw Raised(driver.diags);
  }
  std::shared_ptr<Model> result(new Model());
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  {
    std::unique_lock lock(model->mutex);
    copy = shareWith(*result->context, *model->module);
  }
  result->constantsOf = model;
  result->imported = model->imported;
  std::optional<QuantizedModel> quantized = interruptible([&] {
    return quantizeStep(std::move(copy), config, {}, driver, model->imported,
                        {}, data.empty() ? nullptr : &views);
  });
  raiseIf(!quantized, driver.diags);
  result->fileName = model->fileName;
  result->weightsName = model->weightsName;
  result->reportJson = reportOf(*quantized, config, driver.diags);
  result->diagnosticsJson = jsonOf(driver.diags);
  result->take(std::move(quantized->quantized));
  return result;
}

namespace {
/// A file that is gone in the end.
struct TemporaryExecutable {
  TemporaryExecutable() {
    llvm::SmallString<128> unique;
    if (!llvm::sys::fs::createUniqueDirectory("yarrow-compile", unique))
      folder = unique.str().str();
    path = (std::filesystem::path(folder) / "aipu.bin").string();
  }
  ~TemporaryExecutable() {
    std::error_code error;
    if (!folder.empty())
      std::filesystem::remove_all(folder, error);
  }
  std::string folder, path;
};
} // namespace

static CompileOptions compileOptions(const CompileSettings &settings,
                                     const isa::Machine &machine,
                                     Driver &driver) {
  requireWord("winograd", settings.winograd, formUses());
  requireWord("tiling", settings.tiling, {"fps", "footprint"});
  if (settings.batch < 1 || settings.batch > 64)
    raiseUsage("batch is from 1 to 64, not " + std::to_string(settings.batch));
  CompileOptions options;
  auto disabled = disabledPasses(settings.disabledPasses, {"disabled_passes"},
                                 driver.diags);
  bool isGood = disabled && (settings.cache.empty() ||
                             makeFolder(settings.cache, driver.diags));
  raiseIf(!isGood, driver.diags);
  options.optimize = settings.optimize;
  options.disabled = *disabled;
  options.isFootprintWanted = settings.tiling == "footprint";
  options.cache = settings.cache;
  options.samples = settings.batch;
  options.hasProfile = settings.hasProfile;
  FormSettings forms{formUseOf(settings.winograd)};
  if (forms.use != FormUse::Off)
    options.chooseForms = [forms, &machine, &driver, trial = options](
                              mlir::OwningOpRef<mlir::ModuleOp> &network) {
      FormDecision decision;
      FormSearchTask search = formSearch(forms, machine, trial, driver);
      return chooseExactForms(network, search, driver.diags, decision);
    };
  return options;
}

std::shared_ptr<Executable> Model::compile(const CompileSettings &settings) {
  pybind11::gil_scoped_release released;
  Driver driver;
  std::string unread;
  driver.capture = &unread;
  auto machine = targetAt(settings.target, {"target"}, driver.diags);
  raiseIf(!machine, driver.diags);
  CompileOptions options = compileOptions(settings, *machine, driver);
  std::unique_ptr<mlir::MLIRContext> own = makeContext();
  mlir::OwningOpRef<mlir::ModuleOp> copy;
  {
    std::unique_lock lock(mutex);
    copy = shareWith(*own, *module);
  }
  TemporaryExecutable file;
  CompileResult result;
  bool isGood = interruptible([&] {
    return compileNetwork(*copy, *machine, options, file.path, driver.diags,
                          &result);
  });
  raiseIf(!isGood, driver.diags);
  auto bytes = MappedFile::open(file.path, driver.diags);
  raiseIf(!bytes, driver.diags);
  auto executable = Executable::make(std::string(bytes->text()), modelName);
  Json summary = {{"commands", result.count.commands},
                  {"kernels", result.count.kernels},
                  {"weight_bytes", result.memory.weightBytes},
                  {"workspace_bytes", result.memory.workspaceBytes},
                  {"sram_bytes", result.memory.sramBytes}};
  executable->summaryJson = summary.dump();
  executable->diagnosticsJson = jsonOf(driver.diags);
  return executable;
}
