// describe(tensor): the numbers that t:describe() shows, for Lutra's own Lua. The tensor is copied to the CPU once,
// which is the only wait; as no op runs, the placement log has no line of it.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "lua/bindings/tensor_api.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"
#include "lua/ops/elements.h"

namespace lutra {
namespace {

constexpr int kBins = 32;

struct Description {
  int64_t nans = 0, infinities = 0, zeros = 0, finite = 0;
  Scalar least = Scalar::of(0.0), most = Scalar::of(0.0);
  double mean = 0, deviation = 0;
  double quartiles[3] = {};
  int64_t counts[kBins] = {};
};

// The value below which a share of the sorted numbers lies, interpolated as by NumPy's percentile. Reorders `numbers`.
template <class T> double quantile(std::vector<T>& numbers, double share) {
  const double at = share * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(numbers.begin(), middle, numbers.end());
  const double low = static_cast<double>(*middle), rest = at - static_cast<double>(below);
  if (rest == 0) return low;
  const double high = static_cast<double>(*std::min_element(middle + 1, numbers.end()));
  const double gap = high - low;
  return std::isfinite(gap) ? low + rest * gap : low * (1 - rest) + high * rest;
}

// Sums are of numbers divided by `scale`, so that squares of float64's largest do not overflow, nor its least vanish.
template <class T> void measure(std::vector<T>& numbers, Description* out) {
  const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
  const double low = static_cast<double>(*least), high = static_cast<double>(*most);
  if constexpr (std::is_integral_v<T>) {
    out->least = Scalar::of(static_cast<int64_t>(*least));
    out->most = Scalar::of(static_cast<int64_t>(*most));
  } else {
    out->least = Scalar::of(low);
    out->most = Scalar::of(high);
  }
  const double largest = std::max(std::abs(low), std::abs(high));
  const double scale = largest > 1e140 || (largest > 0 && largest < 1e-140) ? largest : 1;
  const double count = static_cast<double>(numbers.size());
  double sum = 0, squares = 0;
  for (T x : numbers) sum += static_cast<double>(x) / scale;
  const double mean = sum / count, span = high / scale - low / scale;
  for (T x : numbers) {
    const double shown = static_cast<double>(x) / scale, off = shown - mean;
    squares += off * off;
    if (span > 0) {
      const double place = (shown - low / scale) / span * kBins;
      ++out->counts[std::clamp(static_cast<int>(place), 0, kBins - 1)];
    }
  }
  out->mean = mean * scale;
  out->deviation = std::sqrt(squares / count) * scale;
  for (int i = 0; i < 3; ++i) out->quartiles[i] = quantile(numbers, 0.25 * (i + 1));
}

template <class T> void describe_as(const std::vector<std::byte>& bytes, std::size_t count, Description* out) {
  using Number = std::conditional_t<std::is_integral_v<T>, std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>,
                                    std::conditional_t<std::is_same_v<T, double>, double, float>>;
  std::vector<Number> numbers;
  numbers.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    T element;
    std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
    const Number x = static_cast<Number>(element);
    if constexpr (!std::is_integral_v<T>) {
      if (!std::isfinite(x)) {
        ++(std::isnan(x) ? out->nans : out->infinities);
        continue;
      }
    }
    if (x == Number{0}) ++out->zeros;
    numbers.push_back(x);
  }
  out->finite = static_cast<int64_t>(numbers.size());
  if (!numbers.empty()) measure(numbers, out);
}

// Pushes {nans, infinities, zeros, finite[, min, max, mean, std, quartiles = {3 numbers}, counts = {32 numbers}]}.
int describe(Args& args) {
  const TensorRep& tensor = args.tensor(1, "tensor").tensor;
  std::vector<std::byte> bytes(tensor.nbytes());
  args.state.runtime().transfer().read(args.state.context(), tensor, bytes.data(), 0, bytes.size());
  require(!is_complex(tensor.dtype), args.who(), ": tensor is ", tensor.dtype,
          ", expected a real dtype; take its abs, real or imag");
  Description found;
  visit_dtype(tensor.dtype, [&](auto tag) {
    describe_as<typename decltype(tag)::type>(bytes, static_cast<std::size_t>(tensor.size), &found);
  });
  protect(args.L, 1, [&](lua_State* L) {
    lua_newtable(L);
    auto integer = [L](const char* name, int64_t value) {
      lua_pushinteger(L, value);
      lua_setfield(L, -2, name);
    };
    auto number = [L](const char* name, double value) {
      lua_pushnumber(L, value);
      lua_setfield(L, -2, name);
    };
    integer("nans", found.nans);
    integer("infinities", found.infinities);
    integer("zeros", found.zeros);
    integer("finite", found.finite);
    if (found.finite == 0) return 1;
    push_scalar(L, found.least);
    lua_setfield(L, -2, "min");
    push_scalar(L, found.most);
    lua_setfield(L, -2, "max");
    number("mean", found.mean);
    number("std", found.deviation);
    lua_newtable(L);
    for (int i = 0; i < 3; ++i) {
      lua_pushnumber(L, found.quartiles[i]);
      lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "quartiles");
    lua_newtable(L);
    for (int i = 0; i < kBins; ++i) {
      lua_pushinteger(L, found.counts[i]);
      lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "counts");
    return 1;
  });
  return 1;
}

}  // namespace

void open_description(lua_State* L, State& state) { set_function<describe>(L, state, "describe", "describe"); }

}  // namespace lutra
