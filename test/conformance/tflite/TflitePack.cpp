//===- TflitePack.cpp - TFLite models with recorded tensors ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/conformance/tflite/TflitePack.h"
#include "support/JsonFile.h"
#include <algorithm>
#include <filesystem>

using namespace yarrow;
using namespace yarrow::conformance;
namespace fs = std::filesystem;

/// in0.npy, in1.npy and so on.
static std::vector<std::string> numbered(const fs::path &folder,
                                         const std::string &stem) {
  std::vector<std::string> files;
  for (size_t k = 0;; ++k) {
    fs::path path = folder / (stem + std::to_string(k) + ".npy");
    if (!fs::exists(path))
      return files;
    files.push_back(path.string());
  }
}

static TflitePack packAt(const fs::path &folder, const std::string &name,
                         DiagnosticEngine &diags) {
  TflitePack pack;
  pack.name = name;
  pack.model = (folder / "model.tflite").string();
  pack.inputs = numbered(folder, "in");
  pack.outputs = numbered(folder, "out");
  fs::path layers = folder / "layers.json";
  if (fs::exists(layers)) {
    if (auto json = readJsonFile(layers.string(), diags))
      for (const auto &layer : *json)
        pack.layers.push_back(
            {(folder / "layers" / layer.value("file", "")).string(),
             layer.value("name", ""), layer.value("op", "")});
  } else if (auto meta = readJsonFile((folder / "meta.json").string(), diags)) {
    for (const auto &op : meta->value("operators", nlohmann::json::array()))
      pack.onlyOp = op.get<std::string>();
  }
  return pack;
}

std::vector<TflitePack> conformance::findTflitePacks(const std::string &folder,
                                                     DiagnosticEngine &diags) {
  std::vector<TflitePack> packs;
  std::error_code ignored;
  for (const auto &entry : fs::recursive_directory_iterator(folder, ignored))
    if (entry.path().filename() == "model.tflite") {
      fs::path at = entry.path().parent_path();
      packs.push_back(
          packAt(at, fs::relative(at, folder).generic_string(), diags));
    }
  std::sort(
      packs.begin(), packs.end(),
      [](const TflitePack &a, const TflitePack &b) { return a.name < b.name; });
  return packs;
}

std::optional<NpyView> conformance::readSamples(const std::string &path,
                                                DiagnosticEngine &diags) {
  auto array = readNpy(path, diags);
  if (array && array->shape.size() > 1) {
    array->shape[1] *= array->shape[0];
    array->shape.erase(array->shape.begin());
  }
  return array;
}
