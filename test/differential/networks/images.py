"""Builders of operators on images and boxes."""
from draw import Unfit, builder
from graph import count


@builder("Resize", "Upsample")
def resize(d):
    x = d.shaped((3, 4, 4, 4))
    if d.op == "Upsample":
        scales = [1.0, 1.0] + [d.rng.choice((1.0, 2.0, 3.0)) for _ in x.shape[2:]]
        shape = [int(n * s) for n, s in zip(x.shape, scales)]
        mode = d.rng.choice(("nearest", "linear")) if x.rank == 4 else "nearest"
        if d.opset >= 9:
            return d.like("Upsample", x, d.constant([x.rank], scales), shape=shape, mode=mode)
        if d.opset < 7:
            raise Unfit
        return d.like("Upsample", x, shape=shape, mode=mode, scales=scales)
    mode = d.rng.choice(("nearest", "nearest", "linear", "linear", "cubic"))
    if mode == "cubic" and (x.rank != 4 or d.opset < 11):
        mode = "linear"
    if mode == "linear" and x.rank != 4:
        mode = "nearest"
    # Powers of two, so that no place is a tie by rounding.
    scales = [1.0, 1.0] + [d.rng.choice((1.0, 2.0, 4.0, 0.5) if n > 1 else (1.0, 2.0))
                           for n in x.shape[2:]]
    shape = [int(n * s) for n, s in zip(x.shape, scales)]
    if d.opset < 11:
        return d.like("Resize", x, d.constant([x.rank], scales), shape=shape, mode=mode)
    a = {"mode": mode, "coordinate_transformation_mode": d.rng.choice(
        (None, "half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"))}
    if mode == "nearest":
        a["nearest_mode"] = d.rng.choice((None, "floor", "ceil", "round_prefer_ceil"))
        if a["coordinate_transformation_mode"] == "align_corners":
            a["coordinate_transformation_mode"] = "asymmetric"
    if mode == "cubic":
        a["cubic_coeff_a"] = d.rng.choice((None, -0.5))
        a["exclude_outside"] = d.rng.choice((None, 1))
    if d.opset >= 18 and mode != "nearest" and d.chance(0.2):
        a["antialias"] = 1
    roi = None if d.opset >= 13 else d.constant([0], [])
    by_size = d.chance(0.4)
    lo, hi = (x.lo, x.hi) if mode != "cubic" else (2 * min(0, x.lo), 2 * max(0, x.hi))
    if by_size:
        sizes = [*shape[:2], *[d.rng.randint(1, 2 * n + 1) if mode != "nearest" else m
                               for n, m in zip(x.shape[2:], shape[2:])]]
        inputs = [x, roi, None if d.opset >= 13 else d.constant([0], []), d.ints(sizes)]
        return d.node("Resize", inputs, sizes, lo=lo, hi=hi,
                      bits=x.bits if mode == "nearest" else None, **a)
    return d.node("Resize", [x, roi, d.constant([x.rank], scales)], shape, lo=lo, hi=hi,
                  bits=x.bits if mode == "nearest" else None, **a)


@builder("GridSample")
def grid_sample(d):
    x = d.shaped(4)
    shape = [x.shape[0], d.rng.randint(1, 4), d.rng.randint(1, 4), 2]
    grid = d.reals(shape, -1.2, 1.2)
    mode = d.rng.choice(("bilinear", "bicubic", "nearest") if d.opset < 20 else
                        ("linear", "cubic", "nearest"))
    return d.node(d.op, [x, grid], [*x.shape[:2], *shape[1:3]], lo=2 * min(0, x.lo), hi=2 * max(0, x.hi), mode=mode,
                  padding_mode=d.rng.choice((None, "zeros", "border", "reflection")),
                  align_corners=d.rng.choice((None, 0, 1)))


@builder("AffineGrid")
def affine_grid(d):
    x = d.shaped(4)
    theta = d.reals([x.shape[0], 2, 3], -0.7, 0.7)
    size = [*x.shape[:2], d.rng.randint(1, 4), d.rng.randint(1, 4)]
    # One cell has no distance between corners.
    corners = d.rng.choice((None, 0, 1)) if min(size[2:]) > 1 else 0
    grid = d.node(d.op, [theta, d.ints(size)], [size[0], *size[2:], 2], lo=-3, hi=3,
                  align_corners=corners)
    return d.node("GridSample", [x, grid], size, lo=min(0, x.lo), hi=max(0, x.hi), align_corners=corners,
                  mode="linear")


@builder("RoiAlign")
def roi_align(d):
    x = d.image(2)
    boxes = []
    for _ in range(2):
        left, top = d.rng.uniform(0, x.shape[3] - 1.1), d.rng.uniform(0, x.shape[2] - 1.1)
        boxes += [left, top, d.rng.uniform(left + 0.6, x.shape[3]), d.rng.uniform(top + 0.6, x.shape[2])]
    batch = d.ints([d.rng.randrange(x.shape[0]) for _ in range(2)])
    h, w = d.rng.randint(1, 3), d.rng.randint(1, 3)
    return d.node(d.op, [x, d.constant([2, 4], boxes), batch], [2, x.shape[1], h, w], lo=min(0, x.lo),
                  hi=max(0, x.hi), output_height=h, output_width=w, sampling_ratio=2,
                  mode=d.rng.choice((None, "avg")),
                  coordinate_transformation_mode=d.rng.choice((None, "half_pixel", "output_half_pixel")))


@builder("Col2Im")
def col2im(d):
    x = d.shaped(3)
    block = [1, d.rng.choice((1, 2))]
    if x.shape[1] % count(block):
        raise Unfit
    blocks = x.shape[2]
    shape = [x.shape[0], x.shape[1] // count(block), 1, blocks + block[1] - 1]
    return d.node(d.op, [x, d.ints([1, blocks + block[1] - 1]), d.ints(block)], shape,
                  lo=2 * min(0, x.lo), hi=2 * max(0, x.hi), bits=x.bits)


@builder("NonMaxSuppression")
def nms(d):
    """Reads constants, as the number of boxes that stay depends on values."""
    n = d.rng.randint(2, 6)
    boxes = []
    for _ in range(n):
        y, x = d.rng.randint(0, 6), d.rng.randint(0, 6)
        boxes += [float(y), float(x), float(y + d.rng.randint(1, 3)), float(x + d.rng.randint(1, 3))]
    scores = [i / 16 for i in d.rng.sample(range(16), n)]
    inputs = [d.constant([1, n, 4], boxes), d.constant([1, 1, n], scores), d.ints([1]),
              d.constant([1], [0.5])]
    found = d.node(d.op, inputs, [1, 3], "i64", 0, n - 1, keep=False)
    x = d.pick(rank=range(1, 5), fits=lambda t: t.shape[0] >= n)
    last = d.node("Gather", [found, d.ints([2])], [1, 1], "i64", 0, n - 1, keep=False, axis=1)
    return d.like("Gather", x, last, shape=[1, 1, *x.shape[1:]], axis=0)
