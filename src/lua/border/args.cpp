#include "lua/border/args.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "lua/border/own_entries.h"
#include "lua/border/state.h"
#include "lua/hints/foreign_names.h"
#include "lua/hints/wrong_call.h"

namespace lutra {

std::string what_is(lua_State* L, int index) {
  switch (lua_type(L, index)) {
    case LUA_TNONE: return "missing";
    case LUA_TNIL: return "nil";
    case LUA_TBOOLEAN: return lua_toboolean(L, index) ? "true" : "false";
    case LUA_TNUMBER: return lua_isinteger(L, index) ? text(lua_tointeger(L, index)) : text(lua_tonumber(L, index));
    case LUA_TSTRING: {
      std::size_t length;
      const char* at = lua_tolstring(L, index, &length);
      std::string shown(at, std::min<std::size_t>(length, 40));
      for (char& c : shown) c = static_cast<unsigned char>(c) < 32 ? '?' : c;
      return "\"" + shown + (length > 40 ? "...\"" : "\"");
    }
    case LUA_TTABLE: return "a table";
    case LUA_TFUNCTION: return "a function";
    case LUA_TTHREAD: return "a coroutine";
    default: {
      Box* box = to_box(L, index);
      if (box == nullptr) return "a foreign userdata";
      return box->is_live() ? "a tensor" : "a tensor that has been released";
    }
  }
}

std::optional<int64_t> integral(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TNUMBER) return std::nullopt;
  int is_integral;
  lua_Integer value = lua_tointegerx(L, index, &is_integral);
  return is_integral ? std::optional<int64_t>(value) : std::nullopt;
}

int read_integers(lua_State* L, int index, const char* who, const char* name, int64_t* out, int most, const OpDef* op) {
  std::size_t length = lua_rawlen(L, index);
  require_own_entries(L, index, length, who, name);
  require(length <= static_cast<std::size_t>(most), who, ": ", name, " has ", length, " entries, at most ", most,
          " are possible");
  int absolute = lua_absindex(L, index);
  std::size_t entries = 0;
  for (lua_pushnil(L); lua_next(L, absolute) != 0; lua_pop(L, 1)) ++entries;
  if (entries != length && op != nullptr) fail_no_list(L, absolute, *op, name, "a list of integers");
  require(entries == length, who, ": ", name, " has a hole or a string key, expected a list of integers");
  for (std::size_t i = 0; i < length; ++i) {
    lua_rawgeti(L, absolute, static_cast<lua_Integer>(i) + 1);
    std::optional<int64_t> value = integral(L, -1);
    if (!value) {
      fail(ErrorCode::InvalidArgument, who, ": ", name, "[", i + 1, "] is ", what_is(L, -1), ", expected an integer");
    }
    out[i] = *value;
    lua_pop(L, 1);
  }
  return static_cast<int>(length);
}

bool is_method_call(lua_State* L) {
  lua_Debug frame;
  return lua_getstack(L, 0, &frame) != 0 && lua_getinfo(L, "n", &frame) != 0 &&
         std::strcmp(frame.namewhat, "method") == 0;
}

// A method's arguments are counted as written, without the object before the colon.
void Args::at_most(int most) const {
  int given = count();
  while (given > most && lua_isnil(L, given)) --given;
  if (given <= most) return;
  if (most > 0 && is_method_call(L)) --most, --given;
  const char* are_given = given == 1 ? " argument given, " : " arguments given, ";
  if (most == 0) fail(ErrorCode::InvalidArgument, who_, ": ", given, are_given, "none is taken");
  fail(ErrorCode::InvalidArgument, who_, ": ", given, are_given, "at most ", most, most == 1 ? " is" : " are",
       " taken");
}

void Args::wrong(int i, const char* name, const char* wanted) const {
  fail(ErrorCode::InvalidArgument, who_, ": ", name, " is ", what_is(L, i), ", expected ", wanted);
}

bool Args::boolean(int i, const char* name) const {
  if (!lua_isboolean(L, i)) wrong(i, name, "a boolean");
  return lua_toboolean(L, i) != 0;
}

double Args::number(int i, const char* name) const {
  if (lua_type(L, i) != LUA_TNUMBER) wrong(i, name, "a number");
  return lua_tonumber(L, i);
}

int64_t Args::integer(int i, const char* name) const {
  std::optional<int64_t> value = integral(L, i);
  if (!value) wrong(i, name, "an integer");
  return *value;
}

std::string_view Args::string(int i, const char* name) const {
  if (lua_type(L, i) != LUA_TSTRING) wrong(i, name, "a string");
  std::size_t length;
  const char* at = lua_tolstring(L, i, &length);
  return {at, length};
}

DType Args::dtype(int i, const char* name) const {
  std::string_view word = string(i, name);
  if (std::optional<DType> type = parse_dtype(word)) return *type;
  fail_no_dtype(who_, name, word);
}

const Box& Args::tensor(int i, const char* name) const {
  Box* box = to_box(L, i);
  if (box == nullptr) wrong(i, name, "a tensor");
  if (!box->is_live()) {
    fail(ErrorCode::FailedPrecondition, who_, ": ", name, " is a tensor that has been released");
  }
  return *box;
}

std::string Args::no_device_hint(int i) const {
  if (lua_type(L, i) != LUA_TNIL) return "";
  std::string all;
  bool has_gpu = false;
  for (const Device* device : state.runtime().registry().list_physical()) {
    append(all, text(all.empty() ? "" : ", ", device->name()));
    has_gpu |= device->type() == DeviceType::GPU;
  }
  return text("; a list gives nil past its end, and here ", has_gpu ? "there are " : "is no GPU, only ", all);
}

std::string_view Args::device_name(int i, const char* name) const {
  if (lua_type(L, i) == LUA_TTABLE) {
    // The string stays alive in the object.
    lua_pushlstring(L, "name", 4);
    lua_rawget(L, i);
    bool is_name = lua_type(L, -1) == LUA_TSTRING;
    std::size_t length = 0;
    const char* at = is_name ? lua_tolstring(L, -1, &length) : nullptr;
    lua_pop(L, 1);
    if (is_name) return {at, length};
  }
  if (lua_type(L, i) != LUA_TSTRING) wrong(i, name, text("a device's name or object", no_device_hint(i)).c_str());
  return string(i, name);
}

namespace {

constexpr std::string_view kPhysicalPrefix = "/physical_device:";

// Fails: a physical device was given instead of a logical one. The error lists its logical devices.
[[noreturn]] void fail_physical(Runtime& runtime, const char* who, const char* name, std::string_view given) {
  const Device& physical = runtime.registry().find_physical(given);
  std::string parts;
  for (const LogicalDevicePlan& plan : runtime.registry().plan()) {
    if (plan.physical == &physical) append(parts, text(parts.empty() ? "" : ", ", plan.spec.local_name()));
  }
  fail(ErrorCode::InvalidArgument, who, ": ", name, " is the physical device ", quoted_name(physical.name()),
       ", expected a logical one; ",
       parts.empty()
           ? text("no logical device is on it: it is not visible (lutra.config.set_visible_devices), or it could not "
                  "be opened (lutra doctor says why)")
           : text("on it there is ", parts));
}

}  // namespace

DeviceSpec Args::device_spec(int i, const char* name) const {
  std::string_view given = device_name(i, name);
  if (given.starts_with(kPhysicalPrefix)) fail_physical(state.runtime(), who_, name, given);
  return DeviceSpec::parse(given);
}

LogicalDevice& Args::logical_device(int i, const char* name) const {
  std::string_view given = device_name(i, name);
  if (given.starts_with(kPhysicalPrefix)) fail_physical(state.runtime(), who_, name, given);
  state.context().devices();
  return state.runtime().find(given);
}

Device& Args::physical_device(int i, const char* name) const {
  std::string_view given = device_name(i, name);
  DeviceRegistry& registry = state.runtime().registry();
  if (!is_logical_object(i)) return registry.find_physical(given);
  std::string on;
  for (const LogicalDevicePlan& plan : registry.plan()) {
    if (plan.spec.local_name() == given) on = text("; it is on ", plan.physical->name());
  }
  fail(ErrorCode::InvalidArgument, who_, ": ", name, " is the logical device ", quoted_name(given),
       ", expected a physical one", on, " (lutra.config.list_physical_devices)");
}

std::string name_hint(std::string_view key, std::span<const char* const> known) {
  for (int i = 0; !foreign_option(key, i).empty(); ++i) {
    auto is_it = [&](const char* name) { return foreign_option(key, i) == name; };
    if (std::any_of(known.begin(), known.end(), is_it)) return text(" (did you mean '", foreign_option(key, i), "'?)");
  }
  NearestWord nearest(key);
  for (const char* name : known) nearest.offer(name);
  std::string_view instead = instead_of_option(key);
  return nearest.found().empty() && !instead.empty() ? text(": ", instead) : nearest.hint();
}

void fail_unknown_option(const char* who, std::string_view key, std::span<const char* const> known,
                         std::string_view rest) {
  std::string all;
  for (const char* name : known) append(all, text(all.empty() ? "" : ", ", name));
  fail(ErrorCode::InvalidArgument, who, ": unknown option '", key.substr(0, 40), "'", name_hint(key, known),
       all.empty() ? "; it takes no options" : "; it takes ", all, rest);
}

void fail_no_dtype(const char* who, const char* name, std::string_view word) {
  std::string_view given = word.substr(0, 40);
  for (std::string_view library : {"tf.", "np.", "numpy.", "torch."}) {
    if (word.starts_with(library)) word.remove_prefix(library.size());
  }
  NearestWord nearest(word);
  for (int i = 0; i < kDTypeCount; ++i) nearest.offer(lutra::name(static_cast<DType>(i)));
  std::string_view ours = foreign_dtype(word);
  fail(ErrorCode::InvalidArgument, who, ": ", name, " \"", given, "\" is no dtype",
       ours.empty() ? nearest.hint() : text(" (did you mean '", ours, "'?)"), "; there are ", text_of(kEveryDType));
}

// What to write if a dtype was given without a table and `known` has an option for it, else "".
static std::string dtype_option(std::initializer_list<Option> known, std::string_view word) {
  for (const Option& option : known) {
    if (!std::holds_alternative<DType*>(option.place) || !parse_dtype(word)) continue;
    return text(": {", option.name, " = \"", word, "\"}");
  }
  return "";
}

void Args::options(int i, std::initializer_list<Option> known, const char* name, const char* wanted) const {
  if (!has(i)) return;
  if (lua_type(L, i) != LUA_TTABLE) {
    std::string hint = lua_type(L, i) == LUA_TSTRING ? dtype_option(known, lua_tostring(L, i)) : "";
    wrong(i, name, text(wanted, hint).c_str());
  }
  for (lua_pushnil(L); lua_next(L, i) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) {
      fail(ErrorCode::InvalidArgument, who_, ": ", name, " has the key ", what_is(L, -2),
           ", expected the name of an option");
    }
    std::size_t length;
    const char* word = lua_tolstring(L, -2, &length);
    std::string_view key(word, length);
    auto option = std::find_if(known.begin(), known.end(), [&](const Option& each) { return key == each.name; });
    if (option == known.end()) {
      std::vector<const char*> names;
      for (const Option& each : known) names.push_back(each.name);
      fail_unknown_option(who_, key, names);
    }
    int value = lua_gettop(L);
    struct Read {
      const Args& args;
      int at;
      const char* name;
      void operator()(bool* place) const { *place = args.boolean(at, name); }
      void operator()(int64_t* place) const { *place = args.integer(at, name); }
      void operator()(double* place) const { *place = args.number(at, name); }
      void operator()(std::optional<double>* place) const { *place = args.number(at, name); }
      void operator()(DType* place) const { *place = args.dtype(at, name); }
      void operator()(std::string_view* place) const { *place = args.string(at, name); }
      void operator()(StackSlot place) const {
        lua_pushvalue(args.L, at);
        lua_replace(args.L, place.index);
      }
    };
    std::visit(Read{*this, value, option->name}, option->place);
  }
}

}  // namespace lutra
