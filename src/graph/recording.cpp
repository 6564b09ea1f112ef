#include "graph/recording.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "eager/executor.h"
#include "eager/launch.h"
#include "eager/variable.h"
#include "ops/create.h"

namespace lutra::graph {
namespace {

constexpr std::size_t kLiteralBytes = 16;

bool lies_in(const Array& array, const Storage& storage) {
  const std::byte* end = storage.data + storage.bytes;
  return array.data >= storage.data && (array.data < end || (array.size == 0 && array.data == end));
}

// The op that copies a tensor into fresh memory on its own device.
Call copy_call(Context& context, const Operand* operand) {
  Call call(context.runtime().ops().get("AssignVariableOp"), operand, 1, 1);
  call.as<CastAttrs>().dtype = operand->tensor->dtype;
  return call;
}

std::size_t bytes_in_use(Runtime& runtime) {
  std::size_t bytes = runtime.pool().stats().bytes_in_use;
  for (const LogicalDevice* device : runtime.order()) {
    if (device->heap != nullptr) bytes += device->heap->stats().bytes_in_use;
  }
  return bytes;
}

}  // namespace

Recording::Recording(Context& context) : context_(context) {
  program_.lines.emplace_back();
  lines_.emplace("", 0);
}

Recording::~Recording() { stop(); }

void Recording::begin(std::span<TensorRep* const> variables) {
  context_.record(this);
  for (TensorRep* variable : variables) {
    Storage* storage = variable->storage;
    const bool is_alone =
        storage != nullptr && storage->refs.load(std::memory_order_acquire) == 1 && variable->data == storage->data;
    if (!is_alone) {
      const uint32_t origin = variable->origin;
      Operand operand[1] = {{variable, Scalar::of(false)}};
      Call call = copy_call(context_, operand);
      update(context_, call, {&variable, 1});
      variable->origin = origin;
    }
    // A copy on another device that was made before could also be somebody's tensor.
    context_.runtime().transfer().drop_mirrors_of(variable->storage);
    variables_.emplace(variable->value, Known{variable});
    first_storages_.emplace(variable->storage, variable->value);
  }
  random_ = context_.random_place();
  bytes_at_start_ = bytes_in_use(context_.runtime());
  is_running_ = true;
}

void Recording::add_argument(const TensorRep& given, TensorRep* out) {
  const bool was_running = std::exchange(is_running_, false);
  Operand operand[1] = {{&given, Scalar::of(false)}};
  Call call = copy_call(context_, operand);
  LogicalDevice& device = context_.runtime().device(given.device);
  ForcedPlace place{&device, Reason::StaysOnInput};
  Tensor copy = run_op(context_, call, &place);
  is_running_ = was_running;
  int cell = add_cell(Cell::Kind::Argument, *copy.rep().storage, context_.runtime().device(copy.rep().device));
  program_.cells[static_cast<std::size_t>(cell)].index = arguments_++;
  copy.rep().storage->retain();
  held_.push_back(copy.rep().storage);
  *out = copy.rep();
  copy.rep().storage = nullptr;
}

int Recording::add_cell(Cell::Kind kind, Storage& storage, const LogicalDevice& device) {
  Cell cell;
  cell.kind = kind;
  cell.device = device.id;
  cell.bytes = storage.bytes;
  program_.cells.push_back(std::move(cell));
  const int number = static_cast<int>(program_.cells.size()) - 1;
  cells_[&storage] = number;
  return number;
}

int Recording::add_scratch(std::size_t bytes, const LogicalDevice& device) {
  Cell cell;
  cell.device = device.id;
  cell.bytes = bytes;
  program_.cells.push_back(std::move(cell));
  return static_cast<int>(program_.cells.size()) - 1;
}

// The cell of memory that is read. If no step has written it, it is a constant.
int Recording::cell_of(Storage& storage) {
  if (!finds(storage)) {
    int cell = add_cell(Cell::Kind::Constant, storage, context_.runtime().device(storage.device));
    TensorRep& held = program_.cells[static_cast<std::size_t>(cell)].constant.rep();
    storage.retain();
    held.storage = &storage;
    held.data = storage.data;
    held.device = storage.device;
    held.dtype = DType::UInt8;
    held.size = held.dims[0] = static_cast<int64_t>(storage.bytes);
  }
  return number(storage);
}

// Whether the storage is a cell. A variable's becomes one when it is met first, so that programs do not depend on
// variables that they do not use.
bool Recording::finds(const Storage& storage) {
  if (cells_.find(&storage) != cells_.end()) return true;
  auto first = first_storages_.find(&storage);
  if (first == first_storages_.end()) return false;
  use(variables_.at(first->second));
  return true;
}

void Recording::use(Known& variable) {
  if (variable.used >= 0) return;
  variable.cell = variable.now =
      add_cell(Cell::Kind::Variable, *variable.rep->storage, context_.runtime().device(variable.rep->device));
  variable.used = static_cast<int>(program_.variables.size());
  Program::Variable made;
  made.identity = variable.rep->value;
  made.cell = variable.cell;
  made.like = *variable.rep;
  made.like.storage = nullptr;
  program_.variables.push_back(made);
  program_.cells[static_cast<std::size_t>(variable.cell)].index = variable.used;
}

StepArray Recording::described(const Array& array, CellPlace place) {
  StepArray made;
  made.place = place;
  made.dtype = array.dtype;
  made.rank = array.rank;
  made.immediate = array.immediate;
  made.size = array.size;
  made.has_dims = array.dims != nullptr;
  for (int axis = 0; axis < array.rank && made.has_dims; ++axis) made.dims[axis] = array.dims[axis];
  return made;
}

CellPlace Recording::place_of_input(Step& step, const Array& array, Storage* storage, bool reads_scratch) {
  if (storage != nullptr && lies_in(array, *storage)) {
    return {cell_of(*storage), static_cast<std::size_t>(array.data - storage->data)};
  }
  if (reads_scratch && !array.immediate) {
    for (const auto& [address, cell] : scratch_) {
      if (address == array.data) return {cell, 0};
    }
  }
  if (storage != nullptr) refuse("an op reads memory that no launch has written");
  // A number, or a small tensor from outside that carries its bytes.
  CellPlace place{-1, step.literals.size()};
  const std::size_t bytes = static_cast<std::size_t>(array.size) * size_of(array.dtype);
  step.literals.resize(place.offset +
                       (std::max(bytes, std::size_t{1}) + kLiteralBytes - 1) / kLiteralBytes * kLiteralBytes);
  if (bytes > 0) std::memcpy(step.literals.data() + place.offset, array.data, bytes);
  return place;
}

// Note [Launches within an op]
// An op whose inputs have other dtypes than it computes in casts them by launches of their own, which have no `writes`,
// into memory that no Storage stands for; so does the rounding of results that were computed in float64. The casts come
// right before and after the op's launch. So that memory is known by its address from the cast to the op's launch, or
// from there to the last rounding, and forgotten then.
void Recording::launched(const Launched& launched) {
  const Launch& launch = launched.launch;
  if (!is_running_ || !refused_.empty()) return;
  const KernelArgs& args = launch.args;
  if (args.op->has(kDynamic)) return refuse("the sizes of an op's results depend on values");
  if (context_.hooks.in_finalizer != nullptr && context_.hooks.in_finalizer(context_.hooks.user)) {
    return refuse("a finalizer ran ops while it was recorded");
  }
  Step step;
  step.is_inner = launch.writes == nullptr;
  step.op = args.op;
  step.kernel = launch.kernel;
  step.device = launch.device;
  step.precision = args.precision;
  step.line = line();
  step.cost = cost_of(args);
  auto rounds = std::find_if(rounded_.begin(), rounded_.end(),
                             [&](Storage* storage) { return step.is_inner && lies_in(args.out[0], *storage); });
  const bool is_rounding = rounds != rounded_.end();
  for (int i = 0; i < args.n_in; ++i) {
    CellPlace place = place_of_input(step, args.in[i], launch.reads != nullptr ? launch.reads[i] : nullptr,
                                     is_rounding || !step.is_inner);
    step.in.push_back(described(args.in[i], place));
  }
  if (!step.is_inner) scratch_.clear();
  for (int i = 0; i < args.n_out; ++i) {
    const Array& array = args.out[i];
    Storage* storage = is_rounding ? *rounds : step.is_inner ? nullptr : launch.writes[i];
    CellPlace place;
    if (storage != nullptr && lies_in(array, *storage)) {
      place = {written(*storage, *launch.device), static_cast<std::size_t>(array.data - storage->data)};
    } else {
      if (storage != nullptr) rounded_.push_back(storage);
      place.cell = add_scratch(static_cast<std::size_t>(array.size) * size_of(array.dtype), *launch.device);
      scratch_.emplace_back(array.data, place.cell);
    }
    step.out.push_back(described(array, place));
  }
  if (is_rounding) {
    rounded_.erase(rounds);
    if (rounded_.empty()) scratch_.clear();
  }
  if (step.kernel->scratch != nullptr) step.scratch_bytes = step.kernel->scratch(args);
  if (step.scratch_bytes > 0) step.scratch = add_scratch(step.scratch_bytes, *launch.device);
  step.attrs.resize(args.op->attr_bytes(args.attrs));
  args.op->copy_attrs(step.attrs.data(), args.attrs);
  read_random(step);
  step.numbers = step.op == stepping_ ? numbers_ : -1;
  push_step(std::move(step));
}

void Recording::push_step(Step step) {
  int64_t bytes = sizeof(Step) + static_cast<int64_t>(step.attrs.size() + step.literals.size()) +
                  static_cast<int64_t>((step.in.size() + step.out.size()) * (sizeof(StepArray) + sizeof(Cell)));
  program_.steps.push_back(std::move(step));
  note_bytes();
  if (!program_.metered.add(context_.ledger().meter, bytes))
    refuse("the recording would take more memory than the limit allows");
}

// The cell of memory that a step writes: new memory, or a variable's or sum's that is written over.
int Recording::written(Storage& storage, const LogicalDevice& device) {
  if (!finds(storage)) return add_cell(Cell::Kind::Made, storage, device);
  int cell = number(storage);
  Cell& known = program_.cells[static_cast<std::size_t>(cell)];
  known.is_written = true;
  if (known.kind == Cell::Kind::Argument || known.kind == Cell::Kind::Constant) {
    refuse("an op writes over memory that it does not own");
  }
  return cell;
}

// Also the gradient of a random op may hold its range.
void Recording::read_random(Step& step) {
  bool is_given = false;
  for (const AttrDef& def : step.op->attrs.defs) {
    if (def.type == AttrType::Rng) step.rng_at = def.offset;
    if (def.type == AttrType::Seed) is_given = reinterpret_cast<const Seed*>(step.attrs.data() + def.offset)->given;
  }
  if (is_given || program_.is_seeded || step.rng_at < 0) {
    step.rng_at = -1;  // the same bits each time
    return;
  }
  Rng& rng = *reinterpret_cast<Rng*>(step.attrs.data() + step.rng_at);
  if (rng.key != random_.seed) return refuse("it draws random numbers from a place of the sequence that it has kept");
  rng.counter -= random_.counter;
}

void Recording::mirrored(const TensorRep& tensor, Storage& copy) {
  if (!is_running_ || !refused_.empty()) return;
  if (tensor.storage == nullptr) {
    cell_of(copy);
    return;
  }
  const int source = cell_of(*tensor.storage);
  const Cell::Kind kind = program_.cells[static_cast<std::size_t>(source)].kind;
  if (kind == Cell::Kind::Constant || finds(copy)) {
    cell_of(copy);
    return;
  }
  LogicalDevice& to = context_.runtime().device(copy.device);
  Step step;
  step.kind = Step::Kind::Copy;
  step.device = &to;
  step.line = line();
  Array from{tensor.data, tensor.dims, tensor.size, tensor.dtype, tensor.rank, false};
  step.in.push_back(described(from, {source, static_cast<std::size_t>(tensor.data - tensor.storage->data)}));
  int cell = add_cell(Cell::Kind::Made, copy, to);
  program_.cells[static_cast<std::size_t>(cell)].is_fetched = true;
  step.out.push_back(described(from, {cell, 0}));
  program_.cells[static_cast<std::size_t>(source)].is_own |= kind == Cell::Kind::Made;
  program_.has_copies = true;
  push_step(std::move(step));
}

void Recording::assigned(const TensorRep& variable, const TensorRep& value) {
  if (!is_running_ || !refused_.empty()) return;
  auto known = variables_.find(variable.value);
  if (known == variables_.end()) return;  // made by the function: it will be recorded again
  Known& assigned = known->second;
  use(assigned);
  int cell;
  if (value.storage != nullptr) {
    cell = cell_of(*value.storage);
  } else {
    // A small tensor from outside.
    cell = add_scratch(value.nbytes(), context_.runtime().device(value.device));
    program_.cells[static_cast<std::size_t>(cell)].kind = Cell::Kind::Constant;
    program_.cells[static_cast<std::size_t>(cell)].constant.rep() = value;
  }
  if (cell == assigned.now) return;  // written over in place
  Step step;
  step.kind = Step::Kind::Assign;
  step.device = &context_.runtime().device(variable.device);
  step.variable = assigned.used;
  step.line = line();
  Array from{const_cast<std::byte*>(value.address()), value.dims, value.size, value.dtype, value.rank, false};
  std::size_t offset = value.storage != nullptr ? static_cast<std::size_t>(value.data - value.storage->data) : 0;
  step.in.push_back(described(from, {cell, offset}));
  assigned.now = cell;
  Program::Variable& in_program = program_.variables[static_cast<std::size_t>(assigned.used)];
  if (in_program.first_assign < 0) in_program.first_assign = static_cast<int>(program_.steps.size());
  push_step(std::move(step));
}

void Recording::makes_variable() {
  if (!is_running_) return;
  made_variables_ = true;
  if (!refuses_variables) return;
  fail(ErrorCode::FailedPrecondition,
       "Variable: the function of lutra.graph makes one at each call; a replay makes none: make it outside");
}

void Recording::reads_value() {
  if (!is_running_) return;
  fail(
      ErrorCode::FailedPrecondition,
      "a tensor's value is read (item, totable, print, save), and lutra.graph is recording the function: a replay runs "
      "no Lua, so it would not read the value again. Return the tensor and read it outside, or choose with where");
}

void Recording::seeded() {
  if (is_running_) program_.is_seeded = true;
}

// What casts of an op that has failed have written is read by no other op, which may get the same memory.
void Recording::op_ends(const Call&, const Prepared&, TensorRep* const*, bool ok) {
  if (ok) return;
  scratch_.clear();
  rounded_.clear();
}

void Recording::refuse(const char* reason) {
  if (is_running_ && refused_.empty()) refused_ = reason;
}

Recording::Returned Recording::add_result(const TensorRep& tensor) {
  if (tensor.storage == nullptr || !finds(*tensor.storage)) return {Returned::Kind::Constant, 0};
  const int cell = number(*tensor.storage);
  if (program_.cells[static_cast<std::size_t>(cell)].kind == Cell::Kind::Constant) return {Returned::Kind::Constant, 0};
  Program::Result result;
  result.place = {cell, static_cast<std::size_t>(tensor.data - tensor.storage->data)};
  result.like = tensor;
  result.like.storage = nullptr;
  if (const Origin* origin = context_.origins().find(tensor)) {
    result.op = origin->op;
    result.spec = origin->spec;
    result.reason = origin->reason;
  }
  for (const Step& step : program_.steps) {
    for (const StepArray& out : step.out) {
      if (out.place.cell == cell) result.line = step.line;
    }
  }
  program_.results.push_back(result);
  return {Returned::Kind::Result, static_cast<int>(program_.results.size()) - 1};
}

Program Recording::finish() {
  const Context::RandomPlace now = context_.random_place();
  if (program_.is_seeded) {
    program_.seed_after = now.seed;
    program_.counter_after = now.counter;
  } else if (now.seed != random_.seed) {
    refuse("it moves the sequence of random numbers");
  } else {
    program_.random_blocks = now.counter - random_.counter;
  }
  for (const auto& [identity, known] : variables_) {
    if (known.used >= 0) program_.variables[static_cast<std::size_t>(known.used)].last = known.now;
  }
  program_.is_host_only = !program_.has_copies && std::all_of(program_.steps.begin(), program_.steps.end(),
                                                              [](const Step& step) { return step.device->is_host(); });
  stop();
  return std::move(program_);
}

void Recording::stop() {
  is_running_ = false;
  if (context_.recording() == this) context_.record(nullptr);
  for (Storage* storage : held_) storage->release();
  held_.clear();
}

uint32_t Recording::line() {
  std::string text = context_.line();
  auto [known, is_new] = lines_.emplace(std::move(text), static_cast<uint32_t>(program_.lines.size()));
  if (is_new) program_.lines.push_back(known->first);
  return known->second;
}

void Recording::note_bytes() {
  const std::size_t now = bytes_in_use(context_.runtime());
  if (now > bytes_at_start_) program_.eager_bytes = std::max(program_.eager_bytes, now - bytes_at_start_);
}

}  // namespace lutra::graph
