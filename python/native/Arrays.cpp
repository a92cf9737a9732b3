//===- Arrays.cpp - NumPy's arrays and ours -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "python/native/Arrays.h"
#include "compiler/config/CallSettings.h"
#include "compiler/config/PictureSettings.h"
#include "compiler/model/Models.h"
#include "python/native/Raise.h"
#include "support/Half.h"
#include "support/LinearValue.h"
#include "support/diagnostics/Files.h"

#include <algorithm>
#include <map>
#include <optional>

namespace py = pybind11;
using namespace yarrow;
using namespace yarrow::python;

static constexpr NpyType kTypes[] = {
    NpyType::Bool,   NpyType::Int8,    NpyType::UInt8,   NpyType::Int16,
    NpyType::UInt16, NpyType::Int32,   NpyType::UInt32,  NpyType::Int64,
    NpyType::UInt64, NpyType::Float16, NpyType::Float32, NpyType::Float64};

py::dtype yarrow::python::dtypeOf(NpyType type) {
  return py::dtype(std::string(npyTypeName(type)));
}

static std::optional<NpyType> typeOf(const py::array &array) {
  std::string name = py::str(array.dtype().attr("name"));
  for (NpyType type : kTypes)
    if (name == npyTypeName(type))
      return type;
  return std::nullopt;
}

static std::optional<NpyView> viewOf(const py::array &array, std::string name,
                                     DiagnosticEngine &diags) {
  std::optional<NpyType> type = typeOf(array);
  bool isInOrder = (array.flags() & py::array::c_style) != 0;
  if (!type || !isInOrder) {
    diags
        .report(diag::NpyUnsupported, {name},
                "the array has an element type that tensors do not have")
        .found("dtype " + std::string(py::str(array.dtype())))
        .expected("bool, integers or floats of 1 to 8 bytes");
    return std::nullopt;
  }
  NpyView view;
  view.type = *type;
  view.shape.assign(array.shape(), array.shape() + array.ndim());
  view.numElements = std::size_t(array.size());
  view.data = array.data();
  view.name = std::move(name);
  return view;
}

session::Data yarrow::python::dataOf(const NamedArrays &data,
                                     const PictureOptions &pictures) {
  session::Data result;
  result.pictures = pictures;
  DiagnosticEngine diags;
  for (const auto &[name, object] : data) {
    session::DataPart &part = result.parts.emplace_back();
    part.input = name;
    if (py::isinstance<py::array>(object))
      part.array =
          viewOf(object.cast<py::array>(),
                 name.empty() ? "the array" : "the array " + name, diags);
    else
      part.files = object.cast<std::string>();
  }
  raiseIf(false, diags);
  return result;
}

std::vector<NpyView>
yarrow::python::boundViews(const session::Data &data,
                           const session::DataTarget &target) {
  DiagnosticEngine diags;
  auto views = session::bindArrays(data, target, diags);
  raiseIf(!views, diags);
  return std::move(*views);
}

std::vector<std::string> yarrow::python::filesOf(const NamedArrays &data) {
  std::vector<std::string> files;
  for (const auto &[name, object] : data)
    if (!py::isinstance<py::array>(object))
      for (std::string &path : splitPaths(object.cast<std::string>()))
        files.push_back(std::move(path));
  return files;
}

PictureOptions yarrow::python::pictureOptionsOf(
    const std::map<std::string, std::string> &keywords,
    const NamedArrays &data) {
  std::vector<std::string> known;
  for (std::string_view key : config::pictureKeys())
    if (key != "fold_preprocessing") // of what makes networks
      known.emplace_back(key);
  for (const auto &[key, value] : keywords) {
    if (std::find(known.begin(), known.end(), key) != known.end())
      continue;
    std::string near = nearestName(key, known);
    raiseUsage("there is no keyword " + key,
               near.empty() ? "" : didYouMean("'" + near + "'"));
  }
  if (!keywords.empty() && !hasPictures(filesOf(data)))
    raiseUsage(keywords.begin()->first + " is for pictures, but the data are "
                                         "arrays",
               "arrays are used as they are");
  DiagnosticEngine diags;
  auto options = config::picturesOf(keywords, diags);
  raiseIf(!options, diags);
  return *options;
}

static std::vector<int64_t> stacked(std::vector<int64_t> shape,
                                    std::size_t runs) {
  if (shape.empty())
    shape = {1};
  shape[0] *= int64_t(runs);
  return shape;
}

StackedArray::StackedArray(std::vector<int64_t> shape, NpyType type,
                           std::size_t runs)
    : array(dtypeOf(type), stacked(std::move(shape), runs)),
      runBytes(runs ? std::size_t(array.nbytes()) / runs : 0),
      data(static_cast<char *>(array.mutable_data())) {}

void yarrow::python::writeReal(std::span<const std::byte> bytes,
                               const StoredValues &stored, float *to) {
  NpyView view;
  view.type = stored.type;
  view.numElements = bytes.size() / npyTypeBytes(stored.type);
  view.data = bytes.data();
  if (stored.isBfloat) {
    for (uint16_t bits : view.elements<uint16_t>())
      *to++ = bfloatToFloat(bits);
  } else if (view.isFloat()) {
    for (float value : view.toFloats())
      *to++ = value;
  } else {
    for (int64_t q : view.toIntegers())
      *to++ = dequantizeValue(q, stored.scale, stored.zeroPoint);
  }
}

std::span<const std::byte>
yarrow::python::bytesInPlace(const NpyView &view, const StoredValues &stored,
                             std::size_t sizeBytes, std::size_t run) {
  if (view.type != stored.type || stored.isBfloat ||
      view.sizeBytes() < (run + 1) * sizeBytes)
    return {};
  return view.bytes().subspan(run * sizeBytes, sizeBytes);
}
