// Reads a binding's arguments by Lua calls that cannot raise; what is wrong becomes an Error that names the function,
// the argument, what it got and what it wanted.
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

// "a number", "nil", "a table", "a tensor": what stands at `index`, for error texts.
std::string what_is(lua_State* L, int index);

// A place on the Lua stack, for an option of any type.
struct StackSlot {
  int index;
};

// An option that a function takes, and where its value goes. A string is the table's own.
struct Option {
  const char* name;
  std::variant<bool*, int64_t*, double*, std::optional<double>*, DType*, std::string_view*, StackSlot> place;
};

// " (did you mean 'axis'?)": the one of the names that was meant by `key`, a slip or another library's name; or what
// stands for it here; or "".
std::string name_hint(std::string_view key, std::span<const char* const> known);
// Fails: `key` is none of the options `who` takes, which are listed; what was meant stands first, `rest` last.
[[noreturn]] void fail_unknown_option(const char* who, std::string_view key, std::span<const char* const> known,
                                      std::string_view rest = "");
// Fails: no dtype is called so.
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
  // What is said further where nil stands for a device: which ones there are. "" of any other value.
  std::string no_device_hint(int i) const;

  bool boolean(int i, const char* name) const;
  double number(int i, const char* name) const;
  int64_t integer(int i, const char* name) const;  // also a float with an integral value
  std::string_view string(int i, const char* name) const;
  DType dtype(int i, const char* name) const;
  const Box& tensor(int i, const char* name) const;
  // Where ops run: a logical device's name, perhaps partial, or its object.
  DeviceSpec device_spec(int i, const char* name) const;
  LogicalDevice& logical_device(int i, const char* name) const;
  // A card or the CPU: "/physical_device:GPU:0", or "GPU:0" for short, or its object.
  Device& physical_device(int i, const char* name) const;
  // The options table at `i`, if there is one: the value of each option in it goes to its place. Any other key is an
  // error.
  void options(int i, std::initializer_list<Option> known, const char* name = "options",
               const char* wanted = "a table of options") const;

 private:
  std::string_view device_name(int i, const char* name) const;
  bool is_logical_object(int i) const;

  const char* who_;
};

// Whether the C function that runs was called with a colon; the object is its first argument then.
bool is_method_call(lua_State* L);

// The number at `index` if it has an integral value.
std::optional<int64_t> integral(lua_State* L, int index);

// A list of integral numbers into out[0..most). Fails naming `who` and `name`, and saying where options of the op
// stand if there are any among them. Returns how many there are.
int read_integers(lua_State* L, int index, const char* who, const char* name, int64_t* out, int most,
                  const OpDef* op = nullptr);

}  // namespace lutra
