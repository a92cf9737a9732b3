//===- DataSet.h - Samples and labels from files ----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A data set is files and a name that says how samples lie in them
// (DataSets.def). What comes out is what all of Yarrow takes: an array for each
// input, samples along the first axis, in the network's layout.
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

#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

enum class DataForm { Arrays, Samples, Squeezed, Zipped, Whole, Random };
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
  std::vector<std::string> data, labels; ///< Paths.
  std::size_t dataBatchDim = 0, labelBatchDim = 0;
  /// Of the network, for sets that make their samples.
  std::vector<std::vector<int64_t>> inputShapes;
  /// Of the network, in the order of its inputs: an .npz whose arrays have
  /// their names is put into that order. Empty, or where no array has one: the
  /// order of the file.
  std::vector<InputName> inputNames;
};

struct DataSet {
  std::vector<NpyView> data, labels;
};

/// nullopt after errors.
std::optional<DataSet> readDataSet(const DataSetTask &task,
                                   DiagnosticEngine &diags);

/// The arrays of .npy and .npz files in their order, or in that of inputNames
/// (DataSetTask); nullopt after errors.
std::optional<std::vector<NpyView>>
readArrays(const std::vector<std::string> &paths, DiagnosticEngine &diags,
           std::vector<InputName> inputNames = {});

/// Whether readDataSet takes the file, by its name: .npy or .npz.
bool isArrayFile(const std::string &path);

} // namespace yarrow

#endif // YARROW_COMPILER_DATA_DATASET_H
