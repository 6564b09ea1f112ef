// pixels(tensor): a picture's elements as RGB bytes, for lutra.plot. The tensor is copied to the CPU once; no op runs.

#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

struct Conversion {
  int64_t clipped = 0, nans = 0;

  // 0 to 255 of an element: floats and booleans are shares of white, integers are bytes.
  template <class T> double level(T element) {
    double value = static_cast<double>(static_cast<ComputeType<T>>(element));
    if constexpr (!std::is_integral_v<T> || std::is_same_v<T, bool>) value *= 255;
    if (std::isnan(value)) {
      ++nans;
      return 0;
    }
    if (value < 0 || value > 255) ++clipped;
    return value < 0 ? 0 : value > 255 ? 255 : value;
  }

  // Grey, grey and alpha, RGB or RGBA; what is transparent shows white.
  template <class T> void convert(const std::byte* bytes, std::size_t count, int channels, char* out) {
    for (std::size_t i = 0; i < count; ++i) {
      double levels[4] = {};
      for (int k = 0; k < channels; ++k) {
        T element;
        std::memcpy(&element,
                    bytes + (i * static_cast<std::size_t>(channels) + static_cast<std::size_t>(k)) * sizeof(T),
                    sizeof(T));
        levels[k] = level(element);
      }
      const double alpha = channels % 2 == 0 ? levels[channels - 1] / 255 : 1;
      for (int k = 0; k < 3; ++k) {
        const double shown = levels[channels >= 3 ? k : 0] * alpha + 255 * (1 - alpha);
        out[i * 3 + static_cast<std::size_t>(k)] = static_cast<char>(static_cast<unsigned char>(std::lround(shown)));
      }
    }
  }
};

// Returns the bytes, height, width, the number of clipped elements and of nans. The tensor is {height, width} or
// {height, width, channels}; the caller has checked it.
int pixels(Args& args) {
  const TensorRep& tensor = args.tensor(1, "tensor").tensor;
  const int channels = tensor.rank == 3 ? static_cast<int>(tensor.dims[2]) : 1;
  require(tensor.rank == 2 || (tensor.rank == 3 && channels >= 1 && channels <= 4), args.who(), ": a tensor ",
          tensor.shape(), " is no picture");
  require(!is_complex(tensor.dtype), args.who(), ": a picture of ", tensor.dtype,
          " is not possible; show its abs, real or imag");
  const int64_t height = tensor.dims[0], width = tensor.dims[1];
  const auto count = static_cast<std::size_t>(height * width);
  std::vector<std::byte> bytes(tensor.nbytes());
  args.state.runtime().transfer().read(args.state.context(), tensor, bytes.data(), 0, bytes.size());
  std::string out(count * 3, '\0');
  Conversion conversion;
  visit_dtype(tensor.dtype, [&](auto tag) {
    conversion.convert<typename decltype(tag)::type>(bytes.data(), count, channels, out.data());
  });
  push_text(args, out);
  lua_pushinteger(args.L, height);
  lua_pushinteger(args.L, width);
  lua_pushinteger(args.L, conversion.clipped);
  lua_pushinteger(args.L, conversion.nans);
  return 5;
}

}  // namespace

void open_pixels(lua_State* L, State& state) { set_function<pixels>(L, state, "pixels", "plot"); }

}  // namespace lutra
