//===- ProgressTest.cpp - The progress line -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "support/Progress.h"

#include <gtest/gtest.h>

#include <sstream>

using namespace yarrow;

TEST(Progress, IsSilentUnlessShown) {
  std::ostringstream os;
  {
    Progress progress(os, false, "calibrate", 10);
    progress.advance(5, "conv1");
  }
  EXPECT_EQ(os.str(), "");
}

TEST(Progress, ShowsTheFirstStepAndErasesTheLine) {
  std::ostringstream os;
  {
    Progress progress(os, true, "calibrate", 10);
    progress.advance(5, "conv1");
    progress.advance(); // within the interval: not shown
  }
  EXPECT_EQ(os.str(), "\rcalibrate 5/10 conv1\x1b[K\r\x1b[K");
}
