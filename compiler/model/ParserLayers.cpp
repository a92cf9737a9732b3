//===- ParserLayers.cpp - Layers that [Parser] adds -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/model/ParserLayers.h"
#include "compiler/config/Ini.h"
#include "compiler/model/Models.h"
#include "support/diagnostics/Import.h"

#include <algorithm>
#include <charconv>

using namespace yarrow;
using graph::DetectionOptions;
using graph::PreprocessStep;

static std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

/// "[[19,19],[10,10]]" or "10, 10, 5, 5"; nullopt if it holds anything else.
static std::optional<std::vector<double>> numbersOf(std::string_view text) {
  std::vector<double> numbers;
  const char *end = text.data() + text.size();
  for (const char *at = text.data(); at != end;) {
    if (std::string_view(" ,[]").find(*at) != std::string_view::npos) {
      ++at;
      continue;
    }
    double value = 0;
    auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc())
      return std::nullopt;
    numbers.push_back(value);
    at = stop;
  }
  return numbers;
}

//===----------------------------------------------------------------------===//
// In front
//===----------------------------------------------------------------------===//

namespace {
struct KnownStep {
  const char *name;
  PreprocessStep::Kind kind;
  std::vector<float> weights = {};
};
} // namespace

/// What red, green and blue count in a gray picture is the Compass Parser's.
static const std::vector<KnownStep> &knownSteps() {
  static const std::vector<KnownStep> steps = {
      {"RESIZE", PreprocessStep::Resize},
      {"RGB2BGR", PreprocessStep::SwapChannels},
      {"BGR2RGB", PreprocessStep::SwapChannels},
      {"RGB2GRAY", PreprocessStep::Gray, {0.3f, 0.59f, 0.11f}},
      {"BGR2GRAY", PreprocessStep::Gray, {0.11f, 0.59f, 0.3f}}};
  return steps;
}

/// What is between braces: "{bilinear,[1,3,8,8]},{}". Nullopt if anything but
/// commas is outside.
static std::optional<std::vector<std::string>> bracesOf(std::string_view text) {
  std::vector<std::string> parts;
  while (!(text = trimmed(text)).empty()) {
    std::size_t end = text.find('}');
    if (text.front() != '{' || end == text.npos)
      return std::nullopt;
    parts.emplace_back(trimmed(text.substr(1, end - 1)));
    text = trimmed(text.substr(end + 1));
    if (text.empty())
      break;
    if (text.front() != ',')
      return std::nullopt;
    text.remove_prefix(1);
  }
  return parts;
}

/// "bilinear,[1,448,448,3]"
static bool takeResize(std::string_view text, PreprocessStep &step) {
  std::size_t comma = text.find(',');
  if (comma == text.npos)
    return false;
  std::string method =
      config::toLower(std::string(trimmed(text.substr(0, comma))));
  auto shape = numbersOf(text.substr(comma + 1));
  if ((method != "bilinear" && method != "nearest") || !shape ||
      shape->size() != 4)
    return false;
  step.isNearest = method == "nearest";
  for (double length : *shape) {
    constexpr double kMost = 65535;
    if (!(length >= 1 && length <= kMost && length == double(int(length))))
      return false;
    step.shape.push_back(std::int64_t(length));
  }
  return true;
}

static const KnownStep *findStep(std::string_view name) {
  for (const KnownStep &step : knownSteps())
    if (config::toLower(step.name) == config::toLower(name))
      return &step;
  return nullptr;
}

bool yarrow::takePreprocessing(const config::BuildConfig &config,
                               graph::ImportOptions &options,
                               yarrow::DiagnosticEngine &diags) {
  Place types = config.place("Parser.preprocess_type"),
        params = config.place("Parser.preprocess_params");
  std::vector<std::string> names = splitList(config.parserPreprocess);
  auto braces = bracesOf(config.parserPreprocessParams);
  if (!braces || braces->size() != names.size()) {
    diags
        .report(diag::ImportPreprocess, params,
                "preprocess_params does not have braces for each step of "
                "preprocess_type")
        .found(braces ? std::to_string(braces->size()) + " for " +
                            std::to_string(names.size()) + " steps"
                      : config.parserPreprocessParams)
        .expected("{bilinear,[1,448,448,3]} for RESIZE, {} for others, with "
                  "commas between");
    return false;
  }
  bool ok = true;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::string name(trimmed(names[i]));
    const KnownStep *known = findStep(name);
    if (!known) {
      std::vector<std::string> all;
      std::string list;
      for (const KnownStep &step : knownSteps()) {
        all.push_back(step.name);
        list += (list.empty() ? "" : ", ") + all.back();
      }
      diags
          .report(diag::ImportPreprocess, types,
                  "unknown step in preprocess_type")
          .found(name)
          .expected("one of " + list)
          .suggest(name, all);
      ok = false;
      continue;
    }
    PreprocessStep step{known->kind, known->name};
    step.weights = known->weights;
    bool isResize = known->kind == PreprocessStep::Resize;
    if (isResize ? !takeResize((*braces)[i], step) : !(*braces)[i].empty()) {
      diags
          .report(diag::ImportPreprocess, params,
                  "the parameters of " + step.name + " are not valid")
          .found("{" + (*braces)[i] + "}")
          .expected(isResize ? "{bilinear,[1,448,448,3]} or {nearest,...}, "
                               "with the shape of the pictures"
                             : "{}");
      ok = false;
      continue;
    }
    options.preprocess.push_back(std::move(step));
  }
  return ok;
}

//===----------------------------------------------------------------------===//
// Behind
//===----------------------------------------------------------------------===//

namespace {
struct KnownHead {
  const char *name;
  DetectionOptions::Head head;
  bool isSsd;
  std::size_t scales; ///< Of YOLO.
};

class DetectionReader {
public:
  DetectionReader(const config::BuildConfig &config,
                  yarrow::DiagnosticEngine &diags)
      : config(config), diags(diags) {}

  std::optional<DetectionOptions> read(const std::string &prefix) {
    const KnownHead *known = findHead();
    if (!known)
      return std::nullopt;
    d.head = known->head;
    d.headName = known->name;
    d.prefix = prefix;
    auto given = [&](const char *key) {
      return config.isSet(std::string("Parser.") + key);
    };
    bool isYolo3 = known->scales > 1;
    d.overlap =
        known->isSsd && !given("iou_threshold") ? 0.6 : config.parserOverlap;
    d.score = known->isSsd                         ? config.parserScore
              : isYolo3 && !given("obj_threshold") ? 0.5
                                                   : config.parserObjectness;
    d.mostBoxes = config.parserMostBoxes;
    d.width =
        known->isSsd && !given("image_width") ? 300 : config.parserImageWidth;
    d.height =
        known->isSsd && !given("image_height") ? 300 : config.parserImageHeight;
    d.classes = config.parserClasses;
    d.isXy = config.parserBoxFormat == "xy";
    d.isSigmoid = config.parserSsdActivation == "sigmoid";
    d.isNormalized = config.parserIsNormalized;
    d.anchorTensor = config.parserAnchorTensor;
    d.hasCorners = config.parserAnchorFormat == "corner";
    d.compensatesGrid = config.parserCompensatesGrid;
    d.variance = list("variance", config.parserVariance, 4);
    std::vector<double> maps = list("feature_map", config.parserFeatureMaps, 2);
    for (std::size_t i = 0; i + 1 < maps.size(); i += 2)
      d.featureMaps.push_back(
          {std::int64_t(maps[i]), std::int64_t(maps[i + 1])});
    d.anchors = list("anchors", config.parserAnchors,
                     std::max<std::size_t>(known->scales, 1) * 2);
    if (!d.variance.empty() && d.variance.size() != 4)
      bad("variance", config.parserVariance, "4 numbers");
    if (ok)
      return d;
    return std::nullopt;
  }

private:
  const KnownHead *findHead() {
    static const KnownHead heads[] = {
        {"SSD", DetectionOptions::Ssd, true, 0},
        {"SSD_RESNET", DetectionOptions::SsdResnet, true, 0},
        {"YOLO2", DetectionOptions::Yolo2, false, 1},
        {"YOLO3_TINY", DetectionOptions::Yolo3Tiny, false, 2},
        {"YOLO3_FULL", DetectionOptions::Yolo3Full, false, 3}};
    std::string list;
    std::vector<std::string> names;
    for (const KnownHead &head : heads) {
      if (config::toLower(config.parserDetection) == config::toLower(head.name))
        return &head;
      names.push_back(head.name);
      list += (list.empty() ? "" : ", ") + names.back();
    }
    // The Compass Parser finds these in graphs of one exporter, by the names of
    // weights, and replaces what it finds.
    static constexpr const char *kTwoStages[] = {"FASTERRCNN", "MASKRCNN",
                                                 "CAFFE_FASTERRCNN"};
    for (const char *name : kTwoStages)
      if (config::toLower(config.parserDetection) == config::toLower(name)) {
        diags
            .report(diag::ImportDetection,
                    config.place("Parser.detection_postprocess"),
                    std::string(
                        "detectors of two stages are not assembled here: ") +
                        name)
            .found(config.parserDetection)
            .expected("one of " + list)
            .hint("give an IR of the Compass Parser, which has their layers "
                  "(DetectionOutput, NMS, RoiAlign)");
        return nullptr;
      }
    diags
        .report(diag::ImportDetection,
                config.place("Parser.detection_postprocess"),
                "the post-processing of this detector is not known")
        .found(config.parserDetection)
        .expected("one of " + list)
        .suggest(config.parserDetection, names);
    return nullptr;
  }

  void bad(const char *key, const std::string &found, const char *expected) {
    ok = false;
    diags
        .report(diag::ImportDetection,
                config.place(std::string("Parser.") + key),
                std::string(key) + " is not valid for this detector")
        .found(found)
        .expected(expected);
  }

  /// Numbers above 0, in groups of \p group.
  std::vector<double> list(const char *key, const std::string &text,
                           std::size_t group) {
    constexpr double kMost = 65535;
    auto numbers = numbersOf(text);
    bool fits = numbers && numbers->size() % group == 0 &&
                std::ranges::all_of(*numbers, [](double value) {
                  return value > 0 && value <= kMost;
                });
    if (fits)
      return *numbers;
    bad(key, text,
        group == 2 ? "pairs of numbers above 0"
                   : "equally many for each scale");
    return {};
  }

  const config::BuildConfig &config;
  yarrow::DiagnosticEngine &diags;
  DetectionOptions d;
  bool ok = true;
};
} // namespace

bool yarrow::takeDetection(const config::BuildConfig &config,
                           graph::ImportOptions &options,
                           yarrow::DiagnosticEngine &diags) {
  if (config.parserDetection.empty())
    return true;
  options.detection = DetectionReader(config, diags).read(config.modelName);
  return options.detection.has_value();
}
