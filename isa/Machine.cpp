//===- Machine.cpp - The size and speed of a target -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One record per number of a machine file; reader, range checks and writer go
// through the records.
//
//===----------------------------------------------------------------------===//
#include "isa/Machine.h"
#include "isa/EmbeddedTargets.h"

#include "support/JsonFile.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Settings.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <memory>
#include <set>
#include <utility>

namespace yarrow::isa {

using nlohmann::json;

namespace {
enum class Form { Any, PowerOfTwo };

/// The objects of a machine file, and what they may do without: a machine
/// that does not have such a unit leaves the object out, and has zeros.
struct SectionRecord {
  std::string_view key;
  bool isOptional;
};
constexpr SectionRecord sections[] = {
    {"device", false},       {"macArray", false},  {"tec", false},
    {"dma", false},          {"winograd", true},   {"depthwise", true},
    {"weightDecoder", true}, {"outputStage", true}};

const SectionRecord *findSection(std::string_view key) {
  const auto *it = std::find_if(
      std::begin(sections), std::end(sections),
      [&](const SectionRecord &section) { return section.key == key; });
  return it == std::end(sections) ? nullptr : it;
}

struct NumberRecord {
  std::string_view section; ///< "" for the file itself.
  std::string_view key;
  uint32_t min, max;
  Form form;
  uint32_t &(*get)(Machine &);
  /// What a file that does not have the key means; it then is not written,
  /// either.
  std::optional<uint32_t> absent = std::nullopt;
};

#define FIELD(MEMBER) [](Machine &m) -> uint32_t & { return m.MEMBER; }

// The upper bounds keep every product of sizes and cycles below 2^63.
constexpr uint32_t mostCycles = 1 << 20;
constexpr uint32_t mostBytes = 1 << 30;
constexpr NumberRecord numbers[] = {
    {"device", "version", 0, 15, Form::Any, FIELD(device.version)},
    {"device", "configuration", 0, 65535, Form::Any,
     FIELD(device.configuration)},
    {"device", "revision", 0, 15, Form::Any, FIELD(device.revision), 0},
    {"", "cores", 1, 4, Form::Any, FIELD(cores)},
    {"", "tecs", 1, 4, Form::Any, FIELD(tecs)},
    {"", "tensorEngines", 1, 4, Form::Any, FIELD(tensorEngines), 1},
    {"", "clockMhz", 1, 10000, Form::Any, FIELD(clockMhz)},
    {"macArray", "inputLanes", 1, 256, Form::PowerOfTwo,
     FIELD(macArray.inputLanes)},
    {"macArray", "outputLanes", 1, 256, Form::PowerOfTwo,
     FIELD(macArray.outputLanes)},
    {"macArray", "pixels", 1, 256, Form::PowerOfTwo, FIELD(macArray.pixels)},
    {"", "weightBufferBytes", 16, mostBytes, Form::Any,
     FIELD(weightBufferBytes)},
    {"", "accumulatorBytes", 16, mostBytes, Form::Any, FIELD(accumulatorBytes)},
    {"", "int16Passes", 1, 4, Form::Any, FIELD(int16Passes)},
    {"", "sramBytes", 64 << 10, mostBytes, Form::Any, FIELD(sramBytes)},
    {"", "sramBytesPerCycle", 1, 1 << 16, Form::Any, FIELD(sramBytesPerCycle)},
    {"", "ddrBytesPerCycle", 1, 1 << 16, Form::Any, FIELD(ddrBytesPerCycle)},
    {"", "ddrBurstBytes", 4, 4096, Form::PowerOfTwo, FIELD(ddrBurstBytes)},
    {"", "ddrLatencyCycles", 0, mostCycles, Form::Any, FIELD(ddrLatencyCycles)},
    {"", "dmaStartCycles", 0, mostCycles, Form::Any, FIELD(dmaStartCycles)},
    {"", "engineStartCycles", 0, mostCycles, Form::Any,
     FIELD(engineStartCycles)},
    {"", "eventCycles", 0, mostCycles, Form::Any, FIELD(eventCycles)},
    {"tec", "vectorDatapathBits", 32, 256, Form::PowerOfTwo,
     FIELD(tec.vectorDatapathBits)},
    {"tec", "gatherElementsPerCycle", 1, 32, Form::Any,
     FIELD(tec.gatherElementsPerCycle)},
    {"tec", "sramLoadCycles", 1, 1000, Form::Any, FIELD(tec.sramLoadCycles)},
    {"tec", "multiplyCycles", 1, 1000, Form::Any, FIELD(tec.multiplyCycles)},
    {"tec", "divideCycles", 1, 1000, Form::Any, FIELD(tec.divideCycles)},
    {"tec", "floatCycles", 1, 1000, Form::Any, FIELD(tec.floatCycles)},
    {"tec", "takenBranchCycles", 0, 1000, Form::Any,
     FIELD(tec.takenBranchCycles)},
    {"dma", "loadChannels", 1, 8, Form::Any, FIELD(dma.loadChannels)},
    {"dma", "storeChannels", 1, 8, Form::Any, FIELD(dma.storeChannels)},
    {"winograd", "inputBits", 0, 16, Form::Any, FIELD(winograd.inputBits)},
    {"winograd", "weightBits", 0, 16, Form::Any, FIELD(winograd.weightBits)},
    {"winograd", "tileBufferBytes", 0, mostBytes, Form::Any,
     FIELD(winograd.tileBufferBytes)},
    {"winograd", "transformCycles", 0, 1000, Form::Any,
     FIELD(winograd.transformCycles)},
    {"depthwise", "rowBufferBytes", 0, mostBytes, Form::Any,
     FIELD(depthwise.rowBufferBytes)},
    {"weightDecoder", "bytesPerCycle", 0, 1 << 16, Form::Any,
     FIELD(weightDecoder.bytesPerCycle)},
    {"weightDecoder", "startCycles", 0, 1000, Form::Any,
     FIELD(weightDecoder.startCycles)},
    {"outputStage", "widePasses", 0, 16, Form::Any,
     FIELD(outputStage.widePasses)},
};
#undef FIELD

bool isPowerOfTwo(uint64_t value) {
  return value && (value & (value - 1)) == 0;
}

/// The path of a key as a user says it: "macArray.pixels".
std::string pathOf(std::string_view section, std::string_view key) {
  return section.empty() ? std::string(key)
                         : std::string(section) + "." + std::string(key);
}

/// A value for a message, which must stay short and printable.
std::string shown(const json &value) {
  return value.dump(-1, ' ', true, json::error_handler_t::replace)
      .substr(0, 100);
}

/// Reads one file; every problem is reported, then the machine is dropped.
class MachineReader {
public:
  MachineReader(std::string_view text, const std::string &fileName,
                DiagnosticEngine &diags)
      : text(text), fileName(fileName), diags(diags) {}

  std::optional<Machine> read();

private:
  Diagnostic &report(std::string_view key, std::string message) {
    isValid = false;
    return diags.report(diag::TargetInvalid, placeOf(key), std::move(message));
  }
  /// Marks the value instead of its key.
  Diagnostic &reportValue(std::string_view key, std::string value,
                          std::string message) {
    Diagnostic &problem = report(key, std::move(message));
    problem.place.column += unsigned(key.size()) + 1; // behind the quote
    problem.place.token = std::move(value);
    return problem;
  }
  Place placeOf(std::string_view key) const;
  void readName(const json &file);
  void readBase(const json &file);
  void readSection(const json &object, const std::string &section);
  void readNumber(const NumberRecord &number, const json &value);
  void reportUnknown(const std::string &section, const std::string &key);
  void checkComplete();
  void checkBuffers();
  void checkWinograd();

  std::string_view text;
  const std::string &fileName;
  DiagnosticEngine &diags;
  Machine machine;
  std::set<const NumberRecord *> given;
  bool hasBase = false;
  bool isValid = true;
};

/// A key's first mention; no key is in two sections.
Place MachineReader::placeOf(std::string_view key) const {
  Place place{.file = fileName};
  std::size_t at = text.find("\"" + std::string(key) + "\"");
  if (key.empty() || at == std::string_view::npos)
    return place;
  std::size_t lineStart = text.rfind('\n', at) + 1; // npos + 1 is 0
  place.line = 1 + unsigned(std::count(text.begin(), text.begin() + at, '\n'));
  place.column = unsigned(at - lineStart) + 2; // behind the quote
  place.token = key;
  return place;
}

void MachineReader::readName(const json &file) {
  auto it = file.find("name");
  if (it == file.end()) {
    report("", "the machine has no name").expected("\"name\": \"X2_custom\"");
    return;
  }
  auto isPlain = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  const std::string *name = it->get_ptr<const std::string *>();
  // The name becomes part of executables and file names.
  if (!name || name->empty() || name->size() > 64 ||
      !std::all_of(name->begin(), name->end(), isPlain)) {
    reportValue("name", shown(*it), "the machine's name is not valid")
        .found(shown(*it))
        .expected("1 to 64 letters, digits, '_' and '-'");
    return;
  }
  machine.name = *name;
}

void MachineReader::readBase(const json &file) {
  auto it = file.find("base");
  if (it == file.end())
    return;
  hasBase = true; // even if it is wrong: missing keys are no news then
  const std::string *base = it->get_ptr<const std::string *>();
  std::vector<std::string> names = builtinTargetNames();
  if (!base || std::find(names.begin(), names.end(), *base) == names.end()) {
    std::string list;
    for (const std::string &name : names)
      list += (list.empty() ? "" : ", ") + name;
    reportValue("base", shown(*it), "the base is not a built-in target")
        .found(shown(*it))
        .expected("one of " + list);
    return;
  }
  std::optional<Machine> found = findTarget(*base, diags);
  assert(found && "a built-in target is not valid");
  machine = *found;
}

void MachineReader::reportUnknown(const std::string &section,
                                  const std::string &key) {
  std::vector<std::string> candidates;
  if (section.empty()) {
    candidates = {"name", "base"};
    for (const SectionRecord &known : sections)
      candidates.emplace_back(known.key);
  }
  for (const NumberRecord &number : numbers)
    if (number.section == section)
      candidates.emplace_back(number.key);
  Diagnostic &problem = report(key, "the key '" + pathOf(section, key) +
                                        "' is not part of a machine");
  if (std::string near = nearestName(key, candidates); !near.empty())
    problem.hint(didYouMean("'" + pathOf(section, near) + "'"));
  else
    for (const NumberRecord &number : numbers)
      if (number.key == key)
        problem.hint("it belongs at '" + pathOf(number.section, key) + "'");
}

void MachineReader::readNumber(const NumberRecord &number, const json &value) {
  given.insert(&number);
  bool isNumber =
      value.is_number_unsigned() && value.get<uint64_t>() >= number.min &&
      value.get<uint64_t>() <= number.max &&
      (number.form == Form::Any || isPowerOfTwo(value.get<uint64_t>()));
  if (isNumber) {
    number.get(machine) = value.get<uint32_t>();
    return;
  }
  std::string path = pathOf(number.section, number.key);
  reportValue(number.key, shown(value),
              "the value of '" + path + "' is not valid")
      .found(shown(value))
      .expected(
          (number.form == Form::PowerOfTwo ? "a power of two" : "an integer") +
          std::string(" from ") + std::to_string(number.min) + " to " +
          std::to_string(number.max));
}

void MachineReader::readSection(const json &object,
                                const std::string &section) {
  for (const auto &[key, value] : object.items()) {
    if (section.empty() && (key == "name" || key == "base"))
      continue;
    if (section.empty() && findSection(key)) {
      if (value.is_object())
        readSection(value, key);
      else
        reportValue(key, shown(value),
                    "the value of '" + key + "' is not valid")
            .expected("an object {...}");
      continue;
    }
    const NumberRecord *number =
        std::find_if(std::begin(numbers), std::end(numbers),
                     [&, &key = key](const NumberRecord &n) {
                       return n.section == section && n.key == key;
                     });
    if (number == std::end(numbers))
      reportUnknown(section, key);
    else
      readNumber(*number, value);
  }
}

void MachineReader::checkComplete() {
  std::set<std::string_view> begun;
  for (const NumberRecord *number : given)
    begun.insert(number->section);
  std::string missing;
  for (const NumberRecord &number : numbers) {
    const SectionRecord *section = findSection(number.section);
    // A unit is left out as a whole or not at all.
    bool isNeeded =
        !section || !section->isOptional || begun.count(number.section);
    if (!given.count(&number) && isNeeded && !number.absent)
      missing +=
          (missing.empty() ? "" : ", ") + pathOf(number.section, number.key);
  }
  if (hasBase || missing.empty())
    return;
  report("", "the machine is not complete")
      .expected("also " + missing)
      .hint("add \"base\": \"X2_1204\" to take missing keys from that target");
}

/// The buffers must feed the whole array for one step, or nothing could run.
void MachineReader::checkBuffers() {
  const MacArray &array = machine.macArray;
  uint32_t leastWeights = array.inputLanes * array.outputLanes * 2;
  if (machine.weightBufferBytes < leastWeights)
    reportValue("weightBufferBytes", std::to_string(machine.weightBufferBytes),
                "the weight buffer is smaller than one step")
        .found(std::to_string(machine.weightBufferBytes))
        .expected("at least inputLanes * outputLanes * 2 bytes (16-bit "
                  "weights) = " +
                  std::to_string(leastWeights));
  uint32_t leastSums =
      array.outputLanes * array.pixels * sumBytes(ElementType::I16);
  if (machine.accumulatorBytes < leastSums)
    reportValue("accumulatorBytes", std::to_string(machine.accumulatorBytes),
                "there are fewer accumulators than the array needs")
        .found(std::to_string(machine.accumulatorBytes))
        .expected("at least outputLanes * pixels * " +
                  std::to_string(sumBytes(ElementType::I16)) +
                  " bytes (16-bit inputs) = " + std::to_string(leastSums));
  checkWinograd();
  if (machine.sramBytesPerCycle < machine.tensorEngines)
    reportValue("sramBytesPerCycle", std::to_string(machine.sramBytesPerCycle),
                "the tensor engines get no share of the SRAM's bandwidth")
        .found(std::to_string(machine.sramBytesPerCycle))
        .expected("at least " + std::to_string(machine.tensorEngines) +
                  ", one byte per engine");
  // A TEC sets its stack pointer, which is at the SRAM's end, by its upper
  // bits.
  if (machine.sramBytes % 4096)
    reportValue(
        "sramBytes", std::to_string(machine.sramBytes),
        "the TECs' stacks, at the end of the SRAM, do not end at a page")
        .found(std::to_string(machine.sramBytes))
        .expected("a multiple of 4096 bytes");
  uint64_t stacks = uint64_t(machine.tecs) * kSramStackBytes;
  if (machine.sramBytes < stacks + (32 << 10))
    reportValue("sramBytes", std::to_string(machine.sramBytes),
                "the SRAM is hardly larger than the TECs' stacks")
        .found(std::to_string(machine.sramBytes))
        .expected("at least 32768 bytes and " +
                  std::to_string(kSramStackBytes) + " for each TEC");
}

/// The Winograd mode needs its transformed tiles and all their sums at hand.
void MachineReader::checkWinograd() {
  const MacArray &array = machine.macArray;
  if (!machine.hasWinograd(WinogradMode::F2_3))
    return;
  uint32_t taps = tileOf(machine.hasWinograd(WinogradMode::F2x2_3x3)
                             ? WinogradMode::F2x2_3x3
                             : WinogradMode::F2_3)
                      .taps();
  uint32_t leastTiles = taps * array.inputLanes * array.pixels * 2;
  if (machine.winograd.tileBufferBytes < leastTiles)
    reportValue("tileBufferBytes",
                std::to_string(machine.winograd.tileBufferBytes),
                "the tile buffer is smaller than one step")
        .found(std::to_string(machine.winograd.tileBufferBytes))
        .expected("at least " + std::to_string(taps) +
                  " taps * inputLanes * pixels * 2 bytes = " +
                  std::to_string(leastTiles));
  uint32_t leastSums =
      taps * array.outputLanes * array.pixels * sumBytes(ElementType::I8);
  uint32_t leastOfAny = array.outputLanes * array.pixels *
                        sumBytes(ElementType::I16); // told already
  if (machine.accumulatorBytes >= leastOfAny &&
      machine.accumulatorBytes < leastSums)
    reportValue("accumulatorBytes", std::to_string(machine.accumulatorBytes),
                "the accumulators do not hold the sums of a step's tiles")
        .found(std::to_string(machine.accumulatorBytes))
        .expected("at least " + std::to_string(taps) +
                  " taps * outputLanes * pixels * " +
                  std::to_string(sumBytes(ElementType::I8)) + " bytes = " +
                  std::to_string(leastSums) + ", or no Winograd mode");
}

std::optional<Machine> MachineReader::read() {
  std::optional<json> file = parseJson(text, fileName, diags);
  if (!file)
    return std::nullopt;
  if (!file->is_object()) {
    report("", "a machine file is a JSON object").expected("{ \"name\": ... }");
    return std::nullopt;
  }
  readBase(*file); // first: it overwrites everything
  readName(*file);
  readSection(*file, "");
  checkComplete();
  if (isValid) // relations between numbers mean nothing while one is wrong
    checkBuffers();
  return isValid ? std::optional(machine) : std::nullopt;
}
} // namespace

std::string Machine::toJson() const {
  Machine copy = *this; // the records give references
  nlohmann::ordered_json file;
  file["name"] = name;
  for (const NumberRecord &number : numbers) {
    if (number.absent == number.get(copy))
      continue;
    nlohmann::ordered_json &object =
        number.section.empty() ? file : file[std::string(number.section)];
    object[std::string(number.key)] = number.get(copy);
  }
  return file.dump(2) + "\n";
}

std::optional<Machine> parseMachine(std::string_view text,
                                    const std::string &fileName,
                                    DiagnosticEngine &diags) {
  return MachineReader(text, fileName, diags).read();
}

std::optional<Machine> readMachine(const std::string &path,
                                   DiagnosticEngine &diags) {
  std::shared_ptr<const MappedFile> file = MappedFile::open(path, diags);
  if (!file)
    return std::nullopt;
  return parseMachine(file->text(), path, diags);
}

std::vector<std::string> builtinTargetNames() {
  std::vector<std::string> names;
  names.reserve(numEmbeddedTargets);
  for (unsigned i = 0; i < numEmbeddedTargets; ++i)
    names.emplace_back(embeddedTargets[i].name);
  return names;
}

std::optional<Machine> findTarget(const std::string &nameOrPath,
                                  DiagnosticEngine &diags) {
  if (nameOrPath.ends_with(".json"))
    return readMachine(nameOrPath, diags);
  std::string list;
  for (unsigned i = 0; i < numEmbeddedTargets; ++i) {
    const EmbeddedTarget &target = embeddedTargets[i];
    if (nameOrPath == target.name)
      return parseMachine(
          target.json, "targets/" + std::string(target.name) + ".json", diags);
    list += (list.empty() ? "" : ", ") + std::string(target.name);
  }
  Diagnostic &problem =
      diags
          .report(diag::TargetInvalid, {},
                  "there is no target '" + nameOrPath + "'")
          .expected("one of " + list + ", or the path of a .json file");
  std::string near = nearestName(nameOrPath, builtinTargetNames());
  problem.hint(near.empty() ? begunNames(nameOrPath, builtinTargetNames())
                            : didYouMean("'" + near + "'"));
  return std::nullopt;
}

} // namespace yarrow::isa
