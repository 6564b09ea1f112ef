#include "kernels/cuda/libraries/convolutions.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "core/text.h"

namespace lutra::cuda {
namespace {

int type_of(DType dtype) {
  return dtype == DType::Float16 ? kDnnFloat16 : dtype == DType::BFloat16 ? kDnnBFloat16 : kDnnFloat32;
}

// What tensor cores may do: multiply halves as they are, and round float32 to tf32 unless the precision is fp32. The
// library cannot round to bfloat16.
int math_of(const Convolution& c) {
  if (c.dtype != DType::Float32) return kTensorOpMath;
  return c.precision == MatmulPrecision::Fp32 ? kFmaMath : kDefaultMath;
}

// Whether the library's interface can express it: sizes are ints, and both sides of an axis have the same padding.
bool can_be_asked(const Convolution& c) {
  if (c.dtype == DType::Float64 || !c.height.is_even() || !c.width.is_even()) return false;
  for (const ConvolutionAxis& axis : {c.height, c.width}) {
    for (int64_t size : {axis.in, axis.out, axis.taps, axis.stride, axis.dilation, axis.before}) {
      if (!std::in_range<int>(size)) return false;
    }
  }
  // Its kernels count elements in ints too.
  auto fits = [](std::initializer_list<int64_t> sizes) {
    double elements = 1;
    for (int64_t size : sizes) elements *= static_cast<double>(size);
    return elements > 0 && elements < 0x1p31;
  };
  return fits({c.batch, c.height.in, c.width.in, c.channels}) && fits({c.batch, c.height.out, c.width.out, c.out}) &&
         fits({c.out, c.height.taps, c.width.taps, c.channels / c.groups});
}

bool is_aligned(const Convolution& c) {
  auto bits = reinterpret_cast<uintptr_t>(c.x) | reinterpret_cast<uintptr_t>(c.w) | reinterpret_cast<uintptr_t>(c.y);
  return bits % 16 == 0;
}

constexpr int kMostChoices = 16;

bool is_refusal(DnnStatus status) { return status >= kDnnBadParameter && status < kDnnInternalError; }

}  // namespace

struct Convolutions::Plan {
  const Cudnn& library;
  TensorDescription x = nullptr, y = nullptr;
  FilterDescription w = nullptr;
  ConvolutionDescription convolution = nullptr;
  int algorithm = 0;
  DnnStatus status = kDnnSuccess;  // of creating the plan; a refusal is cached too

  explicit Plan(const Cudnn& of) : library(of) {}
  Plan(const Plan&) = delete;
  ~Plan() {
    if (x != nullptr) library.destroy_tensor(x);
    if (y != nullptr) library.destroy_tensor(y);
    if (w != nullptr) library.destroy_filter(w);
    if (convolution != nullptr) library.destroy_convolution(convolution);
  }
};

std::size_t Convolutions::Hash::operator()(const Key& key) const {
  constexpr std::size_t kWords = sizeof(Key) / sizeof(uint64_t);
  static_assert(sizeof(Key) == 18 * sizeof(uint64_t), "no padding");
  uint64_t words[kWords], hash = 0;
  std::memcpy(words, &key, sizeof words);
  for (uint64_t word : words) hash = (std::rotl(hash, 23) ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 32;
}

Convolutions::Convolutions(const Cudnn& library, DnnHandle handle) : library_(library), handle_(handle) {}

std::unique_ptr<Convolutions> Convolutions::create(const Cudnn& library, std::string* why) {
  DnnHandle handle = nullptr;
  DnnStatus status = library.create(&handle);
  if (status == kDnnSuccess) return std::unique_ptr<Convolutions>(new Convolutions(library, handle));
  *why = text("cuDNN does not start on this card",
              library.status_text != nullptr ? text(" (", library.status_text(status), ")") : std::string());
  return nullptr;
}

Convolutions::~Convolutions() {
  plans_.clear();
  library_.destroy(handle_);
}

Convolutions::Key Convolutions::key_of(const Convolution& c) {
  auto word = [](auto value) { return static_cast<uint64_t>(value); };
  Key key{.batch = c.batch,
          .channels = c.channels,
          .out = c.out,
          .groups = c.groups,
          .axes = {},
          .workspace_bytes = c.workspace_bytes,
          .kind_dtype_precision = word(c.kind) | word(c.dtype) << 8 | word(c.precision) << 16};
  const ConvolutionAxis* axes[2] = {&c.height, &c.width};
  for (int i = 0; i < 2; ++i) {
    const ConvolutionAxis& axis = *axes[i];
    const int64_t sizes[6] = {axis.in, axis.out, axis.taps, axis.stride, axis.dilation, axis.before};
    std::copy(sizes, sizes + 6, key.axes[i]);
  }
  return key;
}

DnnStatus Convolutions::list(const Convolution& c, const Plan& plan, ConvolutionChoice* found, int* count) const {
  switch (c.kind) {
    case ConvolutionKind::Forward:
      return library_.choose_forward(handle_, plan.x, plan.w, plan.convolution, plan.y, kMostChoices, count, found);
    case ConvolutionKind::Input:
      return library_.choose_input(handle_, plan.w, plan.y, plan.convolution, plan.x, kMostChoices, count, found);
    default:
      return library_.choose_filter(handle_, plan.x, plan.y, plan.convolution, plan.w, kMostChoices, count, found);
  }
}

// The list may give the workspace for another math type, if that is faster. So the workspace is queried separately.
DnnStatus Convolutions::ask_workspace(const Convolution& c, const Plan& plan, int algorithm, std::size_t* bytes) const {
  switch (c.kind) {
    case ConvolutionKind::Forward:
      return library_.workspace_of_forward(handle_, plan.x, plan.w, plan.convolution, plan.y, algorithm, bytes);
    case ConvolutionKind::Input:
      return library_.workspace_of_input(handle_, plan.w, plan.y, plan.convolution, plan.x, algorithm, bytes);
    default: return library_.workspace_of_filter(handle_, plan.x, plan.y, plan.convolution, plan.w, algorithm, bytes);
  }
}

// The first usable algorithm of the library's list, which is sorted by estimated time.
DnnStatus Convolutions::choose(const Convolution& c, Plan& plan) const {
  ConvolutionChoice found[kMostChoices] = {};
  int count = 0;
  if (DnnStatus status = list(c, plan, found, &count); status != kDnnSuccess) return status;
  for (int i = 0; i < std::min(count, kMostChoices); ++i) {
    std::size_t bytes = 0;
    if (found[i].status != kDnnSuccess || found[i].determinism != kDeterministic) continue;
    if (ask_workspace(c, plan, found[i].algorithm, &bytes) != kDnnSuccess || bytes > c.workspace_bytes) continue;
    plan.algorithm = found[i].algorithm;
    return kDnnSuccess;
  }
  return kDnnNotSupported;
}

std::unique_ptr<Convolutions::Plan> Convolutions::make_plan(const Convolution& c) const {
  auto plan = std::make_unique<Plan>(library_);
  auto keep = [&plan](DnnStatus answer) {
    if (plan->status == kDnnSuccess) plan->status = answer;
    return plan->status == kDnnSuccess;
  };
  if (!can_be_asked(c)) {
    plan->status = kDnnNotSupported;
    return plan;
  }
  auto number = [](int64_t size) { return static_cast<int>(size); };
  const int type = type_of(c.dtype), batch = number(c.batch), channels = number(c.channels), out = number(c.out);
  const ConvolutionAxis &h = c.height, &w = c.width;
  keep(library_.create_tensor(&plan->x)) && keep(library_.create_tensor(&plan->y)) &&
      keep(library_.create_filter(&plan->w)) && keep(library_.create_convolution(&plan->convolution)) &&
      keep(library_.set_tensor(plan->x, kChannelsLast, type, batch, channels, number(h.in), number(w.in))) &&
      keep(library_.set_tensor(plan->y, kChannelsLast, type, batch, out, number(h.out), number(w.out))) &&
      keep(library_.set_filter(plan->w, type, kChannelsLast, out, number(c.channels / c.groups), number(h.taps),
                               number(w.taps))) &&
      keep(library_.set_convolution(plan->convolution, number(h.before), number(w.before), number(h.stride),
                                    number(w.stride), number(h.dilation), number(w.dilation), kCrossCorrelation,
                                    kDnnFloat32)) &&
      keep(library_.set_groups(plan->convolution, number(c.groups))) &&
      keep(library_.set_math(plan->convolution, math_of(c))) && keep(choose(c, *plan));
  return plan;
}

DnnStatus Convolutions::run(const Convolution& c, const Plan& plan) const {
  const float one = 1, zero = 0;
  if (c.kind == ConvolutionKind::Forward) {
    return library_.forward(handle_, &one, plan.x, c.x, plan.w, c.w, plan.convolution, plan.algorithm, c.workspace,
                            c.workspace_bytes, &zero, plan.y, c.y);
  }
  if (c.kind == ConvolutionKind::Input) {
    return library_.backward_input(handle_, &one, plan.w, c.w, plan.y, c.y, plan.convolution, plan.algorithm,
                                   c.workspace, c.workspace_bytes, &zero, plan.x, c.x);
  }
  return library_.backward_filter(handle_, &one, plan.x, c.x, plan.y, c.y, plan.convolution, plan.algorithm,
                                  c.workspace, c.workspace_bytes, &zero, plan.w, c.w);
}

Convolutions::Plan* Convolutions::plan_for(const Convolution& c, std::string* why) {
  // cuDNN's kernels read 16 bytes at a time, and a fault would lose the card.
  if (!is_aligned(c)) {
    *why = told("is not used for operands at addresses that are not multiples of 16 bytes:", c, kDnnSuccess);
    return nullptr;
  }
  Key key = key_of(c);
  auto found = plans_.find(key);
  if (found == plans_.end()) {
    if (plans_.size() >= kMostPlans) plans_.clear();
    std::unique_ptr<Plan> made = make_plan(c);
    // A refusal is cached. Other errors may not occur the next time.
    if (made->status != kDnnSuccess && !is_refusal(made->status)) {
      *why = told("cannot plan", c, made->status);
      return nullptr;
    }
    found = plans_.emplace(key, std::move(made)).first;
  }
  if (found->second->status == kDnnSuccess) return found->second.get();
  *why = told("has no way to compute", c, found->second->status);
  return nullptr;
}

bool Convolutions::can(const Convolution& c, std::string* why) { return plan_for(c, why) != nullptr; }

Convolutions::Answer Convolutions::convolve(const Convolution& c, StreamHandle stream, std::string* why) {
  Plan* plan = plan_for(c, why);
  if (plan == nullptr) return Answer::Refused;
  DnnStatus status = library_.set_stream(handle_, stream);
  if (status == kDnnSuccess) status = run(c, *plan);
  if (status == kDnnSuccess) return Answer::Queued;
  *why = told("failed at", c, status);
  if (is_refusal(status)) {
    plan->status = status;
    return Answer::Refused;
  }
  plans_.erase(key_of(c));
  return Answer::Failed;
}

// "cuDNN has no way to compute the gradient of w of a convolution of (8, 32, 32, 16) with (3, 3, 16, 64) in float32
// (...)"
std::string Convolutions::told(const char* what, const Convolution& c, DnnStatus status) const {
  const char* of = c.kind == ConvolutionKind::Forward ? ""
                   : c.kind == ConvolutionKind::Input ? "the gradient of x of "
                                                      : "the gradient of w of ";
  std::string reason;
  if (status != kDnnSuccess) {
    reason = text(" (",
                  library_.status_text != nullptr ? std::string(library_.status_text(status)) : text("status ", status),
                  ")");
  }
  return text("cuDNN ", what, " ", of, "a convolution of (", c.batch, ", ", c.height.in, ", ", c.width.in, ", ",
              c.channels, ") with (", c.height.taps, ", ", c.width.taps, ", ", c.channels / c.groups, ", ", c.out,
              ") in ", lutra::name(c.dtype), reason);
}

}  // namespace lutra::cuda
