//===- Products.cpp - Products of matrices --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/operators/Products.h"
#include "parser/graph/IntegerProduct.h"
#include <numeric>

using namespace yarrow;
using namespace yarrow::qnn;
using graph::Attribute;
using graph::Tensor;

using Dims = std::vector<std::int64_t>;

static Dims withLast(Dims dims, std::int64_t length) {
  dims.back() = length;
  return dims;
}

/// \p x as rows times in[1], a matrix, plus in[2]: output 0 of the lengths
/// \p result. \p isTransposed: the matrix has a row for each column of the
/// result.
static bool multiplyRows(OpReader &r, Tensor *x, const Dims &dims,
                         bool isTransposed, const Dims &result) {
  const Dims &matrix = r.dims(1);
  std::int64_t inner = matrix[isTransposed ? 1 : 0],
               columns = matrix[isTransposed ? 0 : 1],
               rows = graph::numElements(dims) / inner;
  auto bias = productBias(r, *x, *r.input(1), isTransposed ? 0 : 1);
  if (!bias)
    return false;
  if (*bias && r.dims(2) != Dims{columns})
    return r.bad("the biases have a wrong shape", dimsText(r.dims(2)),
                 dimsText({columns}));
  Dims flat = {rows, inner}, product = {rows, columns};
  if (dims != flat)
    x = r.reshaped(x, flat, "rows");
  Tensor *y = r.output(0);
  if (result != product)
    y = r.storedLike(*y, "product");
  r.add("Gemm", {x, r.input(1), *bias}, {y}).attributes["transB"] =
      Attribute::of(std::int64_t(isTransposed));
  if (result != product)
    r.addMoved("Reshape", {y, r.integers("shape", result)}, *y, {r.output(0)});
  return true;
}

bool qnn::readFullyConnected(OpReader &r) {
  const Dims &dims = r.dims(0), &matrix = r.dims(1);
  if (dims.empty() || matrix.size() != 2)
    return r.bad("the weights are not a matrix, or in[0] has no axes",
                 dimsText(dims) + " and " + dimsText(matrix),
                 "one axis or more, and [m,n]");
  std::int64_t inner = matrix[1], count = graph::numElements(dims);
  bool keepsDims = r.flag("keep_dims");
  if (inner < 1 || count % inner != 0 ||
      ((keepsDims || dims.size() == 1) && dims.back() != inner))
    return r.bad(
        "the rows of in[0] do not have the length of the rows of the weights",
        dimsText(dims),
        (keepsDims ? "[...,"
                   : "lengths whose product is a multiple "
                     "of ") +
            std::to_string(inner) + (keepsDims ? "]" : ""));
  Dims result = keepsDims || dims.size() == 1 ? withLast(dims, matrix[0])
                                              : Dims{count / inner, matrix[0]};
  return multiplyRows(r, r.input(0), dims, /*isTransposed=*/true, result);
}

/// The two last axes change places if the parameter \p flag says so.
static Tensor *turned(OpReader &r, std::size_t i, const char *flag,
                      Dims &dims) {
  Tensor *x = r.input(i);
  if (!r.flag(flag))
    return x;
  Dims perm(dims.size());
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
  return r.transposed(x, perm, "turned_" + std::to_string(i));
}

/// A batch of constant matrices is no filter of a layer: with a scale for each
/// row or column it is real numbers.
static void forgetScales(OpReader &r, std::size_t i) {
  const Tensor *x = r.input(i);
  if (!x->constant || !x->quantization || x->quantization->isPerTensor())
    return;
  r.inputs[i] = r.constant("real_" + std::to_string(i),
                           graph::realConstant(*x->constant, *x->quantization));
}

/// The definition has the bias within its sum over the inner axis; it is meant,
/// and computed, to be added once.
bool qnn::readMatMul(OpReader &r) {
  Dims a = r.dims(0), b = r.dims(1);
  if (a.size() < 2 || b.size() < 2)
    return r.bad("an operand is not a matrix",
                 dimsText(a) + " and " + dimsText(b), "two axes or more");
  bool isInteger = r.inputOf(0).type == DataType::INT_32 &&
                   r.inputOf(1).type == DataType::INT_32;
  bool isFilter = !isInteger && r.input(1)->constant && b.size() == 2;
  if (!isFilter)
    forgetScales(r, 1);
  forgetScales(r, 0);
  Tensor *left = turned(r, 0, "transpose_in0", a);
  if (isFilter) {
    bool isTransposed = r.flag("transpose_in1");
    if (a.back() != b[isTransposed ? 1 : 0])
      return r.bad("the operands do not match",
                   dimsText(r.dims(0)) + " and " + dimsText(b),
                   "as many columns as rows");
    return multiplyRows(r, left, a, isTransposed,
                        withLast(a, b[isTransposed ? 0 : 1]));
  }
  Tensor *right = turned(r, 1, "transpose_in1", b);
  if (isInteger && !r.has(2)) {
    graph::addIntegerProduct(r, {left, r.rank(0)}, {right, r.rank(1)},
                             r.output(0));
    return true;
  }
  if (!r.has(2)) {
    r.result("MatMul", {left, right});
    return true;
  }
  if (r.dims(2) != Dims{b.back()})
    return r.bad("the biases have a wrong shape", dimsText(r.dims(2)),
                 dimsText({b.back()}));
  Tensor *product = r.between("product");
  r.add("MatMul", {left, right}, {product});
  r.result("Add", {product, r.input(2)});
  return true;
}
