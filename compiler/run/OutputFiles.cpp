//===- OutputFiles.cpp - Outputs of a run as files ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/run/OutputFiles.h"
#include "support/AtomicFile.h"
#include "support/NpzWriter.h"
#include "support/diagnostics/Files.h"

#include <algorithm>
#include <cassert>
#include <filesystem>

using namespace yarrow;

bool yarrow::meansReal(NpyType type, bool isQuantized, float scale,
                       int64_t zeroPoint) {
  bool isCount = npyTypeBytes(type) >= 4 && scale == 1 && zeroPoint == 0;
  return isQuantized && !isCount;
}

bool yarrow::isReal(OutputNumbers numbers, bool meansReal,
                    const std::string &path) {
  if (numbers == OutputNumbers::Real)
    return meansReal && (isNpy(path) || isNpz(path));
  return numbers == OutputNumbers::AllReal;
}

/// .bin, and with the number that the vendor's tools append.
static bool isRawEnding(const std::string &ending) {
  constexpr std::string_view kRaw = ".bin";
  return ending.empty() || ending == ".raw" ||
         (ending.starts_with(kRaw) &&
          std::all_of(ending.begin() + kRaw.size(), ending.end(),
                      [](char c) { return c >= '0' && c <= '9'; }));
}

bool yarrow::canBeWrittenAs(const std::vector<std::string> &paths,
                            DiagnosticEngine &diags) {
  bool ok = true;
  for (const std::string &path : paths) {
    if (isNpy(path) || isNpz(path) || isRawEnding(endingOf(path)))
      continue;
    ok = false;
    diags
        .report(diag::FileFormat, {path},
                "outputs cannot be written in this format")
        .found(endingOf(path))
        .expected(".npy, .npz with all outputs by name, or .bin for raw "
                  "tensors")
        .hint("convert a .npy file, for example with numpy.savetxt");
  }
  return ok;
}

std::optional<std::vector<std::string>>
yarrow::outputPaths(const std::vector<std::string> &given,
                    const std::vector<std::string> &texts,
                    DiagnosticEngine &diags) {
  if (given.size() == 1 && isNpz(given[0]))
    return given;
  if (std::any_of(given.begin(), given.end(), isNpz)) {
    diags
        .report(diag::TensorMismatch, {},
                "an archive holds all outputs, so it must be the only file")
        .found(std::to_string(given.size()) + " files")
        .expected("one .npz, or a .npy for each output");
    return std::nullopt;
  }
  if (given.size() == texts.size())
    return given;
  if (given.size() != 1) {
    std::string names;
    for (const std::string &text : texts)
      names += "\n" + text;
    diags
        .report(diag::TensorMismatch, {},
                "the number of output files differs from the network's outputs")
        .found(std::to_string(given.size()))
        .expected("1, or " + std::to_string(texts.size()) + ":" + names);
    return std::nullopt;
  }
  const std::string &path = given[0];
  std::filesystem::path base(path);
  std::vector<std::string> paths;
  for (std::size_t k = 0; k < texts.size(); ++k)
    if (k == 0)
      paths.push_back(path);
    else if (isNpy(path))
      paths.push_back((base.parent_path() /
                       (base.stem().string() + std::to_string(k) + ".npy"))
                          .string());
    else // The vendor's tools append the number after .bin.
      paths.push_back(path + std::to_string(k));
  return paths;
}

const std::string &yarrow::pathOf(const std::vector<std::string> &paths,
                                  std::size_t k) {
  return paths[paths.size() == 1 ? 0 : k];
}

OutputFiles::OutputFiles(const std::vector<std::string> &paths,
                         std::vector<OutputArray> arrays, std::size_t runs,
                         DiagnosticEngine &diags)
    : outputs(std::move(arrays)),
      isArchive(paths.size() == 1 && isNpz(paths[0])) {
  assert((isArchive || paths.size() == outputs.size()) &&
         "a path for each output");
  for (OutputArray &output : outputs) {
    if (output.shape.empty())
      output.shape = {1};
    output.shape[0] *= int64_t(runs);
    headers.push_back(npyHeader(output.type, output.shape));
  }
  for (std::size_t k = 0; k < paths.size(); ++k) {
    files.push_back(std::make_unique<AtomicFile>(paths[k], diags));
    if (isNpy(paths[k]))
      files[k]->append(headers[k]);
  }
  archived.resize(isArchive ? outputs.size() : 0);
}

OutputFiles::~OutputFiles() = default;

bool OutputFiles::append(const IoBytes &run) {
  bool isGood = true;
  for (std::size_t k = 0; k < run.size(); ++k)
    if (isArchive)
      archived[k].insert(archived[k].end(), run[k].begin(), run[k].end());
    else
      isGood &= files[k]->append(std::as_bytes(std::span(run[k])));
  return isGood;
}

std::vector<AtomicFile *> OutputFiles::finish() {
  if (isArchive) {
    NpzWriter archive(*files[0]);
    for (std::size_t k = 0; k < outputs.size(); ++k)
      archive.add(outputs[k].name, headers[k],
                  std::as_bytes(std::span(archived[k])));
    archive.finish();
  }
  std::vector<AtomicFile *> all;
  all.reserve(files.size());
  for (std::unique_ptr<AtomicFile> &file : files)
    all.push_back(file.get());
  return all;
}

bool OutputFiles::commit() { return commitTogether(finish()); }
