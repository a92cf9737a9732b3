//===- FileKindOther.h - Files in a model's place ---------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Recognizes failed downloads in the place of a model, and models of programs
// whose formats Yarrow does not read, by their first bytes, for fileKindOf.
//
//   isLfsPointer("version https://git-lfs.github.com/spec/v1\n...")  // true
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_FILEKINDOTHER_H
#define YARROW_SUPPORT_FILEKINDOTHER_H

#include <string_view>

namespace yarrow {

/// What Git LFS leaves where the file itself was not fetched.
bool isLfsPointer(std::string_view text);
/// A page, mostly of an error or of a login, in place of a download.
bool isHtml(std::string_view text);
bool isSafetensors(std::string_view text);
/// A ZIP that begins with a member of torch.save or torch.jit.save, or the
/// pickle that older versions wrote.
bool isTorch(std::string_view text);
bool isGguf(std::string_view text);
/// No character that text has not: what a message of protobuf or a flatbuffer
/// cannot be, whose lengths are such characters.
bool isPlainText(std::string_view text);

} // namespace yarrow

#endif // YARROW_SUPPORT_FILEKINDOTHER_H
