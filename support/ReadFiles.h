//===- ReadFiles.h - When earlier work is done ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A command refuses to replace a file that it has read, and knows what it has
// read from readFiles() (support/MappedFile.h). A process that does one piece
// of work after the other says where the next one begins:
//
//   forgetReadFiles();
//   runCommandLine({"quantize", ...}, driver);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_READFILES_H
#define YARROW_SUPPORT_READFILES_H

namespace yarrow {

/// readFiles() has none of those that were read before.
void forgetReadFiles();

} // namespace yarrow

#endif // YARROW_SUPPORT_READFILES_H
