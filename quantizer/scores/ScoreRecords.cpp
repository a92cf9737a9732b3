//===- ScoreRecords.cpp - Metrics by name ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/scores/Score.h"

#include "quantizer/scores/Makers.h"

#include "llvm/ADT/StringRef.h"

using namespace yarrow;

std::span<const ScoreRecord> yarrow::scoreRecords() {
  static const ScoreRecord records[] = {
#define SCORE(name, make, arguments, doc)                                      \
  {#name, arguments, doc, true, scores::make},
#define LABEL_FREE(name, make, arguments, doc)                                 \
  {#name, arguments, doc, false, scores::make},
#define TASK(name) {#name, "", "", true, nullptr},
#include "quantizer/scores/Scores.def"
  };
  return records;
}

static const ScoreRecord *findRecord(const std::string &name) {
  for (const ScoreRecord &record : scoreRecords())
    if (llvm::StringRef(record.name).equals_insensitive(name))
      return &record;
  return nullptr;
}

static ScoreProblem unknownName(const std::string &name) {
  std::vector<std::string> names;
  for (const ScoreRecord &record : scoreRecords())
    names.emplace_back(record.name);
  std::string near = nearestName(name, names);
  return {"metric " + name + " is not known", name,
          "a metric of docs/metrics.md, such as TopKMetric(5)",
          near.empty() ? "program(path) measures with your own program"
                       : didYouMean(near),
          /*isUnknown=*/true};
}

static ScoreProblem taskName(const ScoreRecord &record) {
  return {"metric " + std::string(record.name) +
              " belongs to a task and is not computed here",
          "", "a general metric, or program(path)",
          "program(./metric.py) runs your own program with a folder of outputs "
          "and labels as .npy: docs/metrics.md"};
}

std::optional<ScoreRequest>
ScoreRequest::read(const std::string &name,
                   const std::vector<std::string> &arguments,
                   const std::string &folder, ScoreProblem &problem) {
  ScoreRequest request;
  request.record = findRecord(name);
  if (!request.record) {
    problem = unknownName(name);
    return std::nullopt;
  }
  if (!request.record->make) {
    problem = taskName(*request.record);
    return std::nullopt;
  }
  request.arguments = arguments;
  request.folder = folder;
  request.spelling = request.record->name;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    request.spelling += (i ? "," : "(") + arguments[i];
  request.spelling += arguments.empty() ? "" : ")";
  ScoreArguments reader(arguments, folder);
  request.record->make(reader);
  std::string expected = reader.finish();
  if (expected.empty())
    return request;
  problem = {"the arguments of metric " + std::string(request.record->name) +
                 " are not valid",
             request.spelling, expected,
             request.record->arguments.empty()
                 ? "it has no arguments"
                 : std::string(request.record->name) + "(" +
                       std::string(request.record->arguments) + ")"};
  return std::nullopt;
}

std::unique_ptr<Score> ScoreRequest::make() const {
  ScoreArguments reader(arguments, folder);
  return record->make(reader);
}
