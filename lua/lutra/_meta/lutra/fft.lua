---@meta

---@class lutra
local lutra = {}

--- Fourier transforms, with NumPy's names and options; axes count from 1. They run on the CPU, whatever the scope says, and
--- have gradients. The transforms along one axis, fft.fft, fft.ifft, fft.rfft and fft.irfft, are ops.
--- [complex.md](../complex.md) shows how to use them.
---@class lutra.fft
lutra.fft = {}

--- The Fourier transform along two axes.
---@param x lutra.Tensor|table [...]
---@param options? {s?: integer[], axes?: integer[], norm?: string} s: the points along each of the axes, to which x is cut or continued by zeros; axes: default the last two; norm: "backward", "ortho" or "forward", as for fft.fft
---@return lutra.Tensor # complex128 of float64, else complex64 of real tensors; x's dtype of complex ones
--- Errors: InvalidArgument for an axis that does not exist or is given twice, a size below 1, sizes that are not as many as
---   the axes, or a dtype that the transform does not take.
--- Example:
---     print(lt.fft.fft2({{1.0, 2.0}, {3.0, 4.0}}):real():totable()[1][1])  --> 10.0
--- Source: numpy.fft.fft2, tf.signal.fft2d
function lutra.fft.fft2(x, options) end

--- The inverse of fft2.
---@param x lutra.Tensor|table [...]
---@param options? {s?: integer[], axes?: integer[], norm?: string} s: the points along each of the axes, to which x is cut or continued by zeros; axes: default the last two; norm: "backward", "ortho" or "forward", as for fft.fft
---@return lutra.Tensor # as fft2
--- Errors: InvalidArgument for an axis that does not exist or is given twice, a size below 1, sizes that are not as many as
---   the axes, or a dtype that the transform does not take.
--- Example:
---     print(lt.fft.ifft2(lt.fft.fft2({{1.0, 2.0}, {3.0, 4.0}})):real():totable()[2][1])  --> 3.0
--- Source: numpy.fft.ifft2, tf.signal.ifft2d
function lutra.fft.ifft2(x, options) end

--- The Fourier transform of a real tensor along two axes: along the last one only the frequencies 0 to n // 2, of
--- which the others are conjugates.
---@param x lutra.Tensor|table real [...]
---@param options? {s?: integer[], axes?: integer[], norm?: string} s: the points along each of the axes, to which x is cut or continued by zeros; axes: default the last two; norm: "backward", "ortho" or "forward", as for fft.fft
---@return lutra.Tensor # complex128 of float64, else complex64
--- Errors: InvalidArgument for an axis that does not exist or is given twice, a size below 1, sizes that are not as many as
---   the axes, or a dtype that the transform does not take.
--- Example:
---     print(lt.fft.rfft2(lt.ones {4, 6}).shape)  --> (4, 4)
--- Source: numpy.fft.rfft2, tf.signal.rfft2d
function lutra.fft.rfft2(x, options) end

--- The inverse of rfft2, a real tensor. Along the last axis it has 2 (points - 1) unless s says otherwise.
---@param x lutra.Tensor|table complex [...]
---@param options? {s?: integer[], axes?: integer[], norm?: string} s: the points along each of the axes, to which x is cut or continued by zeros; axes: default the last two; norm: "backward", "ortho" or "forward", as for fft.fft
---@return lutra.Tensor # float64 of complex128, else float32
--- Errors: InvalidArgument for an axis that does not exist or is given twice, a size below 1, sizes that are not as many as
---   the axes, or a dtype that the transform does not take.
--- Example:
---     print(lt.fft.irfft2(lt.fft.rfft2(lt.ones {4, 6})).shape)  --> (4, 6)
--- Source: numpy.fft.irfft2, tf.signal.irfft2d
function lutra.fft.irfft2(x, options) end

--- The Fourier transform along several axes.
---@param x lutra.Tensor|table [...]
---@param options? {s?: integer[], axes?: integer[], norm?: string} s: the points along each of the axes, to which x is cut or continued by zeros; axes: default all, or the last ones if s is given; norm: "backward", "ortho" or "forward", as for fft.fft
---@return lutra.Tensor # as fft2
--- Errors: InvalidArgument for an axis that does not exist or is given twice, a size below 1, sizes that are not as many as
---   the axes, or a dtype that the transform does not take.
--- Example:
---     print(lt.fft.fftn(lt.ones {2, 2, 2}):real():totable()[1][1][1])  --> 8.0
--- Source: numpy.fft.fftn
function lutra.fft.fftn(x, options) end

--- The inverse of fftn.
---@param x lutra.Tensor|table [...]
---@param options? {s?: integer[], axes?: integer[], norm?: string} s: the points along each of the axes, to which x is cut or continued by zeros; axes: default all, or the last ones if s is given; norm: "backward", "ortho" or "forward", as for fft.fft
---@return lutra.Tensor # as fft2
--- Errors: InvalidArgument for an axis that does not exist or is given twice, a size below 1, sizes that are not as many as
---   the axes, or a dtype that the transform does not take.
--- Example:
---     print(lt.fft.ifftn(lt.ones {2, 2, 2}):real():totable()[1][1][1])  --> 1.0
--- Source: numpy.fft.ifftn
function lutra.fft.ifftn(x, options) end

--- The Fourier transform of a real tensor along several axes: along the last of them only the frequencies 0 to n // 2.
---@param x lutra.Tensor|table real [...]
---@param options? {s?: integer[], axes?: integer[], norm?: string} s: the points along each of the axes, to which x is cut or continued by zeros; axes: default all, or the last ones if s is given; norm: "backward", "ortho" or "forward", as for fft.fft
---@return lutra.Tensor # complex128 of float64, else complex64
--- Errors: InvalidArgument for an axis that does not exist or is given twice, a size below 1, sizes that are not as many as
---   the axes, or a dtype that the transform does not take.
--- Example:
---     print(lt.fft.rfftn(lt.ones {2, 3, 4}).shape)  --> (2, 3, 3)
--- Source: numpy.fft.rfftn
function lutra.fft.rfftn(x, options) end

--- The inverse of rfftn, a real tensor. Along the last of the axes it has 2 (points - 1) unless s says otherwise.
---@param x lutra.Tensor|table complex [...]
---@param options? {s?: integer[], axes?: integer[], norm?: string} s: the points along each of the axes, to which x is cut or continued by zeros; axes: default all, or the last ones if s is given; norm: "backward", "ortho" or "forward", as for fft.fft
---@return lutra.Tensor # float64 of complex128, else float32
--- Errors: InvalidArgument for an axis that does not exist or is given twice, a size below 1, sizes that are not as many as
---   the axes, or a dtype that the transform does not take.
--- Example:
---     print(lt.fft.irfftn(lt.fft.rfftn(lt.ones {2, 3, 4})).shape)  --> (2, 3, 4)
--- Source: numpy.fft.irfftn
function lutra.fft.irfftn(x, options) end

--- The real Fourier transform of a tensor of which x is the first half; the other half are its conjugates.
---@param x lutra.Tensor|table complex, at least one axis
---@param options? {n?: integer, axis?: integer, norm?: string} n: points of the result, default 2 (points of x - 1); axis: default -1; norm: as for fft.fft
---@return lutra.Tensor # float64 of complex128, else float32
--- Errors: as fft.irfft.
--- Example:
---     print(lt.fft.hfft(lt.complex({1.0, 2.0}, 0)))  --> lutra.Tensor([ 3. -1.], shape=(2,), dtype=float32)
--- Source: numpy.fft.hfft
function lutra.fft.hfft(x, options) end

--- The inverse of hfft: the first half of the inverse transform of a real tensor.
---@param x lutra.Tensor|table real, at least one axis
---@param options? {n?: integer, axis?: integer, norm?: string} n: points of x that are used; axis: default -1; norm: as for fft.fft
---@return lutra.Tensor # complex128 of float64, else complex64
--- Errors: as fft.rfft.
--- Example:
---     print(lt.fft.ihfft({5.0, -3.0}):real())  --> lutra.Tensor([1. 4.], shape=(2,), dtype=float32)
--- Source: numpy.fft.ihfft
function lutra.fft.ihfft(x, options) end

--- The frequencies of fft's results, in cycles per unit of the samples' distance; those of the second half are negative.
---@param n integer points of the transform
---@param options? {d?: number, dtype?: string} d: the distance of the samples, default 1; dtype: default "float32"
---@return lutra.Tensor # [n]
--- Errors: InvalidArgument for an n below 1 or a d of 0.
--- Example:
---     print(lt.fft.fftfreq(4))  --> lutra.Tensor([ 0.    0.25 -0.5  -0.25], shape=(4,), dtype=float32)
--- Source: numpy.fft.fftfreq
function lutra.fft.fftfreq(n, options) end

--- The frequencies of rfft's results, in cycles per unit of the samples' distance.
---@param n integer points of the transform
---@param options? {d?: number, dtype?: string} d: the distance of the samples, default 1; dtype: default "float32"
---@return lutra.Tensor # [n // 2 + 1]
--- Errors: InvalidArgument for an n below 1 or a d of 0.
--- Example:
---     print(lt.fft.rfftfreq(4, {d = 0.5}))  --> lutra.Tensor([0.  0.5 1. ], shape=(3,), dtype=float32)
--- Source: numpy.fft.rfftfreq
function lutra.fft.rfftfreq(n, options) end

--- Moves frequency 0 to the middle of the axes.
---@param x lutra.Tensor|table any shape
---@param axes? integer|integer[] default all
---@return lutra.Tensor # x's shape and dtype
--- Errors: InvalidArgument for an axis that does not exist or is given twice.
--- Example:
---     print(lt.fft.fftshift {0, 1, 2, -2, -1})  --> lutra.Tensor([-2 -1  0  1  2], shape=(5,), dtype=int32)
--- Source: numpy.fft.fftshift
function lutra.fft.fftshift(x, axes) end

--- The inverse of fftshift.
---@param x lutra.Tensor|table any shape
---@param axes? integer|integer[] default all
---@return lutra.Tensor # x's shape and dtype
--- Errors: InvalidArgument for an axis that does not exist or is given twice.
--- Example:
---     print(lt.fft.ifftshift {-2, -1, 0, 1, 2})  --> lutra.Tensor([ 0  1  2 -2 -1], shape=(5,), dtype=int32)
--- Source: numpy.fft.ifftshift
function lutra.fft.ifftshift(x, axes) end
