//===- ImageShapes.cpp - Shapes of sampling layers ------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "dialects/compass/image/ImageShapes.h"
#include "dialects/compass/Layers.h"
#include "support/diagnostics/Operators.h"

using namespace yarrow;
using namespace yarrow::compass;
using namespace mlir;

LogicalResult compass::inferCropAndResize(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  check.count(keys::crop_size, 2, "height and width");
  check.count(keys::scale_value, 1, "one for all boxes");
  check.count(keys::shift_value, 1, "one for all boxes");
  if (!check.ok())
    return failure();
  SmallVector<int64_t> crop = intsKey(op, keys::crop_size);
  shapes.push_back({check.in(1)[0], crop[0], crop[1], check.in(0)[3]});
  return success();
}

LogicalResult compass::inferGridSample(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  ArrayRef<int64_t> x = check.in(0), grid = check.in(1);
  bool fits = (x.size() == 4 || x.size() == 5) && grid.size() == x.size() &&
              grid[0] == x[0] && grid.back() == int64_t(x.size()) - 2;
  if (!fits)
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "images and grid do not fit")
        .found(shapeText(x) + " and " + shapeText(grid))
        .expected("[N, H, W, C] and [N, height, width, 2], or one axis more "
                  "and 3 values")
        .token(shapeText(grid));
  for (TensorKey table : {keys::x_terp, keys::y_terp, keys::lutx, keys::luty})
    check.table(table);
  check.count(keys::shift_value, x.size() - 2, "one for each of x, y and z");
  if (!check.ok())
    return failure();
  SmallVector<int64_t> shape(grid);
  shape.back() = x.back();
  shapes.push_back(shape);
  return success();
}

LogicalResult compass::inferAffineGrid(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  ArrayRef<int64_t> theta = check.in(0);
  int64_t rows = theta[1];
  if ((rows != 2 && rows != 3) || theta[2] != rows + 1)
    check
        .problem(diag::OpShape, "layer_bottom_shape",
                 "theta is not an affine map of an image or volume")
        .found(shapeText(theta))
        .expected("[N, 2, 3] or [N, 3, 4]")
        .token(shapeText(theta));
  else if (check.in(1)[0] != rows + 2 ||
           check.out(0).size() != size_t(rows) + 2)
    check
        .problem(diag::OpShape, "layer_top_shape",
                 "theta, size and grid have different numbers of axes")
        .found(shapeText(check.out(0)) + ", " + Twine(check.in(1)[0]) +
               " lengths in size")
        .expected(Twine(rows + 2) + " axes, for theta " + shapeText(theta));
  if (!check.ok())
    return failure();
  // The lengths are data; they are known here if size is a Constant layer.
  SmallVector<int64_t> shape(check.out(0));
  if (auto size = constantInput(op, 1);
      size && !dtypeIsFloat(size->dtype) &&
      size->numElements() == int64_t(shape.size()))
    for (size_t i = 0; i < shape.size(); ++i)
      shape[i] = size->intAt(int64_t(i));
  shape.front() = theta[0];
  shape.back() = rows;
  shapes.push_back(shape);
  return success();
}

/// [regions, pooled height, pooled width, channels].
static LogicalResult inferPooledRegions(LayerCheck &check, Operation *op,
                                        ResultShapes &shapes) {
  check.count(keys::pooled_shape, 2, "height and width");
  if (!check.ok())
    return failure();
  SmallVector<int64_t> pooled = intsKey(op, keys::pooled_shape);
  shapes.push_back({check.in(1)[0], pooled[0], pooled[1], check.in(0)[3]});
  return success();
}

LogicalResult compass::inferRoiAlign(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  check.count(keys::spatial_scale_value, 2, "y and x");
  check.count(keys::sample, 2, "rows and columns");
  for (IntsKey key : {keys::scale_value, keys::shift_value})
    check.count(key, 2, "features and regions");
  SmallVector<int64_t> sample = intsKey(op, keys::sample);
  for (IntsKey key : {keys::bin_scale_value, keys::bin_shift_value,
                      keys::grid_scale_value, keys::grid_shift_value}) {
    check.count(key, 2, "rows and columns");
    if (check.isInteger() && !llvm::is_contained(sample, 0))
      check.oneOf({key}, "the size of a bin's samples");
  }
  return inferPooledRegions(check, op, shapes);
}

LogicalResult compass::inferMaxRoiPool(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  check.count(keys::spatial, 2, "y and x");
  return inferPooledRegions(check, op, shapes);
}

LogicalResult compass::inferPyramidROIAlign(Operation *op,
                                            ResultShapes &shapes) {
  LayerCheck check(op);
  check.count(keys::sample, 2, "rows and columns");
  for (KeyName key : std::initializer_list<KeyName>{
           keys::spatial_scale_value, keys::scale_value, keys::shift_value,
           keys::input_scale, keys::input_shift})
    check.count(key, 4, "one for each level");
  check.count(keys::levels, 3, "areas at which levels 1, 2 and 3 begin");
  if (!check.ok())
    return failure();
  shapes.push_back({check.in(0)[1], check.integerOf(keys::resize_height),
                    check.integerOf(keys::resize_width), check.in(1)[3]});
  return success();
}

/// Whether coefficient, shape and the sizes of image and bytes agree.
static bool checkColours(LayerCheck &check, Operation *op,
                         ArrayRef<int64_t> image, ArrayRef<int64_t> bytes,
                         StringRef bytesKey) {
  check.count(keys::coefficient, 15,
              "three input offsets, three output offsets, nine of the matrix");
  SmallVector<int64_t> shape = intsKey(op, keys::shape);
  if (!shape.empty() && ArrayRef<int64_t>(shape) != image)
    check
        .problem(diag::OpShape, keys::shape,
                 "the key shape is not the shape of the image")
        .found(shapeText(shape))
        .expected(shapeText(image));
  // Four pixels share their chroma: 3 bytes for every 2 pixels.
  int64_t pixels = image[1] * image[2];
  if (image[1] % 2 != 0 || image[2] % 2 != 0 || bytes[1] != pixels / 2 * 3)
    check
        .problem(diag::OpShape, bytesKey,
                 "image and bytes of YUV 4:2:0 do not fit")
        .found(shapeText(image) + " and " + shapeText(bytes))
        .expected("even height and width, and " + Twine(pixels / 2 * 3) +
                  " bytes for each image")
        .token(shapeText(bytes));
  return check.ok();
}

LogicalResult compass::inferRgbToYuv(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  if (!checkColours(check, op, check.in(0), check.out(0), "layer_top_shape"))
    return failure();
  shapes.push_back({check.in(0)[0], check.out(0)[1]});
  return success();
}

LogicalResult compass::inferYuvToRgb(Operation *op, ResultShapes &shapes) {
  LayerCheck check(op);
  if (!checkColours(check, op, check.out(0), check.in(0), "layer_bottom_shape"))
    return failure();
  return LayerCheck(op).declared(shapes);
}
