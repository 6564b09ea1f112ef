#include "profile/event_texts.h"

#include <algorithm>
#include <cstring>

#include "core/text.h"

namespace lutra {
namespace {

// What signatures begin with; those of kernels with a number of inputs.
constexpr uint64_t kTensor = 1 << 20, kView = 2 << 20;

void append_array(std::string& out, DType dtype, const int64_t* dims, int rank) {
  if (!out.empty() && out.back() != ' ') out += ' ';
  append(out, text(dtype, "("));
  for (int axis = 0; axis < rank; ++axis) append(out, text(axis > 0 ? "," : "", dims[axis]));
  out += ')';
}

// Of long lists the first.
constexpr int kMostShown = 8;

}  // namespace

uint32_t EventTexts::requested(const Context& context, uint32_t spec) {
  const std::string& name = context.spec_text(spec);
  // Ids are reused, so the name is compared.
  if (spec != last_spec_ || strings_[last_requested_] != name) {
    last_requested_ = strings_.add(name);
    last_spec_ = spec;
  }
  return last_requested_;
}

uint32_t EventTexts::line(const Context& context) {
  const ScriptPosition position = context.position();
  if (position.file[0] == '\0') return 0;
  if (position.line == last_line_.line && std::strcmp(position.file, last_line_.file) == 0) return last_line_number_;
  last_line_ = position;
  return last_line_number_ = strings_.add(text(position.file, ":", position.line));
}
template <class Make> uint32_t EventTexts::shaped(const Signature& signature, const Make& make) {
  auto& [hash, number] = shapes_[signature.hash() % shapes_.size()];
  if (number == 0 || hash != signature.hash()) {
    number = strings_.add(make());
    hash = signature.hash();
  }
  return number;
}

uint32_t EventTexts::shapes_of(const KernelArgs& args) {
  Signature signature(static_cast<uint64_t>(args.n_in));
  for (int i = 0; i < args.n_in; ++i) signature.put(args.in[i].dtype, args.in[i].dims, args.in[i].rank);
  for (int i = 0; i < args.n_out; ++i) signature.put(args.out[i].dtype, args.out[i].dims, args.out[i].rank);
  return shaped(signature, [&] {
    std::string out;
    for (int i = 0; i < std::min(args.n_in, kMostShown); ++i)
      append_array(out, args.in[i].dtype, args.in[i].dims, args.in[i].rank);
    if (args.n_in > kMostShown) append(out, text(" and ", args.n_in - kMostShown, " more"));
    append(out, " -> ");
    for (int i = 0; i < std::min(args.n_out, kMostShown); ++i)
      append_array(out, args.out[i].dtype, args.out[i].dims, args.out[i].rank);
    if (args.n_out > kMostShown) append(out, text(" and ", args.n_out - kMostShown, " more"));
    return out;
  });
}

uint32_t EventTexts::shapes_of(const Call& call, const Prepared& prepared, TensorRep* const* outs) {
  auto for_each = [&](const auto& in, const auto& out) {
    for (int i = 0; i < call.n_in; ++i) {
      const TensorRep* tensor = call.in[i].tensor;
      if (tensor != nullptr && tensor->size >= 0) in(*tensor);
    }
    for (int i = 0; outs != nullptr && i < prepared.n_out; ++i) out(*outs[i]);
  };
  Signature signature(kView);
  auto put = [&](const TensorRep& tensor) { signature.put(tensor.dtype, tensor.dims, tensor.rank); };
  for_each(put, put);
  return shaped(signature, [&] {
    std::string from, to;
    for_each([&](const TensorRep& tensor) { append_array(from, tensor.dtype, tensor.dims, tensor.rank); },
             [&](const TensorRep& tensor) { append_array(to, tensor.dtype, tensor.dims, tensor.rank); });
    return text(from, " -> ", to);
  });
}

uint32_t EventTexts::shape_of(const TensorRep& tensor) {
  Signature signature(kTensor);
  signature.put(tensor.dtype, tensor.dims, tensor.rank);
  return shaped(signature, [&] {
    std::string out;
    append_array(out, tensor.dtype, tensor.dims, tensor.rank);
    return out;
  });
}

}  // namespace lutra
