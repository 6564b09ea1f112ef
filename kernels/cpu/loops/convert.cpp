#include "kernels/cpu/loops/convert.h"

#include "core/conversion.h"

namespace lutra {
namespace {
struct Here {};
}  // namespace

void convert_elements(DType to, std::byte* dst, DType from, const std::byte* src, int64_t count) {
  convert_array<Here>(to, dst, from, src, count);
}

}  // namespace lutra
