//===- References.cpp - Recorded values of tensors ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/eval/References.h"

#include "quantizer/calibrate/Calibrate.h"
#include "support/Format.h"
#include "support/Npz.h"
#include "support/diagnostics/Measuring.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <cstring>

using namespace yarrow;

/// Channels before the axes that they are behind.
static std::vector<int64_t> channelsFirst(std::vector<int64_t> shape) {
  if (shape.size() > 2)
    std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
  return shape;
}

/// How many runs of values of \p wanted an array of \p found holds; 0 if it
/// does not fit.
static std::size_t runsIn(llvm::ArrayRef<int64_t> found,
                          llvm::ArrayRef<int64_t> wanted) {
  if (found == wanted)
    return 1;
  if (found.size() == wanted.size() + 1 && found.drop_front() == wanted)
    return std::size_t(found.front());
  if (wanted.empty() || found.size() != wanted.size() ||
      found.drop_front() != wanted.drop_front() || wanted.front() == 0 ||
      found.front() % wanted.front() != 0)
    return 0;
  return std::size_t(found.front() / wanted.front());
}

StoredValues Recorded::valuesOf(std::size_t run, const NetworkTensor &tensor,
                                std::vector<std::byte> &buffer) const {
  std::size_t elementBytes = npyTypeBytes(array.type);
  auto count = std::size_t(tensor.info.numElements());
  auto bytes =
      array.bytes().subspan(run * count * elementBytes, count * elementBytes);
  bool isBfloat = tensor.info.dtype == compass::DType::BF16 &&
                  array.type == NpyType::UInt16;
  if (!isChannelsFirst)
    return {array.type, bytes, isBfloat};
  buffer.resize(bytes.size());
  auto images = std::size_t(tensor.info.shape.front()),
       channels = std::size_t(tensor.info.shape.back());
  std::size_t places = count / std::max<std::size_t>(images * channels, 1);
  for (std::size_t n = 0; n < images; ++n)
    for (std::size_t c = 0; c < channels; ++c)
      for (std::size_t p = 0; p < places; ++p)
        std::memcpy(
            buffer.data() + ((n * places + p) * channels + c) * elementBytes,
            bytes.data() + ((n * channels + c) * places + p) * elementBytes,
            elementBytes);
  return {array.type, buffer, isBfloat};
}

namespace {

/// Finds the tensors of arrays, and says what is wrong with each that has none.
class Matcher {
public:
  Matcher(const std::vector<NetworkTensor> &tensors, std::size_t runs,
          DiagnosticEngine &diags)
      : tensors(tensors), runs(runs), diags(diags) {
    // A name of the model goes before the same one of another tensor's in the
    // IR: it is what the recorded values were made of.
    for (std::size_t i = 0; i < tensors.size(); ++i)
      for (const std::string &name : tensors[i].modelNames)
        placeOf.try_emplace(name, i, /*isOfModel=*/true);
    for (std::size_t i = 0; i < tensors.size(); ++i)
      placeOf.try_emplace(tensors[i].name, i, /*isOfModel=*/false);
  }

  std::optional<Recorded> match(const std::string &name, NpyView array);

private:
  void reportUnknown(const std::string &name, const NpyView &array);
  bool checkType(const NetworkTensor &tensor, const NpyView &array);
  bool checkRuns(const Recorded &recorded, const NetworkTensor &tensor);

  const std::vector<NetworkTensor> &tensors;
  std::size_t runs;
  DiagnosticEngine &diags;
  llvm::StringMap<std::pair<std::size_t, bool>> placeOf;
};

void Matcher::reportUnknown(const std::string &name, const NpyView &array) {
  std::vector<std::string> names;
  for (auto &entry : placeOf)
    names.push_back(entry.getKey().str());
  llvm::sort(names);
  diags
      .report(diag::ReferenceUnmatched, {array.name},
              "the network has no tensor for the array " + name)
      .found(array.str())
      .expected("a name of one of the " + formatCount(tensors.size()) +
                " tensors; --layers DIR lists them in layers.json")
      .suggest(name, names);
}

bool Matcher::checkType(const NetworkTensor &tensor, const NpyView &array) {
  NpyType stored = npyTypeOf(tensor.info.dtype);
  if (array.type == stored || (tensor.info.isFloat() && array.isFloat()))
    return true;
  diags
      .report(diag::ReferenceForm, {array.name},
              "the array's element type does not match the tensor " +
                  tensor.bestName())
      .found(array.str())
      .expected(std::string(npyTypeName(stored)) + shapeText(tensor.shape()) +
                (tensor.info.isQuantized() ? ", stored integers" : ""));
  return false;
}

bool Matcher::checkRuns(const Recorded &recorded, const NetworkTensor &tensor) {
  if (recorded.runs != 0 && recorded.runs <= runs)
    return true;
  std::vector<int64_t> shape =
      recorded.isChannelsFirst ? channelsFirst(tensor.shape()) : tensor.shape();
  diags
      .report(diag::ReferenceForm, {recorded.array.name},
              recorded.runs ? "the array has more samples than are evaluated"
                            : "the array's shape does not match the tensor " +
                                  tensor.bestName())
      .found(recorded.array.str())
      .expected(shapeText(shape) + (runs > 1
                                        ? ", for up to " + formatCount(runs) +
                                              " runs, one after the other"
                                        : ""));
  return false;
}

std::optional<Recorded> Matcher::match(const std::string &name, NpyView array) {
  auto it = placeOf.find(name);
  if (it == placeOf.end()) {
    reportUnknown(name, array);
    return std::nullopt;
  }
  auto [place, isOfModel] = it->second;
  const NetworkTensor &tensor = tensors[place];
  if (!checkType(tensor, array))
    return std::nullopt;
  Recorded recorded{place, std::move(array), name};
  bool mayBeFirst = isOfModel && tensor.isChannelsLast;
  std::vector<int64_t> shape = tensor.shape();
  recorded.runs =
      mayBeFirst ? runsIn(recorded.array.shape, channelsFirst(shape)) : 0;
  recorded.isChannelsFirst = recorded.runs != 0;
  // What --layers has written has the IR's order under any name.
  if (recorded.runs == 0)
    recorded.runs = runsIn(recorded.array.shape, shape);
  if (recorded.runs == 0)
    recorded.isChannelsFirst = mayBeFirst; // as the message should have it
  if (!checkRuns(recorded, tensor))
    return std::nullopt;
  return recorded;
}

} // namespace

std::optional<std::vector<Recorded>>
yarrow::readReferences(const std::vector<std::string> &paths,
                       const std::vector<NetworkTensor> &tensors,
                       std::size_t runs, DiagnosticEngine &diags) {
  Matcher matcher(tensors, runs, diags);
  std::vector<Recorded> all;
  bool isGood = true;
  for (const std::string &path : paths) {
    auto arrays = readNpz(path, diags);
    isGood &= arrays && !arrays->empty();
    if (!arrays)
      continue;
    if (arrays->empty())
      diags.report(diag::ReferenceUnmatched, {path},
                   "the file has no arrays to compare with");
    for (NpzArray &array : *arrays) {
      auto recorded = matcher.match(array.name, std::move(array.array));
      isGood &= recorded.has_value();
      if (recorded)
        all.push_back(std::move(*recorded));
    }
  }
  if (!isGood)
    return std::nullopt;
  llvm::stable_sort(all, [](const Recorded &a, const Recorded &b) {
    return a.tensor < b.tensor;
  });
  return all;
}
