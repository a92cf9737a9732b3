//===- IoFiles.cpp - Inputs and outputs of a run as files -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/IoFiles.h"
#include "compiler/driver/Models.h"
#include "support/AtomicFile.h"
#include "support/Format.h"
#include "support/Half.h"
#include "support/MappedFile.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

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
  std::string text =
      tensor.name + ": " + std::string(dataTypeName(tensor.type)) + "[";
  for (std::size_t i = 0; i < tensor.shape.size(); ++i)
    text += (i ? "," : "") + std::to_string(tensor.shape[i]);
  text += "]";
  if (!isFloat(npyTypeOf(tensor.type)))
    text += ", scale " + formatFixed(tensor.scale, 6) + ", zero point " +
            std::to_string(tensor.zeroPoint);
  return text;
}

/// [lo, hi] of an integer type of at most 32 bits.
static std::pair<float, float> rangeOf(NpyType type) {
  bool isSigned =
      type == NpyType::Int8 || type == NpyType::Int16 || type == NpyType::Int32;
  int bits = 8 * int(npyTypeBytes(type));
  if (type == NpyType::Bool)
    return {0.0f, 1.0f};
  float span = std::ldexp(1.0f, bits);
  return isSigned ? std::pair(-span / 2, span / 2 - 1)
                  : std::pair(0.0f, span - 1);
}

template <typename T> static void storeAs(char *at, float value) {
  T stored = T(value);
  std::memcpy(at, &stored, sizeof(T));
}

static void storeInteger(NpyType type, char *at, float value) {
  switch (type) {
  case NpyType::Int8:
    return storeAs<int8_t>(at, value);
  case NpyType::Int16:
    return storeAs<int16_t>(at, value);
  case NpyType::UInt16:
    return storeAs<uint16_t>(at, value);
  case NpyType::Int32:
    return storeAs<int32_t>(at, std::min(value, 2147483520.0f));
  case NpyType::UInt32:
    return storeAs<uint32_t>(at, std::min(value, 4294967040.0f));
  default:
    return storeAs<uint8_t>(at, value);
  }
}

/// Real numbers as the tensor stores them: clip(RNE(scale * x - zp)), each
/// step in float32 (spec: integer semantics 4.0).
static std::vector<char> quantized(std::span<const float> values,
                                   const IoDescription &tensor) {
  NpyType type = npyTypeOf(tensor.type);
  std::vector<char> bytes(tensor.sizeBytes);
  std::size_t step = npyTypeBytes(type);
  auto [lo, hi] = isFloat(type) ? std::pair(0.0f, 0.0f) : rangeOf(type);
  for (std::size_t i = 0; i < values.size(); ++i) {
    char *at = bytes.data() + i * step;
    if (type == NpyType::Float32) {
      storeAs<float>(at, values[i]);
    } else if (type == NpyType::Float16) {
      uint16_t half = floatToHalf(values[i]);
      std::memcpy(at, &half, sizeof(half));
    } else {
      float scaled = tensor.scale * values[i];
      float q = std::nearbyint(scaled - float(tensor.zeroPoint));
      q = std::isnan(q) ? 0.0f : q;
      storeInteger(type, at, std::min(std::max(q, lo), hi));
    }
  }
  return bytes;
}

/// Integers of another type than the tensor's are converted if all fit.
static std::optional<std::vector<char>> converted(const NpyView &part,
                                                  const IoDescription &tensor) {
  NpyType type = npyTypeOf(tensor.type);
  auto [lo, hi] = rangeOf(type);
  std::vector<char> bytes(tensor.sizeBytes);
  std::vector<float> values = part.toFloats();
  for (std::size_t i = 0; i < values.size(); ++i) {
    // Floats are exact up to 2^24; wider integers come in their own type.
    if (values[i] < lo || values[i] > hi || std::fabs(values[i]) > 16777216.0f)
      return std::nullopt;
    storeInteger(type, bytes.data() + i * npyTypeBytes(type), values[i]);
  }
  return bytes;
}

static std::optional<std::vector<char>>
sampleBytes(const NpyView &array, std::size_t sample,
            const IoDescription &tensor) {
  NpyView part = array;
  part.numElements = numElements(tensor);
  const char *start =
      static_cast<const char *>(array.data) + sample * part.sizeBytes();
  part.data = start;
  if (array.type == npyTypeOf(tensor.type))
    return std::vector<char>(start, start + tensor.sizeBytes);
  if (isFloat(array.type) || isFloat(npyTypeOf(tensor.type)))
    return quantized(part.toFloats(), tensor);
  return converted(part, tensor);
}

static bool checkCount(std::size_t found,
                       const std::vector<IoDescription> &inputs,
                       DiagnosticEngine &diags) {
  if (found == inputs.size())
    return true;
  std::string names;
  for (const IoDescription &input : inputs)
    names += "\n" + describeTensor(input);
  diags
      .report(DiagId::TensorMismatch, {},
              "the number of input files differs from the network's inputs")
      .found(std::to_string(found))
      .expected(std::to_string(inputs.size()) + ":" + names);
  return false;
}

/// Whether the array has the tensor's axes, but in another order: NCHW for
/// NHWC, which has the same number of elements.
static bool isPermuted(const NpyView &array, const IoDescription &tensor) {
  auto plain = [](std::span<const int64_t> shape) {
    std::vector<int64_t> axes;
    for (std::size_t i = 1; i < shape.size(); ++i)
      if (shape[i] != 1)
        axes.push_back(shape[i]);
    return axes;
  };
  std::vector<int64_t> found = plain(array.shape), wanted = plain(tensor.shape);
  return found != wanted && std::is_permutation(found.begin(), found.end(),
                                                wanted.begin(), wanted.end());
}

/// How many samples the array holds; 0 after an error.
static std::size_t countSamples(const NpyView &array, const std::string &name,
                                const IoDescription &tensor,
                                DiagnosticEngine &diags) {
  std::size_t elements = std::max<std::size_t>(1, numElements(tensor));
  bool permuted = isPermuted(array, tensor);
  if (array.numElements && array.numElements % elements == 0 && !permuted)
    return array.numElements / elements;
  diags
      .report(DiagId::TensorMismatch, {name},
              "the array does not fit input " + tensor.name)
      .found(array.str())
      .expected("whole samples of " + describeTensor(tensor))
      .hint(permuted ? "NCHW data for an NHWC input? Transpose the array" : "");
  return 0;
}

std::optional<RunInputs> yarrow::makeRunInputs(
    const std::vector<NpyView> &arrays, const std::vector<std::string> &names,
    const std::vector<IoDescription> &inputs, DiagnosticEngine &diags) {
  if (!checkCount(arrays.size(), inputs, diags))
    return std::nullopt;
  std::size_t count = inputs.empty() ? 1 : 0;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    std::size_t own = countSamples(arrays[i], names[i], inputs[i], diags);
    if (own && count && own != count)
      diags
          .report(DiagId::TensorMismatch, {names[i]},
                  "inputs have different numbers of samples")
          .found(std::to_string(own))
          .expected(std::to_string(count));
    count = own;
  }
  if (diags.hasErrors())
    return std::nullopt;
  RunInputs result;
  result.samples.resize(count, IoBytes(inputs.size()));
  for (std::size_t s = 0; s < count; ++s)
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      auto bytes = sampleBytes(arrays[i], s, inputs[i]);
      if (!bytes) {
        diags
            .report(DiagId::TensorMismatch, {names[i]},
                    "integers that input " + inputs[i].name + " cannot hold")
            .found(arrays[i].str())
            .expected(describeTensor(inputs[i]))
            .hint("integers are taken as stored values; give real numbers as "
                  "float32 to have them quantized");
        return std::nullopt;
      }
      result.samples[s][i] = std::move(*bytes);
    }
  return result;
}

static bool isNpy(const std::string &path) {
  return std::filesystem::path(path).extension() == ".npy";
}

/// A raw file as an array of the tensor's own type.
static std::optional<NpyView> readRaw(const std::string &path,
                                      const IoDescription &tensor,
                                      DiagnosticEngine &diags) {
  auto file = MappedFile::open(path, diags);
  if (!file)
    return std::nullopt;
  NpyView view;
  view.type = npyTypeOf(tensor.type);
  std::size_t step = npyTypeBytes(view.type);
  view.data = file->bytes().data();
  view.numElements = file->bytes().size() / step;
  view.shape = {int64_t(view.numElements)};
  if (file->bytes().size() % step) {
    diags
        .report(DiagId::TensorMismatch, {path},
                "the raw file is not whole elements of " + tensor.name)
        .found(std::to_string(file->bytes().size()) + " bytes")
        .expected(describeTensor(tensor));
    return std::nullopt;
  }
  view.owner = file;
  return view;
}

std::optional<RunInputs>
yarrow::readRunInputs(const std::vector<std::string> &paths,
                      const std::vector<IoDescription> &inputs,
                      DiagnosticEngine &diags) {
  if (!checkCount(paths.size(), inputs, diags))
    return std::nullopt;
  std::vector<NpyView> arrays;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    std::optional<NpyView> array = isNpy(paths[i])
                                       ? readNpy(paths[i], diags)
                                       : readRaw(paths[i], inputs[i], diags);
    if (array)
      arrays.push_back(std::move(*array));
  }
  if (arrays.size() != paths.size())
    return std::nullopt;
  return makeRunInputs(arrays, paths, inputs, diags);
}

static void appendOutput(AtomicFile &file, bool isNpy,
                         const IoDescription &tensor, std::size_t index,
                         const std::vector<IoBytes> &samples) {
  std::vector<int64_t> shape = tensor.shape;
  if (shape.empty())
    shape = {int64_t(numElements(tensor))};
  if (samples.size() > 1)
    shape[0] *= int64_t(samples.size());
  if (isNpy)
    file.append(npyHeader(npyTypeOf(tensor.type), shape));
  for (const IoBytes &sample : samples)
    file.append(std::string_view(sample[index].data(), sample[index].size()));
}

bool yarrow::writeRunOutputs(const std::vector<std::string> &paths,
                             const std::vector<IoDescription> &outputs,
                             const std::vector<IoBytes> &samples,
                             DiagnosticEngine &diags) {
  std::vector<std::unique_ptr<AtomicFile>> files;
  std::vector<AtomicFile *> all;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    files.push_back(std::make_unique<AtomicFile>(paths[k], diags));
    all.push_back(files.back().get());
    appendOutput(*all.back(), isNpy(paths[k]), outputs[k], k, samples);
  }
  return commitTogether(all);
}

std::vector<std::string>
yarrow::runOutputPaths(const std::string &given,
                       const std::vector<IoDescription> &outputs) {
  std::vector<std::string> paths = splitList(given);
  if (paths.size() == outputs.size())
    return paths;
  std::filesystem::path base(given);
  paths.clear();
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    std::filesystem::path own = base;
    if (k) // The vendor's tools append the number after .bin.
      own = isNpy(given) ? base.parent_path() / (base.stem().string() +
                                                 std::to_string(k) + ".npy")
                         : std::filesystem::path(given + std::to_string(k));
    paths.push_back(own.string());
  }
  return paths;
}

std::vector<float> yarrow::dequantize(const std::vector<char> &bytes,
                                      const IoDescription &tensor) {
  NpyView view;
  view.type = npyTypeOf(tensor.type);
  view.numElements = bytes.size() / npyTypeBytes(view.type);
  view.data = bytes.data();
  std::vector<float> values = view.toFloats();
  if (isFloat(view.type))
    return values;
  // By the reciprocal, as the quantizer does.
  float reciprocal = 1.0f / tensor.scale;
  for (float &v : values)
    v = (v + float(tensor.zeroPoint)) * reciprocal;
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
