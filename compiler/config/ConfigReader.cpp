//===- ConfigReader.cpp - Reader of configuration files -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Two kinds of files are read: those of AIPUBuilder with the sections [Common],
// [Parser], [Optimizer] or [AutoQuantizationTool], and [GBuilder]; and those of
// the Compass Optimizer, whose one section [Common] holds the keys of
// [Optimizer].
//
// [Parser] has an effect only if it is to be done here: it names a model, and
// no IR is given or was written by the Compass Parser. When it is there and no
// graph is named, the IR that the Compass Parser would have written is looked
// for: <output_dir>/<model_name>.txt and .bin.
//
// Its keys for data that are pictures have an effect in any case.
//
// Options of the command line that set keys become entries of the sections
// before these are read, so that they have no rules of their own.
//
//===----------------------------------------------------------------------===//
#include "compiler/config/ConfigKeys.h"
#include "compiler/config/ConfigValues.h"
#include "compiler/config/Ini.h"
#include "compiler/config/KeyChecks.h"
#include "compiler/config/ModelFormats.h"
#include "compiler/config/OptConfig.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/config/Recipes.h"
#include "support/FileKind.h"
#include "support/FileName.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Import.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"

#include <filesystem>

using namespace yarrow;
using namespace yarrow::config;
namespace fs = std::filesystem;

namespace {

/// More than this and the file is something else.
constexpr unsigned maxConfigProblems = 50;

class ConfigReader {
public:
  ConfigReader(std::vector<IniSection> &sections, const std::string &path,
               const ConfigOptions &options, DiagnosticEngine &diags)
      : sections(sections), path(path),
        folder(fs::path(path).parent_path().string()), options(options),
        diags(diags) {}

  std::optional<BuildConfig> read() {
    config = defaultBuildConfig();
    config.fileName = path;
    // Paths of defaults start at the file as well.
    setConfigKey("Optimizer", "output_dir", "", folder, config, diags, {path});
    config.places.clear();
    chooseOptimizerSection();
    for (const ConfigSetting &setting : options.settings) {
      insert(setting);
      chooseOptimizerSection(); // A new section may have moved it.
    }
    for (const IniSection &section : sections)
      readSection(section);
    if (!translateOldKeys(config, unused, diags) ||
        !applyRecipe(config, config.place("Optimizer.recipe"), diags) ||
        !checkValues(config, diags))
      ++numErrors;
    applyTargetDefaults();
    if (!readOptConfig(config, diags))
      ++numErrors;
    takeModelNameOfParser();
    findGraph();
    checkModelName();
    if (!config.quantIrName.empty())
      config.outIrName = config.quantIrName;
    if (config.outIrName.empty())
      config.outIrName = config.modelName + "_o";
    reportUnused();
    if (numErrors)
      return std::nullopt;
    return std::move(config);
  }

private:
  const IniSection *findSection(std::string_view name) const {
    for (const IniSection &section : sections)
      if (section.name == name)
        return &section;
    return nullptr;
  }

  Diagnostic &error(DiagId id, Place place, std::string message) {
    ++numErrors;
    return diags.report(id, std::move(place), std::move(message));
  }

  Place placeOf(const IniEntry &entry) const {
    return entry.option.empty() ? Place{path, entry.line} : Place{entry.option};
  }

  void setMember(const ConfigKey &key, const IniEntry &entry) {
    if (!setConfigKey(key.section, key.name, entry.value,
                      entry.startsAtCaller ? "" : folder, config, diags,
                      placeOf(entry)))
      ++numErrors;
  }

  /// Sets a key of [Optimizer] that no line gives.
  void setDefault(const char *key, const char *value) {
    std::string name = std::string("Optimizer.") + key;
    if (config.isSet(name))
      return;
    setConfigKey("Optimizer", key, value, folder, config, diags, {path});
    config.places.erase(name);
  }

  /// The section that holds the keys of [Optimizer].
  IniSection &sectionFor(const std::string &name) {
    bool isOptimizer = name == "Optimizer" || name == "AutoQuantizationTool";
    std::string actual = name;
    if (isOptimizer && optimizer)
      actual = optimizer->name;
    else if (isOptimizer && findSection("Common"))
      actual = "Common"; // A file of the Optimizer.
    for (IniSection &section : sections)
      if (section.name == actual)
        return section;
    return sections.emplace_back(IniSection{actual, 0, {}});
  }

  /// As a line of its section, in place of the one that is there.
  void insert(const ConfigSetting &setting) {
    IniEntry entry{toLower(setting.key), setting.value, 0, setting.option,
                   setting.startsAtCaller};
    IniSection &section = sectionFor(setting.section);
    for (IniEntry &old : section.entries) {
      if (old.key != entry.key)
        continue;
      if (!old.option.empty())
        error(diag::ConfigSyntax, placeOf(entry),
              "the key " + entry.key + " is given twice, first by " +
                  old.option);
      old = std::move(entry);
      return;
    }
    section.entries.push_back(std::move(entry));
  }

  /// [Optimizer] and its old name exclude each other; use_aqt decides.
  void chooseOptimizerSection() {
    optimizer = findSection("Optimizer");
    const IniSection *old = findSection("AutoQuantizationTool");
    if (!old)
      return;
    if (!optimizer) {
      optimizer = old;
      return;
    }
    const IniSection *common = findSection("Common");
    const IniEntry *useOld = common ? common->find("use_aqt") : nullptr;
    if (useOld && toLower(useOld->value) == "true")
      optimizer = old;
  }

  /// The section whose records a section's keys are looked up in, or "".
  std::string_view recordsOf(const IniSection &section) const {
    if (&section == optimizer)
      return "Optimizer";
    for (std::string_view name : {"Common", "Parser", "GBuilder", "Runtime"})
      if (section.name == name)
        return name;
    return "";
  }

  void readSection(const IniSection &section) {
    if (section.name == "Parser" && !parsesModel(section)) {
      readPictureKeys(section);
      return;
    }
    bool isOptimizerName = section.name == "Optimizer" ||
                           section.name == "AutoQuantizationTool" ||
                           section.name.starts_with("Optimizer_");
    std::string_view records = recordsOf(section);
    if (records.empty() && isOptimizerName) {
      unused.push_back("[" + section.name + "]");
      return;
    }
    if (records.empty()) {
      unknownSection(section);
      return;
    }
    for (const IniEntry &entry : section.entries)
      if (numErrors < maxConfigProblems)
        readEntry(section, records, entry);
  }

  /// Those of [Parser] that are of data, and not of the model.
  void readPictureKeys(const IniSection &section) {
    bool hasOthers = section.entries.empty();
    for (const IniEntry &entry : section.entries)
      if (isPictureKey(entry.key))
        readEntry(section, "Parser", entry);
      else
        hasOthers = true;
    if (hasOthers)
      unused.push_back("[Parser] (its IR is read, not the source model)");
  }

  /// Whether the source model is to be read, as there is no IR.
  bool parsesModel(const IniSection &parser) const {
    const IniEntry *model = parser.find("input_model");
    const IniEntry *graph = optimizer ? optimizer->find("graph") : nullptr;
    if (options.importsModel)
      return true;
    return model && !model->value.empty() && options.needsGraph &&
           !(graph && !graph->value.empty()) && writtenByParser(parser).empty();
  }

  /// The text of the IR that the Compass Parser has written, or "".
  std::string writtenByParser(const IniSection &parser) const {
    std::string text = graphOfParser(parser);
    bool exists = !text.empty() && fs::exists(text) &&
                  fs::exists(fs::path(text).replace_extension(".bin"));
    return exists ? text : "";
  }

  void unknownSection(const IniSection &section) {
    if (options.allowUnknown) {
      unused.push_back("[" + section.name + "]");
      return;
    }
    Place place{path, section.line};
    if (!section.line && !section.entries.empty())
      place = placeOf(section.entries.front());
    Diagnostic &diag = error(diag::ConfigUnknownKey, std::move(place),
                             "unknown section [" + section.name + "]");
    std::string near =
        nearestName(section.name, {"Common", "Parser", "Optimizer", "GBuilder",
                                   "AutoQuantizationTool", "Runtime"});
    if (!near.empty())
      diag.hint(didYouMean("[" + near + "]"));
  }

  void readEntry(const IniSection &section, std::string_view records,
                 const IniEntry &entry) {
    const ConfigKey *key = findConfigKey(records, entry.key);
    // A file of the Optimizer has its keys in [Common]; where both have a key
    // of that name, it means the Optimizer's.
    if (section.name == "Common" && !optimizer)
      if (const ConfigKey *optimizerKey = findConfigKey("Optimizer", entry.key))
        key = optimizerKey;
    if (!key)
      return unknownKey(section, records, entry);
    if (key->hasEffect())
      return setMember(*key, entry);
    if (!isSetting(*key, entry.value))
      return;
    Place place = placeOf(entry).withToken(entry.key);
    switch (key->effect) {
    case KeyEffect::Used:
    case KeyEffect::None:
      unused.push_back(key->instead.empty()
                           ? entry.key
                           : entry.key + " (" + std::string(key->instead) +
                                 ")");
      return;
    case KeyEffect::Missed:
      diags
          .report(diag::ConfigNotApplied, std::move(place),
                  entry.key + " is not applied")
          .found(entry.key + " = " + entry.value)
          .hint(std::string(key->instead));
      return;
    case KeyEffect::Refused:
      error(diag::QuantUnsupported, std::move(place),
            entry.key + " has a value that is not supported")
          .found(entry.key + " = " + entry.value)
          .expected(entry.key + " = " + std::string(key->defaultText))
          .hint(std::string(key->instead));
      return;
    }
  }

  /// False if the value is the default, or nothing.
  static bool isSetting(const ConfigKey &key, std::string_view value) {
    auto plain = [](std::string_view text) {
      std::string result;
      for (char c : toLower(text))
        if (c != ' ')
          result += c;
      return result;
    };
    return !value.empty() && plain(value) != plain(key.defaultText);
  }

  void unknownKey(const IniSection &section, std::string_view records,
                  const IniEntry &entry) {
    if (options.allowUnknown) {
      unused.push_back(entry.key);
      return;
    }
    Diagnostic &diag =
        error(diag::ConfigUnknownKey, placeOf(entry).withToken(entry.key),
              "[" + section.name + "] has no key " + entry.key);
    diag.found(entry.key + " = " + entry.value);
    std::vector<std::string> names = configKeyNames(records);
    if (section.name == "Common" && !optimizer)
      for (std::string &name : configKeyNames("Optimizer"))
        names.push_back(std::move(name));
    if (diag.suggest(entry.key, names))
      return;
    for (const ConfigKey &key : configKeys())
      if (key.name == entry.key) {
        diag.hint("it belongs to [" + std::string(key.section) + "]");
        return;
      }
  }

  /// What the Optimizer's target changes unless a file says otherwise.
  void applyTargetDefaults() {
    std::string_view target = config.minCompatibleTarget;
    bool isBeforeX2 = target == "X1" || target.starts_with("Z");
    if (isBeforeX2)
      setDefault("bias_effective_bits", "16");
    else if (config.recipe != kAutoRecipe)
      setDefault("trigger_float_op",
                 "disable & <[RMSNorm]:float16_preferred!>");
  }

  void takeModelNameOfParser() {
    const IniSection *parser = findSection("Parser");
    const IniEntry *name = parser ? parser->find("model_name") : nullptr;
    if (name && !name->value.empty() && !config.isSet("Optimizer.model_name"))
      config.modelName = name->value;
  }

  /// Of either section, and an empty one, which a key's kind allows.
  void checkModelName() {
    std::string_view why = whyNoFileName(config.modelName);
    if (why.empty() || numErrors)
      return;
    const IniSection *parser = findSection("Parser");
    const IniEntry *name = parser ? parser->find("model_name") : nullptr;
    bool isParsers = name && !config.isSet("Optimizer.model_name");
    error(diag::ConfigBadValue,
          isParsers ? Place{path, name->line}
                    : config.place("Optimizer.model_name"),
          "model_name is not valid")
        .found("'" + config.modelName + "'")
        .expected(std::string(why));
  }

  void findGraph() {
    if (options.importsModel) {
      findSourceModel();
      return;
    }
    if (!config.graph.empty()) {
      // A model of another format has its weights within; else the name that
      // the reference tools give them.
      if (config.bin.empty() && !formatOfPath(config.graph))
        config.bin = fs::path(config.graph).replace_extension(".bin").string();
      return;
    }
    if (!options.needsGraph)
      return;
    const IniSection *parser = findSection("Parser");
    if (!parser || !parser->find("input_model")) {
      error(diag::ConfigMissingKey, {path, optimizer ? optimizer->line : 0},
            "no graph is given")
          .expected("graph = model.txt and bin = model.bin in [Optimizer]");
      return;
    }
    if (std::string text = writtenByParser(*parser); !text.empty()) {
      config.graph = text;
      config.bin = fs::path(text).replace_extension(".bin").string();
      return;
    }
    takeSourceModel(*parser);
  }

  void findSourceModel() {
    const IniSection *parser = findSection("Parser");
    const IniEntry *model = parser ? parser->find("input_model") : nullptr;
    if (model && !model->value.empty())
      takeSourceModel(*parser);
    else
      error(diag::ConfigMissingKey, {path, parser ? parser->line : 0},
            "no model is given")
          .expected("input_model = net.onnx in [Parser]");
  }

  void takeSourceModel(const IniSection &parser) {
    if (formatOfType(toLower(config.parserModelType)) ||
        config.parserModelType.empty()) {
      config.graph = config.parserModel;
      return;
    }
    std::string expected = graphOfParser(parser);
    Diagnostic &diag =
        error(diag::ImportModelType, config.place("Parser.model_type"),
              "source models of this type cannot be read");
    diag.found("model_type = " + config.parserModelType)
        .hint("export the model as ONNX, or convert it with the Compass "
              "Unified Parser, then name its files: graph = model.txt and bin "
              "= model.bin in [Optimizer]");
    std::string types(kModelTypesText);
    diag.expected(expected.empty() ? "model_type = " + types
                                   : "model_type = " + types + ", or " +
                                         expected + " and .bin");
  }

  /// Where the Compass Parser writes, or "" if it cannot be told.
  std::string graphOfParser(const IniSection &parser) const {
    const IniEntry *name = parser.find("model_name");
    if (!name || name->value.empty())
      return "";
    const IniEntry *outputDir = parser.find("output_dir");
    fs::path file = outputDir ? outputDir->value : "";
    return completePath((file / (name->value + ".txt")).string(), folder);
  }

  void reportUnused() {
    if (unused.empty())
      return;
    std::string list;
    for (const std::string &name : unused)
      list += (list.empty() ? "" : ", ") + name;
    diags.report(diag::ConfigUnused, {path, 0, ""}, "without effect: " + list);
  }

  std::vector<IniSection> &sections;
  const std::string &path;
  std::string folder;
  const ConfigOptions &options;
  DiagnosticEngine &diags;
  BuildConfig config;
  const IniSection *optimizer = nullptr;
  std::vector<std::string> unused;
  unsigned numErrors = 0;
};

} // namespace

std::optional<ConfigSetting>
yarrow::config::parseSetting(std::string_view text) {
  std::size_t equals = text.find('=');
  if (equals == std::string_view::npos)
    return std::nullopt;
  ConfigSetting setting;
  setting.section = "Optimizer";
  setting.value = trim(text.substr(equals + 1));
  setting.option = "--set " + std::string(text);
  std::string_view key = trim(text.substr(0, equals));
  if (std::size_t dot = key.find('.'); dot != std::string_view::npos) {
    setting.section = trim(key.substr(0, dot));
    key = trim(key.substr(dot + 1));
  }
  setting.key = key;
  if (setting.key.empty() || setting.section.empty())
    return std::nullopt;
  return setting;
}

std::optional<BuildConfig>
yarrow::config::parseBuildConfig(std::string_view text, const std::string &path,
                                 const ConfigOptions &options,
                                 DiagnosticEngine &diags) {
  auto sections = parseIni(text, path, diags);
  if (!sections)
    return std::nullopt;
  return ConfigReader(*sections, path, options, diags).read();
}

std::optional<BuildConfig>
yarrow::config::readBuildConfig(const std::string &path,
                                const ConfigOptions &options,
                                DiagnosticEngine &diags) {
  std::shared_ptr<const MappedFile> file = MappedFile::open(path, diags);
  if (!file || !isKind(FileKind::Configuration, file->bytes(), path,
                       diag::ConfigSyntax, diags))
    return std::nullopt;
  return parseBuildConfig(file->text(), path, options, diags);
}
