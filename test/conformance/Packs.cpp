//===- Packs.cpp - The reference packs ------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/conformance/Packs.h"
#include "dialects/compass/Records.h"
#include "support/JsonFile.h"
#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace yarrow;
using namespace yarrow::conformance;
namespace fs = std::filesystem;

std::vector<Pack> conformance::findPacks(const std::string &packsDir) {
  std::vector<Pack> packs;
  auto add = [&](const fs::path &dir, bool isOpzoo, bool isOnnx = false) {
    if (fs::exists(dir / "int.txt") || fs::exists(dir / "float.txt"))
      packs.push_back({fs::relative(dir, packsDir).string(), dir.string(),
                       isOpzoo, isOnnx});
  };
  std::error_code ignored;
  for (const char *folder : {"models", "ops"})
    for (const auto &entry :
         fs::directory_iterator(fs::path(packsDir) / folder, ignored))
      add(entry.path(), /*isOpzoo=*/false);
  for (const auto &entry :
       fs::directory_iterator(fs::path(packsDir) / "winograd", ignored))
    add(entry.path(), /*isOpzoo=*/true);
  for (const auto &entry :
       fs::directory_iterator(fs::path(packsDir) / "onnx", ignored))
    add(entry.path(), /*isOpzoo=*/true, /*isOnnx=*/true);
  for (const auto &op :
       fs::directory_iterator(fs::path(packsDir) / "opzoo", ignored))
    if (op.is_directory())
      for (const auto &entry : fs::directory_iterator(op.path(), ignored))
        add(entry.path(), /*isOpzoo=*/true);
  std::sort(packs.begin(), packs.end(),
            [](const Pack &a, const Pack &b) { return a.name < b.name; });
  return packs;
}

std::vector<Pack> conformance::findModels(const std::string &folder) {
  std::vector<Pack> packs;
  std::error_code ignored;
  for (auto it = fs::recursive_directory_iterator(folder, ignored);
       it != fs::recursive_directory_iterator(); it.increment(ignored)) {
    if (it.depth() > 2 || it->path().filename() != "model.onnx")
      continue;
    Pack pack;
    pack.dir = it->path().parent_path().string();
    pack.name = fs::relative(pack.dir, folder).string();
    pack.isModel = true;
    packs.push_back(pack);
  }
  std::sort(packs.begin(), packs.end(),
            [](const Pack &a, const Pack &b) { return a.name < b.name; });
  return packs;
}

/// dir/stem0.npy, dir/stem1.npy, ... as far as they exist.
static std::vector<std::string> numberedFiles(const std::string &dir,
                                              const std::string &stem) {
  std::vector<std::string> files;
  while (true) {
    std::string path = dir + "/" + stem + std::to_string(files.size()) + ".npy";
    if (!fs::exists(path))
      return files;
    files.push_back(path);
  }
}

std::vector<Sample> Pack::floatSamples() const {
  Sample s;
  s.inputs = numberedFiles(dir, "in");
  s.outputs = numberedFiles(dir, "fout");
  if (!isOpzoo || s.outputs.empty())
    return {};
  return {s};
}

std::vector<Sample> Pack::intSamples(DiagnosticEngine &diags) const {
  if (isOpzoo) {
    Sample s;
    s.inputs = numberedFiles(dir, "qin");
    // The reference pads Winograd layers with the wrong sign of the zero point;
    // these packs have the right result as well.
    s.outputs = numberedFiles(dir, "qout_fixpad");
    if (s.outputs.empty())
      s.outputs = numberedFiles(dir, "qout");
    if (s.outputs.empty())
      return {};
    return {s};
  }
  auto json = readJsonFile(dir + "/tensors.json", diags);
  if (!json)
    return {};
  std::vector<Sample> samples;
  for (const auto &record : (*json)["samples"]) {
    Sample s;
    s.name = "sample" + std::to_string(samples.size());
    s.quantizeInputs = true;
    s.inputs = numberedFiles(dir + "/" + s.name, "float_input_");
    for (const auto &tensor : record)
      s.tensors[tensor["tensor"].get<std::string>()] =
          dir + "/" + s.name + "/" + tensor["file"].get<std::string>();
    samples.push_back(std::move(s));
  }
  return samples;
}
