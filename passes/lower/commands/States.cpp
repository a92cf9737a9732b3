//===- States.cpp - What a network keeps from run to run ------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A state has a region of its own in DDR, one place for what it is and what it
// becomes. What it becomes is written there when nothing reads any more what it
// was: by the layer itself where that is certain for every order of the layers,
// else by a copy behind all layers.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/graph/Graphs.h"
#include "isa/ElfLayout.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/Storage.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

void Lowering::createStates(func::FuncOp func) {
  size_t region = isa::kFirstIoRegion + compass::callerInputs(func).size() +
                  compass::callerOutputs(func).size();
  for (const compass::GraphState &state : compass::graphStates(func)) {
    Tensor home;
    home.info = compass::describe(state.past);
    home.buffer = createBuffer(bufferBuilder, loc, region++, home.sizeBytes(),
                               compass::tensorNameOf(state.past));
    states.push_back({state, home});
  }
}

const KeptState *Lowering::stateOfOutput(func::FuncOp func,
                                         unsigned index) const {
  if (!compass::isMainGraph(func))
    return nullptr;
  for (const KeptState &kept : states)
    if (kept.state.output == index)
      return &kept;
  return nullptr;
}

/// Whether \p to cannot be computed before \p from has been.
static bool dependsOn(Operation *to, Operation *from) {
  llvm::SmallPtrSet<Operation *, 16> seen;
  SmallVector<Operation *> open = {to};
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    for (Value v : op->getOperands())
      if (Operation *maker = v.getDefiningOp()) {
        if (maker == from)
          return true;
        if (seen.insert(maker).second)
          open.push_back(maker);
      }
  }
  return false;
}

/// Only layers that move values: those that compute may do so in bands, side by
/// side with the layers before them.
bool Lowering::isWrittenInPlace(const KeptState &kept) const {
  Operation *writer = kept.state.present.getDefiningOp();
  if (!writer->hasTrait<compass::trait::MovesOnly>() || machine.cores > 1)
    return false;
  // All that has the state's bytes for its own.
  SmallVector<Value> open = {kept.state.past};
  while (!open.empty())
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (isAlias(user)) {
        open.push_back(user->getResult(0));
        continue;
      }
      bool isDoneByOthers =
          graph.fused.convs.contains(user) || graph.absorbed.contains(user);
      if (user->hasTrait<OpTrait::IsTerminator>() || user == writer ||
          isDoneByOthers || !dependsOn(writer, user))
        return false;
    }
  return true;
}

void Lowering::keepStates(func::FuncOp func) {
  if (!compass::isMainGraph(func))
    return;
  auto isState = [&](const Tensor &t) {
    return llvm::any_of(states, [&](const KeptState &kept) {
      return kept.home.buffer == t.buffer;
    });
  };
  std::vector<std::pair<Tensor, Tensor>> copies;
  for (const KeptState &kept : states) {
    Value present = kept.state.present;
    loc = present.getLoc();
    if (auto it = graph.outputOf.find(present);
        it != graph.outputOf.end() && it->second == kept.state.output)
      continue;
    Tensor t = tensorOf(present);
    if (t.sizeBytes() == 0 || t.buffer == kept.home.buffer)
      continue; // it stays what it is
    // Another state as it was, which may be written before it is read.
    if (isState(t)) {
      Tensor saved = t;
      saved.buffer =
          newWorkspace(t.sizeBytes(), compass::tensorNameOf(present));
      saved.offsetBytes = 0;
      copyBytes(t.buffer, t.offsetBytes, saved.buffer, 0, t.sizeBytes());
      t = saved;
    }
    copies.push_back({t, kept.home});
  }
  for (const auto &[from, home] : copies)
    copyBytes(from.buffer, from.offsetBytes, home.buffer, home.offsetBytes,
              from.sizeBytes());
}
