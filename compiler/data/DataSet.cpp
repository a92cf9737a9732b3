//===- DataSet.cpp - Samples and labels from files ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/data/DataSet.h"

#include "compiler/data/ArrayFiles.h"
#include "compiler/data/Layouts.h"
#include "compiler/data/RandomSamples.h"
#include "compiler/data/TokenSamples.h"
#include "compiler/data/pictures/PictureSamples.h"
#include "support/Format.h"
#include "support/MappedFile.h"
#include "support/Npz.h"
#include "support/diagnostics/Files.h"
#include "support/diagnostics/Quantizer.h"
#include "support/diagnostics/Settings.h"

#include <algorithm>

using namespace yarrow;

std::span<const DataSetRecord> yarrow::dataSetRecords() {
  static const DataSetRecord records[] = {
#define DATA_SET(name, form, layout, doc)                                      \
  {#name, doc, DataForm::form, DataLayout::layout, false},
#define DOMAIN(name) {#name, "", DataForm::Arrays, DataLayout::AsIs, true},
#include "compiler/data/DataSets.def"
  };
  return records;
}

const DataSetRecord *yarrow::findDataSet(std::string_view name) {
  std::string wanted = lowerCase(name.substr(0, name.find('(')));
  wanted.erase(wanted.find_last_not_of(' ') + 1);
  for (const DataSetRecord &record : dataSetRecords())
    if (lowerCase(record.name) == wanted)
      return &record;
  return nullptr;
}

bool yarrow::checkDataSet(std::string_view name, Place place, DiagId unknown,
                          DiagnosticEngine &diags) {
  const DataSetRecord *record = findDataSet(name);
  if (record && record->isDomain) {
    diags
        .report(diag::QuantUnsupported, std::move(place),
                "this data set reads the files of a public collection, which "
                "Yarrow does not support")
        .found(std::string(name))
        .expected("NumpyDataset or another data set of docs/metrics.md")
        .hint("convert the samples once: numpy.save('data.npy', array) with "
              "samples along the first axis, or numpy.savez for several "
              "inputs");
    return false;
  }
  if (record && record->form == DataForm::Random)
    return checkRandom(std::string(name), std::move(place), diags);
  if (record)
    return true;
  std::vector<std::string> names;
  for (const DataSetRecord &known : dataSetRecords())
    names.emplace_back(known.name);
  std::string near = nearestName(std::string(name), names);
  Diagnostic &d =
      diags.report(unknown, std::move(place),
                   "dataset is not applied: the plug-in " + std::string(name) +
                       " is not part of Yarrow");
  d.hint(
      near.empty()
          ? "give data as .npy or .npz files with samples along the first axis"
          : didYouMean(near));
  return !d.isError();
}

bool yarrow::isSampleFile(const std::string &path) {
  return isNpz(path) || isNpy(path) || isPictureSource(path);
}

bool yarrow::hasPictures(const std::vector<std::string> &paths) {
  return std::ranges::any_of(paths, isPictureSource);
}

/// Brings the arrays into the order of \p inputs if they have the names of
/// these. Names that are of some inputs and not of others are a mistake; arr_0,
/// arr_1 and so on leave the order of the file.
static bool orderByName(std::vector<NpzArray> &arrays,
                        const std::vector<InputName> &inputs,
                        const std::string &path, DiagnosticEngine &diags) {
  if (arrays.size() != inputs.size())
    return true; // whoever takes them tells
  std::vector<NpzArray> ordered;
  std::string missing, expected, found;
  for (const InputName &input : inputs) {
    auto same = std::ranges::find_if(
        arrays, [&](const NpzArray &a) { return input.is(a.name); });
    expected += (expected.empty() ? "" : ", ") + input.model;
    if (same == arrays.end())
      missing = input.model;
    else
      ordered.push_back(*same);
  }
  if (ordered.empty())
    return true;
  if (missing.empty()) {
    arrays = std::move(ordered);
    return true;
  }
  for (const NpzArray &array : arrays)
    found += (found.empty() ? "" : ", ") + array.name;
  diags
      .report(diag::TensorMismatch, {path},
              "the archive has no array for the input " + missing)
      .found(found)
      .expected(expected)
      .hint("numpy.savez(path, **{name: array}) gives arrays their names");
  return false;
}

namespace {

class Reader {
public:
  Reader(const DataSetTask &task, const DataSetRecord &record,
         DiagnosticEngine &diags)
      : task(task), record(record), diags(diags) {}

  std::optional<DataSet> read() {
    DataSet set;
    if (!takesPictures())
      return std::nullopt;
    if (record.form == DataForm::Random)
      return readRandom(set) ? std::optional(std::move(set)) : std::nullopt;
    if (!readFiles(task.data, set.data) || !readFiles(task.labels, set.labels))
      return std::nullopt;
    if (record.form == DataForm::Tokens)
      return readTokens(set);
    bool ok = true;
    for (NpyView &array : set.data)
      ok &= moveBatch(array, task.dataBatchDim, "data_batch_dim", true) &&
            changeLayout(array);
    for (NpyView &array : set.labels) {
      ok &= moveBatch(array, task.labelBatchDim, "label_batch_dim", false);
      if (record.form == DataForm::Whole)
        array.shape.insert(array.shape.begin(), 1);
    }
    return ok ? std::optional(std::move(set)) : std::nullopt;
  }

private:
  bool readRandom(DataSet &set) {
    DataSetTask labels;
    labels.data = task.labels;
    auto read = readArrays(labels, diags);
    if (!read)
      return false;
    set.data = randomSamples(task.name, task.inputShapes);
    set.labels = std::move(*read);
    return true;
  }

  std::optional<DataSet> readTokens(const DataSet &files) {
    if (files.data.size() != 1 || !files.labels.empty()) {
      diags
          .report(diag::TensorMismatch, {task.data.front()},
                  "texts are one array, whose next tokens are the labels")
          .found(std::to_string(files.data.size()) + " arrays and " +
                 std::to_string(files.labels.size()) + " of labels")
          .expected("1 array and no labels");
      return std::nullopt;
    }
    auto samples = tokenSamples(files.data.front(), diags);
    if (!samples)
      return std::nullopt;
    return DataSet{{std::move(samples->tokens)}, {std::move(samples->next)}};
  }

  /// How arrays lie in files says nothing of pictures.
  bool takesPictures() const {
    bool isPlain = record.form == DataForm::Arrays &&
                   record.layout == DataLayout::AsIs && task.dataBatchDim == 0;
    if (isPlain || !hasPictures(task.data))
      return true;
    diags
        .report(diag::ConfigBadValue, {task.data.front()},
                "the data set needs arrays, but the data are pictures")
        .found(std::string(record.name))
        .expected("NumpyDataset, and samples along the first axis")
        .hint("layout and channels set how pictures become the input");
    return false;
  }

  /// The input whose array is the next of \p files gets the pictures.
  std::optional<NpyView>
  readPictures(const std::string &path,
               const std::vector<std::vector<NpzArray>> &files) {
    std::size_t input = 0;
    for (const std::vector<NpzArray> &file : files)
      input += file.size();
    if (input < task.inputShapes.size())
      return readPictureSamples(path, task.inputShapes[input], task.pictures,
                                diags);
    diags
        .report(diag::TensorMismatch, {path},
                "all inputs already have data before the pictures")
        .found("files for " + std::to_string(input + 1) + " inputs")
        .expected(std::to_string(task.inputShapes.size()))
        .hint("to give several pictures for one input, name their folder");
    return std::nullopt;
  }

  bool readFiles(const std::vector<std::string> &paths,
                 std::vector<NpyView> &arrays) {
    std::vector<std::vector<NpzArray>> files;
    for (const std::string &path : paths) {
      std::vector<NpzArray> &file = files.emplace_back();
      bool isData = &paths == &task.data;
      if (isNpz(path)) {
        auto read = readNpz(path, diags);
        if (!read)
          return false;
        file = std::move(*read);
        if (isData && !orderByName(file, task.inputNames, path, diags))
          return false;
      } else if (isData && isPictureSource(path)) {
        auto pictures = readPictures(path, files);
        if (!pictures)
          return false;
        file.push_back({"", std::move(*pictures)});
      } else if (auto array = readNpy(path, diags)) {
        file.push_back({"", std::move(*array)});
      } else {
        return false;
      }
    }
    if (record.form == DataForm::Samples && files.size() > 1)
      return joinSamples(files, arrays);
    for (std::vector<NpzArray> &file : files)
      for (NpzArray &member : file)
        if (record.form != DataForm::Zipped ||
            !member.name.starts_with("shape"))
          arrays.push_back(std::move(member.array));
    if (record.form == DataForm::Squeezed)
      for (NpyView &array : arrays)
        if (array.shape.size() > 1 && array.shape[1] == 1)
          array.shape.erase(array.shape.begin() + 1);
    return true;
  }

  /// The same array of all files, which are a sample each.
  bool joinSamples(const std::vector<std::vector<NpzArray>> &files,
                   std::vector<NpyView> &arrays) {
    for (std::size_t k = 0; k < files[0].size(); ++k) {
      std::vector<NpyView> parts;
      for (const std::vector<NpzArray> &file : files) {
        const NpyView &first = files[0][k].array;
        bool fits = file.size() == files[0].size() &&
                    file[k].array.type == first.type && !first.shape.empty() &&
                    file[k].array.shape.size() == first.shape.size() &&
                    std::equal(first.shape.begin() + 1, first.shape.end(),
                               file[k].array.shape.begin() + 1);
        if (!fits) {
          const NpyView &other = k < file.size() ? file[k].array : first;
          diags
              .report(diag::TensorMismatch, {other.name},
                      "the samples' arrays differ in type or shape")
              .found(other.str())
              .expected(first.str() + ", as in " + first.name)
              .hint("a network has inputs of one size: pad shorter sequences");
          return false;
        }
        parts.push_back(file[k].array);
      }
      arrays.push_back(joined(parts));
    }
    return true;
  }

  /// Samples along axis \p axis: of an input's array that axis then is 1, as
  /// the network has it, and samples follow one another along the first axis.
  bool moveBatch(NpyView &array, std::size_t axis, const char *key,
                 bool keepsAxis) {
    if (axis == 0)
      return true;
    if (axis >= array.shape.size()) {
      diags
          .report(diag::ConfigBadValue, {array.name},
                  std::string(key) + " is not an axis of the array")
          .found(std::to_string(axis) + ", and " + array.str())
          .expected(
              "0 to " +
              std::to_string(std::max<std::size_t>(array.shape.size(), 1) - 1));
      return false;
    }
    std::vector<std::size_t> axes = {axis};
    for (std::size_t i = 0; i < array.shape.size(); ++i)
      if (i != axis)
        axes.push_back(i);
    array = permuted(array, axes);
    if (!keepsAxis)
      return true;
    array.shape.insert(array.shape.begin() + std::ptrdiff_t(axis) + 1, 1);
    array.shape[1] *= array.shape[0];
    array.shape.erase(array.shape.begin());
    return true;
  }

  bool changeLayout(NpyView &array) {
    if (record.layout == DataLayout::AsIs)
      return true;
    if (array.shape.size() != 4) {
      diags
          .report(diag::TensorMismatch, {array.name},
                  std::string(record.name) + " takes pictures")
          .found(array.str())
          .expected(record.layout == DataLayout::ToChannelsLast
                        ? "[samples,channels,height,width]"
                        : "[samples,height,width,channels]");
      return false;
    }
    if (record.layout == DataLayout::ChannelsReversed ||
        record.layout == DataLayout::ToChannelsFirstReversed)
      array = reversedLast(array);
    if (record.layout == DataLayout::ToChannelsLast)
      array = permuted(array, {0, 2, 3, 1});
    else if (record.layout != DataLayout::ChannelsReversed)
      array = permuted(array, {0, 3, 1, 2});
    return true;
  }

  const DataSetTask &task;
  const DataSetRecord &record;
  DiagnosticEngine &diags;
};

} // namespace

std::optional<DataSet> yarrow::readDataSet(const DataSetTask &task,
                                           DiagnosticEngine &diags) {
  const DataSetRecord *record = findDataSet(task.name);
  static const DataSetRecord plain;
  auto set = Reader(task, record ? *record : plain, diags).read();
  if (set && task.sequenceRuns)
    for (NpyView &array : set->data)
      array.sequenceRuns = task.sequenceRuns;
  return set;
}

std::optional<std::vector<NpyView>>
yarrow::readArrays(const DataSetTask &task, DiagnosticEngine &diags) {
  std::optional<DataSet> set = readDataSet(task, diags);
  return set ? std::optional(std::move(set->data)) : std::nullopt;
}
