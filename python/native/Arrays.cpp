//===- Arrays.cpp - NumPy's arrays and ours -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "python/native/Arrays.h"
#include "compiler/commands/PictureFlags.h"
#include "compiler/driver/Models.h"
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
                "the array has elements that no tensor holds")
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

/// Appends the arrays of \p object: one, or those of the files of a list, which
/// are for \p target.
static void addViews(const py::object &object, const std::string &name,
                     const DataTarget &target, std::vector<NpyView> &views,
                     DiagnosticEngine &diags) {
  if (py::isinstance<py::array>(object)) {
    auto view = viewOf(object.cast<py::array>(),
                       name.empty() ? "the array" : "the array " + name, diags);
    if (view)
      views.push_back(std::move(*view));
    return;
  }
  DataSetTask task;
  task.data = splitPaths(object.cast<std::string>());
  task.inputNames = target.inputs;
  task.inputShapes = target.shapes;
  task.pictures = target.pictures;
  py::gil_scoped_release released;
  if (auto read = readArrays(task, diags))
    for (NpyView &view : *read)
      views.push_back(std::move(view));
}

/// Of one input alone.
static DataTarget targetOf(const DataTarget &all, std::size_t input) {
  DataTarget one{{all.inputs[input]}, {}, all.pictures};
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

static std::vector<NpyView> viewsByName(const NamedArrays &data,
                                        const DataTarget &target,
                                        DiagnosticEngine &diags) {
  const std::vector<InputName> &inputs = target.inputs;
  std::map<std::string, py::object> given(data.begin(), data.end());
  for (const auto &[name, object] : given)
    if (std::none_of(inputs.begin(), inputs.end(),
                     [&](const InputName &input) { return input.is(name); }))
      diags
          .report(diag::TensorMismatch, {},
                  "the network has no input of this name")
          .found(name)
          .expected(joined(inputs))
          .suggest(name, modelNames(inputs));
  std::vector<NpyView> views;
  views.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    auto it = std::find_if(given.begin(), given.end(), [&](const auto &entry) {
      return inputs[i].is(entry.first);
    });
    if (it != given.end())
      addViews(it->second, it->first, targetOf(target, i), views, diags);
    else
      diags.report(diag::TensorMismatch, {}, "an input has no array")
          .expected(inputs[i].model);
  }
  return views;
}

std::vector<NpyView> yarrow::python::boundViews(const NamedArrays &data,
                                                const DataTarget &target) {
  DiagnosticEngine diags;
  std::vector<NpyView> views;
  if (!data.empty() && !data.front().first.empty())
    views = viewsByName(data, target, diags);
  else
    for (const auto &[name, object] : data)
      addViews(object, name, target, views, diags);
  if (!diags.hasErrors() && views.size() != target.inputs.size())
    diags
        .report(diag::TensorMismatch, {},
                "the number of arrays differs from the network's inputs")
        .found(std::to_string(views.size()))
        .expected(std::to_string(target.inputs.size()) + ": " +
                  joined(target.inputs));
  raiseIf(false, diags);
  return views;
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
    raiseUsage(keywords.begin()->first + " is of pictures, and the data are "
                                         "arrays",
               "arrays are taken as they are");
  DiagnosticEngine diags;
  auto options = pictureOptions(PictureFlags{keywords}, diags);
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
