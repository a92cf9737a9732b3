//===- Lowering.h - State and helpers of the lowering ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Where every tensor lives while layers are lowered one after the other, and
// the pieces that the lowerings of kernel calls share (Lowering.cpp). Graph.cpp
// goes through layers, Program.cpp through the steps of one. One file per kind
// of command: Conv.cpp, Pool.cpp, Sums.cpp, MatMul.cpp, Eltwise.cpp,
// Quotients.cpp, Norms.cpp, SoftmaxPairs.cpp, SoftmaxRows.cpp,
// Pointwise.cpp, Resize.cpp, Movement.cpp, Concat.cpp, Kernel.cpp; Engines.h
// says which kernels have one.
//
// Each lowering answers false when its engine cannot do the call on this
// machine; the TECs do it then. It emits nothing in that case.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PASSES_LOWER_COMMANDS_LOWERING_H
#define YARROW_PASSES_LOWER_COMMANDS_LOWERING_H

#include "dialects/compass/Compass.h"
#include "dialects/compass/Tensors.h"
#include "dialects/compass/graph/States.h"
#include "dialects/npu/Commands.h"
#include "isa/Cost.h"
#include "isa/Machine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/lower/choose/Cascades.h"
#include "passes/lower/choose/ConcatSlices.h"
#include "passes/lower/choose/Division.h"
#include "passes/lower/choose/Epilogues.h"
#include "passes/lower/choose/LowerOptions.h"
#include "passes/lower/choose/PlanarInputs.h"
#include "passes/lower/choose/Residency.h"
#include "passes/lower/choose/RowRuns.h"
#include "passes/lower/choose/WeightStreams.h"
#include "passes/lower/commands/TrialMemo.h"
#include "passes/lower/describe/LayerTable.h"
#include "passes/schedule/TrialCommands.h"
#include "llvm/ADT/DenseMap.h"
#include <unordered_map>

namespace yarrow::kernels {
struct ConcatParams;
struct PoolIntParams;
} // namespace yarrow::kernels

namespace yarrow::npu {

using compass::KernelCall;
using compass::LayerProgram;
using compass::TensorInfo;

/// A tensor's storage: a whole buffer or a part of one.
struct Tensor {
  mlir::Value buffer;
  uint64_t offsetBytes = 0;
  TensorInfo info;
  bool inSram = false;
  /// If it is only a part of the tensor that info describes.
  std::optional<uint64_t> partBytes;
  uint64_t sizeBytes() const { return partBytes.value_or(info.sizeBytes()); }
};

/// Where the inputs of a graph come from and its outputs go, by index. They are
/// asked for when a value is placed.
struct GraphPlaces {
  llvm::function_ref<Tensor(unsigned, mlir::Value)> input, output;
};

/// A state and its region, which holds what it is before a run until a layer,
/// or a copy in the end, writes what it is behind it.
struct KeptState {
  compass::GraphState state;
  Tensor home;
};

/// A call of a layer's program.
struct Step {
  mlir::Operation *op;
  const LayerProgram &program;
  const KernelCall &call;
};

/// The elements of an operand that is known now.
std::optional<compass::ConstantView>
constantOf(const Step &step, const compass::BufferBinding &bound);

/// A tensor [outer][terms][inner] of which the sums [outer][inner] are taken.
struct SumAxes {
  uint64_t outer = 1, terms = 1, inner = 1;
};

/// Weights, then biases, of functions of single elements: each the same for all
/// channels.
struct PlainConstants {
  int8_t weight = 1;
  int32_t bias = 0;
  uint64_t channels = 0;
  uint32_t biasOffset = 0;
  mlir::Value loaded; ///< In SRAM.
};

/// Where commands of a trial go, and what trials know; neither if it is none.
struct Trial {
  TrialCommands *commands = nullptr;
  TrialMemo *memo = nullptr;
};

struct CascadeBands;
struct CascadeStage;
struct ConvJob;
struct ConvTiling;
struct DmaAxis;
struct GroupSums;
struct NormCommands;
struct Pointwise;
struct ResizeLayer;
struct ResizePlan;
struct RowRun;
struct RunStage;

/// Who copies: a copy from DDR into SRAM may run ahead with the loads; the
/// others wait for a producer and would hold the loads up.
isa::Unit queueFor(const Tensor &in, const Tensor &out);

/// Whether the tensor engine has the arithmetic of this pooling.
bool isPoolOfEngine(const kernels::PoolIntParams &p,
                    const isa::Machine &machine);

class Lowering {
public:
  Lowering(mlir::ModuleOp module, const isa::Machine &machine,
           const LowerOptions &options, WeightStreams &streams,
           const Trial &trial, DiagnosticEngine &diags);
  bool run();

  bool lowerConv(const Step &step, mlir::Operation *epilogue,
                 const FusedLayer &fused);
  bool lowerConv(const Step &step) { return lowerConv(step, nullptr, {}); }
  bool lowerPool(const Step &step);
  bool lowerReduce(const Step &step);
  bool lowerMatMul(const Step &step);
  bool lowerResize(const Step &step);
  bool lowerEltwise(const Step &step);
  bool lowerQuotient(const Step &step);
  bool lowerNorm(const Step &step);
  bool lowerSoftmaxPairs(const Step &step);
  bool lowerSoftmaxRows(const Step &step);
  bool lowerTable(const Step &step);
  bool lowerUnary(const Step &step);
  bool lowerCopy(const Step &step);
  bool lowerSplit(const Step &step);
  bool lowerPad(const Step &step);
  bool lowerRepeatedBorder(const Step &step);
  bool lowerConcat(const Step &step);
  /// A kernel beside a layer's own: of \p call the buffers are these.
  void lowerHelper(const Step &step, const LayerProgram &program,
                   const KernelCall &call, llvm::ArrayRef<Tensor> tensors);
  /// On the TECs; \p output is the place of the result if it is another.
  void lowerKernel(const Step &step, const Tensor *output = nullptr);

  //===--- helpers ---===//
  const isa::Machine &getMachine() const { return machine; }
  const LowerOptions &getOptions() const { return options; }
  WeightStreams &getStreams() { return streams; }
  const Tensor &tensorOf(mlir::Value v) const {
    return tensors.find(v)->second;
  }
  /// What is bound to a buffer; a constant gets a place of its own.
  Tensor tensorOf(const Step &step, llvm::StringRef buffer) {
    return tensorOf(step.op, step.call[buffer]);
  }
  Tensor tensorOf(mlir::Operation *op, const compass::BufferBinding &bound);
  /// SRAM that tiles of the current layer may use.
  uint64_t freeSramBytes() const;

  mlir::Value newSram(uint64_t sizeBytes, llvm::StringRef name);
  /// For what a layer computes and reads again, and SRAM has no room for.
  mlir::Value newWorkspace(uint64_t sizeBytes, llvm::StringRef name);
  /// A buffer of the weight region that holds \p data. The two below give the
  /// same one for the same bytes of a layer.
  mlir::Value newConstant(mlir::ElementsAttr data, llvm::StringRef name);
  mlir::Value newConstant(std::vector<char> bytes, llvm::StringRef name);
  /// In a trial: bytes that nobody will ask for.
  mlir::Value newConstantOfSize(uint64_t sizeBytes, llvm::StringRef name);
  /// Of a constant that is bound to a buffer.
  mlir::Value newConstant(const compass::BufferBinding &bound,
                          llvm::StringRef name);

  /// What newConstant has made of the same bytes for this layer, or null.
  mlir::Value findConstant(llvm::ArrayRef<char> bytes) const;

  /// Whether other calls of the layer's program use the same constants.
  bool areRepeated(llvm::ArrayRef<compass::BufferBinding> bindings) const;
  /// A copy of a constant in SRAM that stays there for all calls of the layer;
  /// null if too little would be left for other things.
  mlir::Value keepConstant(mlir::Value constant, llvm::StringRef name);
  /// The copy that an earlier call has made, or null.
  mlir::Value keptConstant(mlir::Value constant) const {
    return keptConstants.lookup(constant);
  }

  /// A copy of a constant in SRAM.
  mlir::Value loadConstant(mlir::Value constant, llvm::StringRef name);
  /// A contiguous copy; the queue follows from the direction.
  void copyBytes(mlir::Value src, uint64_t srcOffset, mlir::Value dst,
                 uint64_t dstOffset, uint64_t sizeBytes);
  /// A general copy on the given queue.
  void emitCopy(isa::Copy copy, mlir::Value src, mlir::Value dst,
                isa::Unit queue);
  void emit(const isa::AnyDescriptor &descriptor,
            llvm::ArrayRef<FieldBuffer> buffers);
  /// The same of a command that no tiling counts: kTilingsAttr holds all that
  /// the tensor engine does for a layer.
  void emitAlone(const isa::AnyDescriptor &descriptor,
                 llvm::ArrayRef<FieldBuffer> buffers);

  /// The tensor in SRAM: itself, or a copy of the whole of it.
  Tensor stageIn(const Tensor &tensor);
  /// A place in SRAM to write the tensor to; finishOut copies it home.
  Tensor stageOut(const Tensor &tensor);
  void finishOut(const Tensor &staged, const Tensor &home);

  /// Those of \p f; several functions of a layer share them.
  PlainConstants plainConstants(const Pointwise &f, uint64_t channels,
                                llvm::StringRef name);
  /// Has the functions that follow in a layer share constants, up to so many
  /// channels.
  void sharePlainConstants(uint64_t channels) { leastPlainChannels = channels; }
  /// Emits a function of single elements (Pointwise.cpp) of tensors that lie
  /// as its steps say; \p lut makes the constant of its table. False if the
  /// engine has no command for it, or the SRAM no room.
  bool emitPointwise(const Step &step, const Pointwise &f, const Tensor &in,
                     const Tensor &other, const Tensor &out,
                     llvm::function_ref<mlir::Value(llvm::StringRef)> lut);

private:
  /// What is known of the graph whose layers are being lowered.
  struct GraphState {
    std::vector<mlir::Operation *> order;
    Residency residency;
    Epilogues fused;
    ConcatTables concatTables;
    /// Transposes that convolutions, the keys, do themselves.
    llvm::DenseMap<mlir::Operation *, mlir::Operation *> planarInputs;
    llvm::DenseSet<mlir::Operation *> absorbed;
    /// By their first layers, in a row in `order`.
    llvm::DenseMap<mlir::Operation *, CascadeChain> chains;
    Division division; ///< Among cores; empty for one.
    /// Layers between barriers, if cores compute runs of them row by row; the
    /// runs by their first layers, and all that these make.
    std::vector<RowLayer> rowLayers;
    std::vector<CorePart> parts;
    llvm::DenseMap<mlir::Operation *, CorePart> runs;
    llvm::DenseSet<mlir::Value> runValues;
    /// Of the layer being lowered, what the core makes; none: all.
    std::optional<Rows> rows;
    ConcatSlices slices; ///< Of tensors that stay in SRAM.
    /// Of those, whose results have been written with their Concat's scale.
    llvm::DenseSet<mlir::Value> requantized;
    /// What has been written where its Concat has it.
    llvm::DenseSet<mlir::Value> joined;
    llvm::DenseMap<mlir::Value, unsigned> outputOf; ///< placed as that output
    unsigned current = 0; ///< position of the layer being lowered
    /// Index of its row, to which commands belong. Outputs are copied for the
    /// last one; -1, no layer, if nothing computes.
    int64_t layer = -1;
    std::vector<Tensor> intermediates; ///< Of the layer being lowered.
    uint64_t intermediateBytes = 0;    ///< Of those in SRAM.
    uint64_t callerBytes = 0;          ///< SRAM that the graph's callers keep.
  };

  /// To be planned only: `trial` gets commands in the place of ops.
  bool isTrial() const { return trial.commands; }
  /// Describes the call as a convolution of the form; false if the engine
  /// cannot do it.
  bool describe(const Step &step, TrialMemo::Form form, ConvLayer &layer);
  /// Emits a layer in the form that was described; false if no tile of it fits.
  bool emitConv(ConvJob &job);
  /// The same, a part of it on each core; false if it is not to be divided, or
  /// cannot be.
  bool emitDivided(ConvJob &job);
  /// The layers of a run, each core its rows of them (RowRun.cpp).
  void lowerRun(const CorePart &run);
  /// Where tensors of the run are, and how its layers are cut; false if one of
  /// them cannot be computed like that.
  bool planRun(RowRun &run);
  bool planConvRows(RowRun &run, RunStage &stage);
  void emitRun(RowRun &run, uint32_t core);
  void emitRunStage(RowRun &run, RunStage &stage, const RunRows &rows);
  void emitConvRows(RunStage &stage, Rows rows);
  /// The tensors of a convolution, where they are now.
  void placeOperands(ConvJob &job) const;
  /// Which layers are runs, if any are to be (RowLayers.cpp).
  void chooseRuns();
  RowLayer rowLayerOf(mlir::Operation *op);
  bool describeRows(mlir::Operation *op, RowLayer &layer);
  bool describePoolRows(mlir::Operation *op, RowLayer &layer) const;
  bool describeJoinRows(mlir::Operation *op, RowLayer &layer) const;
  Division
  divisionOfParts(llvm::function_ref<mlir::Value(mlir::Value)> storageOf) const;
  mlir::Operation *convOf(mlir::Operation *op) const;
  bool isSilent(mlir::Operation *op) const;
  /// What \p emit emits for each core, side by side.
  void emitOnCores(size_t cores, llvm::function_ref<void(size_t)> emit);
  bool isDivided(mlir::Operation *last) const {
    return graph.division.layers.contains(last);
  }
  /// What is behind a described layer, and where its tensors are; false if the
  /// engine lacks something.
  bool prepareConv(ConvJob &job, bool mayFold = true, bool maySplit = true);
  /// Has the layer write to its slice of a Concat, if it has one.
  void placeInConcat(ConvJob &job) const;
  /// The layer's table in SRAM, or null; its load is added to \p work.
  mlir::Value loadTable(const ConvJob &job, isa::WorkCost &work);
  /// \p isWhole: \p work has all copies of the layer's commands.
  void recordConv(const ConvJob &job, const ConvTiling &tiling,
                  const isa::WorkCost &work, bool isWhole = true);
  /// Has the Transpose in front of a convolution done by itself after all.
  void separateTranspose(mlir::Operation *conv);
  /// A chain in the parts that cost least, each in bands or, of one layer, as
  /// ever (Cascade.cpp).
  void lowerChain(llvm::ArrayRef<mlir::Operation *> chain);
  void emitCascade(llvm::ArrayRef<const ConvJob *> jobs,
                   llvm::ArrayRef<CascadeStage> stages, CascadeBands bands);
  /// A copy within the SRAM by the tensor engine; false if the DMA engine does
  /// it as fast (Moves.cpp).
  bool moveInSram(const Step &step, llvm::ArrayRef<DmaAxis> axes,
                  uint32_t elementBytes, const Tensor &in, const Tensor &out);
  /// The same, of a copy into a tensor, from \p firstElement on, whose other
  /// elements have a value.
  bool padInSram(const Step &step, llvm::ArrayRef<DmaAxis> axes,
                 uint32_t elementBytes, int32_t value, const Tensor &in,
                 const Tensor &out, int64_t firstElement);
  /// Requantized sums of \p type with the zero point \p zp (Sums.cpp).
  bool emitSumsOfParts(const Step &step, const SumAxes &axes,
                       kernels::DType type, int32_t zp,
                       const kernels::Requant &r, int64_t most);
  /// MAX and MIN by halves; false if the TECs are to do it.
  bool lowerExtreme(const Step &step, const SumAxes &axes);
  bool emitSums(const Step &step, const SumAxes &axes, kernels::DType type,
                int32_t zp, const kernels::Requant &requant);
  /// An average of whole images as sums; false of other pooling.
  bool lowerGlobalAverage(const Step &step);
  /// Pooling from one place to another; false if a row does not fit the SRAM,
  /// or the engine lacks something.
  bool emitPool(const Step &step, const kernels::PoolIntParams &p,
                const Tensor &in, const Tensor &out);
  /// The sums over groups and of their squares (Norms.cpp).
  void emitGroupSums(const Step &step, const GroupSums &groups,
                     const Tensor &in, const Tensor &sums,
                     const Tensor &squares);
  /// From values to normalised ones (Norms.cpp), in parts of so many indices of
  /// the outermost axis.
  bool emitNormalised(const Step &step, const NormCommands &norm,
                      const Tensor &in, const Tensor &numbers,
                      const Tensor &out, uint64_t partLength);
  /// The branches \p first to \p first + \p count - 1 of a Concat on the TECs,
  /// as a kernel of their own.
  void lowerBranches(const Step &step, const kernels::ConcatParams &p,
                     uint32_t first, uint32_t count, uint64_t begin,
                     const Tensor &out);
  /// All branches, to a result in DDR, in bands of rows that fit the SRAM
  /// (ConcatBands.cpp); false if one of them is for the TECs.
  bool lowerConcatBands(const Step &step, const kernels::ConcatParams &p,
                        const Tensor &out);
  /// The rows of one branch, to their place in a band.
  void emitBandOfBranch(const Step &step, const Pointwise &f, bool isMoved,
                        const Tensor &rows, const Tensor &place);
  /// The commands of a resize that was planned (Resize.cpp).
  void emitResize(const Step &step, const ResizeLayer &layer,
                  const ResizePlan &plan);
  /// Copies slices through SRAM (CopyPieces.cpp); false if that takes longer
  /// than one copy, or none fits.
  bool copyInPieces(llvm::ArrayRef<DmaAxis> axes, const Tensor &in,
                    int64_t srcOffset, const Tensor &out, int64_t dstOffset,
                    uint32_t elementBytes);
  void lowerGraph(mlir::func::FuncOp func, const GraphPlaces &places);
  void placeTensors(mlir::func::FuncOp func, const GraphPlaces &places);
  void chooseResidents();
  /// \p chained: what lies between the layers of cascades.
  Division
  divideAmongCores(llvm::function_ref<mlir::Value(mlir::Value)> storageOf,
                   const llvm::DenseSet<mlir::Value> &chained);
  int64_t gainOfDividing(mlir::Operation *op, mlir::Operation *conv);
  bool sharesOperand(mlir::Operation *op) const;
  void placeIntermediates(mlir::Operation *op, const LayerProgram &program);
  void lowerOp(mlir::Operation *op);
  void lowerAlone(mlir::Operation *op);
  void findRepeatedConstants(const LayerProgram &program);
  void lowerItems(mlir::Operation *op, const LayerProgram &program,
                  llvm::ArrayRef<compass::ProgramItem> items);
  void lowerSubgraph(mlir::Operation *op, const compass::GraphCall &call);
  void lowerControl(mlir::Operation *op, const LayerProgram &program,
                    const compass::ProgramItem &item);
  void lowerStep(const Step &step);
  /// Has the row of the layer say why the TECs compute the call.
  void explainTecs(const Step &step);
  void copyOutputs(mlir::func::FuncOp func, const GraphPlaces &places);
  /// The regions of the network's states (States.cpp).
  void createStates(mlir::func::FuncOp func);
  /// The state that output \p index of \p func becomes, or null.
  const KeptState *stateOfOutput(mlir::func::FuncOp func, unsigned index) const;
  /// Whether a layer may write what the state becomes to its place.
  bool isWrittenInPlace(const KeptState &state) const;
  /// Copies to their places what states have become, in the end.
  void keepStates(mlir::func::FuncOp func);
  uint64_t liveSramBytes() const;
  int64_t currentLayer() const { return graph.layer; }

  mlir::ModuleOp module;
  const isa::Machine &machine;
  const LowerOptions &options;
  WeightStreams &streams;
  Trial trial;
  DiagnosticEngine &diags;
  mlir::OpBuilder builder, bufferBuilder;
  GraphState graph;
  llvm::DenseMap<mlir::Value, Tensor> tensors;
  /// Constants of the layer being lowered: by the hash of their bytes, and by
  /// attribute. The calls of its program share them, step after step.
  std::unordered_multimap<uint64_t, mlir::Value> layerConstants;
  llvm::DenseMap<mlir::ElementsAttr, mlir::Value> layerAttributes;
  /// Those that several calls use, and their copies in SRAM, by what was
  /// copied: the weights of a recurrent layer, for all its steps.
  llvm::DenseSet<const void *> repeatedConstants;
  llvm::DenseMap<mlir::Value, mlir::Value> keptConstants;
  uint64_t keptBytes = 0;
  /// Of those, constants that any number of channels may use.
  llvm::SmallVector<PlainConstants> knownPlain;
  uint64_t leastPlainChannels = 0;
  std::vector<KeptState> states; ///< Of the main graph.
  std::vector<LayerRow> layers;
  llvm::SmallVector<mlir::Attribute> tilings; ///< kTilingsAttr
  mlir::Location loc;
};

} // namespace yarrow::npu

#endif // YARROW_PASSES_LOWER_COMMANDS_LOWERING_H
