//===- CertificateTest.cpp - What was shown of an executable --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "prove/Certificate.h"

#include <gtest/gtest.h>

using namespace yarrow::prove;

static Certificate example() {
  Certificate c;
  c.executable = "aipu.bin";
  c.digest = "xxh3:0123456789abcdef";
  c.target = "X2_1204";
  c.model = "net";
  c.holds = true;
  c.stream.commands = 12;
  c.stream.programs = c.stream.paths = c.stream.groups = 1;
  c.stages.commands = 3;
  c.stages.largestSum = int64_t(1) << 40;
  c.addNotShown("the averages", "only sums are compared", "pool1");
  c.addNotShown("the averages", "only sums are compared", "pool2");
  c.addNotShown("kernels", "they are compared by tests");
  return c;
}

TEST(Certificate, IsReadBackAsItWas) {
  std::optional<Certificate> again = Certificate::parse(example().json());
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, example());
}

TEST(Certificate, OtherTextIsNone) {
  for (std::string text : {"", "{}", "[]", "{\"yarrow_certificate\":2}",
                           "{\"yarrow_certificate\":1}"})
    EXPECT_FALSE(Certificate::parse(text)) << text;
  std::string json = example().json();
  size_t at = json.find("\"waits\"");
  ASSERT_NE(at, std::string::npos);
  json[at + 1] = 'W';
  EXPECT_FALSE(Certificate::parse(json));
}

TEST(Certificate, TextCountsLayers) {
  std::string text = example().text();
  EXPECT_NE(text.find("the averages of 2 layers: only sums are compared"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("12 commands"), std::string::npos) << text;
}
