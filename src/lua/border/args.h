// Reads a binding's arguments by Lua calls that cannot raise. A wrong argument becomes an Error that names the function
// and the argument, what was given and what was expected.
#pragma once

#include <lua.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "core/dtype.h"
#include "core/shape.h"
#include "device/device_spec.h"
#include "lua/border/box.h"

namespace lutra {

class Device;
class State;
struct OpDef;
struct LogicalDevice;

// "a number", "nil", "a table", "a tensor": the kind of value at `index`, for error texts.
std::string what_is(lua_State* L, int index);

// A slot on the Lua stack, for an option of any type.
struct StackSlot {
  int index;
};

// An option that a function takes, and where its value goes. A string_view points into the options table.
struct Option {
  const char* name;
  std::variant<bool*, int64_t*, double*, std::optional<double>*, DType*, std::string_view*, StackSlot> place;
};

// " (did you mean 'axis'?)" with the known name that `key` probably meant, misspelt or as another library calls it; or
// what to use instead; or "".
std::string name_hint(std::string_view key, std::span<const char* const> known);
// Fails: `who` has no option `key`. The error has the hint first, then a list of the options, then `rest`.
[[noreturn]] void fail_unknown_option(const char* who, std::string_view key, std::span<const char* const> known,
                                      std::string_view rest = "");
// Fails: there is no dtype called `word`.
[[noreturn]] void fail_no_dtype(const char* who, const char* name, std::string_view word);

class Args {
 public:
  Args(lua_State* state, State& lutra, const char* who) : L(state), state(lutra), who_(who) {}

  lua_State* const L;
  State& state;

  const char* who() const { return who_; }
  int count() const { return lua_gettop(L); }
  bool has(int i) const { return !lua_isnoneornil(L, i); }
  // Fails when more than `most` are given.
  void at_most(int most) const;
  [[noreturn]] void wrong(int i, const char* name, const char* wanted) const;
  // Added to an error if a device is nil: a list of the devices. "" for any other value.
  std::string no_device_hint(int i) const;

  bool boolean(int i, const char* name) const;
  double number(int i, const char* name) const;
  int64_t integer(int i, const char* name) const;  // also a float with an integral value
  std::string_view string(int i, const char* name) const;
  DType dtype(int i, const char* name) const;
  const Box& tensor(int i, const char* name) const;
  // A logical device's name, perhaps partial, or its object.
  DeviceSpec device_spec(int i, const char* name) const;
  LogicalDevice& logical_device(int i, const char* name) const;
  // A physical device: "/physical_device:GPU:0", or "GPU:0" for short, or its object.
  Device& physical_device(int i, const char* name) const;
  // Reads the options table at `i`, if there is one, into the places of `known`. Any other key is an error.
  void options(int i, std::initializer_list<Option> known, const char* name = "options",
               const char* wanted = "a table of options") const;

 private:
  std::string_view device_name(int i, const char* name) const;
  bool is_logical_object(int i) const;

  const char* who_;
};

// Whether the running C function was called with a colon; then the object is its first argument.
bool is_method_call(lua_State* L);

// The number at `index` if it has an integral value.
std::optional<int64_t> integral(lua_State* L, int index);

// Reads a list of integral numbers into out[0..most) and returns how many there are. Errors name `who` and `name`, and
// say where to write options of the op if there are any among the numbers.
int read_integers(lua_State* L, int index, const char* who, const char* name, int64_t* out, int most,
                  const OpDef* op = nullptr);

}  // namespace lutra
