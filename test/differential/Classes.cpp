//===- Classes.cpp - Instructions by what their programs need -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "test/differential/Classes.h"
#include "test/differential/VectorShape.h"

#include <algorithm>
#include <string_view>

using namespace yarrow;
using namespace yarrow::differential;
using namespace yarrow::isa::tec;

static bool startsWithAny(std::string_view text,
                          std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(
      prefixes, [&](std::string_view p) { return text.starts_with(p); });
}

static const char *vectorClass(const InstInfo &info) {
  std::string_view name = info.mnemonic;
  switch (info.shape) {
  case Shape::Memory:
  case Shape::Indexed:
  case Shape::MaskMemory:
    if (name.ends_with("ff.v"))
      return "vector-fault-first";
    if (numFields(info.match) > 1)
      return "vector-segment";
    return info.format >= Format::VLoadStrided ? "vector-strided-indexed"
                                               : "vector-memory";
  case Shape::Reduce:
  case Shape::WideReduce:
    return "vector-reduction";
  case Shape::Masks:
  case Shape::MaskToX:
  case Shape::MaskScan:
  case Shape::Iota:
    return "vector-mask";
  case Shape::Scalar:
  case Shape::NoOverlap:
  case Shape::Gather16:
  case Shape::Compress:
    return "vector-permutation";
  case Shape::Whole:
    return info.cost == Cost::VMoveWhole ? "vector-permutation"
                                         : "vector-memory";
  default:
    break;
  }
  if (info.cost == Cost::VSlide)
    return "vector-permutation";
  if (startsWithAny(name, {"vsadd", "vssub", "vsmul", "vssr", "vaadd", "vasub",
                           "vnclip"}))
    return "vector-fixed";
  bool isFloat = startsWithAny(name, {"vf", "vmf"});
  if (info.shape == Shape::Wide || info.shape == Shape::WideWide ||
      info.shape == Shape::Narrow)
    return isFloat ? "vector-float-wide" : "vector-integer-wide";
  return isFloat ? "vector-float" : "vector-integer";
}

/// Null for what no program can contain.
static const char *className(InstId id) {
  const InstInfo &info = instInfo(id);
  switch (info.extension) {
  case Extension::Npu:
    return nullptr;
  case Extension::I:
    return id == InstId::ecall || id == InstId::ebreak ? nullptr : "integer";
  case Extension::Zifencei:
    return "integer";
  case Extension::M:
    return "multiply";
  case Extension::A:
    return "atomic";
  case Extension::F:
    return "single";
  case Extension::D:
    return "double";
  case Extension::Zicsr:
    return "csr";
  case Extension::V:
    return isVector(id) ? vectorClass(info) : "vector-configuration";
  }
  return nullptr;
}

/// V 14 to 17 let these need vstart = 0, or say they do.
static bool canStartLate(InstId id) {
  std::string_view name = instInfo(id).mnemonic;
  return isVector(id) &&
         className(id) != std::string_view("vector-reduction") &&
         !startsWithAny(name, {"vcpop", "vfirst", "vmsbf", "vmsof", "vmsif",
                               "viota", "vcompress"});
}

static std::vector<InstClass> makeClasses() {
  std::vector<InstClass> classes;
  for (unsigned k = 0; k < kNumInsts; ++k) {
    const char *name = className(InstId(k));
    if (!name)
      continue;
    auto found = std::ranges::find_if(classes, [&](const InstClass &c) {
      return std::string_view(c.name) == name;
    });
    if (found == classes.end())
      found = classes.insert(classes.end(), InstClass{name, {}});
    found->records.push_back(InstId(k));
  }
  InstClass late{"vector-vstart", {}, true};
  for (unsigned k = 0; k < kNumInsts; ++k)
    if (canStartLate(InstId(k)))
      late.records.push_back(InstId(k));
  classes.push_back(late);
  return classes;
}

const std::vector<InstClass> &differential::instClasses() {
  static const std::vector<InstClass> classes = makeClasses();
  return classes;
}
