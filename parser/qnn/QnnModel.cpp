//===- QnnModel.cpp - A graph as QNN's JSON has it ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/qnn/QnnModel.h"
#include <algorithm>
#include <utility>

using namespace yarrow;
using namespace yarrow::qnn;

std::int64_t QnnTensor::numElements() const {
  std::int64_t count = 1;
  for (std::int64_t length : dims)
    count *= length;
  return count;
}

void qnn::setValue(QnnTensor &tensor, std::vector<std::byte> bytes) {
  auto owned = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  tensor.value = *owned;
  tensor.owner = std::move(owned);
  tensor.hasValue = true;
}

const QnnParam *QnnNode::param(std::string_view paramName) const {
  auto it = std::ranges::find(params, paramName, &QnnParam::name);
  return it == params.end() ? nullptr : &*it;
}

const QnnTensor *QnnModel::find(std::string_view tensorName) const {
  auto it = indices.find(tensorName);
  return it == indices.end() ? nullptr : &tensors[it->second];
}

QnnTensor &QnnModel::add(QnnTensor tensor) {
  indices.emplace(tensor.name, tensors.size());
  return tensors.emplace_back(std::move(tensor));
}

std::string qnn::dimsText(const std::vector<std::int64_t> &dims) {
  std::string text = "[";
  for (std::int64_t length : dims)
    text += (text.size() > 1 ? "," : "") + std::to_string(length);
  return text + "]";
}

bool qnn::isStandardPackage(std::string_view package) {
  return package == "qti.aisw";
}
