//===- BisectText.cpp - Where two executions differ, for people -----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/bisect/Bisect.h"

#include "support/Format.h"

#include <cmath>
#include <nlohmann/json.hpp>

using namespace yarrow;
using Json = nlohmann::ordered_json;

static std::string describeSamples(const Bisection &answer) {
  return formatCount(answer.compared) + " results" +
         (answer.samples > 1
              ? ", of each of " + formatCount(answer.samples) + " samples"
              : "");
}

static std::string layerText(const Bisection &answer) {
  const LayerResult &found = answer.foundResult;
  std::string text = "first layer that differs: " + answer.layer;
  if (answer.layer == found.layer) {
    text += " (" + found.layerType;
    if (!found.place.empty())
      text += ", " + found.place;
    text += ")";
  }
  text += "\n  tensor    " + found.name + ": " + found.type +
          shapeText(found.shape);
  if (answer.samples > 1)
    text += ", of sample " + formatCount(answer.sample);
  text += "\n";
  if (!found.bytes)
    return text + "  it was not computed\n";
  const StoredDifference &d = answer.values;
  text += "  " + formatCount(d.elements - d.equal) + " of " +
          formatCount(d.elements) + " elements differ, by up to " +
          formatFixed(d.worst, d.worst == std::floor(d.worst) ? 0 : 6) + "\n";
  text += "  element   " + indexText(answer.element, found.shape) +
          " should be " + elementText(answer.expectedResult, answer.element) +
          " and is " + elementText(found, answer.element) + "\n";
  if (answer.sqnrDb)
    text += "  SQNR of the layer alone: " + formatFixed(*answer.sqnrDb, 1) +
            " dB; the median of all layers is " +
            formatFixed(*answer.medianDb, 1) + " dB\n";
  return text;
}

static std::string replayText(const ReplayFiles &replay) {
  std::string inputs;
  for (const std::string &path : replay.inputs)
    inputs += (inputs.empty() ? "" : ",") + path;
  return "to run the layer alone again:\n"
         "  yarrow eval " +
         replay.text + " -i " + inputs +
         " -o out.npy\n"
         "  (" +
         replay.expected + " has the expected result" +
         (replay.actual.empty() ? ""
                                : ", " + replay.actual + " the actual one") +
         ")\n";
}

std::string Bisection::text() const {
  std::string text = expected + " (taken to be right) and " + found + ": " +
                     describeSamples(*this);
  if (!differs)
    return text + ", all equal\n";
  text += "\n";
  if (!stop.empty())
    text += found + " did not run to its end: " + stop + "\n";
  if (foundResult.name.empty())
    return text + "all results before that are equal\n";
  text += layerText(*this);
  if (command)
    text += command->text();
  else if (!commandNote.empty())
    text += "no command differs\n";
  if (!commandNote.empty())
    text += "  (commands were compared " + commandNote + ")\n";
  if (!replay.text.empty())
    text += replayText(replay);
  return text;
}

static Json tensorJson(const Bisection &answer) {
  const LayerResult &found = answer.foundResult;
  Json tensor = {{"name", found.name},
                 {"type", found.type},
                 {"shape", found.shape},
                 {"is_computed", found.bytes.has_value()},
                 {"elements", answer.values.elements},
                 {"differing", answer.values.elements - answer.values.equal},
                 {"worst", std::isfinite(answer.values.worst)
                               ? Json(answer.values.worst)
                               : Json()}};
  bool hasElement = found.bytes.has_value();
  tensor["element"] = hasElement ? Json(answer.element) : Json();
  tensor["expected"] =
      hasElement ? Json(elementText(answer.expectedResult, answer.element))
                 : Json();
  tensor["found"] =
      hasElement ? Json(elementText(found, answer.element)) : Json();
  return tensor;
}

static Json decibels(const std::optional<double> &ratio) {
  return ratio && std::isfinite(*ratio) ? Json(*ratio) : Json();
}

Json Bisection::json() const {
  bool hasLayer = differs && !foundResult.name.empty();
  Json files;
  if (!replay.text.empty())
    files = {{"graph", replay.text},
             {"weights", replay.weights},
             {"inputs", replay.inputs},
             {"expected", replay.expected},
             {"actual", replay.actual.empty() ? Json() : Json(replay.actual)}};
  return {
      {"expected", expected},
      {"found", found},
      {"differs", differs},
      {"samples", samples},
      {"compared", compared},
      {"stopped", stop.empty() ? Json() : Json(stop)},
      {"sample", differs ? Json(sample) : Json()},
      {"layer", hasLayer ? Json(layer) : Json()},
      {"tensor", hasLayer ? tensorJson(*this) : Json()},
      {"sqnr_db", decibels(sqnrDb)},
      {"median_sqnr_db", decibels(medianDb)},
      {"command", command ? command->json() : Json()},
      {"commands_compared", commandNote.empty() ? Json() : Json(commandNote)},
      {"replay", files}};
}
