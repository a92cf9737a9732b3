//===- Arrays.h - NumPy's arrays and ours -----------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Arrays that a call is given are read where they lie; arrays that it returns
// are NumPy's memory from the beginning, which the results are written into.
//
//   session::Data data = dataOf(arrays);
//   std::vector<NpyView> views = boundViews(data, target); // without the GIL
//   StackedArray out({1, 10}, NpyType::Float32, runs);
//   std::memcpy(out.bytesOf(run), ...); // without the GIL
//   return out.array;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PYTHON_NATIVE_ARRAYS_H
#define YARROW_PYTHON_NATIVE_ARRAYS_H

#include "compiler/session/Data.h"
#include "support/Diagnostics.h"
#include "support/Npy.h"

#include <pybind11/numpy.h>

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace yarrow::python {

/// Arrays (C order, aligned, of the host's byte order; yarrow/_arrays.py makes
/// them so) or paths of .npy and .npz files and of pictures, each with the name
/// of its input or "".
using NamedArrays = std::vector<std::pair<std::string, pybind11::object>>;

/// The same for the library. The arrays must outlive the views, which own none
/// of them. Throws Raised.
session::Data dataOf(const NamedArrays &data,
                     const PictureOptions &pictures = {});
/// One view for each input, which must all be there. Called without the GIL.
/// Throws Raised.
std::vector<NpyView> boundViews(const session::Data &data,
                                const session::DataTarget &target);

/// The keys of pictures by name, such as a call has as keywords; an error if
/// there are any and no data are pictures. Throws Raised.
PictureOptions
pictureOptionsOf(const std::map<std::string, std::string> &keywords,
                 const NamedArrays &data);
/// The data that are files.
std::vector<std::string> filesOf(const NamedArrays &data);

pybind11::dtype dtypeOf(NpyType type);

/// The results of several runs along the first axis.
class StackedArray {
public:
  StackedArray(std::vector<int64_t> shape, NpyType type, std::size_t runs);

  std::size_t bytesPerRun() const { return runBytes; }
  char *bytesOf(std::size_t run) const { return data + run * runBytes; }

  pybind11::array array;

private:
  std::size_t runBytes;
  char *data;
};

/// How stored values are real numbers: (stored + zeroPoint) / scale.
struct StoredValues {
  NpyType type = NpyType::Float32;
  bool isBfloat = false;
  float scale = 1;
  int64_t zeroPoint = 0;
};

/// Writes the stored \p bytes as float32.
void writeReal(std::span<const std::byte> bytes, const StoredValues &stored,
               float *to);

/// The bytes of run \p run in \p view, if an input of \p sizeBytes and the type
/// \p stored takes them as they are; empty where they have to be converted.
std::span<const std::byte> bytesInPlace(const NpyView &view,
                                        const StoredValues &stored,
                                        std::size_t sizeBytes, std::size_t run);

} // namespace yarrow::python

#endif // YARROW_PYTHON_NATIVE_ARRAYS_H
