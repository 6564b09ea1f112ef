---@meta

---@class lutra
local lutra = {}

--- The sums of products over some axes of a and as many of b.
---@param a lutra.Tensor|table up to 8 axes
---@param b lutra.Tensor|table up to 8 axes
---@param axes? integer|table a count: a's last axes and b's first, in order; or {axes of a, axes of b}, each an axis or a list; default 2
---@return lutra.Tensor # a's other axes, then b's; the promoted dtype, in which integers wrap
--- Errors: InvalidArgument for axes that do not exist, are given twice or differ in size, a ninth axis, or bool.
--- Example:
---     print(lt.tensordot({{1, 2}, {3, 4}}, {{1, 0}, {0, 1}}, {{1, 2}, {1, 2}}))  --> lutra.Tensor(5, shape=(), dtype=int32)
--- Source: numpy.tensordot, tf.tensordot, torch.tensordot
function lutra.tensordot(a, b, axes) end

--- The sum of products over the last axis of both. A scalar multiplies every element.
---@param a lutra.Tensor|table [..., k] or a scalar
---@param b lutra.Tensor|table [..., k] or a scalar
---@return lutra.Tensor # a's other axes, then b's; the promoted dtype
--- Errors: InvalidArgument if the last axes differ in size, for a ninth axis, or bool.
--- Example:
---     print(lt.inner({1, 2}, {{1, 0}, {1, 1}}))  --> lutra.Tensor([1 3], shape=(2,), dtype=int32)
--- Source: numpy.inner, torch.inner
function lutra.inner(a, b) end

--- The sum of the products of conj(a)'s and b's elements, both flattened.
---@param a lutra.Tensor|table any shape
---@param b lutra.Tensor|table as many elements
---@return lutra.Tensor # a scalar; the promoted dtype
--- Errors: InvalidArgument if the numbers of elements differ, or for bool.
--- Example:
---     print(lt.vdot({1, 2}, {3, 4}))  --> lutra.Tensor(11, shape=(), dtype=int32)
--- Source: numpy.vdot, torch.vdot
function lutra.vdot(a, b) end

--- The product of several matrices, in the order that takes the fewest multiplications.
---@param list (lutra.Tensor|table)[] two matrices or more, [m, k], [k, l] and so on; the first and the last may be vectors
---@return lutra.Tensor # [m, n], without the axes of vectors; the promoted dtype
--- Errors: InvalidArgument for fewer than two matrices, sizes that do not match, or bool.
--- Example:
---     print(lt.multi_dot {{{1, 2}, {3, 4}}, {{1, 0}, {0, 1}}, {1, 1}})  --> lutra.Tensor([3 7], shape=(2,), dtype=int32)
--- Source: numpy.linalg.multi_dot, torch.linalg.multi_dot
function lutra.multi_dot(list) end

--- A matrix with the given ones along its diagonal and zeros elsewhere. A vector is a row, a scalar a matrix of one
--- element.
---@param ... lutra.Tensor|table matrices, vectors or scalars
---@return lutra.Tensor # as many rows and columns as all of them; the promoted dtype
--- Errors: InvalidArgument without matrices, or for more than two axes.
--- Example:
---     print(lt.block_diag({{1, 2}}, 3):flatten())  --> lutra.Tensor([1 2 0 0 0 3], shape=(6,), dtype=int32)
--- Source: scipy.linalg.block_diag, torch.block_diag
function lutra.block_diag(...) end

--- The powers of each number in a row: x^(n - 1) to x^0, or x^0 to x^(n - 1).
---@param x lutra.Tensor|table [m]
---@param options? {n?: integer, increasing?: boolean} n: how many powers, default m; increasing: default false
---@return lutra.Tensor # [m, n]; int64 for integers and bool, else x's dtype
--- Errors: InvalidArgument if x is no vector, or for a negative n.
--- Example:
---     print(lt.vander({2, 3}, {n = 3}):flatten())  --> lutra.Tensor([4 2 1 9 3 1], shape=(6,), dtype=int64)
--- Source: numpy.vander, torch.vander
function lutra.vander(x, options) end

--- The logarithm of the determinant of each matrix: nan of a negative one, -inf of 0.
---@param x lutra.Tensor|table [..., n, n]
---@return lutra.Tensor # [...]; float32 for integers, else x's dtype
--- Errors: InvalidArgument if x is not square, is bool or complex; in the gradient, if x is singular.
--- Example:
---     print(lt.logdet {{2.0, 0.0}, {0.0, 0.5}})  --> lutra.Tensor(0.0, shape=(), dtype=float32)
--- Source: tf.linalg.logdet, torch.logdet
function lutra.logdet(x) end

--- How much a matrix magnifies errors: norm(x) norm(inv(x)), by singular values for p = 2 and its reciprocal for p =
--- -2. inf of a singular matrix, nan where x has one.
---@param x lutra.Tensor|table [..., m, n]; square unless p is 2 or -2
---@param options? {p?: number|string} p: 2 (default), -2, 1, -1, math.huge, -math.huge, "fro" or "nuc"
---@return lutra.Tensor # [...]; float32 for integers, else x's dtype
--- Errors: InvalidArgument for another p, fewer than two axes, a matrix without elements, or one that is not square.
--- Example:
---     print(lt.cond {{2.0, 0.0}, {0.0, 0.5}})  --> lutra.Tensor(4.0, shape=(), dtype=float32)
--- Source: numpy.linalg.cond, torch.linalg.cond
function lutra.cond(x, options) end

--- Matrices with the last axis of x on a diagonal and zeros elsewhere.
---@param x lutra.Tensor|table [..., n]
---@param options? {offset?: integer} offset: 0 the main diagonal (default), positive above it, negative below
---@return lutra.Tensor # [..., n + |offset|, n + |offset|]; x's dtype
--- Errors: InvalidArgument if x is a scalar, or for a large offset.
--- Example:
---     print(lt.diag_embed({1, 2}):flatten())  --> lutra.Tensor([1 0 0 2], shape=(4,), dtype=int32)
--- Source: torch.diag_embed, tf.linalg.diag
function lutra.diag_embed(x, options) end

--- x with other elements on its main diagonal: a new tensor.
---@param x lutra.Tensor|table two axes, or more of one size
---@param value lutra.Tensor|table a number, or elements, which start again when they are used up
---@param options? {wrap?: boolean} wrap: the diagonal of a tall matrix starts again below a row without it, default false
---@return lutra.Tensor # x's shape and dtype
--- Errors: InvalidArgument for other shapes, a value without elements, or one that x's dtype cannot hold.
--- Example:
---     print(lt.fill_diagonal({{1, 2}, {3, 4}}, 0):flatten())  --> lutra.Tensor([0 2 3 0], shape=(4,), dtype=int32)
--- Source: numpy.fill_diagonal, tf.linalg.set_diag, torch.Tensor.fill_diagonal_
function lutra.fill_diagonal(x, value, options) end

--- The roots of a polynomial, as eigenvalues of its companion matrix, in no particular order. The size depends on
--- values, so it waits for them.
---@param p lutra.Tensor|table [n] coefficients, the highest power first; leading zeros do not count
---@return lutra.Tensor # [degree]; complex128 of float64 and complex128, else complex64. Eigenvalues are computed on the CPU, in float64
--- Errors: InvalidArgument if p is no vector or is bool; in the gradient, for roots that are equal.
--- Example:
---     print(lt.roots({1, -3, 2}):real())  --> lutra.Tensor([2. 1.], shape=(2,), dtype=float32)
--- Source: numpy.roots
function lutra.roots(p) end

--- The coefficients of the polynomial with the given roots, or the characteristic polynomial of a matrix; the highest
--- power, 1, first.
---@param x lutra.Tensor|table [n] roots, or a matrix [n, n]
---@return lutra.Tensor # [n + 1]; float32 for integers, else x's dtype
--- Errors: InvalidArgument for another shape, or bool.
--- Example:
---     print(lt.poly {1, 2})  --> lutra.Tensor([ 1. -3.  2.], shape=(3,), dtype=float32)
--- Source: numpy.poly
function lutra.poly(x) end

--- The sum of two polynomials.
---@param a lutra.Tensor|table [n] coefficients, the highest power first
---@param b lutra.Tensor|table [m]
---@return lutra.Tensor # as many as the longer has; the promoted dtype
--- Errors: InvalidArgument for another shape, or bool.
--- Example:
---     print(lt.polyadd({1, 2, 3}, {10, 20}))  --> lutra.Tensor([ 1 12 23], shape=(3,), dtype=int32)
--- Source: numpy.polyadd
function lutra.polyadd(a, b) end

--- The product of two polynomials. Leading zeros stay.
---@param a lutra.Tensor|table [n] coefficients, the highest power first
---@param b lutra.Tensor|table [m]
---@return lutra.Tensor # [n + m - 1]; the promoted dtype
--- Errors: InvalidArgument for another shape, no coefficients, bool or complex numbers.
--- Example:
---     print(lt.polymul({1, 1}, {1, -1}))  --> lutra.Tensor([ 1  0 -1], shape=(3,), dtype=int32)
--- Source: numpy.polymul
function lutra.polymul(a, b) end

--- The derivative of a polynomial.
---@param p lutra.Tensor|table [n] coefficients, the highest power first
---@param options? {m?: integer} m: which derivative, default 1
---@return lutra.Tensor # [n - m], or [0]; p's dtype, at least int32 for integers
--- Errors: InvalidArgument for another shape, a negative m, or bool.
--- Example:
---     print(lt.polyder {3, 2, 1})  --> lutra.Tensor([6 2], shape=(2,), dtype=int32)
--- Source: numpy.polyder
function lutra.polyder(p, options) end

--- The integral of a polynomial.
---@param p lutra.Tensor|table [n] coefficients, the highest power first
---@param options? {m?: integer, k?: number|number[]} m: how many times, default 1; k: the constants of integration, one for all or the first integral's first, default 0
---@return lutra.Tensor # [n + m]; float32 for integers, else p's dtype
--- Errors: InvalidArgument for another shape, a negative m, other than m constants, or bool.
--- Example:
---     print(lt.polyint({3, 2, 1}, {k = 5}))  --> lutra.Tensor([1. 1. 1. 5.], shape=(4,), dtype=float32)
--- Source: numpy.polyint
function lutra.polyint(p, options) end

--- Degrees in radians, x pi / 180.
---@param x lutra.Tensor|table any shape
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument if x is bool or complex.
--- Example:
---     print(lt.deg2rad(180))  --> lutra.Tensor(3.1415927, shape=(), dtype=float32)
--- Source: numpy.deg2rad, torch.deg2rad
function lutra.deg2rad(x) end

--- Radians in degrees, 180 x / pi.
---@param x lutra.Tensor|table any shape
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument if x is bool or complex.
--- Example:
---     print(lt.rad2deg(math.pi))  --> lutra.Tensor(180.0, shape=(), dtype=float32)
--- Source: numpy.rad2deg, torch.rad2deg
function lutra.rad2deg(x) end

--- sin(pi x) / (pi x), and 1 at 0. Its first two derivatives are exact near 0.
---@param x lutra.Tensor|table any shape
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument if x is bool or complex.
--- Example:
---     print(lt.sinc {0.0, 0.5})  --> lutra.Tensor([1.         0.63661975], shape=(2,), dtype=float32)
--- Source: numpy.sinc, tf.experimental.numpy.sinc, torch.sinc
function lutra.sinc(x) end

--- Whether x is negative, -0.0 included. false of every nan.
---@param x lutra.Tensor|table any shape
---@return lutra.Tensor # x's shape; bool
--- Errors: InvalidArgument if x is bool or complex.
--- Example:
---     print(lt.signbit {-0.0, 0.0})  --> lutra.Tensor([ True False], shape=(2,), dtype=bool)
--- Source: numpy.signbit, torch.signbit
function lutra.signbit(x) end

--- a's magnitude with b's sign, that of -0.0 included; a nan counts as positive.
---@param a lutra.Tensor|table any shape
---@param b lutra.Tensor|table broadcasts with a; no gradient
---@return lutra.Tensor # the broadcast shape; float32 for integers, else a's dtype
--- Errors: InvalidArgument if the shapes do not broadcast, for bool, or complex numbers.
--- Example:
---     print(lt.copysign({1.0, 2.0}, {-0.0, 3.0}))  --> lutra.Tensor([-1.  2.], shape=(2,), dtype=float32)
--- Source: numpy.copysign, torch.copysign
function lutra.copysign(a, b) end

--- x 2^n, rounded once, also where 2^n is not a float.
---@param x lutra.Tensor|table any shape
---@param n lutra.Tensor|table integers, broadcasts with x
---@return lutra.Tensor # the broadcast shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument if the shapes do not broadcast, if n is no integer, if x is bool or complex.
--- Example:
---     print(lt.ldexp({1.5, 1.0}, {3, -1}))  --> lutra.Tensor([12.   0.5], shape=(2,), dtype=float32)
--- Source: numpy.ldexp, torch.ldexp
function lutra.ldexp(x, n) end

--- A mantissa in [0.5, 1), with x's sign, and an exponent, so that x is mantissa 2^exponent. Of 0, infinities and nan the
--- exponent is 0 and the mantissa is x. The mantissa has a gradient, 2^-exponent.
---@param x lutra.Tensor|table any shape
---@return lutra.Tensor mantissa x's shape; float32 for integers, else x's dtype
---@return lutra.Tensor exponent x's shape; int32
--- Errors: InvalidArgument if x is bool or complex.
--- Example:
---     local mantissa, exponent = lt.frexp {12.0, -0.25}
---     print(mantissa, exponent)
---     --> lutra.Tensor([ 0.75 -0.5 ], shape=(2,), dtype=float32)	lutra.Tensor([ 4 -1], shape=(2,), dtype=int32)
--- Source: numpy.frexp, torch.frexp
function lutra.frexp(x) end

--- log2(2^a + 2^b), which neither overflows nor loses digits.
---@param a lutra.Tensor|table any shape
---@param b lutra.Tensor|table broadcasts with a
---@return lutra.Tensor # the broadcast shape; float32 for integers, else the promoted dtype
--- Errors: InvalidArgument if the shapes do not broadcast, for bool, or complex numbers.
--- Example:
---     print(lt.logaddexp2(1000.0, 1000.0))  --> lutra.Tensor(1001.0, shape=(), dtype=float32)
--- Source: numpy.logaddexp2, torch.logaddexp2
function lutra.logaddexp2(a, b) end

--- Whether x is inf.
---@param x lutra.Tensor|table any shape
---@return lutra.Tensor # x's shape; bool
--- Errors: InvalidArgument if x is bool or complex.
--- Example:
---     print(lt.isposinf {1.0, math.huge, -math.huge})  --> lutra.Tensor([False  True False], shape=(3,), dtype=bool)
--- Source: numpy.isposinf, torch.isposinf
function lutra.isposinf(x) end

--- Whether x is -inf.
---@param x lutra.Tensor|table any shape
---@return lutra.Tensor # x's shape; bool
--- Errors: InvalidArgument if x is bool or complex.
--- Example:
---     print(lt.isneginf {1.0, math.huge, -math.huge})  --> lutra.Tensor([False False  True], shape=(3,), dtype=bool)
--- Source: numpy.isneginf, torch.isneginf
function lutra.isneginf(x) end

--- The least common multiple, 0 where a number is 0. It wraps where the dtype does not hold it.
---@param a lutra.Tensor|table integers of any shape
---@param b lutra.Tensor|table integers, broadcasts with a
---@return lutra.Tensor # the broadcast shape; the promoted dtype
--- Errors: InvalidArgument if the shapes do not broadcast, or for other dtypes.
--- Example:
---     print(lt.lcm({4, 0}, {6, 5}))  --> lutra.Tensor([12  0], shape=(2,), dtype=int32)
--- Source: numpy.lcm, torch.lcm
function lutra.lcm(a, b) end

--- n powers of the base, with exponents at equal distances from start to stop. In an integer dtype each is rounded
--- towards 0.
---@param start number the first exponent
---@param stop number the last exponent
---@param n integer how many; if 1, only the first
---@param options? {base?: number, dtype?: string} base: above 0, default 10; dtype: default float32
---@return lutra.Tensor # [n]
--- Errors: InvalidArgument for numbers that are not finite, or a negative n.
--- Example:
---     print(lt.logspace(0, 2, 3))  --> lutra.Tensor([  1.  10. 100.], shape=(3,), dtype=float32)
--- Source: numpy.logspace, torch.logspace
function lutra.logspace(start, stop, n, options) end

--- n numbers at equal ratios, from start to stop. In an integer dtype each is rounded towards 0.
---@param start number the first number
---@param stop number the last number, of the same sign
---@param n integer how many; if 1, only start
---@param options? {dtype?: string} default float32
---@return lutra.Tensor # [n]
--- Errors: InvalidArgument for 0, numbers of different signs or that are not finite, or a negative n.
--- Example:
---     print(lt.geomspace(1, 8, 4))  --> lutra.Tensor([1. 2. 4. 8.], shape=(4,), dtype=float32)
--- Source: numpy.geomspace
function lutra.geomspace(start, stop, n, options) end

--- The modified Bessel function of the first kind of order 0, by the series of Cephes, in float64.
---@param x lutra.Tensor|table any shape
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument if x is bool or complex.
--- Example:
---     print(lt.bessel_i0 {0.0, 1.0})  --> lutra.Tensor([1.        1.2660658], shape=(2,), dtype=float32)
--- Source: numpy.i0, scipy.special.i0, tf.math.bessel_i0, torch.i0
function lutra.bessel_i0(x) end

--- A window of n numbers, a triangle: 1 - |2 i / period - 1|; the period is n, or n - 1 for one that is symmetric.
---@param n integer how many
---@param options? {periodic?: boolean, dtype?: string} periodic: default true; dtype: a float dtype, default float32
---@return lutra.Tensor window shape [n]
--- Errors: InvalidArgument for a negative n or another dtype.
--- Example:
---     print(lt.bartlett_window(4))  --> lutra.Tensor([0.  0.5 1.  0.5], shape=(4,), dtype=float32)
--- Source: numpy.bartlett, torch.bartlett_window
function lutra.bartlett_window(n, options) end

--- A window of n numbers, I0(beta sqrt(1 - (2 i / period - 1)^2)) / I0(beta); the period is n, or n - 1 for one that is
--- symmetric.
---@param n integer how many
---@param beta? number -700 to 700, default 12; the larger, the lower the side lobes, and the wider the main one
---@param options? {periodic?: boolean, dtype?: string} periodic: default true; dtype: a float dtype, default float32
---@return lutra.Tensor window shape [n]
--- Errors: InvalidArgument for a negative n, another beta or another dtype.
--- Example:
---     print(lt.kaiser_window(4, 0))  --> lutra.Tensor([1. 1. 1. 1.], shape=(4,), dtype=float32)
--- Source: numpy.kaiser, tf.signal.kaiser_window, torch.kaiser_window
function lutra.kaiser_window(n, beta, options) end

--- 2 to the power of x, exact for whole numbers.
---@param x lutra.Tensor|table any shape
---@return lutra.Tensor # x's shape; float32 for integers, else x's dtype
--- Errors: InvalidArgument for bool.
--- Example:
---     print(lt.exp2 {0, 3, -1})  --> lutra.Tensor([1.  8.  0.5], shape=(3,), dtype=float32)
--- Source: numpy.exp2, torch.exp2
function lutra.exp2(x) end

--- The larger of two numbers, or the one that is not nan.
---@param a lutra.Tensor|table any shape
---@param b lutra.Tensor|table broadcasts with a
---@return lutra.Tensor # the broadcast shape; the promoted dtype
--- Errors: InvalidArgument if the shapes do not broadcast, or for bool.
--- Example:
---     print(lt.fmax({1.0, 0 / 0}, {2.0, 3.0}))  --> lutra.Tensor([2. 3.], shape=(2,), dtype=float32)
--- Source: numpy.fmax, torch.fmax
function lutra.fmax(a, b) end

--- The smaller of two numbers, or the one that is not nan.
---@param a lutra.Tensor|table any shape
---@param b lutra.Tensor|table broadcasts with a
---@return lutra.Tensor # the broadcast shape; the promoted dtype
--- Errors: InvalidArgument if the shapes do not broadcast, or for bool.
--- Example:
---     print(lt.fmin({1.0, 0 / 0}, {2.0, 3.0}))  --> lutra.Tensor([1. 3.], shape=(2,), dtype=float32)
--- Source: numpy.fmin, torch.fmin
function lutra.fmin(a, b) end

--- The largest element less the smallest one, along axes or of all.
---@param x lutra.Tensor|table any shape
---@param axis? integer|integer[]
---@param options? {axis?: integer|integer[], keepdims?: boolean}
---@return lutra.Tensor # x's dtype
--- Errors: InvalidArgument for an axis that does not exist, nothing to compare, or bool.
--- Example:
---     print(lt.ptp({{1, 5}, {2, 9}}, 2))  --> lutra.Tensor([4 7], shape=(2,), dtype=int32)
--- Source: numpy.ptp
function lutra.ptp(x, axis, options) end

--- Running sums in which nan counts as 0, along an axis or of all elements.
---@param x lutra.Tensor|table any shape
---@param axis? integer
---@param options? {axis?: integer}
---@return lutra.Tensor # x's shape, without an axis a vector; as cumsum's
--- Errors: InvalidArgument for an axis that does not exist, or bool.
--- Example:
---     print(lt.nancumsum {1.0, 0 / 0, 2.0})  --> lutra.Tensor([1. 1. 3.], shape=(3,), dtype=float32)
--- Source: numpy.nancumsum
function lutra.nancumsum(x, axis, options) end

--- Running products in which nan counts as 1, along an axis or of all elements.
---@param x lutra.Tensor|table any shape
---@param axis? integer
---@param options? {axis?: integer}
---@return lutra.Tensor # x's shape, without an axis a vector; as cumprod's
--- Errors: InvalidArgument for an axis that does not exist, or bool.
--- Example:
---     print(lt.nancumprod {2.0, 0 / 0, 3.0})  --> lutra.Tensor([2. 2. 6.], shape=(3,), dtype=float32)
--- Source: numpy.nancumprod
function lutra.nancumprod(x, axis, options) end

--- Angles without jumps: to each a multiple of the period is added, so that neighbours differ by half of it at most.
---@param p lutra.Tensor|table at least one axis
---@param axis? integer default -1
---@param options? {axis?: integer, discont?: number, period?: number} discont: smaller jumps stay, default half of the period; period: default 2 pi
---@return lutra.Tensor # p's shape; float32 for integers unless the period is an integer, else p's dtype
--- Errors: InvalidArgument for a scalar, bool, a period that is not above 0, or an axis that does not exist.
--- Example:
---     print(lt.unwrap({1, 3, 1, 3}, {period = 3}))  --> lutra.Tensor([1 0 1 0], shape=(4,), dtype=int32)
--- Source: numpy.unwrap
function lutra.unwrap(p, axis, options) end

--- The sums of the products of conj(a)'s and b's elements along an axis, for which the others broadcast.
---@param a lutra.Tensor|table at least one axis
---@param b lutra.Tensor|table at least one axis
---@param axis? integer default -1
---@return lutra.Tensor # the broadcast shape without the axis; int64 for integers, else the promoted dtype
--- Errors: InvalidArgument for a scalar, sizes that differ, or bool.
--- Example:
---     print(lt.vecdot({{1, 2}, {3, 4}}, {1, 10}))  --> lutra.Tensor([21 43], shape=(2,), dtype=int64)
--- Source: numpy.vecdot, torch.linalg.vecdot
function lutra.vecdot(a, b, axis) end

--- The distances of each row of x to all later rows.
---@param x lutra.Tensor|table [n, columns], a row for each point
---@param options? {p?: number, metric?: string} as cdist's
---@return lutra.Tensor # [n (n - 1) / 2]: rows 1 and 2, 1 and 3, and so on; float32 for integers, else x's dtype
--- Errors: InvalidArgument if x is no matrix, or for an unknown metric.
--- Example:
---     print(lt.pdist {{0, 0}, {3, 4}, {0, 1}})  --> lutra.Tensor([5.        1.        4.2426405], shape=(3,), dtype=float32)
--- Source: scipy.spatial.distance.pdist, torch.nn.functional.pdist
function lutra.pdist(x, options) end

--- The distances of rows of a and b at the same places: the norms of a - b + eps.
---@param a lutra.Tensor|table [..., columns]
---@param b lutra.Tensor|table broadcasts with a
---@param options? {p?: number, eps?: number, keepdims?: boolean} p: of the norm, default 2; eps: default 1e-6; keepdims: default false
---@return lutra.Tensor # the broadcast shape without its last axis; float32 for integers, else the promoted dtype
--- Errors: InvalidArgument for scalars, shapes that do not broadcast, or bool.
--- Example:
---     print(lt.pairwise_distance({{0, 0}, {1, 1}}, {{3, 4}, {1, 3}}, {eps = 0}))  --> lutra.Tensor([5. 2.], shape=(2,), dtype=float32)
--- Source: torch.nn.functional.pairwise_distance
function lutra.pairwise_distance(a, b, options) end

return lutra
