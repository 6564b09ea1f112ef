// items(list): the numbers of many tensors with one element each, for Lutra's own Lua. Waits once for all tensors on
// GPUs, as a wait costs as much as many commands.

#include <vector>

#include "lua/bindings/tensor_api.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"
#include "lua/ops/elements.h"

namespace lutra {
namespace {

int items(Args& args) {
  lua_State* L = args.L;
  const auto count = static_cast<std::size_t>(lua_rawlen(L, 1));
  std::vector<const TensorRep*> tensors;
  std::vector<DType> dtypes;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    lua_rawgeti(L, 1, static_cast<lua_Integer>(i + 1));
    tensors.push_back(&one_element(args, 2));
    dtypes.push_back(tensors.back()->dtype);
    require(!is_complex(dtypes.back()), args.who(), ": entry ", i + 1, " is ", dtypes.back(),
            ", expected a tensor whose element is one number");
    bytes += size_of(dtypes.back());
    lua_settop(L, 1);
  }
  std::vector<std::byte> elements(bytes);
  args.state.runtime().transfer().read_all(args.state.context(), tensors, elements.data());
  protect(L, 1, [&](lua_State* inner) {
    lua_createtable(inner, static_cast<int>(count), 0);
    const std::byte* at = elements.data();
    for (std::size_t i = 0; i < count; at += size_of(dtypes[i]), ++i) {
      push_scalar(inner, read_element(dtypes[i], at));
      lua_rawseti(inner, -2, static_cast<lua_Integer>(i + 1));
    }
    return 1;
  });
  return 1;
}

}  // namespace

void open_items(lua_State* L, State& state) { set_function<items>(L, state, "items", "item"); }

}  // namespace lutra
