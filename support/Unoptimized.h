//===- Unoptimized.h - Functions that an optimizer need not see -*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A table that is built of thousands of rows, once, is one function of hundreds
// of kilobytes as soon as what adds a row is inlined: an optimizer takes tens
// of seconds for it, and it runs for a millisecond.
//
//   YARROW_UNOPTIMIZED std::vector<Row> buildTable() {
//   #include "Rows.def"
//   }
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_UNOPTIMIZED_H
#define YARROW_SUPPORT_UNOPTIMIZED_H

#if defined(__clang__)
#define YARROW_UNOPTIMIZED [[clang::optnone]]
#else
#define YARROW_UNOPTIMIZED
#endif

#endif // YARROW_SUPPORT_UNOPTIMIZED_H
