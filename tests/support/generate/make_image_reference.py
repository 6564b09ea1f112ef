"""Writes tests/support/golden/image_reference.lua: results of TensorFlow's tf.image, and of PyTorch for grids, for images
whose elements make_image_reference.py and tests/lua/images.lua compute alike.

    python3 tests/support/generate/make_image_reference.py tensorflow > tests/support/golden/image_reference.lua
    python3 tests/support/generate/make_image_reference.py torch > tests/support/golden/grid_reference.lua

and, where TensorFlow's numbers are coarse, results of the kernels' formulas in float64:

    python3 tests/support/generate/make_image_reference.py formulas > tests/support/golden/resize_formulas.lua
"""
import sys

import numpy as np


def noise(seed, shape):
    i = np.arange(int(np.prod(shape)), dtype=np.int64)
    return ((((i + 17) * (i + 31 * seed + 7) * 7919) % 65521) / 65521.0).reshape(shape).astype(np.float32)


def numbers(x):
    return "{ " + ", ".join(f"{v:.7g}" for v in np.asarray(x, dtype=np.float64).reshape(-1)) + " }"


def sizes(x):
    return "{ " + ", ".join(map(str, np.asarray(x).shape)) + " }"


def case(lua, shape, y, more=""):
    y = np.asarray(y)
    print(f"  {{ \"{lua}\", {{ {', '.join(map(str, shape))} }}, {sizes(y)}, {numbers(y)}{more} }},")


def keys(x):
    """Keys, 1981, equation 4 with a = -1/2."""
    x = np.abs(x)
    return np.where(x < 1, 1.5 * x**3 - 2.5 * x**2 + 1, np.where(x < 2, -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2, 0.0))


def gauss(x):
    return np.where(np.abs(x) < 1.5, np.exp(-2 * x**2), 0.0)


def formulas():
    """Each axis is a product with a matrix of the kernel's values at all distances, whose rows add up to 1."""
    one = (5, 7, 3)

    def along(new, old, kernel, antialias):
        scale = max(old / new, 1.0) if antialias else 1.0
        distance = (np.arange(new)[:, None] + 0.5) * (old / new) - (np.arange(old)[None, :] + 0.5)
        matrix = kernel(distance / scale)
        return matrix / matrix.sum(1, keepdims=True)

    for name, kernel in (("bicubic", keys), ("gaussian", gauss)):
        for size in ((3, 4), (9, 11), (2, 14), (6, 8)):
            for antialias in (False, True):
                x = noise(1, one).astype(np.float64)
                y = np.einsum("ai,bj,ijc->abc", along(size[0], 5, kernel, antialias), along(size[1], 7, kernel, antialias), x)
                case(f"resize(x, {{ {size[0]}, {size[1]} }}, {{ method = '{name}', antialias = {str(antialias).lower()} }})", one, y, ", tolerance = 1e-6")


def tensorflow():
    import tensorflow as tf

    I = tf.image
    one, batch = (5, 7, 3), (2, 6, 4, 3)
    for method in ("nearest", "bilinear", "bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"):
        for size in ((3, 4), (9, 11), (2, 14)):
            for antialias in ((False,) if method in ("nearest", "area") else (False, True)):
                y = I.resize(noise(1, one), size, method=method, antialias=antialias)
                # TensorFlow's bicubic kernel without antialias has a table of weights, of three digits.
                coarse = ", tolerance = 4e-3" if method == "bicubic" and not antialias else ""
                # Its Gaussian ends at 1.5 pixels, which float32 rounds to one side or the other.
                coarse = ", tolerance = 2e-3" if method == "gaussian" else coarse
                case(f"resize(x, {{ {size[0]}, {size[1]} }}, {{ method = '{method}', antialias = {str(antialias).lower()} }})", one, y, coarse)
    case("resize(x, { 12, 12 }, { preserve_aspect_ratio = true })", batch, I.resize(noise(1, batch), (12, 12), preserve_aspect_ratio=True))
    x, b = tf.constant(noise(1, one)), tf.constant(noise(1, batch))
    case("crop_to_bounding_box(x, 1, 2, 3, 2)", one, I.crop_to_bounding_box(x, 1, 2, 3, 2))
    case("pad_to_bounding_box(x, 1, 2, 8, 9)", batch, I.pad_to_bounding_box(b, 1, 2, 8, 9))
    case("resize_with_crop_or_pad(x, 8, 3)", one, I.resize_with_crop_or_pad(x, 8, 3))
    case("resize_with_crop_or_pad(x, 3, 9)", batch, I.resize_with_crop_or_pad(b, 3, 9))
    case("central_crop(x, 0.5)", one, I.central_crop(x, 0.5))
    case("flip_left_right(x)", batch, I.flip_left_right(b))
    case("flip_up_down(x)", one, I.flip_up_down(x))
    case("transpose(x)", one, I.transpose(x))
    for k in (1, 2, 3, -1):
        case(f"rot90(x, {k})", one, I.rot90(x, k))
    case("rot90(x)", batch, I.rot90(b))
    case("rgb_to_grayscale(x)", batch, I.rgb_to_grayscale(b))
    case("grayscale_to_rgb(x)", (2, 3, 1), I.grayscale_to_rgb(tf.constant(noise(1, (2, 3, 1)))))
    case("rgb_to_hsv(x)", batch, I.rgb_to_hsv(b))
    case("hsv_to_rgb(x)", batch, I.hsv_to_rgb(b))
    case("adjust_brightness(x, 0.25)", one, I.adjust_brightness(x, 0.25))
    case("adjust_contrast(x, 1.75)", batch, I.adjust_contrast(b, 1.75))
    case("adjust_saturation(x, 0.4)", one, I.adjust_saturation(x, 0.4))
    case("adjust_saturation(x, 3)", batch, I.adjust_saturation(b, 3.0))
    case("adjust_hue(x, 0.3)", one, I.adjust_hue(x, 0.3))
    case("adjust_hue(x, -0.4)", batch, I.adjust_hue(b, -0.4))
    case("adjust_gamma(x, 0.6, 1.5)", one, I.adjust_gamma(x, 0.6, 1.5))
    case("per_image_standardization(x)", batch, I.per_image_standardization(b))
    bytes_of = tf.constant(np.floor(x.numpy() * 256).astype(np.uint8))
    for lua, f in (("adjust_brightness(x, 0.25)", lambda v: I.adjust_brightness(v, 0.25)), ("rgb_to_grayscale(x)", I.rgb_to_grayscale),
                   ("adjust_saturation(x, 0.4)", lambda v: I.adjust_saturation(v, 0.4)), ("resize(x, { 3, 4 })", lambda v: I.resize(v, (3, 4)))):
        case(lua, one, f(bytes_of), ', dtype = "uint8", tolerance = 1.01')


def torch():
    import torch
    import torch.nn.functional as F

    shape = (2, 5, 6, 2)
    x = torch.tensor(noise(1, shape)).permute(0, 3, 1, 2)
    grid = torch.tensor(noise(2, (2, 4, 3, 2)) * 3 - 1.5)
    for mode in ("bilinear", "nearest"):
        for padding in ("zeros", "border", "reflection"):
            for aligned in (False, True):
                y = F.grid_sample(x, grid, mode=mode, padding_mode=padding, align_corners=aligned).permute(0, 2, 3, 1)
                case(f"grid_sample(x, noise(2, {{ 2, 4, 3, 2 }}) * 3 - 1.5, {{ mode = '{mode}', padding_mode = '{padding}', align_corners = {str(aligned).lower()} }})", shape, y)
    theta = torch.tensor(noise(3, (2, 2, 3)))
    for aligned in (False, True):
        case(f"affine_grid(noise(3, {{ 2, 2, 3 }}), {{ 2, 3, 4 }}, {{ align_corners = {str(aligned).lower()} }})", shape,
             F.affine_grid(theta, (2, 1, 3, 4), align_corners=aligned))


print(f"-- Written by tests/support/generate/make_image_reference.py {sys.argv[1]}. Do not edit.")
print("return {")
{"tensorflow": tensorflow, "torch": torch, "formulas": formulas}[sys.argv[1]]()
print("}")
