-- The modified Bessel function of the first kind of order 0, by Chebyshev series: the coefficients are those of Cephes
-- (Moshier, Methods and Programs for Mathematical Functions, 1989; netlib.org/cephes, i0.c), which NumPy and SciPy use
-- too.
local lutra, _, use = ...
local options, arguments = use "options", use "functions.arguments"

local bessel = {}

-- exp(-x) I0(x) for x from 0 to 8, of x / 2 - 2; the highest order first.
local kSmall = {
  -4.4153416464793395e-18, 3.3307945188222384e-17, -2.431279846547955e-16, 1.715391285555133e-15,
  -1.1685332877993451e-14, 7.676185498604936e-14, -4.856446783111929e-13, 2.95505266312964e-12,
  -1.726826291441556e-11, 9.675809035373237e-11, -5.189795601635263e-10, 2.6598237246823866e-09,
  -1.300025009986248e-08, 6.046995022541919e-08, -2.670793853940612e-07, 1.1173875391201037e-06,
  -4.4167383584587505e-06, 1.6448448070728896e-05, -5.754195010082104e-05, 0.00018850288509584165,
  -0.0005763755745385824, 0.0016394756169413357, -0.004324309995050576, 0.010546460394594998, -0.02373741480589947,
  0.04930528423967071, -0.09490109704804764, 0.17162090152220877, -0.3046826723431984, 0.6767952744094761,
}

-- exp(-x) sqrt(x) I0(x) for x above 8, of 32 / x - 2.
local kLarge = {
  -7.233180487874754e-18, -4.830504485944182e-18, 4.46562142029676e-17, 3.461222867697461e-17,
  -2.8276239805165836e-16, -3.425485619677219e-16, 1.7725601330565263e-15, 3.8116806693526224e-15,
  -9.554846698828307e-15, -4.150569347287222e-14, 1.54008621752141e-14, 3.8527783827421426e-13, 7.180124451383666e-13,
  -1.7941785315068062e-12, -1.3215811840447713e-11, -3.1499165279632416e-11, 1.1889147107846439e-11,
  4.94060238822497e-10, 3.3962320257083865e-09, 2.266668990498178e-08, 2.0489185894690638e-07, 2.8913705208347567e-06,
  6.889758346916825e-05, 0.0033691164782556943, 0.8044904110141088,
}

-- Clenshaw's sum of a Chebyshev series on [-2, 2].
local function series(coefficients, x)
  local next_sum, sum_after = x * 0, nil
  local sum = next_sum + coefficients[1]
  for i = 2, #coefficients do
    sum, next_sum, sum_after = x * sum - next_sum + coefficients[i], sum, next_sum
  end
  return (sum - sum_after) * 0.5
end

-- In float64, for numbers of any dtype.
function bessel.bessel_i0(x)
  x = arguments.inexact("bessel_i0", "x", x)
  local size = lutra.abs(x:cast "float64")
  local is_small, is_finite = size:le(8), size:lt(math.huge)
  -- Neither branch sees the other's numbers, whose gradients may be nan.
  local small = lutra.where(is_small, size, 1)
  local large = lutra.where(lutra.logical_or(is_small, lutra.logical_not(is_finite)), 9, size)
  local low = lutra.exp(small) * series(kSmall, small * 0.5 - 2)
  -- Half the exponent twice: exp overflows before the function does.
  local half = lutra.exp(large * 0.5)
  local high = half * (series(kLarge, 32 / large - 2) / lutra.sqrt(large)) * half
  return (lutra.where(is_small, low, lutra.where(is_finite, high, size)):cast(x.dtype))
end

bessel.bessel_i0 = options.bounded("bessel_i0", 1, bessel.bessel_i0, true)

return bessel
