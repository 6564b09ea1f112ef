// lutra.config: which devices exist, how much memory they may take, how ops are placed. The rules and error texts are
// in DeviceRegistry; this file reads arguments and makes lists.

#include <cstring>

#include "core/usable_cores.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"
#include "lua/ops/literal.h"

namespace lutra {
namespace {

constexpr RegistryKey kMemoryInfoMeta{};

DeviceRegistry& registry(Args& args) { return args.state.runtime().registry(); }

// A filter by device type, in upper or lower case; may be omitted.
struct Filter {
  bool given = false;
  std::optional<DeviceType> type;  // nullopt though given: a type without devices here
};

Filter read_filter(Args& args, int i) {
  if (!args.has(i)) return {};
  std::string_view word = args.string(i, "device_type");
  auto is = [&](const char* name) { return word.size() == 3 && strncasecmp(word.data(), name, 3) == 0; };
  return {true, is("cpu") ? std::optional(DeviceType::CPU) : is("gpu") ? std::optional(DeviceType::GPU) : std::nullopt};
}

Device& physical_device(Args& args, int i) { return args.physical_device(i, "device"); }

// Fails unless the table at `i` is a list: `wanted`.
void require_list(Args& args, int i, const char* name, const char* wanted) {
  lua_State* L = args.L;
  if (lua_type(L, i) != LUA_TTABLE) args.wrong(i, name, wanted);
  auto length = static_cast<lua_Integer>(lua_rawlen(L, i));
  for (lua_pushnil(L); lua_next(L, i) != 0; lua_pop(L, 1)) {
    if (lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1 && lua_tointeger(L, -2) <= length) continue;
    fail(ErrorCode::InvalidArgument, args.who(), ": ", name, " has the key ", what_is(L, -2), ", expected ", wanted);
  }
}

void push_entries(Args& args, const std::vector<DeviceEntry>& entries, bool physical) {
  protect(args.L, 1, [&](lua_State* L) {
    push_devices(L, entries, physical);
    return 1;
  });
}

std::vector<DeviceEntry> entries_of(const std::vector<Device*>& devices) {
  std::vector<DeviceEntry> entries;
  for (const Device* device : devices) entries.push_back({device->name(), name(device->type())});
  return entries;
}

int list_physical_devices(Args& args) {
  args.at_most(1);
  Filter filter = read_filter(args, 1);
  std::vector<Device*> devices;
  if (!filter.given || filter.type) devices = registry(args).list_physical(filter.type);
  push_entries(args, entries_of(devices), true);
  return 1;
}

int list_logical_devices(Args& args) {
  args.at_most(1);
  Filter filter = read_filter(args, 1);
  args.state.context().devices();
  std::vector<DeviceEntry> entries;
  for (DeviceType type : {DeviceType::CPU, DeviceType::GPU}) {
    if (filter.given && filter.type != type) continue;
    for (LogicalDevice* device : args.state.runtime().order()) {
      const bool is_plain = device->spec.job == "localhost";
      if (device->type == type)
        entries.push_back({is_plain ? device->spec.local_name() : device->full_name, name(type)});
    }
  }
  push_entries(args, entries, false);
  return 1;
}

int set_visible_devices(Args& args) {
  args.at_most(2);
  lua_State* L = args.L;
  Filter filter = read_filter(args, 2);
  require(!filter.given || filter.type, args.who(), ": device_type is ", what_is(L, 2),
          ", expected \"CPU\" or \"GPU\"");
  bool is_object = false;
  if (lua_type(L, 1) == LUA_TTABLE) {
    lua_pushliteral(L, "name");
    is_object = lua_rawget(L, 1) == LUA_TSTRING;
    lua_pop(L, 1);
  }
  std::vector<Device*> devices;
  if (is_object || lua_type(L, 1) == LUA_TSTRING) {
    devices.push_back(&args.physical_device(1, "devices"));
  } else {
    require_list(args, 1, "devices", text("a list of devices", args.no_device_hint(1)).c_str());
    for (lua_Integer i = 1; i <= static_cast<lua_Integer>(lua_rawlen(L, 1)); ++i) {
      lua_rawgeti(L, 1, i);
      devices.push_back(&args.physical_device(lua_gettop(L), text("devices[", i, "]").c_str()));
      lua_pop(L, 1);
    }
  }
  registry(args).set_visible(devices, filter.type);
  return 0;
}

int get_visible_devices(Args& args) {
  args.at_most(1);
  Filter filter = read_filter(args, 1);
  std::vector<Device*> devices;
  if (!filter.given || filter.type) devices = registry(args).visible(filter.type);
  push_entries(args, entries_of(devices), true);
  return 1;
}

int set_memory_growth(Args& args) {
  args.at_most(2);
  Device& device = physical_device(args, 1);
  registry(args).set_memory_growth(device, args.boolean(2, "enable"));
  return 0;
}

int get_memory_growth(Args& args) {
  args.at_most(1);
  std::optional<bool> growth = registry(args).memory_growth(physical_device(args, 1));
  if (growth) lua_pushboolean(args.L, *growth);
  else lua_pushnil(args.L);
  return 1;
}

// A script that makes devices could have as much memory as it likes.
void host_makes_devices(const Args& args) {
  if (!args.state.is_sandbox) return;
  fail(ErrorCode::FailedPrecondition, args.who(), ": in a sandbox the devices are those that its host has made");
}

int set_logical_device_configuration(Args& args) {
  args.at_most(2);
  host_makes_devices(args);
  lua_State* L = args.L;
  Device& device = physical_device(args, 1);
  require_list(args, 2, "logical_devices", "a list like { {memory_limit = 1024} }");
  std::vector<LogicalDeviceConfig> configs;
  for (lua_Integer i = 1; i <= static_cast<lua_Integer>(lua_rawlen(L, 2)); ++i) {
    lua_rawgeti(L, 2, i);
    LogicalDeviceConfig config;
    args.options(lua_gettop(L), {{"memory_limit", &config.memory_limit_mb}}, text("logical_devices[", i, "]").c_str(),
                 "a table like {memory_limit = 1024}");
    configs.push_back(config);
    lua_pop(L, 1);
  }
  registry(args).set_logical_configuration(device, std::move(configs));
  return 0;
}

int get_logical_device_configuration(Args& args) {
  args.at_most(1);
  const auto& configs = registry(args).logical_configuration(physical_device(args, 1));
  if (!configs) {
    lua_pushnil(args.L);
    return 1;
  }
  protect(args.L, 1, [&](lua_State* L) {
    lua_createtable(L, static_cast<int>(configs->size()), 0);
    lua_Integer i = 0;
    for (const LogicalDeviceConfig& config : *configs) {
      lua_createtable(L, 0, 1);
      if (config.memory_limit_mb) {
        // A limit is read back as it was given.
        if (lua_Integer whole; lua_numbertointeger(*config.memory_limit_mb, &whole) &&
                               static_cast<double>(whole) == *config.memory_limit_mb) {
          lua_pushinteger(L, whole);
        } else {
          lua_pushnumber(L, *config.memory_limit_mb);
        }
        lua_setfield(L, -2, "memory_limit");
      }
      becomes_logical_config(L);
      lua_rawseti(L, -2, ++i);
    }
    becomes_device_list(L);
    return 1;
  });
  return 1;
}

int set_per_process_memory_fraction(Args& args) {
  args.at_most(2);
  Device& device = physical_device(args, 1);
  registry(args).set_memory_fraction(device, args.number(2, "fraction"));
  return 0;
}

int set_memory_limit(Args& args) {
  args.at_most(2);
  Device& device = physical_device(args, 1);
  registry(args).set_memory_limit(device, args.number(2, "memory_limit"));
  return 0;
}

int set_soft_device_placement(Args& args) {
  args.at_most(1);
  args.state.runtime().set_soft_placement(args.boolean(1, "enabled"));
  return 0;
}

int get_soft_device_placement(Args& args) {
  args.at_most(0);
  lua_pushboolean(args.L, args.state.runtime().soft_placement());
  return 1;
}

int get_memory_info(Args& args) {
  args.at_most(1);
  LogicalDevice& device = args.logical_device(1, "device");
  std::size_t current, peak, limit, reserved, largest_free;
  if (device.heap != nullptr) {
    ArenaStats stats = device.heap->stats();
    current = stats.bytes_in_use, peak = stats.peak_bytes_in_use, limit = stats.limit_bytes,
    reserved = stats.reserved_bytes, largest_free = stats.largest_free_bytes;
  } else {
    HostPoolStats stats = args.state.runtime().pool().stats();
    current = stats.bytes_in_use, peak = stats.peak_bytes_in_use, limit = stats.limit_bytes,
    reserved = stats.reserved_bytes, largest_free = limit - std::min(limit, current);
  }
  protect(args.L, 1, [&](lua_State* L) {
    lua_createtable(L, 0, 5);
    auto field = [L](const char* key, std::size_t value) {
      lua_pushinteger(L, static_cast<lua_Integer>(value));
      lua_setfield(L, -2, key);
    };
    field("current", current);
    field("peak", peak);
    field("limit", limit);
    field("reserved", reserved);
    field("largest_free", largest_free);
    State::push(L, kMemoryInfoMeta);
    lua_setmetatable(L, -2);
    return 1;
  });
  return 1;
}

int reset_memory_stats(Args& args) {
  args.at_most(1);
  LogicalDevice& device = args.logical_device(1, "device");
  if (device.heap != nullptr) device.heap->reset_peak();
  else args.state.runtime().pool().reset_peak();
  return 0;
}

int get_device_details(Args& args) {
  args.at_most(1);
  auto details = physical_device(args, 1).details();
  protect(args.L, 1, [&](lua_State* L) {
    lua_createtable(L, 0, static_cast<int>(details.size()));
    for (const auto& [key, value] : details) {
      lua_pushlstring(L, value.data(), value.size());
      lua_setfield(L, -2, key.c_str());
    }
    return 1;
  });
  return 1;
}

int release_memory(Args& args) {
  args.at_most(1);
  LogicalDevice* device = args.has(1) ? &args.logical_device(1, "device") : nullptr;
  lua_gc(args.L, LUA_GCCOLLECT);
  args.state.runtime().release_memory(device);
  return 0;
}

// A number for all cards, or a list with one for each.
std::vector<double> per_card(Args& args, int index, const char* name, int64_t count) {
  lua_State* L = args.L;
  std::vector<double> numbers;
  if (lua_isnil(L, index)) return numbers;
  const std::string wanted =
      count == 1 ? "a number" : text("a number, or a list of ", count, " numbers, one for each card");
  auto add = [&](int at) {
    if (lua_type(L, at) != LUA_TNUMBER) {
      fail(ErrorCode::InvalidArgument, args.who(), ": ", name, " is ", what_is(L, at), ", expected ", wanted);
    }
    numbers.push_back(lua_tonumber(L, at));
  };
  if (lua_type(L, index) != LUA_TTABLE) {
    add(index);
    numbers.resize(static_cast<std::size_t>(count), numbers.front());
    return numbers;
  }
  const int64_t length = static_cast<int64_t>(lua_rawlen(L, index));
  require(length == count, args.who(), ": ", name, " is a list of ", length, ", expected ", wanted);
  for (int64_t i = 1; i <= count; ++i) {
    lua_rawgeti(L, index, i);
    add(lua_gettop(L));
    lua_pop(L, 1);
  }
  return numbers;
}

int set_simulated_gpus(Args& args) {
  args.at_most(2);
  host_makes_devices(args);
  int64_t count = args.integer(1, "count");
  require(count >= 0 && count <= kMostSimulatedGpus, args.who(), ": count is ", count, ", expected 0 to ",
          kMostSimulatedGpus);
  int64_t fail_at = 0;
  lua_settop(args.L, 7);
  args.options(2, {{"memory_limit", StackSlot{3}},
                   {"gflops", StackSlot{4}},
                   {"gbps", StackSlot{5}},
                   {"link_gbps", StackSlot{6}},
                   {"link_latency_us", StackSlot{7}},
                   {"fail_at", &fail_at}});
  require(fail_at >= 0, args.who(), ": fail_at is ", fail_at, ", expected a number of launches, or 0 for none");
  std::vector<SimOptions> cards(static_cast<std::size_t>(count));
  auto set = [&](int index, const char* name, double SimOptions::*field) {
    const std::vector<double> numbers = per_card(args, index, name, count);
    for (std::size_t i = 0; i < numbers.size() && i < cards.size(); ++i) cards[i].*field = numbers[i];
  };
  set(3, "memory_limit", &SimOptions::memory_limit_mb);
  set(4, "gflops", &SimOptions::gflops);
  set(5, "gbps", &SimOptions::gbps);
  set(6, "link_gbps", &SimOptions::link_gbps);
  set(7, "link_latency_us", &SimOptions::link_latency_us);
  for (SimOptions& card : cards) card.fail_at = static_cast<uint64_t>(fail_at);
  args.state.runtime().set_simulated_gpus(std::move(cards));
  return 0;
}

int set_placement(Args& args) {
  args.at_most(1);
  std::string_view mode = args.string(1, "mode");
  if (mode != "rules" && mode != "auto") args.wrong(1, "mode", "\"rules\" or \"auto\"");
  args.state.runtime().auto_placement = mode == "auto";
  return 0;
}

int get_placement(Args& args) {
  args.at_most(0);
  lua_pushstring(args.L, args.state.runtime().auto_placement ? "auto" : "rules");
  return 1;
}

int set_intra_op_parallelism_threads(Args& args) {
  args.at_most(1);
  int64_t threads = args.integer(1, "threads");
  require(threads >= 0 && threads <= kMostThreads, args.who(), ": threads is ", threads, ", expected 0 (automatic) to ",
          kMostThreads);
  registry(args).set_intra_op_threads(static_cast<int>(threads));
  return 0;
}

int get_intra_op_parallelism_threads(Args& args) {
  args.at_most(0);
  lua_pushinteger(args.L, registry(args).intra_op_threads());
  return 1;
}

int set_float32_matmul_precision(Args& args) {
  args.at_most(1);
  std::string_view mode = args.string(1, "precision");
  for (std::size_t i = 0; i < std::size(kMatmulPrecisions); ++i) {
    if (mode != kMatmulPrecisions[i]) continue;
    args.state.runtime().float32_matmul_precision = static_cast<MatmulPrecision>(i);
    return 0;
  }
  args.wrong(1, "precision", "\"tf32\", \"fp32\" or \"bf16\"");
}

int get_float32_matmul_precision(Args& args) {
  args.at_most(0);
  lua_pushstring(args.L, kMatmulPrecisions[static_cast<int>(args.state.runtime().float32_matmul_precision)]);
  return 1;
}

int reset(Args& args) {
  args.at_most(0);
  if (args.state.context().recording() != nullptr) {
    fail(ErrorCode::FailedPrecondition, "reset: a graph is being recorded (lutra.graph), whose devices must stay");
  }
  lua_gc(args.L, LUA_GCCOLLECT);
  args.state.runtime().reset();
  return 0;
}

// "{'current': 0, 'peak': 0, ...}", as TensorFlow's dictionary.
int memory_info_text(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  for (const char* key : {"current", "peak", "limit", "reserved"}) {
    lua_pushfstring(L, "%s'%s': ", *key == 'c' ? "{" : ", ", key);
    luaL_addvalue(&out);
    lua_getfield(L, 1, key);
    luaL_tolstring(L, -1, nullptr);
    lua_remove(L, -2);
    luaL_addvalue(&out);
  }
  luaL_addchar(&out, '}');
  luaL_pushresult(&out);
  return 1;
}

void make_memory_info_meta(lua_State* L) {
  lua_newtable(L);
  lua_pushcfunction(L, memory_info_text);
  lua_setfield(L, -2, "__tostring");
  lua_pushliteral(L, "lutra.MemoryInfo");
  lua_setfield(L, -2, "__name");
  State::set(L, kMemoryInfoMeta);
}

}  // namespace

void open_config(lua_State* L, State& state) {
  lua_newtable(L);
#define LUTRA_CONFIG(function) set_function<function>(L, state, #function, #function)
  LUTRA_CONFIG(list_physical_devices);
  LUTRA_CONFIG(list_logical_devices);
  LUTRA_CONFIG(set_visible_devices);
  LUTRA_CONFIG(get_visible_devices);
  LUTRA_CONFIG(set_memory_growth);
  LUTRA_CONFIG(get_memory_growth);
  LUTRA_CONFIG(set_logical_device_configuration);
  LUTRA_CONFIG(get_logical_device_configuration);
  LUTRA_CONFIG(set_per_process_memory_fraction);
  LUTRA_CONFIG(set_memory_limit);
  LUTRA_CONFIG(set_soft_device_placement);
  LUTRA_CONFIG(get_soft_device_placement);
  LUTRA_CONFIG(get_memory_info);
  LUTRA_CONFIG(reset_memory_stats);
  LUTRA_CONFIG(get_device_details);
  LUTRA_CONFIG(release_memory);
  LUTRA_CONFIG(set_simulated_gpus);
  LUTRA_CONFIG(set_placement);
  LUTRA_CONFIG(get_placement);
  LUTRA_CONFIG(set_float32_matmul_precision);
  LUTRA_CONFIG(get_float32_matmul_precision);
  LUTRA_CONFIG(reset);
  lua_newtable(L);
  LUTRA_CONFIG(set_intra_op_parallelism_threads);
  LUTRA_CONFIG(get_intra_op_parallelism_threads);
#undef LUTRA_CONFIG
  lua_setfield(L, -2, "threading");
  lua_setfield(L, -2, "config");
  make_memory_info_meta(L);
}

}  // namespace lutra
