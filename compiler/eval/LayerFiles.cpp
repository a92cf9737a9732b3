//===- LayerFiles.cpp - The tensors of all layers as files ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/eval/LayerFiles.h"

#include "quantizer/calibrate/Calibrate.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <filesystem>

using namespace yarrow;
using Json = nlohmann::ordered_json;

std::string yarrow::stackedHeader(const NetworkTensor &tensor,
                                  std::size_t runs) {
  std::vector<int64_t> shape = tensor.shape();
  if (shape.empty())
    shape = {1};
  shape[0] *= int64_t(runs);
  return npyHeader(npyTypeOf(tensor.info.dtype), shape);
}

/// What no file system minds, not too long for any.
static std::string safeName(const std::string &name) {
  constexpr std::size_t kMost = 120;
  std::string safe = name.substr(0, kMost);
  for (char &c : safe)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.')
      c = '_';
  return safe;
}

LayerFiles::LayerFiles(std::string folder,
                       const std::vector<NetworkTensor> &tensors,
                       std::size_t runs, DiagnosticEngine &diags)
    : folder(std::move(folder)), tensors(tensors), runs(runs), diags(diags) {}

std::string LayerFiles::nameOf(std::size_t tensor) const {
  char number[24];
  std::snprintf(number, sizeof number, "%03zu_", tensor);
  return number + safeName(tensors[tensor].name) + ".npy";
}

std::string LayerFiles::pathOf(const std::string &name) const {
  return (std::filesystem::path(folder) / name).string();
}

std::vector<std::string> LayerFiles::paths() const {
  std::vector<std::string> all{pathOf(kIndex)};
  for (std::size_t i = 0; i < tensors.size(); ++i)
    all.push_back(pathOf(nameOf(i)));
  return all;
}

void LayerFiles::begin(std::size_t pass) {
  first = pass * kMostOpen;
  std::size_t end = std::min(first + kMostOpen, tensors.size());
  for (std::size_t i = first; i < end; ++i) {
    files.push_back(std::make_unique<AtomicFile>(pathOf(nameOf(i)), diags));
    files.back()->append(stackedHeader(tensors[i], runs));
  }
}

void LayerFiles::append(std::size_t tensor, std::span<const std::byte> bytes) {
  files[tensor - first]->append(bytes);
}

bool LayerFiles::end() {
  std::vector<AtomicFile *> all;
  all.reserve(files.size());
  for (std::unique_ptr<AtomicFile> &file : files)
    all.push_back(file.get());
  bool isDone = commitTogether(all);
  files.clear();
  return isDone;
}

bool LayerFiles::writeIndex(const std::string &model) {
  Json list = Json::array();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const NetworkTensor &t = tensors[i];
    bool isQuantized = t.info.isQuantized();
    list.push_back({{"file", nameOf(i)},
                    {"name", t.bestName()},
                    {"tensor", t.name},
                    {"model_names", t.modelNames},
                    {"layer", t.layer},
                    {"layer_type", t.layerType},
                    {"node", t.node},
                    {"type", compass::dtypeName(t.info.storedType()).str()},
                    {"shape", t.shape()},
                    {"scale", isQuantized ? Json(t.step) : Json()},
                    {"zero_point", isQuantized ? Json(t.zeroPoint) : Json()}});
  }
  Json index = {{"model", model},
                {"runs", runs},
                {"real", "(stored - zero_point) * scale"},
                {"tensors", std::move(list)}};
  return writeFile(
      pathOf("layers.json"),
      index.dump(1, ' ', false, Json::error_handler_t::replace) + "\n", diags);
}
