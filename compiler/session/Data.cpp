//===- Data.cpp - Data for the inputs of a network ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/session/Data.h"
#include "compiler/model/Models.h"
#include "support/diagnostics/Files.h"

#include <algorithm>

using namespace yarrow;
using session::Data;
using session::DataPart;
using session::DataTarget;

/// Appends the arrays of \p part: one, or those of files.
static void addArrays(const DataPart &part, const DataTarget &target,
                      const PictureOptions &pictures,
                      std::vector<NpyView> &arrays, DiagnosticEngine &diags) {
  if (part.array) {
    arrays.push_back(*part.array);
    return;
  }
  DataSetTask task;
  task.data = splitPaths(part.files);
  task.inputNames = target.inputs;
  task.inputShapes = target.shapes;
  task.pictures = pictures;
  if (auto read = readArrays(task, diags))
    for (NpyView &array : *read)
      arrays.push_back(std::move(array));
}

/// Of one input alone.
static DataTarget targetOf(const DataTarget &all, std::size_t input) {
  DataTarget one{{all.inputs[input]}};
  if (input < all.shapes.size())
    one.shapes = {all.shapes[input]};
  return one;
}

static std::vector<std::string>
modelNames(const std::vector<InputName> &inputs) {
  std::vector<std::string> names;
  names.reserve(inputs.size());
  for (const InputName &input : inputs)
    names.push_back(input.model);
  return names;
}

static std::string joined(const std::vector<InputName> &inputs) {
  std::string text;
  for (const InputName &input : inputs)
    text += (text.empty() ? "" : ", ") + input.model;
  return text;
}

static void checkNames(const Data &data, const std::vector<InputName> &inputs,
                       DiagnosticEngine &diags) {
  for (const DataPart &part : data.parts)
    if (std::none_of(inputs.begin(), inputs.end(), [&](const InputName &input) {
          return input.is(part.input);
        }))
      diags
          .report(diag::TensorMismatch, {},
                  "the network has no input of this name")
          .found(part.input)
          .expected(joined(inputs))
          .suggest(part.input, modelNames(inputs));
}

static std::vector<NpyView> arraysByName(const Data &data,
                                         const DataTarget &target,
                                         DiagnosticEngine &diags) {
  const std::vector<InputName> &inputs = target.inputs;
  checkNames(data, inputs, diags);
  std::vector<NpyView> arrays;
  arrays.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto part = std::find_if(
        data.parts.begin(), data.parts.end(),
        [&](const DataPart &each) { return inputs[i].is(each.input); });
    if (part != data.parts.end())
      addArrays(*part, targetOf(target, i), data.pictures, arrays, diags);
    else
      diags.report(diag::TensorMismatch, {}, "no array is given for an input")
          .expected(inputs[i].model);
  }
  return arrays;
}

std::optional<std::vector<NpyView>>
session::bindArrays(const Data &data, const DataTarget &target,
                    DiagnosticEngine &diags) {
  std::size_t errorsBefore = diags.numErrors();
  std::vector<NpyView> arrays;
  if (!data.parts.empty() && !data.parts.front().input.empty())
    arrays = arraysByName(data, target, diags);
  else
    for (const DataPart &part : data.parts)
      addArrays(part, target, data.pictures, arrays, diags);
  bool isGood = diags.numErrors() == errorsBefore;
  if (isGood && arrays.size() == target.inputs.size())
    return arrays;
  if (isGood)
    diags
        .report(diag::TensorMismatch, {},
                "the number of arrays differs from the network's inputs")
        .found(std::to_string(arrays.size()))
        .expected(std::to_string(target.inputs.size()) + ": " +
                  joined(target.inputs));
  return std::nullopt;
}
