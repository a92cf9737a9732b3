// The kernel of SwishClip, for this computer and for the NPU's cores. Its
// integers are a table, which Yarrow fills by it.
#include "SwishClip.h" // made of the record
#include "kernels/Math.h"

using namespace yarrow::kernels;

YARROW_CUSTOM_KERNEL(swish_clip, SwishClip) {
  mapFloats(p, buffers, task, taskCount, [&](float x) {
    float y = float(x * math::sigmoid(double(p.keys.alpha) * x));
    return y < p.keys.limit ? y : p.keys.limit;
  });
}
