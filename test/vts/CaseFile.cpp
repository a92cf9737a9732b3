//===- CaseFile.cpp - Recorded cases of NNAPI -----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/vts/CaseFile.h"
#include "parser/nnapi/OperationTable.h"
#include "support/Half.h"
#include "support/diagnostics/Import.h"
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

using namespace yarrow;
using namespace yarrow::vts;
using namespace yarrow::nnapi;
using nlohmann::json;

namespace {

/// Feature levels as versions of the definition are called.
constexpr std::pair<std::string_view, int> kLevels[] = {
    {"V1_0", 27}, {"V1_1", 28},         {"V1_2", 29},
    {"V1_3", 30}, {"AIDL_V2", 1000006}, {"AIDL_V3", 1000007}};
constexpr int kNewest = kLevels[std::size(kLevels) - 1].second;

constexpr std::pair<std::string_view, Lifetime> kLifetimes[] = {
    {"SUBGRAPH_INPUT", Lifetime::Input},
    {"SUBGRAPH_OUTPUT", Lifetime::Output},
    {"TEMPORARY_VARIABLE", Lifetime::Temporary},
    {"CONSTANT_COPY", Lifetime::Constant},
    {"CONSTANT_REFERENCE", Lifetime::Constant},
    {"NO_VALUE", Lifetime::None},
    {"SUBGRAPH", Lifetime::Model}};

template <typename T, std::size_t N>
const T *lookUp(const std::pair<std::string_view, T> (&table)[N],
                std::string_view name) {
  for (const auto &[key, value] : table)
    if (key == name)
      return &value;
  return nullptr;
}

template <typename T> void append(std::vector<std::byte> &bytes, T value) {
  auto raw = std::as_bytes(std::span(&value, 1));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

void appendNumber(std::vector<std::byte> &bytes, ElementType type,
                  const json &number) {
  switch (type) {
  case ElementType::F32:
    return append(bytes, number.get<float>());
  case ElementType::F16:
    return append(bytes, floatToHalf(number.get<float>()));
  case ElementType::I32:
    return append(bytes, number.get<std::int32_t>());
  case ElementType::U32:
    return append(bytes, number.get<std::uint32_t>());
  case ElementType::I16:
    return append(bytes, number.get<std::int16_t>());
  case ElementType::U16:
    return append(bytes, number.get<std::uint16_t>());
  default:
    return append(bytes, std::uint8_t(number.get<int>()));
  }
}

/// One line. What is wrong with it is an exception of the library, or
/// std::runtime_error.
class CaseReader {
public:
  CaseReader(const json &line, std::span<const std::byte> bin,
             std::shared_ptr<const void> owner)
      : line(line), bin(bin), owner(std::move(owner)) {}

  Case read();

private:
  std::shared_ptr<NnModel> readModel(const json &from);
  Operand readOperand(const json &from);
  Value valueOf(const json &from, const Operand &operand);
  Expected expectedOf(const json &from, const Operand &operand,
                      const json &tolerance);
  /// By its number in the case; made when it is first needed.
  std::shared_ptr<NnModel> referenced(std::size_t index);

  const json &line;
  const std::span<const std::byte> bin;
  const std::shared_ptr<const void> owner;
  std::size_t depth = 0;
};

} // namespace

Value CaseReader::valueOf(const json &from, const Operand &operand) {
  if (from.contains("offset")) {
    std::size_t offset = from["offset"], bytes = from["bytes"];
    if (offset > bin.size() || bytes > bin.size() - offset)
      throw std::runtime_error("bytes beyond the end of the .bin");
    return {operand.dims, bin.subspan(offset, bytes), owner};
  }
  std::vector<std::byte> bytes;
  for (const json &number : from.value("value", json::array()))
    appendNumber(bytes, operand.entry().element, number);
  return Value::of(operand.dims, std::move(bytes));
}

Operand CaseReader::readOperand(const json &from) {
  Operand operand;
  operand.name = from["name"].is_string() ? from["name"] : "";
  const OperandTypeEntry *type = findOperandType(
      from["type"] == "SUBGRAPH" ? std::string("MODEL")
                                 : from["type"].get<std::string>());
  const Lifetime *lifetime =
      lookUp(kLifetimes, from["lifetime"].get<std::string>());
  if (!type || !lifetime)
    throw std::runtime_error("an operand of an unknown type or lifetime");
  operand.type = type->type;
  operand.lifetime = *lifetime;
  operand.dims = from["dims"].get<std::vector<std::uint32_t>>();
  operand.scale = from.value("scale", 0.f);
  operand.zeroPoint = from.value("zero_point", 0);
  if (from.contains("channel_quant"))
    operand.channels = {from["channel_quant"]["dim"],
                        from["channel_quant"]["scales"]};
  if (operand.lifetime == Lifetime::Constant) {
    Value value = valueOf(from, operand);
    operand.value = value.bytes;
    operand.owner = value.owner;
  }
  return operand;
}

std::shared_ptr<NnModel> CaseReader::referenced(std::size_t index) {
  constexpr std::size_t kMostDepth = 16;
  if (depth >= kMostDepth)
    throw std::runtime_error("sub-graphs that hold themselves");
  ++depth;
  auto model = readModel(line.at("referenced").at(index));
  --depth;
  return model;
}

std::shared_ptr<NnModel> CaseReader::readModel(const json &from) {
  auto model = std::make_shared<NnModel>();
  model->name = line["test"];
  model->isRelaxed = line["relaxed"];
  for (const json &entry : from["operands"]) {
    model->add(readOperand(entry));
    Operand &operand = model->operands.back();
    if (operand.lifetime == Lifetime::Model) {
      operand.modelIndex = std::uint32_t(model->referenced.size());
      model->referenced.push_back(referenced(
          entry["value"].is_array() ? entry["value"].at(0).get<std::size_t>()
                                    : entry["value"].get<std::size_t>()));
    }
  }
  for (const json &entry : from["operations"]) {
    const OperationEntry *operation =
        findOperation(entry["type"].get<std::string>());
    if (!operation)
      throw std::runtime_error("an unknown operation " +
                               entry["type"].get<std::string>());
    model->operations.push_back(
        {operation->code, entry["inputs"], entry["outputs"]});
  }
  model->inputs = from["inputs"].get<std::vector<std::uint32_t>>();
  model->outputs = from["outputs"].get<std::vector<std::uint32_t>>();
  auto exists = [&](std::uint32_t i) { return i < model->operands.size(); };
  for (const auto *list : {&model->inputs, &model->outputs})
    if (!std::ranges::all_of(*list, exists))
      throw std::runtime_error("an operand that is not there");
  return model;
}

Expected CaseReader::expectedOf(const json &from, const Operand &operand,
                                const json &tolerance) {
  Expected expected{operand.type, valueOf(from, operand)};
  expected.isIgnored = from.value("ignored", false) || tolerance.is_null();
  if (!tolerance.is_null()) {
    expected.absolute = tolerance.at(0);
    expected.relative = tolerance.at(1);
  }
  return expected;
}

Case CaseReader::read() {
  Case result;
  result.name = line["test"];
  result.spec = line["spec"];
  const json &version = line["min_version"];
  const int *level = version.is_string()
                         ? lookUp(kLevels, version.get<std::string>())
                         : &kNewest;
  if (!level)
    throw std::runtime_error("an unknown version");
  result.level = *level;
  result.expectsFailure = line.value("expect_failure", false);
  if (line.contains("multinomial_tolerance"))
    result.multinomialTolerance = line["multinomial_tolerance"].get<double>();
  const json &main = line["main"];
  result.model = readModel(main);
  for (std::uint32_t input : result.model->inputs)
    result.inputs.push_back(
        valueOf(main["operands"][input], result.model->operands[input]));
  for (std::size_t i = 0; i < result.model->outputs.size(); ++i) {
    std::uint32_t output = result.model->outputs[i];
    result.outputs.push_back(expectedOf(main["operands"][output],
                                        result.model->operands[output],
                                        line["tol"].at(i)));
  }
  return result;
}

std::string Case::operation() const {
  std::string name;
  for (const Operation &operation : model->operations) {
    name = findOperation(operation.code)->name;
    if (name == "IF" || name == "WHILE")
      break;
  }
  return name;
}

std::shared_ptr<const CaseFile> CaseFile::open(const std::string &path,
                                               DiagnosticEngine &diags) {
  auto file = std::make_shared<CaseFile>();
  file->text = MappedFile::open(path, diags);
  file->bytes = MappedFile::open(
      std::filesystem::path(path).replace_extension(".bin").string(), diags);
  if (!file->text || !file->bytes)
    return nullptr;
  std::string_view rest = file->text->text();
  while (!rest.empty()) {
    std::size_t end = std::min(rest.find('\n'), rest.size());
    if (end)
      file->lines.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return file;
}

std::optional<Case> CaseFile::read(std::size_t i,
                                   DiagnosticEngine &diags) const {
  try {
    json line = json::parse(lines[i]);
    return CaseReader(line, bytes->bytes(), bytes).read();
  } catch (const std::exception &e) {
    diags
        .report(diag::NnapiCases, {text->path(), unsigned(i + 1)},
                "the line is no case")
        .found(e.what());
    return std::nullopt;
  }
}
