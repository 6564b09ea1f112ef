// For lutra.placement: records the ops of a function, and runs it again as a plan says.

#include <memory>

#include "core/cpu_model.h"
#include "core/parallel.h"
#include "eager/op_recorder.h"
#include "eager/planned_run.h"
#include "lua/border/fields.h"
#include "lua/border/held.h"
#include "lua/border/modules.h"
#include "lua/border/table_reader.h"
#include "lua/border/variable_box.h"

namespace lutra {
namespace {

constexpr RegistryKey kRecordingMeta{}, kPlanMeta{};

// What records ops until it is stopped.
struct PlacementRecording {
  explicit PlacementRecording(Context& owner) : context(owner), recorder(owner) {}
  ~PlacementRecording() { stop(); }
  void stop() { context.drop_policy(&recorder); }

  Context& context;
  OpRecorder recorder;
};

struct Planned {
  explicit Planned(Context& owner) : context(owner) {}
  ~Planned() {
    if (run != nullptr) context.drop_policy(run.get());
  }

  Context& context;
  std::vector<PlannedOp> ops;
  std::unique_ptr<PlannedRun> run;  // while the function runs
};

PlacementRecording& recording_at(Args& args) { return Held<PlacementRecording>::at(args, 1, "a recording"); }
Planned& planned_at(Args& args) { return Held<Planned>::at(args, 1, "a prepared plan"); }

void require_no_policy(Args& args) {
  if (!args.state.context().has_policy()) return;
  fail(ErrorCode::FailedPrecondition, args.who(),
       ": a plan is running or being recorded already, and these do not nest");
}

// begin_recording([plan[, device]]): the ops from here on are recorded; those whose place is open are placed by the
// plan, or run on the device.
int begin_recording(Args& args) {
  args.at_most(2);
  LogicalDevice* device = args.has(2) ? &args.logical_device(2, "record") : nullptr;
  Planned* planned = args.has(1) ? &planned_at(args) : nullptr;
  require_no_policy(args);
  if (planned != nullptr) planned->run = std::make_unique<PlannedRun>(args.state.context(), planned->ops);
  OpRecorder& recorder = Held<PlacementRecording>::push_new(args, kRecordingMeta, args.state.context()).recorder;
  recorder.run_on(device);
  if (planned != nullptr) recorder.set_inner(planned->run.get());
  args.state.context().set_policy(&recorder);
  return 1;
}

// "GPU:0"
std::string short_name(const LogicalDevice& device) { return text(name(device.type), ":", device.spec.index); }

void push_op(lua_State* L, const RecordedOp& op, const std::string& device, const std::string& reason,
             int64_t began_ns) {
  lua_createtable(L, 0, 20);
  set_string(L, "op", op.op->name);
  set_string(L, "name", op.name);
  set_string(L, "line", op.line);
  set_string(L, "inputs", op.inputs);
  set_string(L, "outputs", op.outputs);
  set_string(L, "requested", op.requested);
  set_string(L, "device", device);
  set_string(L, "reason", reason);
  set_string(L, "dtype", name(op.key));
  set_flag(L, "is_open", op.is_open);
  set_flag(L, "on_cpu", op.has_cpu_kernel);
  set_flag(L, "on_gpu", op.has_gpu_kernel);
  set_number(L, "bytes", op.bytes);
  set_number(L, "flops", op.flops);
  set_number(L, "touched_bytes", op.touched_bytes);
  set_number(L, "us", op.us);
  set_number(L, "start_us", op.start_ns == 0 ? 0 : static_cast<double>(op.start_ns - began_ns) * 1e-3);
  set_number(L, "launches", op.launches);
  lua_createtable(L, static_cast<int>(op.reads.size()), 0);
  lua_Integer count = 0;
  // Ops are 1, 2, ...; what was there before is -1, -2, ...
  for (const RecordedSource& source : op.reads) {
    lua_pushinteger(L, source.kind == RecordedSource::kOp ? source.index + 1 : -source.index - 1);
    lua_rawseti(L, -2, ++count);
  }
  lua_setfield(L, -2, "reads");
  lua_createtable(L, static_cast<int>(op.writes.size()), 0);
  count = 0;
  for (int variable : op.writes) {
    lua_pushinteger(L, -variable - 1);
    lua_rawseti(L, -2, ++count);
  }
  lua_setfield(L, -2, "writes");
}

// finish_recording(recording): {ops =, outside =, total_us =, issue_us =, made_variables =}.
int finish_recording(Args& args) {
  args.at_most(1);
  PlacementRecording& recording = recording_at(args);
  State& state = args.state;
  recording.stop();
  OpRecorder& recorder = recording.recorder;
  recorder.finish();
  Runtime& runtime = state.runtime();
  std::vector<std::string> devices, reasons, outside_devices;
  for (const RecordedOp& op : recorder.ops()) {
    devices.push_back(short_name(runtime.device(op.device)));
    reasons.push_back(reason_text(op.reason, op.name.c_str(), op.requested));
  }
  for (const RecordedOutside& each : recorder.outside())
    outside_devices.push_back(short_name(runtime.device(each.device)));
  protect(args.L, 1, [&](lua_State* L) {
    luaL_checkstack(L, 12, nullptr);
    lua_createtable(L, 0, 5);
    set_number(L, "total_us", recorder.total_us());
    set_number(L, "issue_us", recorder.issue_us());
    set_flag(L, "made_variables", recorder.made_variables());
    lua_createtable(L, static_cast<int>(recorder.ops().size()), 0);
    for (std::size_t i = 0; i < recorder.ops().size(); ++i) {
      push_op(L, recorder.ops()[i], devices[i], reasons[i], recorder.began_ns());
      lua_rawseti(L, -2, static_cast<lua_Integer>(i + 1));
    }
    lua_setfield(L, -2, "ops");
    lua_createtable(L, static_cast<int>(recorder.outside().size()), 0);
    for (std::size_t i = 0; i < recorder.outside().size(); ++i) {
      const RecordedOutside& each = recorder.outside()[i];
      lua_createtable(L, 0, 6);
      set_string(L, "device", outside_devices[i]);
      set_string(L, "text", each.text);
      set_number(L, "bytes", each.bytes);
      set_flag(L, "is_new", each.is_new);
      if (each.variable != 0) {
        const uint64_t identities[] = {each.variable};
        const int table = lua_gettop(L);
        push_variables(L, identities);
        lua_rawgeti(L, -1, 1);
        lua_setfield(L, table, "variable");
        lua_settop(L, table);
      }
      lua_rawseti(L, -2, static_cast<lua_Integer>(i + 1));
    }
    lua_setfield(L, -2, "outside");
    return 1;
  });
  return 1;
}

// maker(recording, tensor): the number of the op that made it, or that of an outside tensor (-1, -2, ...); nil:
// neither.
int maker(Args& args) {
  args.at_most(2);
  OpRecorder& recorder = recording_at(args).recorder;
  const Box& box = args.tensor(2, "tensor");
  const int op = is_variable(box.tensor) ? -1 : recorder.maker(box.tensor);
  const int outside = op < 0 ? recorder.find_outside(box.tensor) : -1;
  if (op >= 0) lua_pushinteger(args.L, op + 1);
  else if (outside >= 0) lua_pushinteger(args.L, -outside - 1);
  else lua_pushnil(args.L);
  return 1;
}

// prepare_plan(ops): ops is a list of {op, operands, device, name in the plan}.
int prepare_plan(Args& args) {
  args.at_most(1);
  TableReader read(args.L, args.who());
  std::vector<PlannedOp> ops;
  read.entries(1, "ops", [&](lua_Integer, int entry) {
    std::vector<std::string> words = read.strings(entry, "op");
    if (words.size() != 4) read.wrong("op", " has ", words.size(), " fields, expected 4");
    ops.push_back(
        {std::move(words[0]), std::move(words[1]), std::move(words[3]), &args.state.runtime().find(words[2]), 0});
  });
  Held<Planned>::push_new(args, kPlanMeta, args.state.context()).ops = std::move(ops);
  return 1;
}

// begin_plan(plan, is_lenient): the ops from here on are placed by it.
int begin_plan(Args& args) {
  args.at_most(2);
  Planned& planned = planned_at(args);
  require_no_policy(args);
  planned.run = std::make_unique<PlannedRun>(args.state.context(), planned.ops, lua_toboolean(args.L, 2) != 0);
  args.state.context().set_policy(planned.run.get());
  return 0;
}

// end_plan(plan, is_complete): ops are placed by the rules again. Returns what a lenient run found to differ, or nil.
int end_plan(Args& args) {
  args.at_most(2);
  Planned& planned = planned_at(args);
  std::unique_ptr<PlannedRun> run = std::move(planned.run);
  if (run == nullptr) return 0;
  args.state.context().drop_policy(run.get());
  if (lua_toboolean(args.L, 2) != 0) run->check_complete();
  if (run->mismatch().empty()) return 0;
  push_text(args, run->mismatch());
  return 1;
}

// is_planning(): whether a plan runs or is being recorded.
int is_planning(Args& args) {
  args.at_most(0);
  lua_pushboolean(args.L, args.state.context().has_policy());
  return 1;
}

// move_variable(variable, device)
int move_variable_to(Args& args) {
  args.at_most(2);
  VariableBox* variable = to_variable(args.L, 1);
  if (variable == nullptr) args.wrong(1, "variable", "a Variable");
  LogicalDevice& device = args.logical_device(2, "device");
  move_variable(args.state.context(), variable->box.tensor, device);
  args.state.rebook_variable(args.L, &variable->box);
  return 0;
}

// device_facts(): a list of {name =, type =, memory =, is_simulated =, gflops =, ...} of the devices, in the order of
// placement.
int device_facts(Args& args) {
  args.at_most(0);
  struct Facts {
    std::string name, full_name;
    bool is_gpu;
    double memory;
    std::vector<std::pair<std::string, std::string>> details;
  };
  std::vector<Facts> all;
  for (LogicalDevice* device : args.state.context().devices()) {
    const double limit =
        static_cast<double>(device->is_host() ? device->pool->stats().limit_bytes : device->heap->stats().limit_bytes);
    all.push_back({short_name(*device), device->full_name, !device->is_host(), limit, device->physical->details()});
    if (device->is_host()) {
      all.back().details.emplace_back("cpu_model", cpu_model());
      all.back().details.emplace_back("threads", text(max_threads()));
    }
  }
  protect(args.L, 1, [&](lua_State* L) {
    luaL_checkstack(L, 8, nullptr);
    lua_createtable(L, static_cast<int>(all.size()), 0);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const Facts& facts = all[i];
      lua_createtable(L, 0, 10);
      set_string(L, "name", facts.name);
      set_string(L, "full_name", facts.full_name);
      set_flag(L, "is_gpu", facts.is_gpu);
      set_number(L, "memory", facts.memory);
      for (const auto& [key, value] : facts.details) set_string(L, key.c_str(), value);
      lua_rawseti(L, -2, static_cast<lua_Integer>(i + 1));
    }
    return 1;
  });
  return 1;
}

}  // namespace

void open_placement(lua_State* L, State& state) {
  Held<PlacementRecording>::open(L, kRecordingMeta);
  Held<Planned>::open(L, kPlanMeta);
  set_function<begin_recording>(L, state, "begin_recording", "placement");
  set_function<finish_recording>(L, state, "finish_recording", "placement");
  set_function<maker>(L, state, "maker", "placement");
  set_function<prepare_plan>(L, state, "prepare_plan", "plan");
  set_function<begin_plan>(L, state, "begin_plan", "plan");
  set_function<end_plan>(L, state, "end_plan", "plan");
  set_function<is_planning>(L, state, "is_planning", "plan");
  set_function<move_variable_to>(L, state, "move_variable", "plan");
  set_function<device_facts>(L, state, "device_facts", "placement");
}

}  // namespace lutra
