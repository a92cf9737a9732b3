//===- ImportSettings.cpp - Shapes and names for an import ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/model/ImportSettings.h"
#include "compiler/model/Models.h"
#include "compiler/model/NamedValues.h"
#include "compiler/model/ParserLayers.h"
#include "support/Format.h"
#include "support/diagnostics/Import.h"

#include <charconv>

using namespace yarrow;

/// "1,3,224,224"; nullopt if it is not a list of lengths.
static std::optional<graph::Shape> shapeOf(std::string_view text) {
  graph::Shape shape;
  while (true) {
    while (!text.empty() && text.front() == ' ')
      text.remove_prefix(1);
    std::int64_t length = 0;
    auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), length);
    if (error != std::errc() || length < 1)
      return std::nullopt;
    shape.push_back(length);
    text.remove_prefix(std::size_t(end - text.data()));
    while (!text.empty() && text.front() == ' ')
      text.remove_prefix(1);
    if (text.empty())
      return shape;
    if (text.front() != ',')
      return std::nullopt;
    text.remove_prefix(1);
  }
}

static bool addShapes(const std::vector<std::string> &texts,
                      graph::ImportOptions &options,
                      yarrow::DiagnosticEngine &diags) {
  return addNamedValues({"--input-shape", "a name and a shape",
                         "NAME=LENGTH,..., for example x=1,3,224,224"},
                        texts, shapeOf, options.shapes, diags);
}

/// Of arrays; pictures get whatever size it is. Who uses the files reports
/// those that cannot be read.
static std::vector<graph::Shape> sampleShapes(const std::string &files) {
  yarrow::DiagnosticEngine unheard;
  DataSetTask task;
  task.data = splitPaths(files);
  std::vector<graph::Shape> shapes;
  if (files.empty() || hasPictures(task.data))
    return shapes;
  if (auto arrays = readArrays(task, unheard))
    for (const NpyView &array : *arrays)
      shapes.push_back(array.shape);
  return shapes;
}

std::optional<graph::ImportOptions>
yarrow::importOptions(const ReadingFlags &flags,
                      yarrow::DiagnosticEngine &diags,
                      const std::string &samples) {
  graph::ImportOptions options;
  options.states = flags.states;
  options.sampleShapes = [samples] { return sampleShapes(samples); };
  if (!addShapes(flags.shapes, options, diags))
    return std::nullopt;
  return options;
}

std::vector<std::string>
yarrow::readingOptions(const ReadingFlags &flags,
                       const std::vector<std::string> &ranges) {
  std::vector<std::string> options;
  for (const std::string &shape : flags.shapes)
    options.push_back("--input-shape " + shellWord(shape));
  for (const std::string &state : flags.states)
    options.push_back("--state " + shellWord(state));
  for (const std::string &range : ranges)
    options.push_back("--input-shape-range " + shellWord(range));
  return options;
}

/// "[1,3,224,224],[1,10]" or "1,3,224,224".
static std::optional<std::vector<graph::Shape>>
shapesOf(const std::string &text) {
  std::vector<graph::Shape> shapes;
  if (text.find('[') == text.npos) {
    if (text.empty())
      return shapes;
    auto shape = shapeOf(text);
    if (!shape)
      return std::nullopt;
    shapes.push_back(*shape);
    return shapes;
  }
  for (std::size_t at = 0; (at = text.find('[', at)) != text.npos;) {
    std::size_t end = text.find(']', at);
    auto shape =
        end == text.npos
            ? std::nullopt
            : shapeOf(std::string_view(text).substr(at + 1, end - at - 1));
    if (!shape)
      return std::nullopt;
    shapes.push_back(*shape);
    at = end;
  }
  return shapes;
}

std::optional<graph::ImportOptions>
yarrow::importOptions(const config::BuildConfig &config,
                      const ReadingFlags &flags,
                      yarrow::DiagnosticEngine &diags) {
  graph::ImportOptions options;
  options.states = flags.states;
  options.modelName = config.modelName;
  if (!config.parserDomain.empty())
    options.modelDomain = config.parserDomain;
  options.inputs = splitList(config.parserInput);
  options.outputs = splitList(config.parserOutput);
  options.mostTrips = config.parserLoopCount;
  options.inFloats = config.parserForceFloat;
  auto given = shapesOf(config.parserInputShape);
  bool fits = given && (given->empty() || options.inputs.empty() ||
                        given->size() == options.inputs.size());
  if (!fits) {
    diags
        .report(diag::ImportInputShape, config.place("Parser.input_shape"),
                "input_shape is not a shape for each input")
        .found(config.parserInputShape)
        .expected(options.inputs.empty()
                      ? "[1,3,224,224]"
                      : std::to_string(options.inputs.size()) +
                            " shapes: [1,3,224,224],[1,10]");
    return std::nullopt;
  }
  if (!options.inputs.empty())
    for (std::size_t i = 0; i < given->size(); ++i)
      options.shapes[options.inputs[i]] = (*given)[i];
  else
    options.shapesInOrder = *given;
  options.sampleShapes = [files = config.calibrationData] {
    return sampleShapes(files);
  };
  bool ok = addShapes(flags.shapes, options, diags);
  ok &= takePreprocessing(config, options, diags);
  ok &= takeDetection(config, options, diags);
  if (!ok)
    return std::nullopt;
  return options;
}
