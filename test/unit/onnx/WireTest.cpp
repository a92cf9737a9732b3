//===- WireTest.cpp - Fields of protobuf ----------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/onnx/Wire.h"
#include "test/OnnxBytes.h"
#include <gtest/gtest.h>

using namespace yarrow::onnx;
using yarrow::test::Message;

static Bytes bytesOf(const std::string &text) {
  return std::as_bytes(std::span(text));
}

TEST(Wire, ReadsFieldsOfEachType) {
  Message m;
  m.add(1, 300).add(2, std::string("abc")).addFloat(3, 1.5f);
  WireReader wire(bytesOf(m.bytes));
  auto number = wire.next(), text = wire.next(), real = wire.next();
  ASSERT_TRUE(number && text && real);
  EXPECT_EQ(number->value, 300u);
  EXPECT_EQ(text->text(), "abc");
  EXPECT_EQ(real->asFloat(), 1.5f);
  EXPECT_FALSE(wire.next());
  EXPECT_EQ(wire.error(), nullptr);
}

TEST(Wire, ReadsNumbersPackedOrNot) {
  Message packed, single;
  packed.add(7, std::string("\x01\x96\x01", 3));
  single.add(7, 1).add(7, 150);
  for (const Message &m : {packed, single}) {
    std::vector<std::int64_t> numbers;
    WireReader wire(bytesOf(m.bytes));
    while (auto field = wire.next())
      EXPECT_TRUE(appendVarints(*field, numbers));
    EXPECT_EQ(numbers, (std::vector<std::int64_t>{1, 150}));
  }
}

TEST(Wire, ReportsWhatIsNoField) {
  for (std::string text :
       {std::string("\x08"), std::string("\x08\x80"), std::string("\x12\x05x"),
        std::string("\x0b"), std::string("\x00\x00", 2),
        std::string("\x0d\x01"), std::string("\x09\x01"),
        std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f")}) {
    WireReader wire(bytesOf(text));
    EXPECT_FALSE(wire.next());
    EXPECT_NE(wire.error(), nullptr);
  }
}
