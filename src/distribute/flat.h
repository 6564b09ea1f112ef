// Several tensors as one flat one in host memory, and back.
#pragma once

#include <cstring>

#include "eager/constant.h"
#include "eager/context.h"

namespace lutra {

inline std::byte* bytes_of(Tensor& tensor) { return tensor.rep().is_inline() ? tensor.rep().bytes : tensor.rep().data; }

inline Tensor host_tensor(Context& context, DType dtype, std::size_t count) {
  Tensor tensor;
  make_host_tensor(context, dtype, Shape{static_cast<int64_t>(count)}, &tensor.rep());
  return tensor;
}

// The elements of a flat tensor from `first` on, as many as the shape has, sharing its memory. Short ones are copied:
// they are inline, as all short tensors of a CPU are.
inline Tensor part_of(Context& context, const Tensor& flat, std::size_t first, const Shape& shape) {
  const std::size_t item = size_of(flat.rep().dtype);
  if (!fits_inline(static_cast<std::size_t>(shape.size()) * item)) {
    Tensor part(flat);
    TensorRep& rep = part.rep();
    rep.data += first * item;
    rep.size = shape.size();
    rep.set_shape(shape);
    rep.value = 0;
    return part;
  }
  Tensor part;
  make_host_tensor(context, flat.rep().dtype, shape, &part.rep());
  std::memcpy(bytes_of(part), flat.rep().address() + first * item, part.rep().nbytes());
  return part;
}

}  // namespace lutra
