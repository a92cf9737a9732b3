//===- ElfLayout.h - The executable file ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Names, magic numbers and packed structures of an executable, as the public
// Compass user-mode driver (version 3, X2) reads them, and Yarrow's own
// conventions, which the driver does not see: the contents of the parameter
// block and the initial registers of a TEC's program. docs/executable.md
// explains them.
//
//   codegen writes, runtime and simulator read:
//     note "rodata"  -> ParameterBlock words (addresses patched at load)
//     note "desc"    -> three descriptor lists, one per queue
//     note "weight"  -> constants
//     note "fmlist"  -> sections of weights, workspace, inputs, outputs
//
// All integers are little-endian 32-bit words without padding.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_ISA_ELFLAYOUT_H
#define YARROW_ISA_ELFLAYOUT_H

#include <cstdint>

namespace yarrow::isa {

//===----------------------------------------------------------------------===//
// ELF container: ELF32, little-endian, ET_EXEC, no program headers
//===----------------------------------------------------------------------===//

constexpr uint16_t kElfMachine = 0x29A;
constexpr const char kTextSection[] = ".text";
constexpr const char kNoteSection[] = ".note.aipu";
/// "Yarrow <version>; target:X2_1204;"
constexpr const char kCommentSection[] = ".comment";
/// UTF-8 JSON (docs/executable.md): which layer and IR line each descriptor and
/// TEC step came from, tensors, memory map. Its presence marks a file as ours.
constexpr const char kProvenanceSection[] = ".yarrow.provenance";
/// Of its keys. 2: with checksums in the file, and every key of the table in
/// docs/executable.md is there. 3: outputs tell what counts their entries. 4:
/// the shapes of each program that the file has.
constexpr int64_t kProvenanceVersion = 4;
/// The linked TEC program as its own ELF (EM_RISCV), for RISC-V tools.
constexpr const char kTecElfSection[] = ".yarrow.tec";
// isa/Checksums.h: the last section.

/// .text starts with this header so that a simulator, which sees only memory,
/// can refuse a genuine Zhouyi program. Execution starts kTextHeaderBytes in.
constexpr char kTextMagic[16] = {'Y', 'A', 'R', 'R', 'O', 'W',  ' ', 'T',
                                 'E', 'C', ' ', 'v', '1', '\n', 0,   0};
constexpr uint32_t kTextHeaderBytes = 64;

/// What a device must know of a program to guard it. Sizes of 0 guard nothing.
struct TextHeader {
  char magic[sizeof(kTextMagic)];
  uint32_t imageBytes; ///< Of .text, this header included.
  uint32_t codeBytes;  ///< The part of it that is executed, header included.
  /// Where the TECs' stacks in SRAM end: task i has the kSramStackBytes below
  /// stackTopAddress - i * kSramStackBytes. 0: they are in DDR.
  uint32_t stackTopAddress;
  uint32_t constantBytes;   ///< Of region 1.
  uint32_t descriptorBytes; ///< Of note "desc".
  uint32_t reserved[7];
};
static_assert(sizeof(TextHeader) == kTextHeaderBytes);

//===----------------------------------------------------------------------===//
// The parameter block (note "rodata", task control block `pp`)
//===----------------------------------------------------------------------===//

constexpr uint32_t kParameterMagic = 0x31575259; // "YRW1"
/// Word offsets in the parameter block.
enum ParameterWord : uint32_t {
  ParameterMagicWord = 0,
  ParameterRegionCount = 1, ///< number of region words that follow
  ParameterDescriptors = 2, ///< address of note "desc" (filled by "remap")
  ParameterGroup = 3,       ///< which group of a program for several cores
  ParameterRegions = 4,     ///< base address of region i at word 4 + i
};
/// Each group of tasks has such a block, one behind the other.
constexpr uint32_t parameterBlockBytes(uint32_t regionCount) {
  return 4 * (ParameterRegions + regionCount);
}
// Region 0 is the SRAM (word holds kSramBaseAddress), region 1 the constants,
// region 2 the workspace in DDR, then one region per input and per output, and
// in a file of several programs one for the shapes of the outputs, which the
// chosen one writes: as words, tensor by tensor, each at its sub-section.
constexpr uint32_t kWeightRegion = 1;
constexpr uint32_t kWorkspaceRegion = 2;
constexpr uint32_t kFirstIoRegion = 3;

//===----------------------------------------------------------------------===//
// TEC start state: x2 = lowest stack address (the program adds the stack size),
// a0 = parameter block, a1 = .rodata, a2 = private data, a3 = task number,
// a4 = task count, a5 = print buffer, a6 = global parameters, a7 = own TCB.
//===----------------------------------------------------------------------===//

/// Of a program with several variants: the function that chooses one, and which
/// traps if the lengths of the inputs are those of none.
constexpr const char kChooseFunction[] = "yarrow_choose";

/// Declared to the driver, which insists on a stack in DDR.
constexpr uint32_t kStackBytes = 64 * 1024;

//===----------------------------------------------------------------------===//
// Notes
//===----------------------------------------------------------------------===//

constexpr const char kNoteRodata[] = "rodata";
constexpr const char kNoteDesc[] = "desc";
constexpr const char kNoteWeight[] = "weight";
constexpr const char kNoteFmlist[] = "fmlist";
constexpr const char kNoteRemap[] = "remap";
constexpr const char kNoteSubgraphs[] = "subgraphs";
constexpr const char kNoteCompilerMsg[] = "compilermsg";
/// Of a file whose inputs have several shapes: what a6 points to, and the
/// bounds that a driver checks: u32 count, then for each input its least and
/// its greatest shape, each as u32 rank and u32 lengths.
constexpr const char kNoteGlobalParameters[] = "globalparam";
constexpr const char kNoteInputShapes[] = "inputshapeconstraint";
/// Of a file whose constants lie in another one: u64 count, then u64 length and
/// name, a plus sign, and the SHA-256 of its bytes in lower case.
constexpr const char kNoteExtraWeights[] = "extra_weight_name";

/// Major | minor << 8 | patch << 16.
constexpr uint32_t versionWord(uint32_t major, uint32_t minor, uint32_t patch) {
  return major | minor << 8 | patch << 16;
}

/// In CompilerMessage::flags: a driver reads the notes about shapes.
constexpr uint32_t kHasInputShapes = 0x40;

struct CompilerMessage {
  uint32_t fileVersion = 0x01010000;
  uint32_t buildVersion; ///< versionWord()
  uint32_t device;       ///< DeviceId::word() of isa/Machine.h
  uint32_t flags = 0;
  uint32_t reserved[8] = {};
};
static_assert(sizeof(CompilerMessage) == 48);

/// How the global parameters begin. The lengths of all inputs follow, one
/// behind the other, which a driver fills in; zeros if an application gave
/// none.
struct GlobalParameters {
  uint32_t inputShapeOffset = sizeof(GlobalParameters); ///< Bytes.
  uint32_t numWords;                                    ///< Lengths, of all.
};
static_assert(sizeof(GlobalParameters) == 8);

struct SubgraphHeader {
  uint32_t id, type;
  uint32_t textOffset;   ///< start address within .text
  uint32_t fmDescOffset; ///< index of the feature map list
  uint32_t rodataOffset, rodataSize;
  uint32_t dcrOffset, dcrSize;
  uint32_t printfFifoSize, profilerBufSize;
  uint32_t privateDataSize; ///< must be greater than 0
  uint32_t warmupLen, reserved2, reserved3;
  int32_t precursorCount; ///< 0 or below; otherwise ids would follow
};
/// In the place of a number of precursors: all subgraphs before are.
constexpr int32_t kAllBeforePrecede = -1;
static_assert(sizeof(SubgraphHeader) == 60);
// then int32_t privateBufferCount.

// fmlist: u32 reserved, u32 reserved, u32 count, then blocks. Inputs and
// outputs are in the first one. Constants of the second come from the first
// extra file.
struct BssHeader {
  uint32_t stackSize, stackAlign, staticCount, reuseCount;
};
struct StaticSection {
  uint32_t srcOffset, size, align, subSectionCount;
};
struct ReuseSection {
  uint32_t size, align, type, subSectionCount;
};
enum SubSectionType : uint32_t {
  SubInput = 0,
  SubOutput = 1,
  SubIntermediate = 3,
  SubConstant = 4,
  SubProfile = 10,          ///< Written by the device: ProfileRecord.
  SubZeroCopyConstant = 15, ///< constants in the same address space as the rest
  SubOutputShape = 16,      ///< Lengths of an output, written by the device.
};
/// A driver skips empty sections, which would shift the numbers of those that
/// follow.
constexpr uint32_t kMinSectionBytes = 64;
struct SubSection {
  uint32_t offset, size, type, id, dataType;
  float scale;
  int32_t zeroPoint;
  uint32_t reserved[3];
  uint32_t addrMask, patchCount;
  // then uint32_t patchOffsets[patchCount]: byte offsets in rodata.
};
static_assert(sizeof(SubSection) == 48);

/// aipu_data_type_t of the driver.
enum DataType : uint32_t {
  DataBool = 1,
  DataU8 = 2,
  DataS8 = 3,
  DataU16 = 4,
  DataS16 = 5,
  DataU32 = 6,
  DataS32 = 7,
  DataU64 = 8,
  DataS64 = 9,
  DataF16 = 10,
  DataF32 = 11,
};

struct RemapEntry {
  uint32_t type, offset, nextType,
      nextOffset; ///< types: 0 rodata, 1 desc, 2 text
};

} // namespace yarrow::isa

#endif // YARROW_ISA_ELFLAYOUT_H
