// A few pixels of 32 channels are made sooner by the TECs than by commands. Of one channel
// they are not: a TEC takes 800 cycles to find places.
// RUN: yarrow-opt %s --yarrow-lower=target=X2_1204 | FileCheck %s
// RUN: sed 's/x1x32x/x1x1x/g; s/1, 4, 1, 32/1, 4, 1, 1/' %s | yarrow-opt --yarrow-lower=target=X2_1204 | FileCheck %s --check-prefix=ONE

!t = !quant.uniform<i8:f32, 5.000000e-02>

// CHECK-LABEL: func.func @npu_main
// CHECK-NOT: "npu.conv"
// CHECK: npu.kernel{{.*}}yk_resize_int
// ONE-LABEL: func.func @npu_main
// ONE-NOT: npu.kernel
// ONE: "npu.matmul"
func.func @main() -> tensor<1x4x1x32x!t> {
  %x = compass.input() {compass.tops = ["x"]} : () -> tensor<1x3x1x32x!t> loc("x")
  %y = compass.resize(%x) {compass.tops = ["y"], size = array<i64: 1, 4, 1, 32>, method = "BILINEAR", mode = "ALIGN_CORNERS"} : (tensor<1x3x1x32x!t>) -> tensor<1x4x1x32x!t> loc("y")
  return %y : tensor<1x4x1x32x!t>
}
