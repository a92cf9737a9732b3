//===- Excerpt.h - The line of a file that a diagnostic is about ----------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Libraries say where a problem is (Place); here the line is read again from
// the file, only when it is about to be printed, and the part to mark is found.
//
//   SourceFiles files;
//   std::optional<std::string_view> line = files.line(place.file, place.line);
//   SourceMark mark = markOf(*line, place);
//   std::string text = excerpt(*line, place.line, mark, /*columns=*/100);
//
//      12 | stride_x=two
//         |          ^~~
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_DRIVER_EXCERPT_H
#define YARROW_COMPILER_DRIVER_EXCERPT_H

#include "support/Diagnostics.h"
#include "support/MappedFile.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

/// Lines of text files by number. Files are mapped when first asked for, and
/// one that cannot be read, or is no text, has no lines.
class SourceFiles {
public:
  std::optional<std::string_view> line(const std::string &file,
                                       unsigned number);

private:
  struct Source {
    std::shared_ptr<const MappedFile> file;
    std::vector<std::size_t> lineStarts;
  };
  std::map<std::string, Source> sources;
};

/// Bytes of a line, or the place behind its end. A length of 0 marks nothing.
struct SourceMark {
  std::size_t offset = 0, length = 0;
};

/// What Place::token and Place::column say about \p line.
SourceMark markOf(std::string_view line, const Place &place);

/// Two lines, each begun by a line feed: the line with its number, and the
/// mark below it. A line that is too long for \p columns is cut to the
/// surroundings of the mark. With \p useColor the mark is green.
std::string excerpt(std::string_view line, unsigned number, SourceMark mark,
                    std::size_t columns, bool useColor = false);

/// \p text with everything that a terminal would act upon, or that is not
/// UTF-8, as '?'. Line feeds stay; tabs become blanks.
std::string printable(std::string_view text);

} // namespace yarrow

#endif // YARROW_COMPILER_DRIVER_EXCERPT_H
