//===- Products.cpp - Products of matrices --------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/nnapi/operators/Products.h"
#include "parser/graph/IntegerProduct.h"
#include <numeric>

using namespace yarrow;
using namespace yarrow::nnapi;
using graph::Quantization;
using graph::Tensor;

Tensor *nnapi::productBias(OperationReader &r, const Tensor &x,
                           const Tensor &weights) {
  Tensor *bias = r.input("bias");
  if (!x.quantization || !weights.quantization)
    return bias;
  if (!bias->constant) {
    r.refuse("bias is computed at run time", "tensor " + bias->name,
             "a constant");
    return nullptr;
  }
  Quantization products{ElementType::I32, {}, {}, 0};
  for (float scale : weights.quantization->scales) {
    products.scales.push_back(x.quantization->scales[0] * scale);
    products.zeroPoints.push_back(0);
  }
  // Another operation may read the operand beside other scales.
  Tensor *scaled = r.constant("bias", *bias->constant);
  scaled->type = ElementType::F32;
  scaled->quantization = std::move(products);
  return scaled;
}

bool nnapi::readFullyConnected(OperationReader &r) {
  Tensor *x = r.input("input"), *weights = r.input("weights"),
         *bias = productBias(r, *x, *weights);
  if (!bias)
    return false;
  r.result(r.entry.node, {x, weights, bias}).domain = kTfliteDomain;
  return true;
}

bool nnapi::readBatchMatMul(OperationReader &r) {
  std::vector<Tensor *> factors;
  for (const char *name : {"a", "b"}) {
    bool isLeft = name[0] == 'a';
    Tensor *factor = r.input(name);
    auto rank = std::size_t(r.rank(name));
    if (rank < 2)
      return r.bad("an operand is not a matrix", std::to_string(rank) + " axes",
                   "two axes or more");
    if (r.flag(isLeft ? "trans_a" : "trans_b")) {
      std::vector<std::int64_t> perm(rank);
      std::iota(perm.begin(), perm.end(), 0);
      std::swap(perm[rank - 1], perm[rank - 2]);
      factor = r.transposed(factor, perm, isLeft ? "left" : "right");
    }
    factors.push_back(factor);
  }
  if (r.match.type == OperandType::TENSOR_INT32)
    graph::addIntegerProduct(r, {factors[0], r.rank("a")},
                             {factors[1], r.rank("b")}, r.output(0));
  else
    r.result(r.entry.node, factors);
  return true;
}
