// The arguments of a graph's call: its signature, and the tensors in them.

#include <algorithm>

#include "lua/bindings/graph_object.h"
#include "lua/border/modules.h"
#include "lua/border/variable_box.h"

namespace lutra {

bool is_plain_table(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TTABLE) return false;
  if (lua_getmetatable(L, index) != 0) return lua_pop(L, 1), false;
  const auto length = static_cast<lua_Integer>(lua_rawlen(L, index));
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING) continue;
    if (lua_isinteger(L, -2) != 0 && lua_tointeger(L, -2) >= 1 && lua_tointeger(L, -2) <= length) continue;
    lua_pop(L, 2);
    return false;
  }
  return true;
}

namespace {

class SignatureReader {
 public:
  SignatureReader(lua_State* L, Graph& graph) : L_(L), graph_(graph), key_(graph.key) {}

  void read(Context& context, int first, int last) {
    key_.clear();
    graph_.leaves.clear();
    graph_.has_tables = false;
    Runtime& runtime = context.runtime();
    graph_.epoch = runtime.epoch;
    put(runtime.placement_stamp());
    put(runtime.float32_matmul_precision);
    if (uint32_t spec = context.scopes->spec(); spec != 0) key_ += context.spec_text(spec);
    for (int i = first; i <= last; ++i) value(i, 0);
  }

 private:
  template <class T> void put(const T& bytes) { key_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes); }

  void value(int index, int depth) {
    if (const Box* box = to_box(L_, index); box != nullptr) {
      if (box->is_released())
        fail(ErrorCode::FailedPrecondition, "graph: an argument is a tensor that has been released");
      if (!is_variable(box->tensor)) return tensor(box->tensor);
    }
    switch (lua_type(L_, index)) {
      case LUA_TNIL: key_ += 'n'; return;
      case LUA_TBOOLEAN: key_ += lua_toboolean(L_, index) != 0 ? 't' : 'f'; return;
      case LUA_TNUMBER:
        if (lua_isinteger(L_, index) != 0) key_ += 'i', put(lua_tointeger(L_, index));
        else key_ += 'd', put(lua_tonumber(L_, index));
        return;
      case LUA_TSTRING: {
        std::size_t length;
        const char* text = lua_tolstring(L_, index, &length);
        key_ += 's';
        put(length);
        key_.append(text, length);
        return;
      }
      case LUA_TTABLE:
        if (is_shape(L_, index)) return list('h', index, depth);
        if (depth < kMostTableDepth && lua_checkstack(L_, 8) != 0 && is_plain_table(L_, index))
          return table(index, depth);
        break;
      default: break;
    }
    key_ += 'o';
    put(lua_topointer(L_, index));
  }

  void tensor(const TensorRep& tensor) {
    // The same tensor in two places is one argument.
    auto known = std::find(graph_.leaves.begin(), graph_.leaves.end(), &tensor);
    if (known != graph_.leaves.end()) {
      key_ += 'a';
      put(static_cast<int>(known - graph_.leaves.begin()));
      return;
    }
    graph_.leaves.push_back(&tensor);
    key_ += 'T';
    put(tensor.dtype);
    put(tensor.device);
    put(tensor.rank);
    key_.append(reinterpret_cast<const char*>(tensor.dims), tensor.rank * sizeof tensor.dims[0]);
  }

  void list(char kind, int index, int depth) {
    const auto length = static_cast<lua_Integer>(lua_rawlen(L_, index));
    key_ += kind;
    put(length);
    for (lua_Integer i = 1; i <= length; ++i) {
      lua_rawgeti(L_, index, i);
      value(lua_gettop(L_), depth + 1);
      lua_pop(L_, 1);
    }
  }

  // The list's entries, then the others by their sorted names.
  void table(int index, int depth) {
    graph_.has_tables = true;
    list('{', index, depth);
    std::vector<std::string_view> names;
    for (lua_pushnil(L_); lua_next(L_, index) != 0; lua_pop(L_, 1)) {
      if (lua_type(L_, -2) != LUA_TSTRING) continue;
      std::size_t length;
      const char* name = lua_tolstring(L_, -2, &length);
      names.emplace_back(name, length);
    }
    std::sort(names.begin(), names.end());
    for (std::string_view name : names) {
      key_ += 'k';
      put(name.size());
      key_ += name;
      // No string is made: it is in the table already, so only memory could run out.
      lua_pushnil(L_);
      bool found = false;
      while (!found && lua_next(L_, index) != 0) {
        if (lua_type(L_, -2) == LUA_TSTRING) {
          std::size_t length = 0;
          const char* key = lua_tolstring(L_, -2, &length);
          found = std::string_view(key, length) == name;
        }
        if (!found) lua_pop(L_, 1);
      }
      if (!found) continue;
      value(lua_gettop(L_), depth + 1);
      lua_pop(L_, 2);
    }
    key_ += '}';
  }

  lua_State* L_;
  Graph& graph_;
  std::string& key_;
};

}  // namespace

void read_signature(lua_State* L, Graph& graph, Context& context, int first, int last) {
  SignatureReader(L, graph).read(context, first, last);
}

bool push_leaf(lua_State* L, const TensorRep* leaf, int index, int depth) {
  if (const Box* box = to_live_box(L, index)) {
    if (&box->tensor != leaf) return false;
    lua_pushvalue(L, index);
    return true;
  }
  if (depth >= kMostTableDepth || !is_plain_table(L, index)) return false;
  luaL_checkstack(L, 8, nullptr);
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    const int value = lua_gettop(L);
    if (!push_leaf(L, leaf, value, depth + 1)) continue;
    lua_replace(L, value - 1);
    lua_settop(L, value - 1);
    return true;
  }
  return false;
}

}  // namespace lutra
