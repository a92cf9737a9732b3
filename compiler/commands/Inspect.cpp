//===- Inspect.cpp - yarrow inspect ---------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "codegen/Disassembler.h"
#include "compiler/commands/Commands.h"
#include "compiler/run/IoFiles.h"
#include "compiler/run/ShapeChoice.h"
#include "isa/Descriptors.h"
#include "prove/Certificate.h"
#include "support/Digest.h"
#include "support/Format.h"
#include "support/TextTable.h"
#include "support/diagnostics/Proofs.h"

#include <CLI/CLI.hpp>

#include <cstring>
#include <filesystem>
#include <map>
#include <sstream>

using namespace yarrow;
using namespace yarrow::runtime;

namespace {
struct InspectFlags {
  std::string executable, certificate;
  bool layers = false, memory = false, disassemble = false;
};
} // namespace

/// What there is to choose from by the shapes of inputs.
static std::string variantList(const Executable &e) {
  if (e.variants().empty())
    return "";
  std::string text = "  programs for inputs of " +
                     std::to_string(e.variants().size()) +
                     " shapes; the layers are those of the last\n";
  for (std::size_t i = 0; i < e.variants().size(); ++i)
    text += "    " + variantText(e, i) + " -> " +
            variantText(e, i, /*isOutputs=*/true) + "\n";
  return text;
}

static std::string overview(const Executable &e) {
  const Provenance &p = e.provenance();
  std::size_t numLayers = 0;
  for (std::size_t i = 0; i < p.layers.size(); ++i)
    numLayers += e.hasLayer(i);
  std::string text = e.name() + ": " +
                     (p.model.empty() ? "a model" : "model " + p.model) +
                     " for " + (p.target.empty() ? "?" : p.target) + ", " +
                     formatCount(numLayers) + " layers\n";
  if (std::size_t groups = e.subgraphs().size(); e.usesSeveralCores()) {
    auto barriers =
        std::count_if(e.subgraphs().begin(), e.subgraphs().end(),
                      [](const isa::SubgraphHeader &group) {
                        return group.precursorCount == isa::kAllBeforePrecede;
                      });
    text += "  " + formatCount(groups) + " groups of commands for " +
            std::to_string(e.machine().cores) + " cores, " +
            formatCount(std::uint64_t(barriers)) +
            " of which wait for all groups before them\n";
  }
  for (const IoDescription &input : e.inputs())
    text += "  input   " + describeTensor(input) + "\n";
  for (const IoDescription &output : e.outputs())
    text += "  output  " + describeTensor(output) + "\n";
  for (std::size_t i = 0; i < e.states().size(); ++i)
    text += "  state   " + describeTensor(e.states()[i]) + ", becomes " +
            p.states[i].becomes + "\n";
  return text + variantList(e);
}

/// What of the weights comes as streams, in words; "" if nothing does.
static std::string streamsText(const Executable &e) {
  std::vector<uint32_t> words(e.descriptors().size() / sizeof(uint32_t));
  std::memcpy(words.data(), e.descriptors().data(),
              words.size() * sizeof(uint32_t));
  // A stream may be loaded several times.
  std::map<std::pair<uint32_t, uint32_t>, isa::Copy> streams;
  for (std::size_t at = 0; at < words.size();) {
    std::optional<isa::AnyDescriptor> command =
        isa::decode(std::span(words).subspan(at));
    if (!command)
      break;
    if (const auto *copy = std::get_if<isa::Copy>(&*command);
        copy && copy->streamBytes != 0)
      streams[{copy->srcRegion, copy->src}] = *copy;
    at += isa::descriptorWords(words[at]);
  }
  uint64_t bytes = 0, decodedBytes = 0;
  for (const auto &[place, copy] : streams) {
    bytes += copy.streamBytes;
    decodedBytes += copy.size0;
  }
  return bytes == 0 ? ""
                    : "; " + formatCount(bytes) + " as streams of " +
                          formatCount(decodedBytes);
}

static std::string sizes(const Executable &e, std::size_t width) {
  TextTable table;
  table.column("part").number("bytes").column("what").wrapped();
  auto row = [&](const char *part, std::size_t size, const std::string &what) {
    table.row({part, formatCount(size), what});
  };
  row(".text", e.text().size(), "TEC program, RISC-V");
  row("desc", e.descriptors().size(), "descriptors of the engines");
  row("rodata", e.rodata().size(), "parameters");
  const std::string &file = e.provenance().weightFile.name;
  uint64_t stateBytes = 0;
  for (const IoDescription &state : e.states())
    stateBytes += e.featureMaps().sections[state.section].sizeBytes;
  row("weight", e.weights().size() - stateBytes,
      "weights, biases, tables" + streamsText(e) +
          (file.empty() ? "" : "; in " + file));
  if (!e.states().empty())
    row("state", stateBytes, "DDR, kept from run to run");
  uint64_t workspace = 0;
  for (const MemorySection &section : e.featureMaps().sections)
    if (!section.isStatic)
      workspace += section.sizeBytes;
  row("workspace", workspace,
      "DDR, for inputs, outputs and tensors between layers");
  return table.str(width);
}

static std::string layerTable(const Executable &e, std::size_t width) {
  const Provenance &p = e.provenance();
  std::vector<uint64_t> commands(p.layers.size()), steps(p.layers.size());
  for (const std::vector<int64_t> &queue : p.queueLayers)
    for (int64_t layer : queue)
      if (layer >= 0)
        ++commands[std::size_t(layer)];
  for (const ProvenanceStep &step : p.steps)
    if (step.layer >= 0)
      ++steps[std::size_t(step.layer)];
  TextTable table;
  table.column("layer").shortened().column("type").optional(3);
  table.number("commands").optional(2).number("TEC steps").optional(1);
  table.number("MACs").number("weights").number("in").optional(5);
  table.number("out").optional(4).column("from").shortened();
  for (std::size_t i = 0; i < p.layers.size(); ++i) {
    if (!e.hasLayer(i))
      continue;
    const ProvenanceLayer &l = p.layers[i];
    table.row({l.name, l.type, formatCount(commands[i]), formatCount(steps[i]),
               formatCount(l.macs), formatCount(l.weightBytes),
               formatCount(l.inBytes), formatCount(l.outBytes),
               l.file.empty() ? "" : l.file + ":" + std::to_string(l.line)});
  }
  return table.str(width);
}

/// Which part of [0, whole) a buffer covers, as a bar.
static std::string bar(uint64_t offset, uint64_t size, uint64_t whole) {
  constexpr uint64_t kWidth = 20;
  std::string text(kWidth, '.');
  if (!whole)
    return text;
  uint64_t first = std::min(offset * kWidth / whole, kWidth - 1);
  uint64_t last = std::min((offset + size) * kWidth / whole, kWidth);
  for (uint64_t i = first; i < std::max(last, first + 1); ++i)
    text[i] = '#';
  return text;
}

static std::string memoryMap(const Executable &e, std::size_t width) {
  const Provenance &p = e.provenance();
  uint64_t sram = e.machine().sramBytes;
  TextTable table;
  table.column("SRAM buffer").shortened().number("offset").number("bytes");
  table.number("from").number("to step").column("where").optional(1);
  for (const ProvenanceBuffer &b : p.sram)
    table.row({b.name, formatCount(b.offset), formatCount(b.sizeBytes),
               std::to_string(b.firstStep), std::to_string(b.lastStep),
               bar(b.offset, b.sizeBytes, sram)});
  std::string text =
      table.empty() ? "there are no buffers in SRAM\n" : table.str(width);
  TextTable ddr;
  ddr.column("DDR section").number("bytes").number("align").number("parts");
  for (std::size_t i = 0; i < e.featureMaps().sections.size(); ++i) {
    const MemorySection &s = e.featureMaps().sections[i];
    bool isState = s.isStatic && &s != e.constants();
    ddr.row({std::to_string(i) + (isState      ? " state"
                                  : s.isStatic ? " weights"
                                               : " data"),
             formatCount(s.sizeBytes), std::to_string(s.alignBytes),
             std::to_string(s.parts.size())});
  }
  return text + "\n" + ddr.str(width);
}

/// "layer 3 /fc/Gemm (net.txt:40)"
static std::string originText(const Provenance &p, int64_t layer) {
  if (layer < 0 || std::size_t(layer) >= p.layers.size())
    return "no layer";
  const ProvenanceLayer &l = p.layers[std::size_t(layer)];
  std::string text = "layer " + std::to_string(layer) + " " + l.name;
  if (!l.file.empty())
    text += " (" + l.file + ":" + std::to_string(l.line) + ")";
  return text;
}

/// The queues' descriptors lie one queue after the other.
static std::string disassembly(const Executable &e) {
  const Provenance &p = e.provenance();
  std::vector<std::string> descriptorOrigins;
  for (unsigned q = 0; q < isa::kNumQueues; ++q)
    for (int64_t layer : p.queueLayers[q])
      descriptorOrigins.push_back(std::string(isa::name(isa::Unit(q))) + ": " +
                                  originText(p, layer));
  std::vector<TextOrigin> textOrigins;
  textOrigins.reserve(p.steps.size());
  for (const ProvenanceStep &step : p.steps)
    textOrigins.push_back({uint32_t(step.pcBegin), uint32_t(step.pcEnd),
                           originText(p, step.layer)});
  std::ostringstream os;
  os << "descriptors:\n";
  disassembleDescriptors(os, e.descriptors(), descriptorOrigins);
  os << "\nTEC program:\n";
  disassembleTec(os, e.text(), e.tecElf(), textOrigins);
  return os.str();
}

/// What `yarrow prove` showed of this file, if that was kept: as \p path, or
/// beside it. None after CertificateForeign.
static std::optional<std::string>
certificateText(const Executable &e, const std::string &path, Driver &driver) {
  std::filesystem::path file = path;
  std::error_code ignored;
  if (path.empty())
    file = std::filesystem::path(e.name()).parent_path() / "certificate.json";
  if (path.empty() && !std::filesystem::exists(file, ignored))
    return "";
  auto bytes = MappedFile::open(file.string(), driver.diags);
  if (!bytes)
    return std::nullopt;
  auto certificate = prove::Certificate::parse(bytes->text());
  std::string digest = digestText(digestOf(e.fileBytes()));
  if (certificate && certificate->digest == digest)
    return "\nproved: it " + certificate->text();
  if (path.empty())
    return "\n" + file.string() + " is not a certificate for this file\n";
  driver.diags
      .report(diag::CertificateForeign, {file.string()},
              certificate ? "the certificate is for another executable"
                          : "the file is not a certificate of `yarrow prove`")
      .found(certificate
                 ? certificate->digest + " of " + certificate->executable
                 : "something else")
      .expected(digest + " of " + e.name());
  return std::nullopt;
}

static bool inspect(const InspectFlags &flags, Driver &driver) {
  std::shared_ptr<const Executable> e =
      Executable::open(flags.executable, driver.diags);
  if (!e)
    return false;
  auto proved = certificateText(*e, flags.certificate, driver);
  if (!proved)
    return false;
  driver.printLine(overview(*e));
  if (!flags.layers && !flags.memory && !flags.disassemble)
    driver.printLine("\n" + sizes(*e, driver.tableWidth()));
  if (flags.layers)
    driver.printLine("\n" + layerTable(*e, driver.tableWidth()));
  if (flags.memory)
    driver.printLine("\n" + memoryMap(*e, driver.tableWidth()));
  if (flags.disassemble)
    driver.printLine("\n" + disassembly(*e));
  driver.printLine(*proved);
  return true;
}

void yarrow::addInspectCommand(CLI::App &app, Driver &driver) {
  auto flags = std::make_shared<InspectFlags>();
  CLI::App *command =
      app.add_subcommand("inspect", "Show what is in an executable");
  command->add_option("executable", flags->executable, "aipu.bin")->required();
  command->add_flag("--layers", flags->layers,
                    "Show layers with their commands and where they came from");
  command->add_flag("--memory", flags->memory,
                    "Show buffers in SRAM and sections of DDR");
  command->add_flag(
      "--disassemble", flags->disassemble,
      "Show descriptors and TEC code with the layers that they belong to");
  command->add_option("--certificate", flags->certificate,
                      "Show this certificate of `yarrow prove -o` (default: "
                      "certificate.json next to the executable, if it exists)");
  command->footer(
      std::string("Example:\n"
                  "  yarrow inspect aipu.bin --layers --memory\n\n") +
      kExitCodeHelp);
  command->callback(
      [flags, &driver] { driver.finish(inspect(*flags, driver)); });
}
