// What layers from NNAPI do not take: shapes that do not fit each other.
// RUN: yarrow-opt %s -split-input-file -verify-diagnostics

func.func @deltas(%b: tensor<5x4xf32>, %d: tensor<5x6xf32>, %n: tensor<5xi32>, %s: tensor<1x2xf32>) {
  // expected-error @+1 {{there are not four deltas per class}}
  %y = compass.box_transform(%b, %d, %n, %s) : (tensor<5x4xf32>, tensor<5x6xf32>, tensor<5xi32>, tensor<1x2xf32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @background(%s: tensor<5x1xf32>, %b: tensor<5x4xf32>, %n: tensor<5xi32>) {
  // expected-error @+1 {{there is no class except the background}}
  %y:5 = compass.limited_nms(%s, %b, %n) {score_threshold = 0.5 : f64, iou_threshold = 0.5 : f64} : (tensor<5x1xf32>, tensor<5x4xf32>, tensor<5xi32>) -> (tensor<1xf32>, tensor<1x4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>)
  return
}

// -----

func.func @rows(%s: tensor<5x3xf32>, %b: tensor<5x12xf32>, %n: tensor<5xi32>) {
  // expected-error @+1 {{found [3]; expected [1]}}
  %y:5 = compass.limited_nms(%s, %b, %n) {score_threshold = 0.5 : f64, iou_threshold = 0.5 : f64} : (tensor<5x3xf32>, tensor<5x12xf32>, tensor<5xi32>) -> (tensor<10xf32>, tensor<10x4xf32>, tensor<10xi32>, tensor<10xi32>, tensor<3xi32>)
  return
}

// -----

func.func @proposals(%s: tensor<1x2x2x3xf32>, %d: tensor<1x2x2x8xf32>, %a: tensor<3x4xf32>, %i: tensor<1x2xf32>) {
  // expected-error @+1 {{there are not four deltas per anchor}}
  %y:4 = compass.box_proposals(%s, %d, %a, %i) {height_stride = 8.0 : f64, width_stride = 8.0 : f64, iou_threshold = 0.5 : f64, min_size = 1.0 : f64} : (tensor<1x2x2x3xf32>, tensor<1x2x2x8xf32>, tensor<3x4xf32>, tensor<1x2xf32>) -> (tensor<12xf32>, tensor<12x4xf32>, tensor<12xi32>, tensor<1xi32>)
  return
}

// -----

func.func @encoding(%s: tensor<1x6x3xf32>, %d: tensor<1x6x3xf32>, %a: tensor<6x4xf32>) {
  // expected-error @+1 {{there are not four deltas per box}}
  %y:4 = compass.detection_post_process(%s, %d, %a) {variance = array<f64: 1.0, 1.0, 1.0, 1.0>, max_output_size = 5 : i64, score_threshold = 0.5 : f64, iou_threshold = 0.5 : f64} : (tensor<1x6x3xf32>, tensor<1x6x3xf32>, tensor<6x4xf32>) -> (tensor<1x5xf32>, tensor<1x5x4xf32>, tensor<1x5xi32>, tensor<1xi32>)
  return
}

// -----

func.func @cells(%h: tensor<2x1x1x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error @+1 {{the heatmaps have a single cell}}
  %y:2 = compass.heatmap_max_keypoint(%h, %b) : (tensor<2x1x1x3xf32>, tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<2x3x2xf32>)
  return
}

// -----

func.func @bits(%h: tensor<4x31xf32>, %x: tensor<3x2xi32>) {
  // expected-error @+1 {{the bits of a hash function do not fit an integer}}
  %y = compass.lsh_projection(%h, %x) {method = "APART_SIGNATURES"} : (tensor<4x31xf32>, tensor<3x2xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @weights(%h: tensor<4x2xf32>, %x: tensor<3x2xi32>, %w: tensor<2xf32>) {
  // expected-error @+1 {{there is not one weight per item}}
  %y = compass.lsh_projection(%h, %x, %w) : (tensor<4x2xf32>, tensor<3x2xi32>, tensor<2xf32>) -> tensor<8xi32>
  return
}

// -----

func.func @words(%h: tensor<65536x32768xf32>, %x: tensor<3x2xi32>) {
  // expected-error @+1 {{found [65536,32768]; expected up to 2147483647 elements}}
  %y = compass.lsh_projection(%h, %x) {method = "DENSE"} : (tensor<65536x32768xf32>, tensor<3x2xi32>) -> tensor<2147483648xi32>
  return
}

// -----

func.func @bytes(%h: tensor<4x2xf32>, %x: tensor<1x1073741824xi32>) {
  // expected-error @+1 {{found [1,1073741824]; expected up to 536870911 elements}}
  %y = compass.lsh_projection(%h, %x) : (tensor<4x2xf32>, tensor<1x1073741824xi32>) -> tensor<8xi32>
  return
}

// -----

func.func @maps(%h: tensor<65536x2x2x65536xf32>, %b: tensor<65536x4xf32>) {
  // expected-error @+1 {{a tensor has more elements than the layer can count}}
  %y:2 = compass.heatmap_max_keypoint(%h, %b) : (tensor<65536x2x2x65536xf32>, tensor<65536x4xf32>) -> (tensor<65536x65536xf32>, tensor<65536x65536x2xf32>)
  return
}

// -----

func.func @choices(%w: tensor<4294967296x4294967296xf32>, %s: tensor<2xi32>) {
  // expected-error @+1 {{a tensor has more elements than the layer can count}}
  %y = compass.multinomial(%w, %s) {num_samples = 1 : i64} : (tensor<4294967296x4294967296xf32>, tensor<2xi32>) -> tensor<4294967296x1xi32>
  return
}
