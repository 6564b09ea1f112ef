// Reads a script's literal (a nested table, a number or a boolean): its shape, elements and dtype. Uses only Lua calls
// that cannot raise; errors are thrown, with the path of the wrong entry. See Note [Reading a nested table].
#pragma once

#include <lua.hpp>

#include <string>
#include <string_view>

#include "core/scalar.h"
#include "core/shape.h"

namespace lutra {

// An argument's name in error texts: "add: b", or "stack: tensors[2]" for an entry of a list.
struct ArgumentName {
  const char* who;
  const char* name;
  int entry = 0;
  const std::string_view* variable = nullptr;  // the name of the variable that the literal is assigned to
};

// Whether the value at `index` may be a literal.
inline bool is_literal(lua_State* L, int index) {
  int type = lua_type(L, index);
  return type == LUA_TTABLE || type == LUA_TNUMBER || type == LUA_TBOOLEAN;
}

class Literal {
 public:
  // For the value at `index`, for which is_literal holds.
  Literal(lua_State* L, int index, const ArgumentName& name) : L_(L), index_(index), name_(name) {}

  // To be called first: returns the number of elements.
  int64_t measure();
  // To be called second: writes the elements to values[0..measure()), row-major. Leaves the literal on the stack.
  void read(Scalar* values);

  Shape shape() const { return Shape({dims_, static_cast<std::size_t>(rank_)}); }
  // The dtype that the elements' dtypes promote to.
  DType dtype() const;

 private:
  void read_table(int level);
  void read_by_number(int level, int64_t done);
  void read_entry(int level);
  void read_element(int levels);
  std::string path(int levels, const int64_t* at) const;
  std::string first(int levels) const;
  std::string hint(int levels) const;

  lua_State* L_;
  int index_;
  ArgumentName name_;
  int rank_ = 0;
  int64_t dims_[kMaxRank];
  int64_t at_[kMaxRank];  // the entry being read, from 1
  Scalar* next_ = nullptr;
  DTypes seen_;
};

// Fails if an element is not a value of `dtype`.
void check_fit(const ArgumentName& name, DType dtype, const Scalar* values, int64_t count);

}  // namespace lutra
