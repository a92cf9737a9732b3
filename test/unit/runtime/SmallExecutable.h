//===- SmallExecutable.h - An executable of a few instructions --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Builds the bytes of an executable without codegen, so that loader and device
// are tested against the format and not against its writer. The "network" has
// one input of 256 bytes, 64 bytes of constants, and an output of 320 bytes:
// the input and then the constants, copied through SRAM.
//
//   std::string bytes = SmallExecutable().build();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_RUNTIME_SMALLEXECUTABLE_H
#define YARROW_TEST_UNIT_RUNTIME_SMALLEXECUTABLE_H

#include "isa/Descriptors.h"
#include "isa/Machine.h"
#include "test/Seal.h"
#include "test/unit/simulator/Program.h"
#include <cstring>
#include <functional>
#include <string>
#include <string_view>

namespace yarrow {

class SmallExecutable {
public:
  static constexpr uint32_t kInputBytes = 256, kConstantBytes = 64;
  static constexpr uint32_t kOutputBytes = kInputBytes + kConstantBytes;
  static constexpr uint32_t kRegions = 5;

  bool hasProvenance = true, hasChecksums = true;
  uint16_t machineNumber = isa::kElfMachine;
  uint32_t storeRegion = 4;    ///< A wrong one makes the program fault.
  uint32_t signalsAwaited = 1; ///< By the store; there is one.
  /// The program writes to its own text.
  bool writesText = false;
  /// Instructions in the place of the program's, if there are any.
  Program instead;
  /// Descriptors in the place of the ordinary ones, with their layers, if there
  /// are any: all on one queue.
  std::vector<uint32_t> commands;
  std::string queueLayers = R"([[],[{"layer":0},{"layer":1}],[{"layer":1}]])";
  /// Text in the provenance and what stands there instead.
  std::string provenanceText, provenanceChange;
  /// Changes the bytes of a note before it is written, if there is one.
  std::function<void(std::string_view name, std::string &bytes)> changeNote;

  std::string build() const {
    std::string text = bytesOf(program().text());
    std::string notes;
    addNote(notes, isa::kNoteRodata, bytesOf(parameters()));
    addNote(notes, isa::kNoteDesc, bytesOf(descriptors()));
    addNote(notes, isa::kNoteWeight, constants());
    addNote(notes, isa::kNoteFmlist, bytesOf(featureMaps()));
    addNote(notes, isa::kNoteRemap,
            bytesOf({1, 0, isa::ParameterDescriptors * 4, 1, 0}));
    addNote(
        notes, isa::kNoteSubgraphs,
        bytesOf({1, 0, 0, isa::kTextHeaderBytes, 0, 0,
                 uint32_t(parameters().size() * 4), 0,
                 uint32_t(descriptors().size() * 4), 0, 0, 64, 0, 0, 0, 0, 0}));
    std::vector<uint32_t> message(12);
    message[2] = 0x000504B4;
    addNote(notes, isa::kNoteCompilerMsg, bytesOf(message));
    std::string file = elf(
        {{isa::kTextSection, text},
         {isa::kNoteSection, notes},
         {isa::kCommentSection, "target:X2_1204;"},
         {hasProvenance ? isa::kProvenanceSection : ".other", provenance()}});
    return hasChecksums ? sealed(std::move(file)) : file;
  }

  static std::string constants() {
    std::string bytes;
    for (uint32_t i = 0; i < kConstantBytes; ++i)
      bytes += char(200 - i);
    return bytes;
  }

private:
  struct Section {
    const char *name;
    std::string bytes;
  };

  static std::string bytesOf(const std::vector<uint32_t> &words) {
    return {reinterpret_cast<const char *>(words.data()), words.size() * 4};
  }

  static uint32_t loadListBytes() { return 2 * isa::Copy::kLeastWords * 4; }
  std::vector<uint32_t> descriptors() const {
    if (!commands.empty())
      return commands;
    std::vector<uint32_t> words;
    copyBytes(kInputBytes, 3, 0, 0, 0).encode(words);
    copyBytes(kConstantBytes, 1, 0, 0, kInputBytes).encode(words);
    isa::Copy out = copyBytes(kOutputBytes, 0, 0, storeRegion, 0);
    out.waits[unsigned(isa::Unit::DmaLoad)] = 2;
    out.waits[unsigned(isa::Unit::Tec)] = signalsAwaited;
    out.encode(words);
    return words;
  }

  Program program() const {
    Program p = instead;
    p.guarded = true;
    p.header.constantBytes = kConstantBytes;
    p.header.descriptorBytes = uint32_t(descriptors().size() * 4);
    if (p.here() != 0)
      return p;
    p.endUnlessTask0();
    if (writesText) {
      p.word(Program::T0 << 7 | 0x17); // auipc t0, 0
      p.store(Program::T0, Program::T0, 0);
    }
    for (uint32_t region = 1; region < kRegions; ++region) {
      p.load(Program::T1, Program::A0,
             int32_t(isa::ParameterRegions + region) * 4);
      p.addi(Program::T0, Program::Zero, int32_t(region));
      p.npu(1, 0, Program::T0, Program::T1);
    }
    p.load(Program::T0, Program::A0, isa::ParameterDescriptors * 4);
    p.addi(Program::T1, Program::Zero, int32_t(loadListBytes()));
    p.npu(0, 1, Program::T0, Program::T1);
    p.addi(Program::T0, Program::T0, int32_t(loadListBytes()));
    p.addi(Program::T1, Program::Zero, isa::Copy::kLeastWords * 4);
    p.npu(0, 2, Program::T0, Program::T1);
    p.signal();
    p.wait(2, 1);
    p.end();
    return p;
  }

  static std::vector<uint32_t> parameters() {
    std::vector<uint32_t> words(isa::ParameterRegions + kRegions);
    words[isa::ParameterMagicWord] = isa::kParameterMagic;
    words[isa::ParameterRegionCount] = kRegions;
    words[isa::ParameterRegions] = isa::kSramBaseAddress;
    return words;
  }

  /// Size, kind and id of a part that fills its section; region to patch.
  static void addPart(std::vector<uint32_t> &words, uint32_t size,
                      uint32_t type, uint32_t region) {
    uint32_t scale;
    float one = 1;
    std::memcpy(&scale, &one, 4);
    for (uint32_t word :
         {0u, size, type, 0u, uint32_t(isa::DataU8), scale, 0u, 0u, 0u, 0u,
          0xffffffffu, 1u, (isa::ParameterRegions + region) * 4})
      words.push_back(word);
  }
  static std::vector<uint32_t> featureMaps() {
    std::vector<uint32_t> words{0, 0, 1, isa::kStackBytes, 4096, 1, 3};
    words.insert(words.end(), {0, kConstantBytes, 64, 1});
    addPart(words, kConstantBytes, isa::SubZeroCopyConstant, 1);
    auto reuse = [&](uint32_t size, uint32_t type, uint32_t region) {
      words.insert(words.end(), {size, 4096, 0, 1});
      addPart(words, size, type, region);
    };
    reuse(4096, isa::SubIntermediate, 2);
    reuse(kInputBytes, isa::SubInput, 3);
    reuse(kOutputBytes, isa::SubOutput, 4);
    return words;
  }

  std::string provenance() const {
    DiagnosticEngine diags;
    std::string machine = isa::findTarget("X2_1204", diags)->toJson();
    std::string text =
        R"({"version":4,"target":"X2_1204","model":"small","machine":)" +
        machine + R"(,
      "inputs":[{"name":"image","shape":[1,16,16],"type":"uint8","scale":1,"zero_point":0,"region":3,"counted_by":-1}],
      "outputs":[{"name":"result","shape":[1,320],"type":"uint8","scale":1,"zero_point":0,"region":4,"counted_by":-1}],
      "layers":[)" +
        layer("first", 7) + "," + layer("second", 19) + R"(],
      "queues":)" +
        queueLayers + R"(,
      "tec_steps":[{"layer":0,"kernel":"yk_start","pc_begin":64,"pc_end":68}],
      "regions":[{"name":"sram","size":4194304},{"name":"constants","size":64},{"name":"workspace","size":4096}],
      "sram":[{"name":"buffer","offset":0,"size":320,"first_step":0,"last_step":2}],
      "variants":[],"weight_file":"","weight_file_digest":""})";
    if (size_t at = text.find(provenanceText); !provenanceText.empty())
      text.replace(at, provenanceText.size(), provenanceChange);
    return text;
  }
  static std::string layer(const std::string &name, int line) {
    return R"({"name":")" + name +
           R"(","type":"Copy","file":"net.txt","line":)" +
           std::to_string(line) +
           R"(,"macs":0,"weight_bytes":0,"in_bytes":256)" +
           (name == "first" ? R"(,"on_tecs":"no engine has yk_start")" : "") +
           R"(,"out_bytes":320})";
  }

  void addNote(std::string &notes, const std::string &name,
               std::string desc) const {
    if (changeNote)
      changeNote(name, desc);
    uint32_t header[] = {uint32_t(name.size() + 1), uint32_t(desc.size()), 0};
    notes.append(reinterpret_cast<const char *>(header), sizeof header);
    for (std::string part : {name + '\0', desc}) {
      part.resize((part.size() + 3) & ~size_t(3));
      notes += part;
    }
  }

  std::string elf(std::vector<Section> sections) const {
    std::string names(1, '\0');
    std::vector<uint32_t> nameOffsets;
    sections.push_back({".shstrtab", ""});
    for (Section &s : sections) {
      nameOffsets.push_back(uint32_t(names.size()));
      names += s.name;
      names += '\0';
    }
    sections.back().bytes = names;
    std::string file(52, '\0');
    std::string headers(40, '\0');
    for (size_t i = 0; i < sections.size(); ++i) {
      uint32_t header[10] = {nameOffsets[i],
                             1,
                             0,
                             0,
                             uint32_t(file.size()),
                             uint32_t(sections[i].bytes.size())};
      headers.append(reinterpret_cast<const char *>(header), sizeof header);
      file += sections[i].bytes;
      file.resize((file.size() + 3) & ~size_t(3));
    }
    auto put = [&](size_t at, auto value) {
      std::memcpy(&file[at], &value, sizeof value);
    };
    std::memcpy(&file[0],
                "\x7f"
                "ELF\1\1\1",
                7);
    put(16, uint16_t(2));
    put(18, machineNumber);
    put(20, uint32_t(1));
    put(32, uint32_t(file.size()));
    put(40, uint16_t(52));
    put(46, uint16_t(40));
    put(48, uint16_t(sections.size() + 1));
    put(50, uint16_t(sections.size()));
    return file + headers;
  }
};

} // namespace yarrow

#endif // YARROW_TEST_UNIT_RUNTIME_SMALLEXECUTABLE_H
