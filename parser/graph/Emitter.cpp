//===- Emitter.cpp - Nodes of an import graph as layers -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/graph/Emitter.h"
#include "support/HugePages.h"
#include "support/MappedFile.h"
#include "support/diagnostics/Import.h"
#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

using namespace yarrow;
using namespace yarrow::graph;
using namespace mlir;
using compass::DType;

std::vector<int64_t> graph::lastPerm(size_t rank) {
  std::vector<int64_t> perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  if (rank > 2)
    std::rotate(perm.begin() + 1, perm.begin() + 2, perm.end());
  return perm;
}

std::vector<int64_t> graph::firstPerm(size_t rank) {
  std::vector<int64_t> perm(rank);
  std::iota(perm.begin(), perm.end(), 0);
  if (rank > 2)
    std::rotate(perm.begin() + 1, perm.end() - 1, perm.end());
  return perm;
}

std::string graph::shapeText(const Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "," : "") + std::to_string(shape[i]);
  return text + "]";
}

DType graph::irElement(ElementType type) {
  switch (type) {
  case ElementType::I64:
    return DType::I32;
  case ElementType::U64:
    return DType::U32;
  case ElementType::Bool:
    return DType::U8;
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::F64:
    return DType::F32;
  default:
    return type;
  }
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The elements of \p c as those of \p to, in their order. \p clipped tells
/// that integers did not fit.
static std::vector<char> converted(const Constant &c, DType to, bool &clipped) {
  size_t count = size_t(c.numElements()), width = elementBytes(to);
  std::vector<char> bytes(count * width);
  for (size_t i = 0; i < count; ++i) {
    if (to == DType::F32) {
      float value = float(c.numberAt(int64_t(i)));
      std::memcpy(&bytes[i * width], &value, width);
      continue;
    }
    int64_t value = c.integerAt(int64_t(i)), kept = value;
    if (to == DType::I32)
      kept = std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(),
                                 std::numeric_limits<int32_t>::max());
    else if (to == DType::U32) // of uint64: a negative one is a large one
      kept = value < 0 || value > std::numeric_limits<uint32_t>::max()
                 ? std::numeric_limits<uint32_t>::max()
                 : value;
    else if (c.type == ElementType::Bool)
      kept = value != 0;
    clipped |= kept != value && c.type != ElementType::Bool;
    std::memcpy(&bytes[i * width], &kept, width); // little-endian
  }
  return bytes;
}

/// \p from with its axes permuted, of elements of the type \p T. The last axis
/// of the result is the inner loop.
template <typename T>
static void permute(const char *from, T *to, const Shape &shape,
                    const std::vector<int64_t> &perm) {
  size_t rank = shape.size();
  std::vector<size_t> strides(rank, sizeof(T));
  for (size_t i = rank; i-- > 1;)
    strides[i - 1] = strides[i] * size_t(shape[i]);
  auto last = size_t(perm.back());
  auto inner = size_t(shape[last]);
  size_t rows = size_t(numElements(shape)) / inner;
  std::vector<int64_t> index(rank);
  for (size_t row = 0; row < rows; ++row) {
    const char *at = from;
    for (size_t i = 0; i < inner; ++i, at += strides[last])
      std::memcpy(to++, at, sizeof(T)); // the file is not aligned
    // The next row in the result's order.
    for (size_t i = rank - 1; i-- > 0;) {
      auto axis = size_t(perm[i]);
      from += strides[axis];
      if (++index[i] < shape[axis])
        break;
      from -= strides[axis] * size_t(shape[axis]);
      index[i] = 0;
    }
  }
}

static std::vector<char> permutedBytes(ArrayRef<char> bytes, const Shape &shape,
                                       const std::vector<int64_t> &perm,
                                       size_t width) {
  std::vector<char> result = zeroed(bytes.size());
  if (bytes.empty())
    return result;
  if (width == 4)
    permute(bytes.data(), reinterpret_cast<uint32_t *>(result.data()), shape,
            perm);
  else if (width == 2)
    permute(bytes.data(), reinterpret_cast<uint16_t *>(result.data()), shape,
            perm);
  else
    permute(bytes.data(), result.data(), shape, perm);
  return result;
}

ElementsAttr Emitter::attribute(const Tensor &tensor,
                                const std::vector<int64_t> &perm,
                                const Shape &shape) {
  DType to =
      tensor.quantization ? DType::F32 : irElement(tensor.constant->type);
  return constantAs(tensor, to, perm, shape);
}

ElementsAttr Emitter::storedAttribute(const Tensor &tensor,
                                      const std::vector<int64_t> &perm,
                                      const Shape &shape) {
  return constantAs(tensor, tensor.constant->type, perm, shape);
}

ElementsAttr Emitter::constantAs(const Tensor &tensor, DType to,
                                 const std::vector<int64_t> &perm,
                                 const Shape &shape) {
  const Constant &c = *tensor.constant;
  bool isReal = tensor.quantization && to == DType::F32;
  std::string form = std::to_string(unsigned(to)) + shapeText(c.shape) +
                     (perm.empty() ? "" : shapeText(perm)) + "as" +
                     shapeText(shape) +
                     (isReal ? quantizationText(*tensor.quantization) : "");
  auto &[attr, owner] = state.made[{c.bytes.data(), form}];
  if (attr)
    return attr;
  owner = c.owner; // else others' bytes may lie where these were
  Shape moved = perm.empty() ? c.shape : permuted(c.shape, perm);
  const Shape &final = shape.empty() ? moved : shape;
  ArrayRef<char> bytes(reinterpret_cast<const char *>(c.bytes.data()),
                       c.bytes.size());
  bool isMoved = !perm.empty() && !llvm::is_sorted(perm);
  if (to == c.type && !isMoved)
    return attr = compass::makeAliasConstant(&state.context, tensor.name, final,
                                             to, bytes, c.owner);
  std::vector<char> own;
  bool clipped = false;
  if (isReal) {
    Constant real = realConstant(c, *tensor.quantization);
    own.resize(real.bytes.size());
    std::memcpy(own.data(), real.bytes.data(), own.size());
  } else if (to != c.type) {
    own = converted(c, to, clipped);
  }
  if (to != c.type)
    bytes = own;
  if (clipped && state.narrowed.insert(tensor.name).second)
    state.diags
        .report(diag::ImportNarrowed, {state.file},
                "constant " + tensor.name +
                    " holds integers that do not fit 32 bits")
        .expected("numbers of 32 bits; the nearest ones are used");
  if (isMoved)
    own = permutedBytes(bytes, c.shape, perm, elementBytes(to));
  // What has been copied is not needed in memory as it is in the file.
  MappedFile::release(c.bytes);
  return attr = compass::makeConstant(&state.context, tensor.name, final, to,
                                      std::move(own));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Emitter::Emitter(ImportState &state, OpBuilder &builder, const Graph &graph,
                 bool isTrial)
    : state(state), graph(graph), build(builder, state.names),
      isTrial(isTrial) {}

Value Emitter::plain(const Tensor *tensor) {
  Forms &f = forms[tensor];
  if (!f.plain && f.last)
    f.plain = build.transpose(f.last, firstPerm(shapeOf(f.last).size()));
  else if (!f.plain && tensor->constant &&
           numElements(tensor->constant->shape) != 0)
    f.plain = build.constant(attribute(*tensor));
  noteStored(tensor, f.plain);
  if (f.plain)
    return f.plain;
  if (tensor->constant)
    state.diags
        .report(diag::ImportForm, build.place(),
                "a constant without elements cannot be imported")
        .found(tensor->name + " " + shapeText(tensor->constant->shape))
        .expected("lengths of 1 or more");
  forms.erase(tensor);
  return {};
}

Value Emitter::last(const Tensor *tensor) {
  Forms &f = forms[tensor];
  if (!f.last && f.plain)
    f.last = build.transpose(f.plain, lastPerm(shapeOf(f.plain).size()));
  else if (!f.last && tensor->constant)
    f.last = build.constant(
        attribute(*tensor, lastPerm(tensor->constant->shape.size())));
  noteStored(tensor, f.last);
  if (f.last)
    return f.last;
  forms.erase(tensor);
  return {};
}

void Emitter::define(const Tensor *tensor, Value value, bool isLast) {
  Forms &f = forms[tensor];
  (isLast ? f.last : f.plain) = value;
  noteStored(tensor, value);
}

//===----------------------------------------------------------------------===//
// What operators' functions ask
//===----------------------------------------------------------------------===//

const Constant *NodeEmitter::constant(size_t i) const {
  if (!has(i) || !tensor(i).constant)
    return nullptr;
  const Tensor &t = tensor(i);
  if (!t.quantization)
    return &*t.constant;
  auto [it, isNew] = emitter.state.real.try_emplace(&t);
  if (isNew)
    it->second = realConstant(*t.constant, *t.quantization);
  return &it->second;
}

bool NodeEmitter::isFloat(size_t i) const {
  return irElement(type(i)) == DType::F32;
}

FailureOr<std::vector<int64_t>> NodeEmitter::integers(size_t i,
                                                      const char *what) {
  if (const Constant *c = constant(i))
    return c->integers();
  return refuse(std::string(what) + " is computed at run time",
                has(i) ? "tensor " + tensor(i).name : "no input", "a constant");
}

FailureOr<std::vector<double>> NodeEmitter::numbers(size_t i,
                                                    const char *what) {
  if (const Constant *c = constant(i))
    return c->numbers();
  return refuse(std::string(what) + " is computed at run time",
                has(i) ? "tensor " + tensor(i).name : "no input", "a constant");
}

FailureOr<int64_t> NodeEmitter::wrapped(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  return bad("an axis is out of range", std::to_string(axis),
             std::to_string(-rank) + " to " + std::to_string(rank - 1));
}

int64_t NodeEmitter::placed(int64_t axis, int64_t rank) const {
  if (!node.channelsLast || rank < 3)
    return axis;
  // With channels last, axis 1 is the last one and those behind it move up.
  return axis == 0 ? 0 : axis == 1 ? rank - 1 : axis - 1;
}

FailureOr<int64_t> NodeEmitter::axis(const char *key, int64_t fallback,
                                     size_t input) {
  auto axis = wrapped(node.integer(key, fallback), rank(input));
  if (failed(axis))
    return failure();
  return placed(*axis, rank(input));
}

Value NodeEmitter::ranked(size_t i, int64_t wanted) {
  int64_t have = rank(i);
  if (have > wanted) {
    (void)bad("an input has too many axes", shapeText(shape(i)),
              "at most " + std::to_string(wanted));
    return {};
  }
  Shape shape(size_t(wanted - have), 1);
  shape.insert(shape.end(), this->shape(i).begin(), this->shape(i).end());
  return shaped(i, shape);
}

Value NodeEmitter::shaped(size_t i, const Shape &wanted) {
  if (shape(i) == wanted)
    return in(i);
  bool moves = node.channelsLast && wanted.size() > 2;
  if (constant(i)) {
    // A constant gets its new shape, and order, without a layer.
    Tensor view = tensor(i);
    view.constant->shape = wanted;
    Value value = build.constant(emitter.attribute(
        view, moves ? lastPerm(wanted.size()) : std::vector<int64_t>()));
    emitter.noteStored(&tensor(i), value);
    return value;
  }
  Value value = build.reshape(plain(i), wanted);
  return moves ? build.transpose(value, lastPerm(wanted.size())) : value;
}

ElementsAttr NodeEmitter::weights(size_t i, const std::vector<int64_t> &perm,
                                  const Shape &shape) {
  if (constant(i))
    return emitter.attribute(tensor(i), perm, shape);
  (void)refuse("weights are computed at run time", "tensor " + tensor(i).name,
               "a constant");
  return {};
}

LogicalResult NodeEmitter::define(size_t i, Value value, bool isLast) {
  if (!value)
    return failure();
  if (Tensor *output = node.output(i))
    emitter.define(output, storedAs(*output, value), isLast);
  return success();
}

void NodeEmitter::printRounding(Value value) {
  std::string rounding = node.text(kRoundingKey, "");
  if (value && !rounding.empty())
    value.getDefiningOp()->setAttr(
        kRoundingKey, StringAttr::get(value.getContext(), rounding));
}

Value NodeEmitter::storedAs(const Tensor &output, Value value) {
  if (emitter.isTrial)
    return value;
  for (const Tensor *input : node.inputs) {
    if (!input || !emitter.isForm(input, value) ||
        input->quantization == output.quantization)
      continue;
    // It becomes what that is (storeTensors).
    Value cast = build.layer("Cast", {value}, {{"to_dtype", "float32"}});
    if (output.quantization)
      printRounding(cast);
    return cast;
  }
  return value;
}

LogicalResult NodeEmitter::outConstant(size_t i, Constant value) {
  if (Tensor *output = node.output(i)) {
    output->setType(value.type, value.shape);
    output->constant = output->quantization
                           ? storedConstant(value, *output->quantization)
                           : std::move(value);
  }
  return success();
}

Place NodeEmitter::place() const {
  return {emitter.state.file + ": " + node.describe()};
}

/// The inputs of the network from which the inputs of \p node are computed.
static std::vector<const Tensor *> sourcesOf(const Graph &graph,
                                             const Node &node) {
  Uses uses(graph);
  std::vector<const Tensor *> sources, open;
  for (const Tensor *tensor : node.inputs)
    if (tensor && !tensor->constant)
      open.push_back(tensor);
  llvm::DenseSet<const Tensor *> seen;
  while (!open.empty()) {
    const Tensor *tensor = open.back();
    open.pop_back();
    if (!seen.insert(tensor).second)
      continue;
    if (llvm::is_contained(graph.inputs, tensor))
      sources.push_back(tensor);
    else if (auto it = uses.writer.find(tensor); it != uses.writer.end())
      for (const Tensor *read : readBy(*it->second))
        if (!read->constant)
          open.push_back(read);
  }
  std::ranges::reverse(sources);
  return sources;
}

/// How what is computed becomes the constant that a layer needs: by values for
/// the inputs that give it. Data, of many elements, is no such input.
static std::string constantHint(const Graph &graph, const Node &node) {
  constexpr int64_t kMostGiven = 16;
  std::string options;
  for (const Tensor *input : sourcesOf(graph, node)) {
    if (!input->shape || numElements(*input->shape) > kMostGiven)
      continue;
    options += " --input-value " + input->name + "=NUMBER";
    if (numElements(*input->shape) > 1)
      options += ",...";
  }
  return options.empty()
             ? "give the shapes of all inputs: shape computations then become "
               "constants"
             : "make the inputs constant with `yarrow import" + options + "`";
}

LogicalResult NodeEmitter::refuse(const std::string &what,
                                  const std::string &found,
                                  const std::string &expected,
                                  const std::string &hint) {
  emitter.state.diags.report(diag::ImportForm, place(), node.op + ": " + what)
      .found(found)
      .expected(expected)
      .hint(hint.empty() && llvm::StringRef(expected).contains("constant")
                ? constantHint(emitter.graph, node)
                : hint);
  return failure();
}

LogicalResult NodeEmitter::bad(const std::string &what,
                               const std::string &found,
                               const std::string &expected) {
  emitter.state.diags
      .report(diag::ImportBadNode, place(), node.op + ": " + what)
      .found(found)
      .expected(expected);
  return failure();
}
