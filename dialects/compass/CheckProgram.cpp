//===- CheckProgram.cpp - Programs against what layers and kernels say ----===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/LayerProgram.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/ProgramMemo.h"
#include "dialects/compass/Records.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::BufferInfo;
using Kind = BufferBinding::Kind;

TensorInfo compass::describe(Operation *op, const LayerProgram &program,
                             const BufferBinding &b) {
  switch (b.kind) {
  case Kind::Operand:
    return describe(op->getOperand(b.index));
  case Kind::Result:
    return describe(op->getResult(b.index));
  case Kind::Intermediate:
    return program.intermediates()[b.index].info;
  case Kind::Constant: {
    TensorInfo info;
    info.setType(b.view.storedType());
    info.shape = b.view.shape;
    return info;
  }
  case Kind::None:
    break;
  }
  llvm_unreachable("a binding of something");
}

uint64_t compass::sizeBytesOf(Operation *op, const LayerProgram &program,
                              const BufferBinding &b) {
  return b.part ? b.part->sizeBytes : describe(op, program, b).sizeBytes();
}

static std::string typeNames(kernels::DTypeSet types) {
  std::string names;
  for (uint32_t i = 0; types >> i; ++i)
    if (kernels::contains(types, DType(i)))
      names += (names.empty() ? "" : ", ") + dtypeName(DType(i)).str();
  return names;
}

static LogicalResult checkCall(Operation *op, const LayerProgram &program,
                               const KernelCall &call) {
  assert(llvm::is_contained(recordOf(op)->kernels(isIntegerLayer(op)),
                            call.symbol()) &&
         "the operator's record names every kernel that is called");
  bool ok = true;
  for (auto [i, b] : llvm::enumerate(call.bindings())) {
    const BufferInfo &buffer = call.bufferOf(i);
    assert((b || buffer.isOptional) && "a buffer is not bound");
    if (!b)
      continue;
    assert(buffer.isOutput
               ? b.kind == Kind::Result || b.kind == Kind::Intermediate
               : true && "only values are written");
    assert(!(b.part && b.kind == Kind::Constant) && "constants are whole");
    TensorInfo info = describe(op, program, b);
    if (sizeBytesOf(op, program, b) == 0) {
      ok = false;
      layerError(op, diag::OpUnsupported,
                 buffer.isOutput ? "layer_top_shape" : "layer_bottom_shape",
                 "the " + StringRef(buffer.name) +
                     " is empty, which is not supported yet if other tensors "
                     "of the layer are not")
          .found(shapeText(info.shape));
    }
    assert((!b.part ||
            b.part->offsetBytes + b.part->sizeBytes <= info.sizeBytes()) &&
           "a part is inside its tensor");
    if (kernels::contains(buffer.types, info.dtype))
      continue;
    ok = false;
    layerError(op, diag::OpUnsupported, "",
               "the kernel " + call.symbol() +
                   " does not support this type of " + StringRef(buffer.name))
        .found(dtypeName(info.storedType()))
        .expected(typeNames(buffer.types));
  }
  return success(ok);
}

static thread_local ProgramMemo *memoOfThread = nullptr;

ProgramMemo::ProgramMemo() : outer(memoOfThread) { memoOfThread = this; }
ProgramMemo::~ProgramMemo() { memoOfThread = outer; }
ProgramMemo *ProgramMemo::current() { return memoOfThread; }

FailureOr<LayerProgram> compass::programOf(Operation *op) {
  ProgramMemo *memo = ProgramMemo::current();
  if (memo)
    if (const LayerProgram *known = memo->find(op))
      return *known;
  LayerProgram program;
  // Kernels, tiles and copies have at least one element.
  auto isEmpty = [](Value v) { return describe(v).numElements() == 0; };
  if (llvm::all_of(op->getResults(), isEmpty))
    return program;
  if (failed(cast<CompassOp>(op).buildProgram(program)))
    return failure();
  for (const KernelCall &call : program.calls())
    if (failed(checkCall(op, program, call)))
      return failure();
  if (memo)
    memo->add(op, program);
  return program;
}
