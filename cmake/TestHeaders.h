//===- TestHeaders.h - What nearly every test includes ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Precompiled for tests without MLIR, see MlirHeaders.h.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CMAKE_TESTHEADERS_H
#define YARROW_CMAKE_TESTHEADERS_H

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#endif // YARROW_CMAKE_TESTHEADERS_H
