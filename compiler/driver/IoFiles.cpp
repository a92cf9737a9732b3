//===- IoFiles.cpp - Inputs and outputs of a run as files -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/IoFiles.h"
#include "compiler/driver/Models.h"
#include "support/AtomicFile.h"
#include "support/FileKind.h"
#include "support/Format.h"
#include "support/LinearValue.h"
#include "support/MappedFile.h"

#include <cassert>
#include <filesystem>
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
                              {DiagId::TensorMismatch, integersAreReal}, diags);
}

bool yarrow::isNpy(const std::string &path) {
  return std::filesystem::path(path).extension() == ".npy";
}

/// A raw file has no shape but the tensor's: so many runs of it, one after the
/// other.
static std::optional<NpyView> readRaw(const std::string &path,
                                      const IoDescription &tensor,
                                      DiagnosticEngine &diags) {
  auto file = MappedFile::open(path, diags);
  if (!file || !isKind(FileKind::Binary, file->bytes(), path,
                       DiagId::TensorMismatch, diags))
    return std::nullopt;
  std::size_t size = file->bytes().size();
  if (tensor.sizeBytes == 0 || size == 0 || size % tensor.sizeBytes) {
    diags
        .report(DiagId::TensorMismatch, {path},
                "the raw file is not whole samples of " + tensor.name)
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

std::optional<SampleArrays>
yarrow::readRunInputs(const std::vector<std::string> &paths,
                      const std::vector<IoDescription> &inputs,
                      DiagnosticEngine &diags, bool integersAreReal) {
  std::vector<NpyView> arrays;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    // Of files too many, only the number is of interest.
    bool isRaw = !isNpy(paths[i]) && i < inputs.size();
    std::optional<NpyView> array =
        isRaw ? readRaw(paths[i], inputs[i], diags) : readNpy(paths[i], diags);
    if (array)
      arrays.push_back(std::move(*array));
  }
  if (arrays.size() != paths.size())
    return std::nullopt;
  return makeRunInputs(arrays, inputs, diags, integersAreReal);
}

std::optional<std::vector<std::string>>
yarrow::outputPaths(const std::vector<std::string> &given,
                    const std::vector<IoDescription> &outputs,
                    DiagnosticEngine &diags) {
  if (given.size() == outputs.size())
    return given;
  if (given.size() != 1) {
    std::string names;
    for (const IoDescription &output : outputs)
      names += "\n" + describeTensor(output);
    diags
        .report(DiagId::TensorMismatch, {},
                "the number of output files differs from the network's outputs")
        .found(std::to_string(given.size()))
        .expected("1, or " + std::to_string(outputs.size()) + ":" + names);
    return std::nullopt;
  }
  const std::string &path = given[0];
  std::filesystem::path base(path);
  std::vector<std::string> paths;
  for (std::size_t k = 0; k < outputs.size(); ++k)
    if (k == 0)
      paths.push_back(path);
    else if (isNpy(path))
      paths.push_back((base.parent_path() /
                       (base.stem().string() + std::to_string(k) + ".npy"))
                          .string());
    else // The vendor's tools append the number after .bin.
      paths.push_back(path + std::to_string(k));
  return paths;
}

OutputFiles::OutputFiles(const std::vector<std::string> &paths,
                         const std::vector<IoDescription> &outputs,
                         std::size_t runs, DiagnosticEngine &diags) {
  assert(paths.size() == outputs.size() && "a path for each output");
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const IoDescription &tensor = outputs[k];
    files.push_back(std::make_unique<AtomicFile>(paths[k], diags));
    if (!isNpy(paths[k]))
      continue;
    std::vector<int64_t> shape = tensor.shape;
    if (shape.empty())
      shape = {int64_t(numElements(tensor))};
    shape[0] *= int64_t(runs);
    files[k]->append(npyHeader(npyTypeOf(tensor.type), shape));
  }
}

OutputFiles::~OutputFiles() = default;

bool OutputFiles::append(const IoBytes &outputs) {
  bool isGood = true;
  for (std::size_t k = 0; k < files.size(); ++k)
    isGood &= files[k]->append(std::as_bytes(std::span(outputs[k])));
  return isGood;
}

bool OutputFiles::commit() {
  std::vector<AtomicFile *> all;
  all.reserve(files.size());
  for (std::unique_ptr<AtomicFile> &file : files)
    all.push_back(file.get());
  return commitTogether(all);
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

IoBytes yarrow::dequantize(const IoBytes &outputs,
                           const std::vector<IoDescription> &stored) {
  IoBytes real;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    std::vector<float> values = dequantize(outputs[k], stored[k]);
    auto *bytes = reinterpret_cast<const char *>(values.data());
    real.emplace_back(bytes, bytes + values.size() * sizeof(float));
  }
  return real;
}

std::vector<IoDescription> yarrow::asReal(std::vector<IoDescription> stored) {
  for (IoDescription &tensor : stored) {
    tensor.sizeBytes = numElements(tensor) * sizeof(float);
    tensor.type = isa::DataF32;
    tensor.scale = 1;
    tensor.zeroPoint = 0;
  }
  return stored;
}
