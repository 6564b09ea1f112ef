#include "profile/numerics.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/convert.h"
#include "core/text.h"
#include "eager/prepare.h"

namespace lutra {
namespace {

constexpr int64_t kChunk = 4096;

std::string at_line(const ScriptPosition& line) {
  return line.file[0] == '\0' ? std::string() : text(" at ", line.file, ":", line.line);
}

// As many digits as float32 has.
std::string number_text(double number) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.7g", number);
  return digits;
}

std::string count_text(int64_t nan, int64_t inf) { return text(nan, " nan and ", inf, " inf"); }

}  // namespace

NumericsCheck::~NumericsCheck() {
  if (context_ != nullptr) context_->detach(*this);
}

NumericsCheck::Values NumericsCheck::look(const TensorRep& tensor) {
  Values values;
  values.count = tensor.size;
  values.least = std::numeric_limits<double>::infinity();
  values.most = -values.least;
  std::vector<std::byte> all;
  const bool is_host = context_->runtime().device(tensor.device).is_host();
  const std::byte* from = is_host ? tensor.address() : nullptr;
  if (!is_host) {
    all.resize(tensor.nbytes());
    context_->runtime().transfer().read(*context_, tensor, all.data(), 0, all.size());
    from = all.data();
  }
  // A complex element counts once, and the range is that of the parts.
  const int parts = is_complex(tensor.dtype) ? 2 : 1;
  const DType dtype = real_dtype(tensor.dtype);
  double chunk[2 * kChunk];
  for (int64_t done = 0; done < tensor.size; done += kChunk) {
    const int64_t count = std::min(kChunk, tensor.size - done);
    convert(DType::Float64, reinterpret_cast<std::byte*>(chunk), dtype,
            from + static_cast<std::size_t>(done) * size_of(tensor.dtype), count * parts);
    for (const double* element = chunk; element != chunk + count * parts; element += parts) {
      bool has_nan = false, has_inf = false;
      for (int part = 0; part < parts; ++part) {
        has_nan |= std::isnan(element[part]);
        has_inf |= std::isinf(element[part]);
        if (!std::isfinite(element[part])) continue;
        values.least = std::min(values.least, element[part]);
        values.most = std::max(values.most, element[part]);
      }
      values.nan += has_nan;
      values.inf += has_inf && !has_nan;
    }
  }
  return values;
}

std::vector<NumericsCheck::Values> NumericsCheck::inputs_of(const Call& call) {
  std::vector<Values> inputs;
  for (int i = 0; i < call.n_in; ++i) {
    if (const TensorRep* tensor = call.in[i].tensor) {
      inputs.push_back(look(*tensor));
      continue;
    }
    const double number = call.in[i].number.as_double();
    const bool is_finite = std::isfinite(number);
    inputs.push_back({1, std::isnan(number), std::isinf(number), is_finite ? number : 1, is_finite ? number : -1});
  }
  return inputs;
}

void NumericsCheck::op_begins(const Call& call, const Prepared& prepared) {
  if (prepared.into == nullptr) return;
  overwriting_ = nullptr;
  try {
    before_ = inputs_of(call);
    overwriting_ = &call;
  } catch (...) {
    // The op itself will fail by the same late error, or the check for lack of memory.
  }
}

void NumericsCheck::check(const Call& call, const Prepared& prepared, TensorRep* const* outs) {
  // A view has its input's values, and the ops that an op is composed of have been checked.
  const bool computes = prepared.kernel != nullptr && !prepared.op->has(kComposed);
  for (int i = 0; computes && i < prepared.n_out; ++i) {
    const TensorRep& result = *outs[i];
    if (!is_float(result.dtype) && !is_complex(result.dtype)) continue;
    const Values values = look(result);
    if (values.nan == 0 && values.inf == 0) continue;
    const std::vector<Values> inputs = overwriting_ == &call ? before_ : inputs_of(call);
    auto has = [&](int64_t Values::*what) {
      return std::ranges::any_of(inputs, [what](const Values& input) { return input.*what > 0; });
    };
    const bool made_nan = values.nan > 0 && !has(&Values::nan);
    const bool made_inf = values.inf > 0 && !has(&Values::inf);
    if (made_nan || made_inf) fail_op(call, prepared, result, values, inputs);
  }
  overwriting_ = nullptr;
  last_op_ = call.op->logged(call);
  last_line_ = context_->position();
}

void NumericsCheck::fail_op(const Call& call, const Prepared& prepared, const TensorRep& result, const Values& values,
                            const std::vector<Values>& inputs) const {
  const OpDef& op = *call.op;
  const ScriptPosition line = context_->position();
  std::string ranges;
  for (int i = 0; i < call.n_in; ++i) {
    const Values& input = inputs[static_cast<std::size_t>(i)];
    const TensorRep* tensor = call.in[i].tensor;
    append(ranges, text(i == 0 ? "" : ", ", op.input(i).name));
    if (tensor != nullptr) append(ranges, text(" ", tensor->dtype, " ", tensor->shape()));
    const bool has_parts = tensor != nullptr && is_complex(tensor->dtype);
    if (input.count == 0) append(ranges, " without elements");
    else if (input.least > input.most) append(ranges, " without finite values");
    else if (input.count == 1 && !has_parts) append(ranges, text(" is ", number_text(input.least)));
    else
      append(ranges, text(has_parts ? " with parts from " : " from ", number_text(input.least), " to ",
                          number_text(input.most)));
    if (input.nan > 0 || input.inf > 0) append(ranges, text(" with ", count_text(input.nan, input.inf)));
  }
  const std::string name = op.logged(call);
  const std::string before =
      last_op_.empty() ? std::string() : text("; the op before it: ", last_op_, at_line(last_line_));
  throw Error(ErrorCode::InvalidArgument,
              text(op.called(), ": ", name, " made ", count_text(values.nan, values.inf), " among ", values.count,
                   values.count == 1 ? " element, " : " elements, ", result.dtype, " ", result.shape(), at_line(line),
                   ", on ", prepared.device->full_name, "; inputs: ", ranges.empty() ? "none" : ranges, before,
                   " (lutra.debugging.check_numerics is on)"))
      .with("op", name)
      .with("device", prepared.device->full_name)
      .with("nan", text(values.nan))
      .with("inf", text(values.inf));
}

}  // namespace lutra
