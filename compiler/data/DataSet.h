//===- DataSet.h - Samples and labels from files ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A data set has files and a name that describes how they hold samples
// (DataSets.def), or pictures (pictures/PictureSamples.h). The result has the
// form that all of Yarrow uses: an array for each input, samples along the
// first axis, in the network's layout.
//
//   DataSetTask task;
//   task.name = "NumpyNHWC2NCHWDataset";
//   task.data = {"images.npy"};
//   task.labels = {"classes.npy"};
//   if (std::optional<DataSet> set = readDataSet(task, diags))
//     measure(set->data, set->labels);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DATA_DATASET_H
#define YARROW_COMPILER_DATA_DATASET_H

#include "compiler/data/pictures/PictureOptions.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

enum class DataForm {
  Arrays,
  Samples,
  Squeezed,
  Zipped,
  Whole,
  Tokens,
  Random
};
enum class DataLayout {
  AsIs,
  ToChannelsFirst,
  ToChannelsLast,
  ToChannelsFirstReversed,
  ChannelsReversed
};

/// A line of DataSets.def.
struct DataSetRecord {
  std::string_view name, doc;
  DataForm form = DataForm::Arrays;
  DataLayout layout = DataLayout::AsIs;
  bool isDomain = false; ///< It is not read here.
};
std::span<const DataSetRecord> dataSetRecords();
/// Without regard to case and to arguments in parentheses; null if unknown.
const DataSetRecord *findDataSet(std::string_view name);

/// Whether \p name is one that can be read; else QuantUnsupported, which says
/// how its files become .npy, or \p unknown for a name that nobody knows.
bool checkDataSet(std::string_view name, Place place, DiagId unknown,
                  DiagnosticEngine &diags);

/// What an input is called, by the model and by the IR.
struct InputName {
  std::string model, tensor;

  /// Whether \p name means it: also the layer that has the tensor (x of x_0).
  bool is(std::string_view name) const {
    return name == model || name == tensor ||
           std::string(name) + "_0" == tensor;
  }
};

struct DataSetTask {
  std::string name; ///< "RandomDataset(num_sample=8)"; "": NumpyDataset.
  /// Paths; those of data may be pictures, or folders of them.
  std::vector<std::string> data, labels;
  std::size_t dataBatchDim = 0, labelBatchDim = 0;
  /// Of the network, for sets that make their samples and for pictures.
  std::vector<std::vector<int64_t>> inputShapes;
  /// Of the network, in the order of its inputs: an .npz whose arrays have
  /// their names is put into that order. Empty, or where no array has one: the
  /// order of the file.
  std::vector<InputName> inputNames;
  PictureOptions pictures;
  std::size_t sequenceRuns = 0; ///< NpyView::sequenceRuns, of the data.
};

struct DataSet {
  std::vector<NpyView> data, labels;
};

/// nullopt after errors.
std::optional<DataSet> readDataSet(const DataSetTask &task,
                                   DiagnosticEngine &diags);

/// The data of \p task alone; nullopt after errors.
std::optional<std::vector<NpyView>> readArrays(const DataSetTask &task,
                                               DiagnosticEngine &diags);

/// Whether readDataSet takes the file, by its name: arrays or pictures.
bool isSampleFile(const std::string &path);
/// Whether any of the files are pictures.
bool hasPictures(const std::vector<std::string> &paths);

} // namespace yarrow

#endif // YARROW_COMPILER_DATA_DATASET_H
