//===- LayerProgram.h - The kernels that compute a layer --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The bridge from a layer to the arithmetic in kernels/: calls of kernels in
// the order of computation, each with its parameters and the tensors bound to
// its buffers, by the names in the kernel's signature (kernels/Signature.h).
// Most layers are one call. Others pass values on in named intermediates. The
// evaluator runs the program on the host, calibration observes its
// intermediates, and the lowering turns every call into commands or into a
// kernel on the TECs.
//
//   kernels::PoolIntParams params = ...;
//   KernelCall &call = program.call<kernels::PoolInt>(params);
//   call["input"] = operand(0);
//   call["output"] = result(0);
//
// A layer with sub-graphs computes them as steps of its program, and decides
// between them (when, repeatWhile) by values that it has computed:
//
//   program.when(operand(0), [&] { program.call(thenGraph); },
//                [&] { program.call(elseGraph); });
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_LAYERPROGRAM_H
#define YARROW_DIALECTS_COMPASS_LAYERPROGRAM_H

#include "dialects/compass/Tensors.h"
#include "kernels/registry/Registry.h"
#include "mlir/Support/LLVM.h"
#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace yarrow::compass {

/// A part of a tensor that lies in one piece: so many bytes from there on. A
/// kernel that reads a part may leave out some of its bytes; one that writes a
/// part writes all of it, but for yk_copy.
struct BytePart {
  uint64_t offsetBytes = 0, sizeBytes = 0;
};

/// What a kernel gets as one of its buffers.
struct BufferBinding {
  enum class Kind { None, Operand, Result, Intermediate, Constant };
  Kind kind = Kind::None;
  unsigned index = 0;           ///< Which operand, result or intermediate.
  std::optional<BytePart> part; ///< Of it; absent: the whole.
  /// A constant: its elements, and their owner if it was made for the program.
  ConstantView view;
  mlir::ElementsAttr attr;
  std::shared_ptr<const std::vector<char>> owned;

  explicit operator bool() const { return kind != Kind::None; }
  /// The same, of a part of the tensor only.
  BufferBinding at(uint64_t offsetBytes, uint64_t sizeBytes) const {
    BufferBinding part = *this;
    part.part = BytePart{offsetBytes, sizeBytes};
    return part;
  }
};

BufferBinding operand(unsigned index);
BufferBinding result(unsigned index);
/// A constant of the layer; none when the attribute is absent or has no data.
BufferBinding constant(mlir::ElementsAttr attr);
/// A constant made for the program: little-endian, dense.
BufferBinding constant(llvm::ArrayRef<int64_t> shape, DType type,
                       std::vector<char> bytes);

/// One call of a kernel.
class KernelCall {
public:
  KernelCall(const kernels::KernelInfo &kernel, const void *params);

  const kernels::KernelInfo &getKernel() const { return *kernel; }
  llvm::StringRef symbol() const { return kernel->symbol; }
  llvm::ArrayRef<char> params() const { return paramBytes; }

  /// Is it a call of kernel K (kernels::PoolInt)?
  template <typename K> bool is() const { return symbol() == K::kSymbol; }
  /// The parameters of a call of kernel K, or of several kernels that have the
  /// same struct.
  template <typename Params> Params paramsAs() const {
    Params p;
    assert(paramBytes.size() == sizeof(p) && "not this kernel's parameters");
    std::memcpy(&p, paramBytes.data(), sizeof(p));
    return p;
  }
  /// The same, for the kernel that the caller knows it to be.
  template <typename K> typename K::Params paramsOf() const {
    assert(is<K>());
    return paramsAs<typename K::Params>();
  }

  /// Whether the kernel has a buffer of this name.
  bool has(llvm::StringRef name) const;
  /// What is bound to a buffer of the signature; none at first.
  BufferBinding &operator[](llvm::StringRef name);
  const BufferBinding &operator[](llvm::StringRef name) const {
    return const_cast<KernelCall &>(*this)[name];
  }
  /// Binds operand 0 to "input" and result 0 to "output".
  KernelCall &bindInOut();
  /// Binds operands 0 and 1 to "a" and "b" and result 0 to "output".
  KernelCall &bindBinary();
  /// Adds one more to a MANY_IN or MANY_OUT.
  void append(llvm::StringRef name, BufferBinding binding);

  /// In the order of the kernel's array.
  llvm::ArrayRef<BufferBinding> bindings() const { return bound; }
  /// The record of the i-th binding.
  const kernels::BufferInfo &bufferOf(size_t binding) const;

private:
  /// How many buffers the variadic one stands for; 1 without one.
  size_t variadicLength() const {
    return bound.size() + 1 - kernel->buffers.size();
  }
  size_t positionOf(llvm::StringRef name) const;

  const kernels::KernelInfo *kernel;
  std::vector<char> paramBytes;
  std::vector<BufferBinding> bound;
};

/// A value that one call of a program makes for another.
struct Intermediate {
  std::string name; ///< "gates"
  TensorInfo info;
  unsigned step = 0; ///< Of values that are made again and again.
};

/// A sub-graph that a program computes: what its inputs are, in the order of
/// their indices, and what its outputs become.
struct GraphCall {
  mlir::Operation *graph; ///< A function of the module.
  std::vector<BufferBinding> inputs, outputs;
};

/// An integer by which a program decides: the first one of what is bound.
struct ProgramFlag {
  BufferBinding value;
  unsigned sizeBytes = 0; ///< Of the integer.
};

/// What a program does: a kernel or a sub-graph is computed, or some of it only
/// if, or as long as, a flag is not 0.
struct ProgramItem {
  enum class Kind { Kernel, Graph, If, While };
  Kind kind = Kind::Kernel;
  size_t index = 0; ///< In calls() or graphs().
  ProgramFlag flag;
  std::vector<ProgramItem> body, otherwise;
};

class LayerProgram {
public:
  /// Appends a call of kernel K, whose buffers are to be bound.
  template <typename K> KernelCall &call(const typename K::Params &params) {
    return call(*kernels::findKernel(K::kSymbol), &params);
  }
  /// The same, of a kernel that is not known when this is compiled.
  KernelCall &call(const kernels::KernelInfo &kernel, const void *params) {
    append({ProgramItem::Kind::Kernel, list.size()});
    return list.emplace_back(kernel, params);
  }
  /// Appends a sub-graph.
  void call(GraphCall graph);
  /// Appends what \p body appends, to be done if, or as long as, \p flag is not
  /// 0.
  void when(ProgramFlag flag, llvm::function_ref<void()> body,
            llvm::function_ref<void()> otherwise);
  void repeatWhile(ProgramFlag flag, llvm::function_ref<void()> body);

  /// The call that was appended last.
  KernelCall &last() { return list.back(); }

  /// A new intermediate, to be bound to the calls that write and read it.
  BufferBinding intermediate(std::string name, TensorInfo info,
                             unsigned step = 0);

  /// What is done in order; of most layers, every call.
  llvm::ArrayRef<ProgramItem> items() const { return top; }
  /// All calls of kernels, also those that are not always made.
  const std::deque<KernelCall> &calls() const { return list; }
  llvm::ArrayRef<GraphCall> graphs() const { return graphCalls; }
  llvm::ArrayRef<Intermediate> intermediates() const { return values; }
  /// The one call of a layer that is a single kernel; null otherwise.
  const KernelCall *single() const {
    return isStraight() && list.size() == 1 ? &list.front() : nullptr;
  }
  /// Whether it is calls of kernels, one after the other.
  bool isStraight() const {
    return llvm::all_of(top, [](const ProgramItem &item) {
      return item.kind == ProgramItem::Kind::Kernel;
    });
  }

private:
  void append(ProgramItem item) {
    (open ? *open : top).push_back(std::move(item));
  }
  std::vector<ProgramItem> collect(llvm::function_ref<void()> body);

  std::vector<ProgramItem> top;
  std::vector<ProgramItem> *open =
      nullptr; ///< Where call() appends, if inside.
  std::vector<GraphCall> graphCalls;
  std::deque<KernelCall> list;
  std::vector<Intermediate> values;
};

/// The program of a layer, of kernels that its record names. All that their
/// signatures ask for is bound, in the right direction, with element types that
/// they take. Emits an error on \p op if nothing computes it.
mlir::FailureOr<LayerProgram> programOf(mlir::Operation *op);

/// What a binding of a call of \p op is: of a part, the whole tensor's. Not of
/// one that is none.
TensorInfo describe(mlir::Operation *op, const LayerProgram &program,
                    const BufferBinding &binding);
/// Bytes that the kernel may touch.
uint64_t sizeBytesOf(mlir::Operation *op, const LayerProgram &program,
                     const BufferBinding &binding);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_LAYERPROGRAM_H
