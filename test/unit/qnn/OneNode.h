//===- OneNode.h - Networks of one node of QNN ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Tensors with their values, a network of one node that reads and writes them,
// and what its layers compute: in the file's integers where its tensors are of
// fixed point.
//
//   Values x = floats({1, 4}, {1, -2, 3, -4});
//   OneNode net("Relu");
//   net.input(x).output(DataType::FLOAT_32, {1, 4});
//   EXPECT_THAT(net.run().numbers, ElementsAre(1, 0, 3, 0));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_QNN_ONENODE_H
#define YARROW_TEST_UNIT_QNN_ONENODE_H

#include "dialects/compass/Compat.h"
#include "parser/qnn/QnnImport.h"
#include "quantizer/prequantized/Prequantized.h"
#include "test/ImportedModule.h"
#include <gmock/gmock.h>

namespace yarrow::test {

using qnn::DataType;

/// Short names of the types that tests have most.
inline constexpr auto U4 = DataType::UFIXED_POINT_4,
                      U8 = DataType::UFIXED_POINT_8,
                      U16 = DataType::UFIXED_POINT_16,
                      S4 = DataType::SFIXED_POINT_4,
                      S8 = DataType::SFIXED_POINT_8,
                      S16 = DataType::SFIXED_POINT_16,
                      S32 = DataType::SFIXED_POINT_32, F32 = DataType::FLOAT_32,
                      I32 = DataType::INT_32, U32 = DataType::UINT_32;

/// What a tensor holds: numbers, of fixed point the stored integers.
struct Values {
  DataType type = DataType::FLOAT_32;
  std::vector<std::int64_t> dims = {};
  qnn::Encoding encoding = {};
  std::vector<double> numbers = {};

  bool isFixed() const { return qnn::entryOf(type).isFixed(); }
  std::size_t count() const {
    std::size_t product = 1;
    for (std::int64_t length : dims)
      product *= std::size_t(length);
    return product;
  }
  /// Which scale element \p i has.
  std::size_t channelOf(std::size_t i) const;
  double scaleAt(std::size_t i) const {
    return double(encoding.scales[channelOf(i)]);
  }
  double offsetAt(std::size_t i) const {
    return double(encoding.offsets[channelOf(i)]);
  }
  /// The real number that element \p i means: (stored + offset) * scale.
  double real(std::size_t i) const {
    return isFixed() ? (numbers[i] + offsetAt(i)) * scaleAt(i) : numbers[i];
  }
  std::vector<double> reals() const;
  /// What the definition stores of a real number, rounded once (half to even).
  double stored(double real, std::size_t i = 0) const;
  /// The least and the largest stored integer.
  std::pair<double, double> range() const;
};

Values floats(std::vector<std::int64_t> dims, std::vector<double> numbers);
Values integers(std::vector<std::int64_t> dims, std::vector<double> numbers,
                DataType type = DataType::INT_32);

qnn::Encoding scaleOffset(float scale, std::int32_t offset);
qnn::Encoding axisScaleOffset(std::int64_t axis, std::vector<float> scales,
                              std::vector<std::int32_t> offsets);

/// Numbers that depend on the seed alone.
class Random {
public:
  explicit Random(std::uint64_t seed) : state(seed * 0x9E3779B97F4A7C15u + 1) {}
  /// 0 to \p count - 1.
  std::int64_t below(std::int64_t count);
  double between(double low, double high);
  /// Of floats float32 numbers from \p low to \p high; of fixed point any
  /// stored integers.
  Values values(DataType type, std::vector<std::int64_t> dims,
                qnn::Encoding encoding = {}, double low = -1, double high = 1);

private:
  std::uint64_t next();
  std::uint64_t state;
};

class OneNode : public ImportedModule {
public:
  explicit OneNode(std::string type);

  /// One that the application writes, and one of the file.
  OneNode &input(const Values &values);
  OneNode &constant(const Values &values);
  OneNode &noInput(); ///< That is left out.
  OneNode &param(std::string name, double value,
                 DataType type = DataType::UINT_32);
  OneNode &flag(std::string name, bool value) {
    return param(std::move(name), value, DataType::BOOL_8);
  }
  OneNode &real(std::string name, double value) {
    return param(std::move(name), value, DataType::FLOAT_32);
  }
  OneNode &list(std::string name, std::vector<std::int64_t> dims,
                std::vector<double> values, DataType type = DataType::UINT_32);
  /// Another result.
  OneNode &output(DataType type, std::vector<std::int64_t> dims,
                  qnn::Encoding encoding = {});

  /// Whether it is imported; what is wrong is in \ref diags.
  bool import();
  /// Result \p i; no numbers after errors, which fail the test.
  Values run(std::size_t i = 0);
  /// Whether a message with this number was given: "W1045".
  bool reports(const std::string &id) const;

  qnn::QnnModel model;

private:
  void add(const Values &values, qnn::TensorKind kind);
  std::vector<Values> given, wanted;
  bool isImported = false;
};

/// How many of \p found are \p expected, one step beside, and farther off.
struct Agreement {
  std::size_t equal = 0, near = 0, far = 0;
  double farthest = 0;

  void add(double found, double expected);
  std::size_t total() const { return equal + near + far; }
  std::string text() const;
};

} // namespace yarrow::test

#endif // YARROW_TEST_UNIT_QNN_ONENODE_H
