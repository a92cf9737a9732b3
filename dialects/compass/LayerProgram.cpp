//===- LayerProgram.cpp - The kernels that compute a layer ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/LayerProgram.h"
#include <utility>

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
  b.view = {
      .dtype = type, .shape = SmallVector<int64_t>(shape), .bytes = *b.owned};
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

void LayerProgram::call(GraphCall graph) {
  append({ProgramItem::Kind::Graph, graphCalls.size()});
  graphCalls.push_back(std::move(graph));
}

std::vector<ProgramItem>
LayerProgram::collect(llvm::function_ref<void()> body) {
  std::vector<ProgramItem> items;
  std::vector<ProgramItem> *outer = std::exchange(open, &items);
  body();
  open = outer;
  return items;
}

void LayerProgram::when(ProgramFlag flag, llvm::function_ref<void()> body,
                        llvm::function_ref<void()> otherwise) {
  ProgramItem item{ProgramItem::Kind::If};
  item.flag = std::move(flag);
  item.body = collect(body);
  item.otherwise = collect(otherwise);
  append(std::move(item));
}

void LayerProgram::repeatWhile(ProgramFlag flag,
                               llvm::function_ref<void()> body) {
  ProgramItem item{ProgramItem::Kind::While};
  item.flag = std::move(flag);
  item.body = collect(body);
  append(std::move(item));
}

BufferBinding LayerProgram::intermediate(std::string name, TensorInfo info,
                                         unsigned step) {
  values.push_back({std::move(name), std::move(info), step});
  return binding(Kind::Intermediate, values.size() - 1);
}
