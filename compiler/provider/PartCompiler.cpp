//===- PartCompiler.cpp - Executables for parts of a model ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/provider/PartCompiler.h"
#include "dialects/compass/graph/Graphs.h"
#include "support/BuildCache.h"
#include "support/Digest.h"

#include <algorithm>
#include <shared_mutex>

using namespace yarrow;
using namespace yarrow::provider;

bool PartCompiler::hasSamplesFor(const CutModel &part) const {
  return !settings.calibration.empty() &&
         std::ranges::all_of(part.inputs, [&](const std::string &input) {
           return settings.calibration.contains(input) ||
                  settings.arrays.contains(input);
         });
}

/// All that the executable depends on, but for the files of external data.
std::string PartCompiler::keyOf(const CutModel &part) const {
  const session::CompileSettings &c = settings.compile;
  std::string key = "provider part\n" + digestText(digestOf(part.bytes)) +
                    "\n" + c.target + "\n" + c.winograd + "\n" + c.tiling;
  if (!hasSamplesFor(part))
    return key;
  key += "\n" + settings.quantize.recipe;
  for (const auto &[name, value] : settings.quantize.keys)
    key += "\n" + name + "=" + value;
  for (const std::string &input : part.inputs) {
    DiagnosticEngine unheard;
    if (auto array = settings.arrays.find(input);
        array != settings.arrays.end()) {
      std::span<const std::byte> bytes = array->second.bytes();
      key += "\n" + input + " " +
             digestText(digestOf(
                 {reinterpret_cast<const char *>(bytes.data()), bytes.size()}));
      continue;
    }
    auto file = MappedFile::open(settings.calibration.at(input), unheard);
    key += "\n" + input + " " +
           (file ? digestText(digestOf(file->text())) : "no file");
  }
  return key;
}

std::shared_ptr<const session::Network>
PartCompiler::import(const std::string &path, const CutModel &part,
                     DiagnosticEngine &diags) const {
  session::ModelSource source{path};
  source.bytes = std::as_bytes(std::span(part.bytes));
  // The program around us keeps what goes on from run to run.
  source.states = {"none"};
  return session::load(source, {diags});
}

std::optional<std::vector<Lengths>>
PartCompiler::outputShapes(const std::string &path, const CutModel &part,
                           DiagnosticEngine &diags) const {
  auto network = import(path, part, diags);
  if (!network)
    return std::nullopt;
  std::shared_lock shared(network->lock());
  mlir::func::FuncOp main = compass::mainGraph(network->module());
  std::vector<Lengths> shapes;
  for (mlir::Value output : compass::graphOutputs(main)) {
    auto type = mlir::cast<mlir::RankedTensorType>(output.getType());
    shapes.emplace_back(type.getShape().begin(), type.getShape().end());
  }
  return shapes;
}

CompiledPart PartCompiler::compile(const std::string &path,
                                   const CutModel &part,
                                   DiagnosticEngine &diags) const {
  CompiledPart result;
  BuildCache cache(settings.compile.cache, "part");
  std::string key = cache.isOn() ? keyOf(part) : "";
  if (auto kept = cache.isOn() ? cache.find(key) : std::nullopt) {
    DiagnosticEngine unheard;
    result.executable =
        session::Executable::make({kept->data(), kept->size()}, path, unheard);
    result.isCached = result.executable != nullptr;
    result.isQuantizedHere = hasSamplesFor(part);
    if (result.isCached)
      return result;
  }
  result.network = import(path, part, diags);
  if (!result.network)
    return result;
  std::shared_ptr<const session::Network> network = result.network;
  if (hasSamplesFor(part) && !network->isQuantized()) {
    session::Data samples;
    for (const std::string &input : part.inputs) {
      auto array = settings.arrays.find(input);
      if (array != settings.arrays.end())
        samples.parts.push_back({.input = input, .array = array->second});
      else
        samples.parts.push_back(
            {.input = input, .files = settings.calibration.at(input)});
    }
    auto integers =
        session::quantize(network, samples, settings.quantize, {diags});
    if (!integers)
      return result;
    network = integers->network;
    result.isQuantizedHere = true;
  }
  result.executable = session::compile(*network, settings.compile, {diags});
  if (result.executable && cache.isOn())
    cache.store(key, result.executable->bytes());
  return result;
}
