//===- TecEvents.cpp - What the TECs' program does ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/TecEvents.h"

#include "isa/ElfLayout.h"
#include "runtime/TecImage.h"
#include "simulator/Memory.h"
#include "simulator/tec/Tec.h"
#include <algorithm>
#include <cstring>
#include <unordered_map>

using namespace yarrow;
using namespace yarrow::prove;
using namespace yarrow::runtime;

namespace {

constexpr uint64_t kPage = 4096;
/// A main program has some tens of instructions for each step of each TEC.
constexpr uint64_t kMostInstructions = uint64_t(1) << 30;
/// `jalr x0, 0(ra)`.
constexpr uint32_t kReturn = 0x00008067;

uint64_t alignTo(uint64_t value) { return (value + kPage - 1) / kPage * kPage; }

/// What the program has around it.
struct Layout {
  uint32_t text = kPage, parameters = 0, descriptors = 0, globals = 0,
           stacks = 0;
  std::vector<uint32_t> regions;
  uint64_t top = 0;

  explicit Layout(const Executable &e);
};

Layout::Layout(const Executable &e) {
  uint64_t at = text;
  auto place = [&](uint64_t sizeBytes) {
    auto address = uint32_t(at);
    at = alignTo(at + std::max<uint64_t>(sizeBytes, 1));
    return address;
  };
  place(e.text().size() + kPage);
  parameters = place(e.rodata().size());
  descriptors = place(e.descriptors().size());
  globals = place(e.globalParameters().size());
  stacks = place(uint64_t(isa::kStackBytes) * e.machine().tecs);
  std::vector<uint64_t> sizes = regionSizes(e);
  regions.push_back(isa::kSramBaseAddress);
  for (size_t r = 1; r < sizes.size(); ++r)
    regions.push_back(place(sizes[r]));
  top = at;
}

/// The steps of the provenance by where they begin, and the addresses of
/// kernels.
struct Code {
  std::unordered_map<uint32_t, uint32_t> steps;
  std::vector<uint32_t> kernels;
  std::vector<uint32_t> general; ///< Those that take parameters.
  std::string missing;           ///< A kernel that no symbol names.
};

bool isDecision(const ProvenanceStep &step) {
  return step.kernel == "if" || step.kernel == "while";
}

/// A kernel has the name of its record, or that and what it is specialised on.
bool isKernel(const std::string &symbol,
              const std::vector<std::string> &names) {
  std::string stem = symbol.substr(0, symbol.find('.'));
  return std::binary_search(names.begin(), names.end(), stem);
}

Code readCode(const Executable &e) {
  Code code;
  std::vector<std::string> names;
  const std::vector<ProvenanceStep> &steps = e.provenance().steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    code.steps[uint32_t(steps[i].pcBegin)] = uint32_t(i);
    if (!isDecision(steps[i]))
      names.push_back(steps[i].kernel);
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::string> unseen = names;
  TecSymbols symbols = TecImage::symbolsOf(e.tecElf(), 0);
  for (const TecSymbol &symbol : symbols.all())
    if (symbol.isFunction && isKernel(symbol.name, names) &&
        symbol.address + sizeof kReturn <= e.text().size()) {
      code.kernels.push_back(symbol.address);
      if (symbol.name.find('.') == std::string::npos)
        code.general.push_back(symbol.address);
      std::erase(unseen, symbol.name.substr(0, symbol.name.find('.')));
    }
  std::sort(code.kernels.begin(), code.kernels.end());
  std::sort(code.general.begin(), code.general.end());
  if (!unseen.empty())
    code.missing = unseen.front();
  return code;
}

/// Memory with the program in it, in which each kernel returns at once.
class Program {
public:
  Program(const Executable &e, uint32_t group)
      : e(e), group(group), layout(e), code(readCode(e)) {}

  bool load();
  TecEventsResult run(const std::vector<bool> &decisions);

private:
  void patchParameters(std::vector<uint32_t> &words) const;
  bool runTec(uint32_t number, const std::vector<bool> &decisions,
              TecEventsResult &result);

  const Executable &e;
  uint32_t group;
  Layout layout;
  Code code;
  std::unique_ptr<sim::Memory> memory;
};

/// Notes what a TEC does.
class Recorder final : public sim::TecPort, public sim::TecWatcher {
public:
  Recorder(const Executable &e, const Layout &layout, const Code &code,
           const std::vector<bool> &decisions, sim::Memory &memory)
      : e(e), layout(layout), code(code), decisions(decisions), memory(memory) {
  }

  void submit(uint32_t queue, uint32_t address, uint32_t sizeBytes) override {
    if (address < layout.descriptors ||
        uint64_t(address - layout.descriptors) + sizeBytes >
            e.descriptors().size())
      return fail("a submitted list of commands is outside note \"desc\"");
    if (queue >= isa::kNumQueues)
      return fail("a list is submitted to queue " + std::to_string(queue));
    add({TecEvent::Kind::Submit, queue, sizeBytes,
         address - layout.descriptors});
  }
  void setBase(uint32_t region, uint32_t address) override {
    if (region == isa::kSramRegion || region >= layout.regions.size() ||
        layout.regions[region] != address)
      fail("region " + std::to_string(region) +
           " is set to another address than in the parameter block");
  }
  void setOrigin(uint32_t counter, uint32_t count) override {
    if (counter >= isa::kNumCounters)
      return fail("the origin of counter " + std::to_string(counter));
    add({TecEvent::Kind::SetOrigin, counter, count});
  }
  bool wait(uint32_t counter, uint32_t count) override {
    if (counter >= isa::kNumCounters)
      fail("a wait for counter " + std::to_string(counter));
    else
      add({TecEvent::Kind::Wait, counter, count});
    return true;
  }
  void signal() override { add({TecEvent::Kind::Signal}); }

  bool before(uint32_t pc, sim::Cost) override {
    auto step = code.steps.find(pc - layout.text);
    if (step != code.steps.end())
      beginStep(step->second);
    else if (std::binary_search(code.kernels.begin(), code.kernels.end(),
                                pc - layout.text))
      beginCall(pc - layout.text);
    return !problem.empty();
  }

  std::vector<TecEvent> events;
  std::string problem;
  size_t numDecisions = 0;
  const sim::Tec *tec = nullptr;

private:
  void add(TecEvent event) { events.push_back(event); }
  void fail(std::string text) {
    if (problem.empty())
      problem = std::move(text);
  }
  void beginStep(uint32_t number);
  void beginCall(uint32_t kernel);
  bool isPresent(const std::vector<uint32_t> &buffers,
                 const std::vector<ProvenanceRange> &ranges) const;

  uint32_t currentStep = 0;
  const Executable &e;
  const Layout &layout;
  const Code &code;
  const std::vector<bool> &decisions;
  sim::Memory &memory;
};

} // namespace

/// Each range begins where a buffer does.
bool Recorder::isPresent(const std::vector<uint32_t> &buffers,
                         const std::vector<ProvenanceRange> &ranges) const {
  return std::all_of(
      ranges.begin(), ranges.end(), [&](const ProvenanceRange &range) {
        return range.region < layout.regions.size() &&
               std::find(buffers.begin(), buffers.end(),
                         layout.regions[range.region] +
                             uint32_t(range.offset)) != buffers.end();
      });
}

/// What a kernel touches the provenance states; that it is given these places,
/// its list of buffers shows. A kernel that is specialised has no parameters
/// before it.
void Recorder::beginCall(uint32_t kernel) {
  add({TecEvent::Kind::Call});
  constexpr size_t kMostBuffers = 32;
  const ProvenanceStep &step = e.provenance().steps[currentStep];
  bool isGeneral =
      std::binary_search(code.general.begin(), code.general.end(), kernel);
  uint32_t list = tec->x(isGeneral ? 11 : 10);
  std::vector<uint32_t> buffers(kMostBuffers);
  // The list lies on the stack, which has more words behind it or ends.
  while (!buffers.empty() &&
         !memory.read(list, buffers.data(), buffers.size() * 4))
    buffers.pop_back();
  if (!isPresent(buffers, step.reads) || !isPresent(buffers, step.writes))
    fail("step " + std::to_string(currentStep) + " calls " + step.kernel +
         " with other buffers than the provenance states");
}

/// A decision is put where the step reads it.
void Recorder::beginStep(uint32_t number) {
  add({TecEvent::Kind::Step, 0, number});
  currentStep = number;
  const ProvenanceStep &step = e.provenance().steps[number];
  if (!isDecision(step))
    return;
  if (step.reads.size() != 1 || step.reads[0].sizeBytes > 8 ||
      step.reads[0].region >= layout.regions.size())
    return fail("the provenance does not say what a decision reads");
  bool isYes = numDecisions < decisions.size() && decisions[numDecisions];
  ++numDecisions;
  uint64_t flag = isYes ? 1 : 0;
  uint64_t address =
      layout.regions[step.reads[0].region] + step.reads[0].offset;
  if (address > UINT32_MAX ||
      !memory.write(uint32_t(address), &flag, step.reads[0].sizeBytes))
    fail("a decision is read from outside memory");
}

uint32_t prove::numSamples(const Executable &e) {
  uint32_t samples = 0;
  for (const isa::SubgraphHeader &graph : e.subgraphs()) {
    uint32_t group = 1;
    size_t at = graph.rodataOffset + 4 * size_t(isa::ParameterGroup);
    if (at + sizeof group <= e.rodata().size())
      std::memcpy(&group, e.rodata().data() + at, sizeof group);
    samples += group == 0;
  }
  return std::max<uint32_t>(1, samples);
}

std::vector<uint64_t> prove::regionSizes(const Executable &e) {
  const isa::Machine &machine = e.machine();
  uint64_t stacks = uint64_t(machine.tecs) * isa::kSramStackBytes;
  isa::TextHeader header{};
  std::memcpy(&header, e.text().data(), sizeof header);
  if (header.stackTopAddress == 0)
    stacks = 0;
  std::vector<uint64_t> sizes = {
      machine.sramBytes - std::min<uint64_t>(stacks, machine.sramBytes),
      e.weights().size(), 0};
  for (const ProvenanceRegion &region : e.provenance().regions)
    if (region.name == "workspace")
      sizes[isa::kWorkspaceRegion] = region.sizeBytes;
  // With several samples, the first one's part.
  uint32_t samples = numSamples(e);
  for (const auto &list : {e.inputs(), e.outputs()})
    for (const IoDescription &io : list)
      sizes.push_back(io.sizeBytes / samples);
  if (!e.variants().empty()) {
    uint64_t words = 0;
    for (const IoDescription &output : e.outputs())
      words += output.shape.size();
    sizes.push_back(4 * words);
  }
  return sizes;
}

std::vector<uint32_t> prove::regionBases(const Executable &e) {
  return Layout(e).regions;
}

void Program::patchParameters(std::vector<uint32_t> &words) const {
  size_t blockWords =
      isa::parameterBlockBytes(uint32_t(layout.regions.size())) / 4;
  for (size_t at = 0; at + blockWords <= words.size(); at += blockWords) {
    words[at + isa::ParameterDescriptors] = layout.descriptors;
    for (size_t r = 0; r < layout.regions.size(); ++r)
      words[at + isa::ParameterRegions + r] = layout.regions[r];
  }
}

bool Program::load() {
  memory = sim::Memory::create(e.machine().sramBytes);
  if (!memory || !memory->growDdr(layout.top))
    return false;
  std::string text(e.text());
  for (uint32_t kernel : code.kernels)
    std::memcpy(&text[kernel], &kReturn, sizeof kReturn);
  std::vector<uint32_t> parameters(e.rodata().size() / 4);
  std::memcpy(parameters.data(), e.rodata().data(), parameters.size() * 4);
  patchParameters(parameters);
  std::string globals = e.globalParameters();
  return memory->write(layout.text, text.data(), text.size()) &&
         memory->write(layout.parameters, parameters.data(),
                       parameters.size() * 4) &&
         memory->write(layout.globals, globals.data(), globals.size());
}

bool Program::runTec(uint32_t number, const std::vector<bool> &decisions,
                     TecEventsResult &result) {
  Recorder recorder(e, layout, code, decisions, *memory);
  sim::Tec tec(*memory, recorder);
  tec.setWatcher(&recorder);
  recorder.tec = &tec;
  const isa::SubgraphHeader &graph = e.subgraphs()[group];
  tec.reset(layout.text + graph.textOffset);
  tec.setX(2, layout.stacks + isa::kStackBytes * number);
  const uint32_t arguments[] = {layout.parameters + graph.rodataOffset,
                                0,
                                0,
                                number,
                                e.machine().tecs,
                                0,
                                e.globalParameters().empty() ? 0
                                                             : layout.globals,
                                0};
  for (unsigned i = 0; i < std::size(arguments); ++i)
    tec.setX(10 + i, arguments[i]);
  sim::TecStop stop = sim::TecStop::Budget;
  while (stop == sim::TecStop::Budget && tec.retired() < kMostInstructions)
    stop = tec.run(uint64_t(1) << 20);
  result.problem = recorder.problem;
  if (result.problem.empty() && stop != sim::TecStop::Ended)
    result.problem =
        stop == sim::TecStop::Budget
            ? "the program of TEC " + std::to_string(number) + " does not end"
            : "the program of TEC " + std::to_string(number) +
                  " faults: " + tec.fault().str();
  if (number == 0) {
    result.numDecisions = recorder.numDecisions;
    result.numOpen = recorder.numDecisions -
                     std::min(recorder.numDecisions, decisions.size());
  }
  result.tecs.push_back(std::move(recorder.events));
  return result.problem.empty();
}

TecEventsResult Program::run(const std::vector<bool> &decisions) {
  TecEventsResult result;
  if (!code.missing.empty()) {
    result.problem = "no symbol of the program is kernel " + code.missing;
    return result;
  }
  for (uint32_t number = 0; number < e.machine().tecs; ++number)
    if (!runTec(number, decisions, result))
      break;
  return result;
}

TecEventsResult prove::runTecs(const Executable &e, uint32_t group,
                               const std::vector<bool> &decisions) {
  TecEventsResult result;
  if (group >= e.subgraphs().size()) {
    result.problem = "there is no group " + std::to_string(group);
    return result;
  }
  Program program(e, group);
  if (program.load())
    return program.run(decisions);
  result.problem = "the host has no memory for the program";
  return result;
}
