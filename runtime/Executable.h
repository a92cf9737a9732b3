//===- Executable.h - A compiled network, read from its file ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Reads and checks aipu.bin: that no byte was changed since it was written
// (Integrity.h), that it is well formed, and that it agrees with itself
// (Consistency.h). The file stays mapped and is shared by all sessions on it;
// nothing in here changes after open().
//
//   std::shared_ptr<const Executable> model = Executable::open(path, diags);
//   for (const IoDescription &input : model->inputs()) ...
//
// A file may have the same network for several shapes of its inputs. Opened, it
// is the one for the largest; the others are executables of the same file:
//
//   model = model->withVariant(0);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_EXECUTABLE_H
#define YARROW_RUNTIME_EXECUTABLE_H

#include "runtime/FeatureMaps.h"
#include "runtime/Provenance.h"
#include "support/MappedFile.h"
#include <memory>

namespace yarrow::runtime {

/// An input or output: real value = (stored + zeroPoint) / scale.
struct IoDescription {
  std::string name;   ///< What the model calls it.
  std::string tensor; ///< What the IR calls it, and the network's layers.
  std::vector<int64_t> shape; ///< Its product is sizeBytes in elements.
  isa::DataType type;
  uint64_t sizeBytes = 0;
  float scale = 1;
  int32_t zeroPoint = 0;
  bool isQuantized = false; ///< Its integers stand for real numbers.
  /// Its stored integers, if they are not all of the type.
  std::optional<std::pair<int64_t, int64_t>> range = {};
  /// Where: a section of FeatureMaps and the offset in it.
  uint32_t section = 0, offset = 0;
};

/// "int8", "float32", ...; "?" for a number that is none.
std::string_view dataTypeName(isa::DataType type);
uint32_t dataTypeBytes(isa::DataType type);

class Executable {
public:
  /// Null after ExecutableMalformed, ExecutableForeign, ExecutableDamaged or
  /// FileUnreadable.
  static std::shared_ptr<const Executable> open(const std::string &path,
                                                DiagnosticEngine &diags);
  /// The same for a file in memory, which must outlive the executable and have
  /// its constants inside.
  static std::shared_ptr<const Executable> parse(std::string_view bytes,
                                                 const std::string &name,
                                                 DiagnosticEngine &diags);

  /// The same of \p bytes that are copied.
  static std::shared_ptr<const Executable> copyOf(std::string_view bytes,
                                                  const std::string &name,
                                                  DiagnosticEngine &diags);

  const std::string &name() const { return fileName; }
  /// Those of the file.
  std::string_view content() const { return bytes; }
  const std::vector<IoDescription> &inputs() const { return inputList; }
  const std::vector<IoDescription> &outputs() const { return outputList; }
  /// What the network keeps from run to run, in a static section each.
  const std::vector<IoDescription> &states() const { return stateList; }
  /// The section of the constants; null if there are none.
  const MemorySection *constants() const;
  const Provenance &provenance() const { return origin; }
  /// The machine it was compiled for.
  const isa::Machine &machine() const { return *origin.machine; }

  /// What there is to choose from; empty if there is nothing.
  const std::vector<ProvenanceVariant> &variants() const {
    return origin.variants;
  }
  /// Which of them inputs and outputs are of.
  size_t variant() const { return chosenVariant; }
  std::shared_ptr<const Executable> withVariant(size_t index) const;
  /// Whether the layer of that number is of the chosen variant.
  bool hasLayer(size_t layer) const;

  /// The whole file.
  std::string_view fileBytes() const { return bytes; }

  // What a loader needs.
  std::string_view text() const { return textBytes; }
  std::string_view rodata() const { return rodataNote; }
  std::string_view descriptors() const { return descNote; }
  std::string_view weights() const { return weightBytes; }
  /// What registers a6 point to, by which the program chooses the variant;
  /// empty if there is none.
  std::string globalParameters() const;
  const FeatureMaps &featureMaps() const { return maps; }
  const std::vector<isa::SubgraphHeader> &subgraphs() const { return graphs; }
  /// The program is divided into groups for several cores.
  bool usesSeveralCores() const { return graphs.size() > 1; }
  const std::vector<isa::RemapEntry> &remaps() const { return remapList; }
  /// The TEC program as an ELF of its own; may be empty.
  std::string_view tecElf() const { return tecBytes; }

  // What a driver reads of the target and of shapes.
  std::string_view comment() const { return commentBytes; }
  std::string_view compilerMessage() const { return compilerNote; }
  std::string_view globalParametersNote() const { return globalNote; }
  std::string_view inputShapesNote() const { return shapesNote; }

private:
  bool read(DiagnosticEngine &diags);
  bool readSubgraphs(std::string_view note, DiagnosticEngine &diags);
  bool readRemaps(std::string_view note, DiagnosticEngine &diags);
  bool readWeights(const ElfFile &elf, DiagnosticEngine &diags);
  bool readTensors(DiagnosticEngine &diags);
  bool readStates(DiagnosticEngine &diags);
  void takeShapes();
  void locateCommands();
  bool malformed(DiagnosticEngine &diags, std::string message) const;

  std::shared_ptr<const MappedFile> file, weightFile;
  std::string fileName;
  std::string_view bytes;
  std::string_view textBytes, rodataNote, descNote, weightBytes, tecBytes;
  std::string_view commentBytes, compilerNote, globalNote, shapesNote;
  FeatureMaps maps;
  std::vector<isa::SubgraphHeader> graphs;
  std::vector<isa::RemapEntry> remapList;
  std::vector<IoDescription> inputList, outputList, stateList;
  Provenance origin;
  size_t chosenVariant = 0;
};

} // namespace yarrow::runtime

#endif // YARROW_RUNTIME_EXECUTABLE_H
