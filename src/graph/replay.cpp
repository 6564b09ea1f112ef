#include "graph/replay.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/parallel.h"
#include "eager/executor.h"
#include "eager/launch.h"
#include "eager/variable.h"
#include "graph/chains.h"
#include "graph/element_at.h"
#include "ops/create.h"

// Note [Finalizers and replays]
// Finding memory may collect garbage, whose finalizers may assign variables, release tensors, or call the same graph.
// So all memory is found before addresses are taken (prepare), and a graph that is at work is not replayed within
// itself (is_busy). Copies between devices find memory in the middle of a run; whatever the launches read by then is
// held: variables' and arguments' storages by a reference, and small arguments by a copy of their bytes.

namespace lutra::graph {
namespace {

constexpr int kNodesBetweenPolls = 64;
constexpr int kMostRounds = 8;  // as Inputs::kMostRounds
bool is_alone(const TensorRep& variable) {
  const Storage* storage = variable.storage;
  return storage == nullptr || (storage->refs.load(std::memory_order_acquire) == 1 && variable.data == storage->data);
}

std::size_t bytes_of(const StepArray& array) { return static_cast<std::size_t>(array.size) * size_of(array.dtype); }

}  // namespace

Replay::Replay(Context& context, Program program, std::vector<TensorRep*> variables)
    : context_(context), program_(std::move(program)), variables_(std::move(variables)) {
  build();
  context_.runtime().attach(this);
}

Replay::~Replay() {
  context_.runtime().detach(this);
  is_busy_ = false;
  forget_devices();
}

void Replay::build() {
  std::size_t arrays = 0;
  for (const Step& step : program_.steps) arrays += step.in.size() + step.out.size();
  arrays_.reserve(arrays);
  storages_.assign(arrays, nullptr);
  dims_.reserve(arrays * kMaxRank);
  patches_.resize(program_.cells.size());
  bases_.resize(program_.cells.size());
  numbered_.resize(static_cast<std::size_t>(program_.number_sources));
  numbered_ops_.resize(numbered_.size());
  numbered_first_.resize(numbered_.size());
  for (std::size_t i = 0; i < program_.steps.size(); ++i) {
    Step& step = program_.steps[i];
    Node node{};
    node.step = static_cast<int>(i);
    node.chain = -1;
    node.run = step.kind == Step::Kind::Launch ? step.kernel->run : nullptr;
    node.args.op = step.op;
    node.args.attrs = step.attrs.data();
    node.args.fault = &fault_;
    node.args.precision = step.precision;
    node.args.n_in = static_cast<int>(step.in.size());
    node.args.n_out = static_cast<int>(step.out.size());
    node.args.in = arrays_.data() + arrays_.size();
    node.args.out = node.args.in + step.in.size();
    for (const std::vector<StepArray>* list : {&step.in, &step.out}) {
      for (const StepArray& array : *list) place_array(array, step.literals.data());
    }
    add_node(node);
    if (step.rng_at >= 0) {
      Rng* rng = reinterpret_cast<Rng*>(step.attrs.data() + step.rng_at);
      draws_.push_back({rng, rng->counter});
    }
    if (step.numbers >= 0) {
      auto& steps = at(numbered_, step.numbers);
      if (steps.empty()) {
        at(numbered_ops_, step.numbers) = step.op;
        at(numbered_first_, step.numbers) = node.step;
      }
      if (step.op == at(numbered_ops_, step.numbers)) steps.push_back(step.attrs.data());
    }
  }
  find_batch();
  blocks_.resize(program_.blocks.size());
  for (std::size_t i = 0; i < program_.cells.size(); ++i) {
    Cell& cell = program_.cells[i];
    const int number = static_cast<int>(i);
    if (cell.kind == Cell::Kind::Constant) {
      TensorRep& rep = cell.constant.rep();
      move(number, {const_cast<std::byte*>(rep.address()), rep.storage});
    } else if (cell.kind == Cell::Kind::Argument) {
      arguments_.push_back(number);
    } else if (cell.kind == Cell::Kind::Made && cell.first >= 0) {
      if (cell.is_own) own_.push_back(number);
      if (cell.is_fetched) fetched_.push_back(number);
    }
  }
}

// The launches of a chain become one node.
void Replay::add_node(Node node) {
  for (std::size_t c = 0; c < program_.chains.size(); ++c) {
    const Chain& chain = program_.chains[c];
    if (node.step < chain.first || node.step > chain.last) continue;
    if (node.step == chain.first) {
      chain_starts_.push_back(chained_.size());
      Node first = node;
      first.run = nullptr;
      first.chain = static_cast<int>(c);
      nodes_.push_back(first);
    }
    chained_.push_back(node.args);
    return;
  }
  nodes_.push_back(node);
}

void Replay::place_array(const StepArray& from, std::byte* literals) {
  const int64_t* dims = dims_.data() + dims_.size();
  if (from.has_dims) dims_.insert(dims_.end(), from.dims, from.dims + from.rank);
  Storage** storage = storages_.data() + arrays_.size();
  arrays_.push_back({nullptr, from.has_dims ? dims : nullptr, from.size, from.dtype, from.rank, from.immediate});
  if (from.place.cell < 0) arrays_.back().data = literals + from.place.offset;
  else at(patches_, from.place.cell).push_back({&arrays_.back(), storage, from.place.offset});
}

void Replay::move(int cell, Base base) {
  has_moved_ |= at(bases_, cell).data != base.data;
  at(bases_, cell) = base;
  for (const Patch& patch : at(patches_, cell)) {
    patch.array->data = base.data + patch.offset;
    *patch.storage = base.storage;
  }
}

void Replay::place_blocks() {
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i] != nullptr) continue;
    const Program::Block& block = program_.blocks[i];
    const auto bytes = static_cast<int64_t>(block.bytes);
    Storage* storage = context_.allocate(*block.device, block.bytes, {"graph", DType::UInt8, {bytes}});
    if (!is_valid_ || blocks_[i] != nullptr) {
      storage->release();
      continue;
    }
    blocks_[i] = storage;
    for (std::size_t c = 0; c < program_.cells.size(); ++c) {
      const Cell& cell = program_.cells[c];
      if (cell.kind != Cell::Kind::Made || cell.is_own || cell.is_fetched || cell.first < 0) continue;
      if (cell.device != block.device->id) continue;
      Base base{storage->data + cell.offset, nullptr};
      if (!block.device->is_host()) {
        planned_.push_back(std::make_unique<Storage>());
        base.storage = planned_.back().get();
        base.storage->device = cell.device;
        base.storage->data = base.data;
        base.storage->bytes = cell.bytes;
      }
      move(static_cast<int>(c), base);
    }
  }
  for (Node& node : nodes_) {
    const Step& step = at(program_.steps, node.step);
    if (step.scratch >= 0) node.args.scratch = at(bases_, step.scratch).data;
  }
}

void Replay::release_idle(const LogicalDevice* device) {
  auto is_there = [&](const Program::Block& block) { return device == nullptr || block.device == device; };
  if (!is_busy_ && (device == nullptr || device == batch_device_)) release_fixed();
  if (is_busy_ || !std::any_of(program_.blocks.begin(), program_.blocks.end(), is_there)) return;
  for (Storage*& block : blocks_) {
    if (block != nullptr) std::exchange(block, nullptr)->release();
  }
  for (auto& storage : planned_) context_.runtime().faults().release(storage->fault_set);
  planned_.clear();
  is_placed_ = false;
}

// The commands that used the block are queued before whatever reuses its memory (memory/device_heap.h).
void Replay::forget_devices() {
  is_valid_ = false;
  if (is_busy_) return;
  kept_ = nullptr;
  batching_ = nullptr;
  is_batch_whole_ = false;
  release_idle(nullptr);
  for (Cell& cell : program_.cells) cell.constant = Tensor();
}

// Each variable that is written over must have memory that nothing else holds: if a tensor shares it, as one that was
// read from the variable does, the variable gets a copy first.
void Replay::settle_variables() {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    TensorRep& variable = *variables_[i];
    const Program::Variable& in_program = program_.variables[i];
    if (in_program.needs_storage && variable.storage == nullptr) {
      LogicalDevice& device = context_.runtime().device(variable.device);
      Storage* storage = context_.allocate(device, variable.nbytes(), {"graph", variable.dtype, variable.shape()});
      if (variable.storage != nullptr) {
        storage->release();
        continue;
      }
      std::memcpy(storage->data, variable.bytes, variable.nbytes());
      variable.data = storage->data;
      variable.storage = storage;
    }
    if (!at(program_.cells, in_program.cell).is_written || is_alone(variable)) continue;
    const uint32_t origin = variable.origin;
    Operand operand[1] = {{&variable, Scalar::of(false)}};
    Call call(context_.runtime().ops().get("AssignVariableOp"), operand, 1, 1);
    call.as<CastAttrs>().dtype = variable.dtype;
    TensorRep* changed[] = {&variable};
    update(context_, call, changed);
    variable.origin = origin;
  }
}

bool Replay::are_settled() const {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    const Program::Variable& variable = program_.variables[i];
    if (variable.needs_storage && variables_[i]->storage == nullptr) return false;
    if (at(program_.cells, variable.cell).is_written && !is_alone(*variables_[i])) return false;
  }
  return true;
}

void Replay::prepare() {
  is_busy_ = true;
  set_max_threads(context_.runtime().threads());
  if (!is_placed_) {
    place_blocks();
    is_placed_ = true;
  }
  if (has_fixed_) place_fixed();
  for (int cell : own_) {
    Storage* storage = allocate(at(program_.cells, cell));
    held_.push_back(storage);
    if (has_fixed_) fresh_.push_back(storage);
    else move(cell, {storage->data, storage});
  }
  for (int round = 0; round < kMostRounds && !are_settled(); ++round) settle_variables();
  if (!is_valid_) fail(ErrorCode::FailedPrecondition, "graph: a finalizer reset the devices while a replay was set up");
  if (!are_settled()) {
    fail(ErrorCode::FailedPrecondition, "graph: finalizers assign variables whenever memory is found for a replay");
  }
}

void Replay::begin(std::span<const TensorRep* const> arguments) {
  for (int cell : arguments_) {
    const TensorRep& given = *arguments[static_cast<std::size_t>(at(program_.cells, cell).index)];
    std::byte* data = const_cast<std::byte*>(given.address());
    if (has_fixed_ && fix_argument(cell, given)) continue;
    if (program_.has_copies && given.storage != nullptr) {
      given.storage->retain();
      held_.push_back(given.storage);
    } else if (program_.has_copies) {
      small_.emplace_back();
      std::memcpy(small_.back().bytes, given.bytes, given.nbytes());
      data = small_.back().bytes;
    }
    move(cell, {data, given.storage});
  }
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    TensorRep& variable = *variables_[i];
    const Program::Variable& in_program = program_.variables[i];
    const int cell = in_program.cell;
    LogicalDevice& device = context_.runtime().device(variable.device);
    if (variable.storage != nullptr) {
      if (at(program_.cells, cell).is_written)
        context_.runtime().transfer().before_overwrite(device, *variable.storage);
      if (in_program.first_assign >= 0 || program_.has_copies) {
        variable.storage->retain();
        held_.push_back(variable.storage);
      }
    }
    move(cell, {const_cast<std::byte*>(variable.address()), variable.storage});
  }
  draw();
}

const Program& Replay::as_recorded() {
  for (const Draw& draw : draws_) *draw.rng = {context_.random_place().seed, draw.counter};
  return program_;
}

void Replay::draw() {
  if (program_.is_seeded) {
    Context::RandomPlace place = context_.random_place();
    for (const Draw& draw : draws_) *draw.rng = {place.seed, place.counter + draw.counter};
    context_.set_random_place({program_.seed_after, program_.counter_after, true});
  } else if (program_.random_blocks > 0) {
    Context::RandomPlace place = context_.random_place();
    for (const Draw& draw : draws_) *draw.rng = {place.seed, place.counter + draw.counter};
    place.counter += program_.random_blocks;
    place.seeded = true;
    context_.set_random_place(place);
  }
}

void Replay::run(std::span<const TensorRep* const> arguments, std::span<TensorRep* const> results) {
  begin(arguments);
  try {
    if (program_.is_host_only) run_on_host();
    else run_everywhere();
  } catch (Error& error) {
    const std::string& line = program_.lines[at(program_.steps, at_).line];
    if (error.code() == ErrorCode::Cancelled || line.empty()) throw;
    Error told(error.code(), text(error.message(), " (in a replay; recorded at ", line, ")"));
    for (const auto& [key, field] : error.fields()) told.with(key, field);
    throw told;
  }
  give_fixed();
  for (std::size_t i = 0; i < results.size(); ++i) give(program_.results[i], results[i], arguments);
}

void Replay::run_on_host() {
  fault_.code.store(FaultCode::None, std::memory_order_relaxed);
  int polls = 0;
  for (const Node& node : nodes_) {
    if (node.run == nullptr) [[unlikely]] {
      run_other(node);
      continue;
    }
    compute_on_host(context_, [&] { node.run(node.args); });
    if (fault_.happened()) [[unlikely]] {
      at_ = node.step;
      throw fault_error(*node.args.op, fault_);
    }
    if (++polls == kNodesBetweenPolls) [[unlikely]] {
      polls = 0;
      at_ = node.step;
      if (context_.take_interrupt()) fail(ErrorCode::Cancelled, "graph: interrupted!");
    }
  }
}

// An assignment or a chain.
void Replay::run_other(const Node& node) {
  at_ = node.step;
  if (node.chain < 0) return assign(at(program_.steps, node.step));
  const Chain& chain = at(program_.chains, node.chain);
  const auto start = chain_starts_[static_cast<std::size_t>(node.chain)];
  const std::span steps(chained_.data() + start, static_cast<std::size_t>(chain.last - chain.first + 1));
  compute_on_host(context_, [&] { run_chain(chain, program_, steps); });
}

Storage* Replay::allocate(const Cell& cell) {
  LogicalDevice& device = context_.runtime().device(cell.device);
  return context_.allocate(device, cell.bytes, {"graph", DType::UInt8, {static_cast<int64_t>(cell.bytes)}});
}

void Replay::run_nodes() {
  struct LineOfReplay {
    Context& context;
    ~LineOfReplay() { context.replayed_line = nullptr; }
  } line{context_};
  int polls = 0;
  for (const Node& node : nodes_) {
    at_ = node.step;
    const Step& step = at(program_.steps, node.step);
    context_.replayed_line = &program_.lines[step.line];
    if (node.chain >= 0) run_other(node);
    else if (step.kind == Step::Kind::Launch) launch(node, step);
    else if (step.kind == Step::Kind::Copy) copy(step);
    else assign(step);
    if (++polls < kNodesBetweenPolls) continue;
    polls = 0;
    if (context_.take_interrupt()) fail(ErrorCode::Cancelled, "graph: interrupted!");
  }
}

void Replay::launch(const Node& node, const Step& step) {
  const auto first = node.args.in - arrays_.data();
  // Behind a launch of an earlier run of this graph, whose results it may write over: a device has one compute stream.
  Launch launch{step.kernel, step.device, node.args, storages_.data() + first,
                storages_.data() + first + node.args.n_in};
  for (const StepArray& out : step.out) {
    // A copy made before in this run may still read what is written over.
    Storage* storage = at(bases_, out.place.cell).storage;
    const Cell& cell = at(program_.cells, out.place.cell);
    if (storage != nullptr && storage->owner != nullptr && cell.first < node.step) {
      context_.runtime().transfer().before_overwrite(*step.device, *storage);
    }
  }
  launch.args.fault = nullptr;
  submit(context_, launch);
}

void Replay::copy(const Step& step) {
  const StepArray& from = step.in[0];
  const Base& base = at(bases_, from.place.cell);
  TensorRep source;
  source.clear();
  source.dtype = from.dtype;
  source.size = from.size;
  source.set_shape(from.shape());
  source.device = program_.cell(from.place).device;
  source.storage = base.storage;
  source.data = base.data + from.place.offset;
  if (base.storage == nullptr) std::memcpy(source.bytes, source.data, source.nbytes());
  bool was_copied;
  Storage* made = context_.runtime().transfer().fetch(context_, source, *step.device, &was_copied);
  held_.push_back(made);
  move(step.out[0].place.cell, {made->data, made});
}

void Replay::assign(const Step& step) {
  const StepArray& from = step.in[0];
  const Base& base = at(bases_, from.place.cell);
  TensorRep value = program_.variables[static_cast<std::size_t>(step.variable)].like;
  value.storage = base.storage;
  value.data = base.data + from.place.offset;
  if (base.storage == nullptr) std::memcpy(value.bytes, value.data, bytes_of(from));
  TensorRep& variable = *variables_[static_cast<std::size_t>(step.variable)];
  value.origin = variable.origin;
  take_value(context_, variable, value);
}

void Replay::give(const Program::Result& result, TensorRep* out, std::span<const TensorRep* const> arguments) {
  const Cell& cell = program_.cell(result.place);
  const Base base = base_for_caller(result.place.cell, arguments);
  LogicalDevice& device = context_.runtime().device(
      cell.kind == Cell::Kind::Argument ? arguments[static_cast<std::size_t>(cell.index)]->device : result.like.device);
  *out = result.like;
  out->device = device.id;
  out->value = 0;
  out->storage = nullptr;
  out->data = base.data + result.place.offset;
  if (device.keeps_inline(out->nbytes())) {
    std::memcpy(out->bytes, out->data, out->nbytes());
  } else {
    base.storage->retain();
    out->storage = base.storage;
  }
  if (result.op != nullptr) out->origin = context_.origins().record(result.op, result.spec, device, result.reason);
  if (out->storage != nullptr && out->storage->bytes >= kBigBytes) {
    context_.origins().record_big(out->storage, *out, {out->origin, program_.lines[result.line], {}});
  }
}

void Replay::end() {
  for (Storage* storage : held_) storage->release();
  held_.clear();
  fresh_.clear();
  small_.clear();
  is_busy_ = false;
  drop_useless_fixed();
  if (!is_valid_) forget_devices();
}

}  // namespace lutra::graph
