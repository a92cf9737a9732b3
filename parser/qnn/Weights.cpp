//===- Weights.cpp - The archive of a QNN graph's weights -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/Weights.h"
#include "support/FileKind.h"
#include "support/MappedFile.h"
#include "support/Tar.h"
#include "support/diagnostics/Import.h"
#include <algorithm>
#include <unordered_map>

using namespace yarrow;
using namespace yarrow::qnn;

using Bytes = std::span<const std::byte>;

/// Calls \p use with each tensor of \p model and of the graphs that If names.
template <typename Model, typename Use>
static void forEachTensor(Model &model, Use use) {
  for (auto &tensor : model.tensors)
    use(tensor);
  for (auto &[name, graph] : model.graphs)
    forEachTensor(*graph, use);
}

static bool needsValue(const QnnTensor &tensor) {
  return tensor.kind == TensorKind::Static && !tensor.hasValue;
}

//===----------------------------------------------------------------------===//
// Values of 4 bits
//===----------------------------------------------------------------------===//

/// Also of those that are stored as bytes, of which the encoding uses 4 bits.
static bool hasFourBits(const QnnTensor &tensor) {
  return tensor.entry().numBits() == 4 ||
         (tensor.entry().isFixed() && tensor.entry().numBits() == 8 &&
          tensor.encoding.bitWidth == 4);
}

static std::byte extend(unsigned nibble, ElementType type) {
  bool isNegative = type == ElementType::I8 && nibble >= 8;
  return std::byte(isNegative ? nibble | 0xf0 : nibble);
}

/// Two in each byte, the first in the lower half.
static std::vector<std::byte> unpack(Bytes packed, std::int64_t count,
                                     ElementType type) {
  std::vector<std::byte> result;
  result.reserve(std::size_t(count));
  for (std::int64_t i = 0; i < count; ++i) {
    unsigned byte = unsigned(packed[std::size_t(i / 2)]);
    result.push_back(extend(i % 2 ? byte >> 4 : byte & 0xf, type));
  }
  return result;
}

/// One in each byte, above it zeros or the sign. Empty, if some byte has
/// neither.
static std::vector<std::byte> widen(Bytes bytes, ElementType type) {
  std::vector<std::byte> result;
  result.reserve(bytes.size());
  for (std::byte byte : bytes) {
    std::byte value = extend(unsigned(byte) & 0xf, type);
    if (byte != value && unsigned(byte) > 0xf)
      return {};
    result.push_back(value);
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

class WeightReader {
public:
  WeightReader(std::shared_ptr<const MappedFile> file, DiagnosticEngine &diags)
      : file(std::move(file)), diags(diags) {}

  bool open();
  void read(QnnTensor &tensor);
  bool finish();

private:
  void report(const QnnTensor &tensor, const std::string &what,
              const std::string &found, const std::string &expected);
  void readFourBits(QnnTensor &tensor, Bytes bytes);

  std::shared_ptr<const MappedFile> file;
  DiagnosticEngine &diags;
  std::unordered_map<std::string, Bytes> members;
  std::size_t numWrong = 0;
};

/// Told one by one; the rest is counted.
constexpr std::size_t kMostReported = 20;

} // namespace

void WeightReader::report(const QnnTensor &tensor, const std::string &what,
                          const std::string &found,
                          const std::string &expected) {
  if (++numWrong > kMostReported)
    return;
  diags
      .report(diag::QnnWeights, tensor.place,
              "tensor " + tensor.name + ": " + what)
      .found(found)
      .expected(expected);
}

bool WeightReader::open() {
  auto list = readTar(file->bytes(), file->path(), diag::QnnWeights, diags);
  if (!list)
    return false;
  for (TarMember &member : *list) {
    auto [it, isNew] = members.try_emplace(member.name, member.bytes);
    if (!isNew && ++numWrong <= kMostReported)
      diags
          .report(diag::QnnWeights, {file->path()},
                  "the archive has two members with the same name")
          .found(member.name);
  }
  return true;
}

void WeightReader::readFourBits(QnnTensor &tensor, Bytes bytes) {
  std::int64_t count = tensor.numElements();
  ElementType type = tensor.entry().element;
  if (std::int64_t(bytes.size()) == count / 2 + count % 2)
    return setValue(tensor, unpack(bytes, count, type));
  if (std::int64_t(bytes.size()) != count)
    return report(tensor, "its member of the archive has a wrong size",
                  std::to_string(bytes.size()) + " bytes",
                  std::to_string(count) + ", or " +
                      std::to_string(count / 2 + count % 2) +
                      " with two values in each, for " + dimsText(tensor.dims));
  std::vector<std::byte> values = widen(bytes, type);
  if (values.empty())
    return report(tensor, "its values have more than 4 bits",
                  "one value in each byte",
                  "zeros or the sign in the other bits");
  setValue(tensor, std::move(values));
}

void WeightReader::read(QnnTensor &tensor) {
  auto it = members.find(tensor.name + ".raw");
  if (it == members.end())
    return report(tensor, "the archive does not have its value",
                  "no member " + tensor.name + ".raw in " + file->path(),
                  std::to_string(tensor.sizeBytes()) + " bytes");
  Bytes bytes = it->second;
  if (hasFourBits(tensor))
    return readFourBits(tensor, bytes);
  if (std::int64_t(bytes.size()) != tensor.sizeBytes())
    return report(tensor, "its member of the archive has a wrong size",
                  std::to_string(bytes.size()) + " bytes",
                  std::to_string(tensor.sizeBytes()) + " for " +
                      tensor.entry().name + " " + dimsText(tensor.dims));
  tensor.value = bytes;
  tensor.owner = file;
  tensor.hasValue = true;
}

bool WeightReader::finish() {
  if (numWrong > kMostReported)
    diags.report(diag::QnnWeights, {file->path()},
                 "and " + std::to_string(numWrong - kMostReported) +
                     " more tensors whose values cannot be read");
  return numWrong == 0;
}

bool qnn::readWeights(QnnModel &model, const std::string &path,
                      DiagnosticEngine &diags) {
  auto file = MappedFile::open(path, diags);
  return file && readWeights(model, file, diags);
}

bool qnn::readWeights(QnnModel &model,
                      const std::shared_ptr<const MappedFile> &file,
                      DiagnosticEngine &diags) {
  if (!isKind(FileKind::Tar, file->bytes(), file->path(), diag::QnnWeights,
              diags))
    return false;
  WeightReader reader(file, diags);
  if (!reader.open())
    return false;
  forEachTensor(model, [&](QnnTensor &tensor) {
    if (needsValue(tensor))
      reader.read(tensor);
  });
  return reader.finish();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

bool qnn::writeWeights(const QnnModel &model, const std::string &path,
                       DiagnosticEngine &diags) {
  AtomicFile file(path, diags);
  std::unordered_map<std::string, Bytes> written;
  bool isUnique = true;
  forEachTensor(model, [&](const QnnTensor &tensor) {
    if (tensor.kind != TensorKind::Static || !tensor.hasValue ||
        tensor.isInline)
      return;
    auto [it, isNew] = written.try_emplace(tensor.name, tensor.value);
    if (isNew) {
      appendTarMember(file, tensor.name + ".raw", tensor.value);
    } else if (!std::ranges::equal(it->second, tensor.value)) {
      diags
          .report(
              diag::QnnWeights, {path},
              "two graphs have a tensor of the same name with different values")
          .found(tensor.name);
      isUnique = false;
    }
  });
  return isUnique && appendTarEnd(file) && file.commit();
}
