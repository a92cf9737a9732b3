//===- PageJson.h - The data of a page, small ---------------------*- C++
//-*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What the script of a page reads. Where JSON would say the same keys again and
// again, it says them once: a list of objects with equal keys is
// {"columns": [keys], "rows": [[values], ...]}, at any depth, which the script
// undoes before it does anything else.
//
//   packed({{{"a", 1}, {"b", 2}}, {{"a", 3}, {"b", 4}}})
//       == {"columns": ["a", "b"], "rows": [[1, 2], [3, 4]]}
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_PAGE_PAGEJSON_H
#define YARROW_COMPILER_PAGE_PAGEJSON_H

#include "compiler/page/PageData.h"

namespace yarrow {

nlohmann::ordered_json packed(const nlohmann::ordered_json &json);

/// Lists of numbers are flat: of nodes x and y; of an edge both nodes and its
/// points; of an event the cycles since the last one's start, its cycles,
/// layer, kind and count; of a buffer its name, offset, size, start, cycles and
/// layer.
nlohmann::ordered_json pictureJson(const PagePicture &picture);

} // namespace yarrow

#endif // YARROW_COMPILER_PAGE_PAGEJSON_H
