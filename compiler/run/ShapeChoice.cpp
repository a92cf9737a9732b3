//===- ShapeChoice.cpp - Which shapes a run's inputs have -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/run/ShapeChoice.h"
#include "compiler/data/DataSet.h"
#include "compiler/data/pictures/PictureSamples.h"
#include "compiler/model/ImportSettings.h"
#include "compiler/run/IoFiles.h"
#include "support/Format.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Files.h"

#include <algorithm>

using namespace yarrow;
using namespace yarrow::runtime;

std::string yarrow::variantText(const Executable &executable, size_t variant,
                                bool isOutputs) {
  const ProvenanceVariant &shapes = executable.variants().at(variant);
  const auto &tensors = isOutputs ? executable.outputs() : executable.inputs();
  std::string text;
  for (size_t i = 0; i < tensors.size(); ++i)
    text += (i ? ", " : "") + tensors[i].name +
            shapeText((isOutputs ? shapes.outputs : shapes.inputs)[i]);
  return text;
}

static std::string choicesText(const Executable &executable) {
  std::string text = "one of " + std::to_string(executable.variants().size());
  for (size_t i = 0; i < executable.variants().size(); ++i)
    text += "\n" + variantText(executable, i);
  return text;
}

namespace {

/// A file of an input as far as its shape is concerned.
struct InputFile {
  std::vector<int64_t> shape;
  uint64_t sizeBytes = 0; ///< Of one without a shape.
  bool isRaw = false;
  bool isPicture = false; ///< Which gets any size.

  std::size_t runsOf(const IoDescription &input) const {
    if (isPicture)
      return 1;
    if (!isRaw)
      return fitSamples(shape, sampleInputOf(input)).runs;
    bool isWhole = input.sizeBytes && sizeBytes % input.sizeBytes == 0;
    return isWhole ? sizeBytes / input.sizeBytes : 0;
  }
  std::string text() const {
    return isPicture ? "pictures"
           : isRaw   ? formatBytes(sizeBytes)
                     : shapeText(shape);
  }
};

} // namespace

/// Nullopt after errors.
static std::optional<std::vector<InputFile>>
openInputs(const std::vector<std::string> &paths, const Executable &executable,
           DiagnosticEngine &diags) {
  std::vector<InputFile> files;
  std::size_t errorsBefore = diags.numErrors();
  for (const std::string &path : paths) {
    if (isNpy(path) || isNpz(path)) {
      if (auto arrays = readInputArrays({path}, executable.inputs(), diags))
        for (const NpyView &array : *arrays)
          files.push_back({array.shape});
    } else if (isPictureSource(path)) {
      files.push_back({{}, 0, false, true});
    } else if (auto file = MappedFile::open(path, diags)) {
      files.push_back({{}, file->bytes().size(), true});
    }
  }
  return diags.numErrors() == errorsBefore ? std::optional(files)
                                           : std::nullopt;
}

/// How many runs of the variant the files are; 0 if they do not fit.
static std::size_t numRuns(const Executable &executable,
                           const std::vector<InputFile> &files) {
  std::size_t runs = 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::size_t ofThis = files[i].runsOf(executable.inputs()[i]);
    if (i > 0 && ofThis != runs)
      return 0;
    runs = ofThis;
  }
  return runs;
}

/// By its name in the IR, or in the model that this comes from.
static bool isNamed(const IoDescription &input, const std::string &name) {
  return InputName{input.name, input.tensor}.is(name);
}

static bool isRequested(const Executable &executable,
                        const graph::ImportOptions &given) {
  for (const IoDescription &input : executable.inputs())
    for (const auto &[name, shape] : given.shapes)
      if (isNamed(input, name) && shape != input.shape)
        return false;
  return true;
}

/// Names of --input-shape that no input has.
static bool checkNames(const Executable &executable,
                       const graph::ImportOptions &given,
                       DiagnosticEngine &diags) {
  std::vector<std::string> names;
  for (const IoDescription &input : executable.inputs())
    names.push_back(input.name);
  bool ok = true;
  for (const auto &[name, shape] : given.shapes)
    if (std::none_of(executable.inputs().begin(), executable.inputs().end(),
                     [&](const auto &input) { return isNamed(input, name); })) {
      ok = false;
      diags
          .report(diag::TensorMismatch, {"--input-shape"},
                  "the executable has no input of this name")
          .found(name)
          .suggest(name, names);
    }
  return ok;
}

std::shared_ptr<const Executable>
yarrow::chooseShapes(std::shared_ptr<const Executable> executable,
                     const std::vector<std::string> &paths,
                     const std::vector<std::string> &given,
                     DiagnosticEngine &diags) {
  auto shapes = importOptions({given, {}}, diags);
  if (!shapes || !checkNames(*executable, *shapes, diags))
    return nullptr;
  auto reportGiven = [&](const std::string &expected) {
    diags
        .report(diag::TensorMismatch, {"--input-shape"},
                "the executable has no program for these shapes")
        .found(given.front())
        .expected(expected)
        .hint("`yarrow compile --input-shape-range` compiles programs for "
              "several shapes");
    return nullptr;
  };
  if (executable->variants().empty()) {
    if (isRequested(*executable, *shapes))
      return executable;
    std::string inputs;
    for (const IoDescription &input : executable->inputs())
      inputs +=
          (inputs.empty() ? "" : ", ") + input.name + shapeText(input.shape);
    return reportGiven(inputs);
  }
  if (paths.empty()) { // inputs that are drawn fit all: the largest
    for (size_t i = executable->variants().size(); i-- > 0;)
      if (auto variant = executable->withVariant(i);
          isRequested(*variant, *shapes))
        return variant;
    return reportGiven(choicesText(*executable));
  }
  auto files = openInputs(paths, *executable, diags);
  if (!files)
    return nullptr;
  if (files->size() != executable->inputs().size())
    return executable; // whoever takes the files tells
  std::shared_ptr<const Executable> best;
  std::size_t fewestRuns = 0;
  bool isOpen = false, isAnyGiven = false;
  for (size_t i = 0; i < executable->variants().size(); ++i) {
    auto variant = executable->withVariant(i);
    if (!isRequested(*variant, *shapes))
      continue;
    isAnyGiven = true;
    std::size_t runs = numRuns(*variant, *files);
    if (runs == 0 || (best && runs > fewestRuns))
      continue;
    isOpen = best && runs == fewestRuns;
    best = variant;
    fewestRuns = runs;
  }
  if (!isAnyGiven)
    return reportGiven(choicesText(*executable));
  if (best && !isOpen)
    return best;
  std::string found;
  for (const InputFile &file : *files)
    found += (found.empty() ? "" : ", ") + file.text();
  diags
      .report(
          diag::TensorMismatch, {executable->name()},
          isOpen
              ? "the inputs fit several shapes of the executable's programs"
              : "the inputs do not fit any shape of the executable's programs")
      .found(found)
      .expected(choicesText(*executable))
      .hint(
          isOpen
              ? "choose one with --input-shape NAME=SHAPE"
              : "choose the shapes with `yarrow compile --input-shape-range`");
  return nullptr;
}
