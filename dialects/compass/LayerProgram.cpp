//===- LayerProgram.cpp - The kernels that compute a layer ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerProgram.h"
#include "dialects/compass/Compass.h"
#include "dialects/compass/LayerError.h"
#include "dialects/compass/Layers.h"
#include "dialects/compass/Records.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;
using kernels::BufferInfo;
using Kind = BufferBinding::Kind;

static BufferBinding binding(Kind kind, unsigned index) {
  BufferBinding b;
  b.kind = kind;
  b.index = index;
  return b;
}

BufferBinding compass::operand(unsigned index) {
  return binding(Kind::Operand, index);
}

BufferBinding compass::result(unsigned index) {
  return binding(Kind::Result, index);
}

BufferBinding compass::constant(ElementsAttr attr) {
  BufferBinding b;
  auto view = attr ? viewConstant(attr) : std::nullopt;
  if (!view)
    return b;
  b.kind = Kind::Constant;
  b.view = *view;
  b.attr = attr;
  return b;
}

BufferBinding compass::constant(ArrayRef<int64_t> shape, DType type,
                                std::vector<char> bytes) {
  BufferBinding b;
  b.kind = Kind::Constant;
  b.owned = std::make_shared<const std::vector<char>>(std::move(bytes));
  b.view = {type, SmallVector<int64_t>(shape), *b.owned};
  return b;
}

//===----------------------------------------------------------------------===//
// KernelCall
//===----------------------------------------------------------------------===//

KernelCall::KernelCall(const kernels::KernelInfo &kernel, const void *params)
    : kernel(&kernel),
      paramBytes(static_cast<const char *>(params),
                 static_cast<const char *>(params) + kernel.paramsBytes),
      bound(kernel.buffers.size() - kernel.isVariadic()) {}

bool KernelCall::has(StringRef name) const {
  return llvm::any_of(kernel->buffers, [&](const BufferInfo &buffer) {
    return StringRef(buffer.name) == name;
  });
}

size_t KernelCall::positionOf(StringRef name) const {
  size_t position = 0;
  for (const BufferInfo &buffer : kernel->buffers) {
    if (StringRef(buffer.name) == name)
      return position;
    position += buffer.isVariadic ? variadicLength() : 1;
  }
  llvm_unreachable("the kernel has a buffer of this name");
}

const BufferInfo &KernelCall::bufferOf(size_t binding) const {
  size_t end = 0;
  for (const BufferInfo &buffer : kernel->buffers) {
    end += buffer.isVariadic ? variadicLength() : 1;
    if (binding < end)
      return buffer;
  }
  llvm_unreachable("the call has this binding");
}

BufferBinding &KernelCall::operator[](StringRef name) {
  return bound[positionOf(name)];
}

void KernelCall::append(StringRef name, BufferBinding binding) {
  size_t end = positionOf(name) + variadicLength();
  bound.insert(bound.begin() + end, std::move(binding));
}

KernelCall &KernelCall::bindInOut() {
  (*this)["input"] = operand(0);
  (*this)["output"] = result(0);
  return *this;
}

KernelCall &KernelCall::bindBinary() {
  (*this)["a"] = operand(0);
  (*this)["b"] = operand(1);
  (*this)["output"] = result(0);
  return *this;
}

BufferBinding LayerProgram::intermediate(std::string name, TensorInfo info,
                                         unsigned step) {
  values.push_back({std::move(name), std::move(info), step});
  return binding(Kind::Intermediate, values.size() - 1);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

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
    info.dtype = b.view.dtype;
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
    assert((!b.part ||
            b.part->offsetBytes + b.part->sizeBytes <= info.sizeBytes()) &&
           "a part lies in its tensor");
    if (kernels::contains(buffer.types, info.dtype))
      continue;
    ok = false;
    layerError(op, DiagId::OpUnsupported, "",
               "the kernel " + call.symbol() + " does not take this type of " +
                   StringRef(buffer.name))
        .found(dtypeName(info.dtype))
        .expected(typeNames(buffer.types));
  }
  return success(ok);
}

FailureOr<LayerProgram> compass::programOf(Operation *op) {
  LayerProgram program;
  if (failed(cast<CompassOp>(op).buildProgram(program)))
    return failure();
  for (const KernelCall &call : program.calls())
    if (failed(checkCall(op, program, call)))
      return failure();
  return program;
}
