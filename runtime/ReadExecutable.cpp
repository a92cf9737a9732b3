//===- ReadExecutable.cpp - A compiled network, read from its file --------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "runtime/Executable.h"

#include "isa/Descriptors.h"
#include "runtime/Consistency.h"
#include "runtime/Integrity.h"
#include "runtime/VariantConsistency.h"

#include "support/Digest.h"
#include "support/FileKind.h"
#include "support/FileName.h"
#include "support/diagnostics/Executables.h"

#include <algorithm>
#include <cassert>
#include <filesystem>

using namespace yarrow;
using namespace yarrow::runtime;

namespace {
struct TypeRecord {
  std::string_view name;
  uint32_t bytes;
};
} // namespace

/// By isa::DataType.
static constexpr TypeRecord dataTypes[] = {
    {"?", 0},      {"bool", 1},  {"uint8", 1},   {"int8", 1},
    {"uint16", 2}, {"int16", 2}, {"uint32", 4},  {"int32", 4},
    {"uint64", 8}, {"int64", 8}, {"float16", 2}, {"float32", 4}};

static const TypeRecord &record(isa::DataType type) {
  return dataTypes[type < std::size(dataTypes) ? type : 0];
}
std::string_view runtime::dataTypeName(isa::DataType type) {
  return record(type).name;
}
uint32_t runtime::dataTypeBytes(isa::DataType type) {
  return record(type).bytes;
}

bool Executable::malformed(DiagnosticEngine &diags, std::string message) const {
  diags.report(diag::ExecutableMalformed, {fileName}, std::move(message));
  return false;
}

bool Executable::readSubgraphs(std::string_view note, DiagnosticEngine &diags) {
  WordReader reader(note);
  uint32_t count = reader.word();
  if (count == 0 || uint64_t(count) * sizeof(isa::SubgraphHeader) > note.size())
    return malformed(diags,
                     "note \"subgraphs\" has no subgraph or is too short");
  for (uint32_t i = 0; i < count; ++i) {
    uint32_t words[sizeof(isa::SubgraphHeader) / 4];
    for (uint32_t &word : words)
      word = reader.word();
    isa::SubgraphHeader graph;
    std::memcpy(&graph, words, sizeof graph);
    uint32_t privateBuffers = reader.word();
    if (!reader.ok() || graph.precursorCount > 0 || privateBuffers != 0)
      return malformed(diags, "subgraph " + std::to_string(i) +
                                  " has parts that Yarrow does not write");
    if (graph.textOffset >= textBytes.size() || graph.textOffset % 4 != 0 ||
        graph.rodataOffset >= rodataNote.size() || graph.fmDescOffset != 0)
      return malformed(diags, "subgraph " + std::to_string(i) +
                                  " starts outside of the program");
    if (graph.privateDataSize == 0 || graph.privateDataSize > (64u << 20))
      return malformed(diags, "subgraph " + std::to_string(i) +
                                  " has an invalid size of private data");
    graphs.push_back(graph);
  }
  return true;
}

bool Executable::readRemaps(std::string_view note, DiagnosticEngine &diags) {
  WordReader reader(note);
  uint32_t count = reader.word();
  if (uint64_t(count) * sizeof(isa::RemapEntry) > note.size())
    return malformed(diags, "note \"remap\" ends early");
  const uint64_t sizes[] = {rodataNote.size(), descNote.size(),
                            textBytes.size()};
  for (uint32_t i = 0; i < count; ++i) {
    isa::RemapEntry entry;
    entry.type = reader.word();
    entry.offset = reader.word();
    entry.nextType = reader.word();
    entry.nextOffset = reader.word();
    if (!reader.ok() || entry.type > 2 || entry.nextType > 2 ||
        uint64_t(entry.offset) + 4 > sizes[entry.type] ||
        entry.nextOffset > sizes[entry.nextType])
      return malformed(diags,
                       "note \"remap\" refers to data that does not exist");
    remapList.push_back(entry);
  }
  return true;
}

bool Executable::readTensors(DiagnosticEngine &diags) {
  struct Found {
    uint32_t id;
    IoDescription io;
  };
  std::vector<Found> found[2];
  for (uint32_t s = 0; s < maps.sections.size(); ++s)
    for (const MemorySubSection &part : maps.sections[s].parts) {
      const isa::SubSection &f = part.fields;
      if (f.type != isa::SubInput && f.type != isa::SubOutput)
        continue;
      IoDescription io;
      io.type = isa::DataType(f.dataType);
      io.sizeBytes = f.size;
      io.scale = f.scale;
      io.zeroPoint = f.zeroPoint;
      io.section = s;
      io.offset = f.offset;
      found[f.type == isa::SubOutput].push_back({f.id, io});
    }
  for (bool isOutput : {false, true}) {
    std::vector<Found> &list = found[isOutput];
    std::stable_sort(
        list.begin(), list.end(),
        [](const Found &a, const Found &b) { return a.id < b.id; });
    const std::vector<ProvenanceTensor> &names =
        isOutput ? origin.outputs : origin.inputs;
    for (uint32_t i = 0; i < list.size(); ++i) {
      IoDescription &io = list[i].io;
      if (list[i].id != i)
        return malformed(diags, "the ids of inputs or outputs have gaps");
      if (i < names.size()) {
        io.name = names[i].modelName;
        io.tensor = names[i].name;
        io.isQuantized = names[i].isQuantized;
        io.range = names[i].range;
        io.shape = names[i].shape;
      }
      (isOutput ? outputList : inputList).push_back(io);
    }
  }
  return true;
}

const MemorySection *Executable::constants() const {
  auto first = std::find_if(maps.sections.begin(), maps.sections.end(),
                            [](const MemorySection &s) { return s.isStatic; });
  auto numStatic =
      std::count_if(maps.sections.begin(), maps.sections.end(),
                    [](const MemorySection &s) { return s.isStatic; });
  return size_t(numStatic) > origin.states.size() ? &*first : nullptr;
}

static std::optional<isa::DataType> dataTypeOf(const std::string &name) {
  for (uint32_t type = 1; type < std::size(dataTypes); ++type)
    if (dataTypes[type].name == name)
      return isa::DataType(type);
  return std::nullopt;
}

/// Each has a static section behind that of the constants.
bool Executable::readStates(DiagnosticEngine &diags) {
  std::vector<uint32_t> sections;
  for (uint32_t s = 0; s < maps.sections.size(); ++s)
    if (maps.sections[s].isStatic && &maps.sections[s] != constants())
      sections.push_back(s);
  if (sections.size() != origin.states.size())
    return malformed(diags, "the list of buffers differs in the number of "
                            "states from the provenance");
  for (size_t i = 0; i < sections.size(); ++i) {
    const ProvenanceState &from = origin.states[i];
    IoDescription io;
    io.name = from.modelName;
    io.tensor = from.name;
    io.shape = from.shape;
    io.scale = float(from.scale);
    io.zeroPoint = int32_t(from.zeroPoint);
    io.isQuantized = from.isQuantized;
    io.section = sections[i];
    std::optional<isa::DataType> type = dataTypeOf(from.type);
    std::optional<uint64_t> bytes =
        type ? tensorBytes(from.shape, dataTypeBytes(*type)) : std::nullopt;
    if (!bytes || *bytes > maps.sections[sections[i]].sizeBytes)
      return malformed(diags, "the state '" + from.name +
                                  "' is not inside its memory section");
    io.type = *type;
    io.sizeBytes = *bytes;
    stateList.push_back(std::move(io));
  }
  return true;
}

/// The constants: a note, or a file beside this one.
bool Executable::readWeights(const ElfFile &elf, DiagnosticEngine &diags) {
  const ProvenanceWeightFile &from = origin.weightFile;
  if (elf.note(isa::kNoteExtraWeights).has_value() != !from.name.empty())
    return malformed(diags, "note \"extra_weight_name\" and the provenance do "
                            "not both name a file of constants");
  if (from.name.empty()) {
    weightBytes = elf.note(isa::kNoteWeight).value_or("");
    return true;
  }
  if (std::string_view why = whyNoFileName(from.name); !why.empty())
    return malformed(diags, "the name of the file of constants is not valid: " +
                                std::string(why));
  if (!file)
    return malformed(diags, "the constants are in a file next to the "
                            "executable, but the executable is in memory");
  std::string path =
      (std::filesystem::path(fileName).parent_path() / from.name).string();
  weightFile = MappedFile::open(path, diags);
  if (!weightFile)
    return false;
  weightBytes = weightFile->text();
  std::string digest = digestText(digestOf(weightBytes));
  if (digest == from.digest)
    return true;
  diags
      .report(diag::ExecutableDamaged, {path},
              "the constants are not those that the executable was built with")
      .found(digest + " of " + std::to_string(weightBytes.size()) + " bytes")
      .expected(from.digest)
      .hint("build the executable again, or copy both files again from their "
            "origin");
  return false;
}

/// Sizes of inputs and outputs, as the chosen variant has them.
void Executable::takeShapes() {
  const ProvenanceVariant &variant = origin.variants[chosenVariant];
  auto take = [](const std::vector<std::vector<int64_t>> &shapes,
                 std::vector<IoDescription> &tensors) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      tensors[i].shape = shapes[i];
      tensors[i].sizeBytes = dataTypeBytes(tensors[i].type);
      for (int64_t length : shapes[i])
        tensors[i].sizeBytes *= uint64_t(length);
    }
  };
  take(variant.inputs, inputList);
  take(variant.outputs, outputList);
}

std::shared_ptr<const Executable> Executable::withVariant(size_t index) const {
  assert(index < variants().size() && "no variant has this number");
  auto other = std::make_shared<Executable>(*this);
  other->chosenVariant = index;
  other->takeShapes();
  return other;
}

bool Executable::hasLayer(size_t layer) const {
  if (variants().empty())
    return true;
  size_t next = chosenVariant + 1;
  return layer >= variants()[chosenVariant].firstLayer &&
         (next == variants().size() || layer < variants()[next].firstLayer);
}

std::string Executable::globalParameters() const {
  std::string bytes(globalNote);
  size_t at = sizeof(isa::GlobalParameters);
  if (!variants().empty())
    for (const std::vector<int64_t> &shape : variants()[chosenVariant].inputs)
      for (int64_t length : shape) {
        uint32_t word = uint32_t(length);
        std::memcpy(&bytes[at], &word, sizeof word);
        at += sizeof word;
      }
  return bytes;
}

/// The queues' lists lie one after the other; what is wrong with them, the
/// check of consistency tells.
void Executable::locateCommands() {
  uint64_t offset = 0;
  for (const std::vector<int64_t> &queue : origin.queueLayers)
    for (int64_t layer : queue) {
      if (offset >= descNote.size())
        return;
      origin.commandLayers.push_back({uint32_t(offset), layer});
      WordReader reader(descNote.substr(offset));
      offset += 4 * isa::descriptorWords(reader.word());
    }
}

bool Executable::read(DiagnosticEngine &diags) {
  std::optional<isa::ChecksumTable> checksums = isa::findChecksums(bytes);
  if (checksums && !checkIntegrity(bytes, *checksums, fileName, diags))
    return false;
  std::optional<ElfFile> elf = ElfFile::parse(bytes, fileName, diags);
  if (!elf)
    return false;
  auto provenance = elf->section(isa::kProvenanceSection);
  if (!provenance) {
    diags
        .report(diag::ExecutableForeign, {fileName},
                "the executable was not made by Yarrow")
        .hint("give an executable of `yarrow build`: the vendor's compiler "
              "uses instructions that are not public");
    return false;
  }
  if (!checksums) {
    diags
        .report(diag::ExecutableMalformed, {fileName},
                "the executable does not end in its checksums")
        .hint("build it again: an earlier version of Yarrow wrote it, or "
              "another program changed it");
    return false;
  }
  textBytes = elf->section(isa::kTextSection).value_or("");
  rodataNote = elf->note(isa::kNoteRodata).value_or("");
  descNote = elf->note(isa::kNoteDesc).value_or("");
  globalNote = elf->note(isa::kNoteGlobalParameters).value_or("");
  shapesNote = elf->note(isa::kNoteInputShapes).value_or("");
  tecBytes = elf->section(isa::kTecElfSection).value_or("");
  commentBytes = elf->section(isa::kCommentSection).value_or("");
  compilerNote = elf->note(isa::kNoteCompilerMsg).value_or("");
  if (textBytes.empty() || rodataNote.empty())
    return malformed(diags, "the executable has no program or no parameters");
  auto fmlist = elf->note(isa::kNoteFmlist);
  auto subgraphs = elf->note(isa::kNoteSubgraphs);
  if (!fmlist || !subgraphs)
    return malformed(diags, "note \"fmlist\" or note \"subgraphs\" is missing");
  auto parsedOrigin = parseProvenance(*provenance, fileName, diags);
  if (!parsedOrigin)
    return false;
  origin = std::move(*parsedOrigin);
  locateCommands();
  if (!readWeights(*elf, diags))
    return false;
  auto parsedMaps =
      parseFeatureMaps(*fmlist, rodataNote.size() + descNote.size(),
                       weightBytes.size(), fileName, diags);
  if (!parsedMaps)
    return false;
  maps = std::move(*parsedMaps);
  if (auto remap = elf->note(isa::kNoteRemap))
    if (!readRemaps(*remap, diags))
      return false;
  if (!readSubgraphs(*subgraphs, diags) || !readTensors(diags) ||
      !readStates(diags) || !checkConsistency(*this, diags))
    return false;
  if (!origin.variants.empty()) {
    chosenVariant = origin.variants.size() - 1;
    takeShapes();
  }
  return true;
}

std::shared_ptr<const Executable> Executable::open(const std::string &path,
                                                   DiagnosticEngine &diags) {
  auto executable = std::make_shared<Executable>();
  executable->file = MappedFile::open(path, diags);
  if (!executable->file || !isKind(FileKind::Elf, executable->file->bytes(),
                                   path, diag::ExecutableMalformed, diags))
    return nullptr;
  executable->fileName = path;
  executable->bytes = executable->file->text();
  return executable->read(diags) ? executable : nullptr;
}

std::shared_ptr<const Executable> Executable::copyOf(std::string_view bytes,
                                                     const std::string &name,
                                                     DiagnosticEngine &diags) {
  auto executable = std::make_shared<Executable>();
  executable->file =
      MappedFile::ofMemory(name, std::as_bytes(std::span(bytes)));
  executable->fileName = name;
  executable->bytes = executable->file->text();
  return executable->read(diags) ? executable : nullptr;
}

std::shared_ptr<const Executable> Executable::parse(std::string_view bytes,
                                                    const std::string &name,
                                                    DiagnosticEngine &diags) {
  auto executable = std::make_shared<Executable>();
  executable->fileName = name;
  executable->bytes = bytes;
  return executable->read(diags) ? executable : nullptr;
}
