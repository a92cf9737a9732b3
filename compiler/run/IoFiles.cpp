//===- IoFiles.cpp - Inputs and outputs of a run as files -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/run/IoFiles.h"
#include "compiler/data/DataSet.h"
#include "compiler/data/pictures/PictureSamples.h"
#include "support/FileKind.h"
#include "support/Format.h"
#include "support/LinearValue.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Files.h"

#include <algorithm>
#include <tuple>

using namespace yarrow;
using namespace yarrow::runtime;

NpyType yarrow::npyTypeOf(isa::DataType type) {
  switch (type) {
  case isa::DataBool:
    return NpyType::Bool;
  case isa::DataU8:
    return NpyType::UInt8;
  case isa::DataS8:
    return NpyType::Int8;
  case isa::DataU16:
    return NpyType::UInt16;
  case isa::DataS16:
    return NpyType::Int16;
  case isa::DataU32:
    return NpyType::UInt32;
  case isa::DataS32:
    return NpyType::Int32;
  case isa::DataU64:
    return NpyType::UInt64;
  case isa::DataS64:
    return NpyType::Int64;
  case isa::DataF16:
    return NpyType::Float16;
  case isa::DataF32:
    return NpyType::Float32;
  }
  return NpyType::UInt8;
}

std::size_t yarrow::numElements(const IoDescription &tensor) {
  return tensor.sizeBytes / npyTypeBytes(npyTypeOf(tensor.type));
}

static bool isFloat(NpyType type) {
  return type == NpyType::Float16 || type == NpyType::Float32 ||
         type == NpyType::Float64;
}

std::string yarrow::describeTensor(const IoDescription &tensor) {
  std::string text = tensor.name + ": " +
                     std::string(dataTypeName(tensor.type)) +
                     shapeText(tensor.shape);
  if (!isFloat(npyTypeOf(tensor.type)))
    text += ", scale " + formatFixed(tensor.scale, 6) + ", zero point " +
            std::to_string(tensor.zeroPoint);
  return text;
}

SampleInput yarrow::sampleInputOf(const IoDescription &tensor) {
  SampleInput input;
  input.name = tensor.name;
  input.shape = tensor.shape;
  input.numElements = numElements(tensor);
  input.type = npyTypeOf(tensor.type);
  input.scale = tensor.scale;
  input.zeroPoint = tensor.zeroPoint;
  if (!input.isFloat())
    std::tie(input.min, input.max) = npyTypeRange(input.type);
  if (tensor.range && !input.isFloat()) {
    // As the evaluator: real numbers beyond the range become its ends.
    auto [least, most] = *tensor.range;
    input.min = std::clamp(least, input.min, input.max);
    input.max = std::clamp(most, input.min, input.max);
  }
  input.text = describeTensor(tensor);
  return input;
}

std::optional<SampleArrays>
yarrow::makeRunInputs(const std::vector<NpyView> &arrays,
                      const std::vector<IoDescription> &inputs,
                      DiagnosticEngine &diags, bool integersAreReal) {
  std::vector<SampleInput> wanted;
  wanted.reserve(inputs.size());
  for (const IoDescription &input : inputs)
    wanted.push_back(sampleInputOf(input));
  return SampleArrays::create(arrays, std::move(wanted),
                              {diag::TensorMismatch, integersAreReal}, diags);
}

/// A raw file has no shape but the tensor's: so many runs of it, one after the
/// other.
static std::optional<NpyView> readRaw(const std::string &path,
                                      const IoDescription &tensor,
                                      DiagnosticEngine &diags) {
  auto file = MappedFile::open(path, diags);
  if (!file || !isKind(FileKind::Samples, file->bytes(), path,
                       diag::TensorMismatch, diags))
    return std::nullopt;
  std::size_t size = file->bytes().size();
  if (tensor.sizeBytes == 0 || size == 0 || size % tensor.sizeBytes) {
    diags
        .report(diag::TensorMismatch, {path},
                "the raw file does not have whole samples of " + tensor.name)
        .found(std::to_string(size) + " bytes")
        .expected("a multiple of " + std::to_string(tensor.sizeBytes) +
                  " bytes, for " + describeTensor(tensor));
    return std::nullopt;
  }
  auto runs = int64_t(size / tensor.sizeBytes);
  NpyView view;
  view.type = npyTypeOf(tensor.type);
  view.data = file->bytes().data();
  view.numElements = size / npyTypeBytes(view.type);
  view.shape = tensor.shape;
  if (view.shape.empty())
    view.shape = {int64_t(view.numElements)};
  else
    view.shape[0] *= runs;
  view.owner = file;
  view.name = path;
  view.isMapped = true;
  return view;
}

static std::vector<InputName>
inputNames(const std::vector<IoDescription> &inputs) {
  std::vector<InputName> names;
  names.reserve(inputs.size());
  for (const IoDescription &input : inputs)
    names.push_back({input.name, input.tensor});
  return names;
}

std::optional<std::vector<NpyView>>
yarrow::readInputArrays(const std::vector<std::string> &paths,
                        const std::vector<IoDescription> &inputs,
                        DiagnosticEngine &diags,
                        const PictureOptions &pictures) {
  std::vector<NpyView> arrays;
  bool ok = true;
  for (const std::string &path : paths) {
    if (isNpz(path)) {
      // By name where it holds all inputs.
      DataSetTask archive;
      archive.data = {path};
      archive.inputNames = inputNames(inputs);
      auto all = readArrays(archive, diags);
      ok &= all.has_value();
      if (all && paths.size() == 1 && all->size() != inputs.size()) {
        ok = false;
        diags
            .report(diag::TensorMismatch, {path},
                    "the archive's number of arrays differs from the network's "
                    "inputs")
            .found(std::to_string(all->size()))
            .expected(std::to_string(inputs.size()));
      }
      for (std::size_t k = 0; all && k < all->size(); ++k)
        arrays.push_back(std::move((*all)[k]));
      continue;
    }
    // Of files too many, only the number is of interest.
    bool hasShape = isNpy(path) || arrays.size() >= inputs.size();
    std::optional<NpyView> array =
        hasShape ? readNpy(path, diags)
        : isPictureSource(path)
            ? readPictureSamples(path, inputs[arrays.size()].shape, pictures,
                                 diags)
            : readRaw(path, inputs[arrays.size()], diags);
    ok &= array.has_value();
    arrays.push_back(array ? std::move(*array) : NpyView());
  }
  return ok ? std::optional(std::move(arrays)) : std::nullopt;
}

std::optional<SampleArrays>
yarrow::readRunInputs(const std::vector<std::string> &paths,
                      const std::vector<IoDescription> &inputs,
                      DiagnosticEngine &diags, bool integersAreReal,
                      const PictureOptions &pictures) {
  auto arrays = readInputArrays(paths, inputs, diags, pictures);
  return arrays ? makeRunInputs(*arrays, inputs, diags, integersAreReal)
                : std::nullopt;
}

std::vector<float> yarrow::dequantize(const std::vector<char> &bytes,
                                      const IoDescription &tensor) {
  NpyView view;
  view.type = npyTypeOf(tensor.type);
  view.numElements = bytes.size() / npyTypeBytes(view.type);
  view.data = bytes.data();
  if (isFloat(view.type))
    return view.toFloats();
  std::vector<float> values;
  values.reserve(view.numElements);
  for (int64_t q : view.toIntegers())
    values.push_back(dequantizeValue(q, tensor.scale, tensor.zeroPoint));
  return values;
}

static bool holdsReals(const IoDescription &tensor) {
  return yarrow::meansReal(npyTypeOf(tensor.type), tensor.isQuantized,
                           tensor.scale, tensor.zeroPoint);
}

std::vector<OutputArray>
yarrow::outputArrays(const std::vector<IoDescription> &stored,
                     OutputNumbers numbers,
                     const std::vector<std::string> &paths) {
  std::vector<OutputArray> arrays;
  for (std::size_t k = 0; k < stored.size(); ++k) {
    const IoDescription &tensor = stored[k];
    OutputArray array{tensor.name, npyTypeOf(tensor.type), tensor.shape,
                      describeTensor(tensor)};
    if (array.shape.empty())
      array.shape = {int64_t(numElements(tensor))};
    if (isReal(numbers, holdsReals(tensor), pathOf(paths, k))) {
      array.type = NpyType::Float32;
      array.text = tensor.name + ": float32" + shapeText(tensor.shape);
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

IoBytes yarrow::outputBytes(IoBytes outputs,
                            const std::vector<IoDescription> &stored,
                            OutputNumbers numbers,
                            const std::vector<std::string> &paths) {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (!isReal(numbers, holdsReals(stored[k]), pathOf(paths, k)))
      continue;
    std::vector<float> values = dequantize(outputs[k], stored[k]);
    auto *bytes = reinterpret_cast<const char *>(values.data());
    outputs[k].assign(bytes, bytes + values.size() * sizeof(float));
  }
  return outputs;
}

std::vector<std::string>
yarrow::describeAll(const std::vector<IoDescription> &tensors) {
  std::vector<std::string> texts;
  texts.reserve(tensors.size());
  for (const IoDescription &tensor : tensors)
    texts.push_back(describeTensor(tensor));
  return texts;
}
