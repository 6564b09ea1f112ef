// Functions for lutra.profiler: sessions that record, traces, what they hold. See lua/lutra/profiler.

#include <algorithm>

#include "lua/border/held.h"
#include "lua/border/modules.h"
#include "profile/kernel_times.h"
#include "profile/save.h"
#include "profile/totals.h"

namespace lutra {
namespace {

constexpr RegistryKey kSessionMeta{}, kTraceMeta{}, kExitMeta{};

TraceSession& session_at(Args& args) { return Held<TraceSession>::at(args, 1, "a session"); }
Trace& trace_at(Args& args, int index) { return Held<Trace>::at(args, index, "a trace"); }

// trace_session(memory, shapes, most_events)
int start_session(Args& args) {
  TraceOptions options;
  options.memory = args.boolean(1, "memory");
  options.shapes = args.boolean(2, "shapes");
  options.most_events = args.integer(3, "events");
  Held<TraceSession>::push_new(args, kSessionMeta, args.state.context(), options);
  return 1;
}

// trace_take(session, waits): a trace of what ran since the session began.
int take_trace(Args& args) {
  const bool waits = args.boolean(2, "waits");
  if (waits) {
    for (LogicalDevice* each : args.state.runtime().order()) args.state.context().wait_for(*each, "synchronize");
  }
  Held<Trace>::push_new(args, kTraceMeta, std::move(*session_at(args).take(waits)));
  return 1;
}

// trace_drop(session)
int drop_session(Args& args) {
  if (auto* session = Held<TraceSession>::find(args.L, 1)) session->end();
  return 0;
}

// trace_save(who, trace, path)
int save(Args& args) {
  save_trace(std::string(args.string(1, "who")).c_str(), trace_at(args, 2), std::string(args.string(3, "path")),
             args.state.allowed_paths.get());
  return 0;
}

// trace_to_exit(path): writes a trace there when the program ends, or when trace_end(it) is called.
int trace_to_exit(Args& args) {
  Held<ExitTrace>::push_new(args, kExitMeta, "trace", args.state.context(), std::string(args.string(1, "path")), "",
                            args.state.allowed_paths);
  return 1;
}
int end_trace(Args& args) {
  Held<ExitTrace>::at(args, 1, "a trace in progress").finish(true);
  Held<ExitTrace>::find(args.L, 1)->end();
  return 0;
}

const char* text_of(EventKind kind) {
  switch (kind) {
    case EventKind::Op: return "op";
    case EventKind::Kernel: return "kernel";
    case EventKind::Copy: return "copy";
    case EventKind::HostWait: return "wait";
    case EventKind::DeviceWait: return "stream wait";
    case EventKind::Memory: return "memory";
  }
  return "";
}

// Fills the table on top of the stack.
class Fields {
 public:
  explicit Fields(lua_State* L) : L_(L) {}
  void put(const char* key, std::string_view value) const {
    if (value.empty()) return;
    lua_pushlstring(L_, value.data(), value.size());
    lua_setfield(L_, -2, key);
  }
  void put(const char* key, int64_t value) const {
    lua_pushinteger(L_, value);
    lua_setfield(L_, -2, key);
  }
  void put_number(const char* key, double value) const {
    lua_pushnumber(L_, value);
    lua_setfield(L_, -2, key);
  }

 private:
  lua_State* L_;
};

double microseconds(int64_t ns) { return static_cast<double>(ns) / 1000; }

// Strings are pushed from texts that live in `trace` or in `reason`, which the caller owns: this may raise.
void push_event(lua_State* L, const Trace& trace, const TraceEvent& event, const std::string& device,
                const std::string& source, const std::string& reason) {
  lua_createtable(L, 0, 12);
  const Fields fields(L);
  fields.put("kind", text_of(event.kind));
  fields.put("name", trace.strings[event.name]);
  fields.put("device", device);
  fields.put("stream", lutra::text_of(event.lane));
  fields.put_number("start_us", microseconds(event.begin_ns));
  if (event.has_ended()) fields.put_number("duration_us", microseconds(event.end_ns - event.begin_ns));
  fields.put("line", trace.strings[event.line]);
  const bool is_wait = event.kind == EventKind::HostWait || event.kind == EventKind::DeviceWait;
  fields.put(is_wait ? "awaits" : "shapes", trace.strings[event.detail]);
  fields.put("reason", reason);
  if (event.kind == EventKind::Kernel) {
    fields.put("bytes", event.bytes);
    fields.put_number("flops", event.flops);
  }
  if (event.kind == EventKind::Kernel || event.kind == EventKind::Op) fields.put("dtype", lutra::name(event.dtype));
  if (event.kind == EventKind::Copy) {
    fields.put("bytes", event.bytes);
    fields.put("source", source);
  }
  if (event.kind == EventKind::Memory) {
    fields.put("bytes", event.bytes);
    fields.put("in_use", event.in_use);
  }
  if (event.has_failed) {
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, "failed");
  }
}

// trace_events(trace): a list of tables.
int push_events(Args& args) {
  const Trace& trace = trace_at(args, 1);
  std::string device, source, reason;
  std::size_t at = 0;
  protect(args.L, 1, [&](lua_State* L) {
    lua_createtable(L, static_cast<int>(std::min<std::size_t>(trace.events.size(), INT32_MAX)), 0);
    return 1;
  });
  for (const TraceEvent& event : trace.events) {
    const TracedDevice* on = trace.device(event.device);
    device = on != nullptr ? on->name : "";
    const TracedDevice* from = event.kind == EventKind::Copy ? trace.device(event.source) : nullptr;
    source = from != nullptr ? from->name : "";
    reason = trace.reason(event);
    lua_pushvalue(args.L, -1);
    protect_with(args.L, 1, [&](lua_State* L) {
      push_event(L, trace, event, device, source, reason);
      lua_rawseti(L, 1, static_cast<lua_Integer>(++at));
    });
  }
  return 1;
}

// trace_times(trace): what kernels took, a list of {op, shapes, dtype, device, flops, bytes, us = {...}}.
int push_times(Args& args) {
  const std::vector<KernelTimes> all = kernel_times(trace_at(args, 1));
  protect(args.L, 1, [&](lua_State* L) {
    luaL_checkstack(L, 8, nullptr);
    lua_createtable(L, static_cast<int>(all.size()), 0);
    lua_Integer i = 0;
    for (const KernelTimes& each : all) {
      lua_createtable(L, 0, 8);
      const Fields fields(L);
      fields.put("op", each.op);
      fields.put("shapes", each.shapes);
      fields.put("dtype", lutra::name(each.dtype));
      fields.put("device", each.device);
      fields.put_number("flops", each.flops);
      fields.put_number("bytes", each.bytes);
      lua_createtable(L, static_cast<int>(each.us.size()), 0);
      for (std::size_t k = 0; k < each.us.size(); ++k) {
        lua_pushnumber(L, each.us[k]);
        lua_rawseti(L, -2, static_cast<lua_Integer>(k + 1));
      }
      lua_setfield(L, -2, "us");
      lua_rawseti(L, -2, ++i);
    }
    return 1;
  });
  return 1;
}

// trace_size(trace): the number of events, and the length in microseconds.
int push_size(Args& args) {
  const Trace& trace = trace_at(args, 1);
  lua_pushinteger(args.L, static_cast<lua_Integer>(trace.events.size()));
  lua_pushnumber(args.L, microseconds(trace.length_ns));
  return 2;
}

void push_kernel_totals(lua_State* L, const std::vector<KernelTotal>& totals) {
  lua_createtable(L, static_cast<int>(totals.size()), 0);
  lua_Integer i = 0;
  for (const KernelTotal& total : totals) {
    lua_createtable(L, 0, 10);
    const Fields fields(L);
    fields.put("name", total.name);
    fields.put("count", total.count);
    fields.put_number("total_us", microseconds(total.total_ns));
    fields.put_number("mean_us", total.mean_ns() / 1000);
    fields.put_number("longest_us", microseconds(total.longest_ns));
    fields.put_number("host_us", microseconds(total.host_ns));
    fields.put_number("gflops", total.gflops());
    fields.put_number("gbps", total.gbps());
    fields.put("copied_bytes", total.copied_bytes);
    if (total.share_of_limit() >= 0) fields.put_number("limit", total.share_of_limit());
    lua_rawseti(L, -2, ++i);
  }
}

// trace_totals(trace): {ops, lines, copies, gaps, devices, length_us, ...}
int push_totals(Args& args) {
  const Totals totals = total_up(trace_at(args, 1));
  const int64_t dropped = trace_at(args, 1).dropped;
  const int64_t events = static_cast<int64_t>(trace_at(args, 1).events.size());
  protect(args.L, 1, [&](lua_State* L) {
    lua_createtable(L, 0, 12);
    const Fields fields(L);
    fields.put_number("length_us", microseconds(totals.length_ns));
    fields.put_number("host_op_us", microseconds(totals.host_op_ns));
    fields.put_number("host_kernel_us", microseconds(totals.host_kernel_ns));
    fields.put_number("host_wait_us", microseconds(totals.host_wait_ns));
    fields.put("limits", totals.limits);
    fields.put("dropped", dropped);
    fields.put("events", events);
    push_kernel_totals(L, totals.ops);
    lua_setfield(L, -2, "ops");
    push_kernel_totals(L, totals.lines);
    lua_setfield(L, -2, "lines");
    lua_createtable(L, static_cast<int>(totals.copies.size()), 0);
    lua_Integer i = 0;
    for (const CopiesTotal& copy : totals.copies) {
      lua_createtable(L, 0, 7);
      fields.put("line", copy.line);
      fields.put("source", copy.from);
      fields.put("target", copy.to);
      fields.put("reason", copy.why);
      fields.put("count", copy.count);
      fields.put("bytes", copy.bytes);
      fields.put_number("total_us", microseconds(copy.total_ns));
      lua_rawseti(L, -2, ++i);
    }
    lua_setfield(L, -2, "copies");
    lua_createtable(L, static_cast<int>(totals.gaps.size()), 0);
    i = 0;
    for (const GapTotal& gap : totals.gaps) {
      lua_createtable(L, 0, 6);
      fields.put("device", gap.device);
      fields.put("cause", gap.cause);
      fields.put("line", gap.line);
      fields.put("count", gap.count);
      fields.put_number("total_us", microseconds(gap.total_ns));
      fields.put_number("longest_us", microseconds(gap.longest_ns));
      lua_rawseti(L, -2, ++i);
    }
    lua_setfield(L, -2, "gaps");
    lua_createtable(L, static_cast<int>(totals.devices.size()), 0);
    i = 0;
    for (const DeviceTotal& device : totals.devices) {
      lua_createtable(L, 0, 8);
      fields.put("name", device.name);
      fields.put("kernels", device.kernels);
      fields.put_number("busy_us", microseconds(device.busy_ns));
      fields.put_number("copy_us", microseconds(device.copy_ns));
      fields.put_number("wait_us", microseconds(device.wait_ns));
      fields.put("copied_bytes", device.copied_bytes);
      if (device.peak_bytes >= 0) fields.put("peak_bytes", device.peak_bytes);
      if (device.of_others > 0) fields.put_number("of_others", device.of_others);
      lua_rawseti(L, -2, ++i);
    }
    lua_setfield(L, -2, "devices");
    return 1;
  });
  return 1;
}

}  // namespace

void open_profiler(lua_State* L, State& state) {
  Held<TraceSession>::open(L, kSessionMeta);
  Held<Trace>::open(L, kTraceMeta);
  Held<ExitTrace>::open(L, kExitMeta);
  set_function<start_session>(L, state, "trace_session", "start");
  set_function<take_trace>(L, state, "trace_take", "stop");
  set_function<drop_session>(L, state, "trace_drop", "stop");
  set_function<save>(L, state, "trace_save", "save");
  set_function<trace_to_exit>(L, state, "trace_to_exit", "trace");
  set_function<end_trace>(L, state, "trace_end", "trace");
  set_function<push_events>(L, state, "trace_events", "events");
  set_function<push_times>(L, state, "trace_times", "stop");
  set_function<push_size>(L, state, "trace_size", "tostring");
  set_function<push_totals>(L, state, "trace_totals", "summary");
}

}  // namespace lutra
