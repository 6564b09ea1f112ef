// C++ functions for lutra.data and checkpoints: the order of a shuffle, and the position in the random sequence.

#include <vector>

#include "eager/constant.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

// splitmix64 (Steele et al., OOPSLA 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // One of 0 .. n - 1.
  int64_t below(int64_t n) {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    return static_cast<int64_t>((static_cast<unsigned __int128>(z) * static_cast<uint64_t>(n)) >> 64);
  }

 private:
  uint64_t state_;
};

// 1 .. count in the order in which they leave a shuffle buffer of `size`, which is kept full and from which one at
// random is picked.
void shuffle(int64_t count, int64_t size, uint64_t seed, int64_t* to) {
  Random random(seed);
  std::vector<int64_t> buffer(static_cast<std::size_t>(size));
  for (int64_t i = 0; i < size; ++i) buffer[static_cast<std::size_t>(i)] = i + 1;
  int64_t next = size + 1;
  for (int64_t i = 0; i < count; ++i) {
    int64_t& picked = buffer[static_cast<std::size_t>(random.below(size))];
    to[i] = picked;
    if (next <= count) picked = next++;
    else picked = buffer[static_cast<std::size_t>(--size)];
  }
}

// shuffled(count, size, seed): an int64 tensor on the CPU.
int shuffled(Args& args) {
  int64_t count = args.integer(1, "count"), size = args.integer(2, "size");
  uint64_t seed = static_cast<uint64_t>(args.integer(3, "seed"));
  require(count > 0 && size > 0, args.who(), ": count is ", count, " and size ", size, ", expected 1 or more");
  if (size > count) size = count;
  lua_State* L = args.L;
  Box* box = nullptr;
  bool is_inline = args.state.keeps_inline(static_cast<std::size_t>(count) * sizeof(int64_t));
  protect(L, 1, [&](lua_State* inner) {
    box = args.state.push_box(inner, is_inline);
    return 1;
  });
  Tensor host;
  make_host_tensor(args.state.enter(L), DType::Int64, {count}, &host.rep());
  TensorRep& rep = host.rep();
  shuffle(count, size, seed, reinterpret_cast<int64_t*>(rep.storage != nullptr ? rep.data : rep.bytes));
  box->tensor = rep;
  rep.storage = nullptr;
  lua_pushvalue(L, -1);
  protect_with(L, 1, [&](lua_State* inner) { args.state.own(inner, box); });
  return 1;
}

// random_state(): the key and the counter of set_seed's sequence.
int random_state(Args& args) {
  args.state.context().cannot_repeat("it reads the place in the random sequence");
  Rng now = args.state.context().random_range({}, 0);
  lua_pushinteger(args.L, static_cast<lua_Integer>(now.key));
  lua_pushinteger(args.L, static_cast<lua_Integer>(now.counter));
  return 2;
}

// set_random_state(key, counter)
int set_random_state(Args& args) {
  args.state.context().set_seed(static_cast<uint64_t>(args.integer(1, "key")));
  args.state.context().random_range({}, static_cast<uint64_t>(args.integer(2, "counter")));
  return 0;
}

}  // namespace

void open_datasets(lua_State* L, State& state) {
  set_function<shuffled>(L, state, "shuffled", "shuffle");
  set_function<random_state>(L, state, "random_state", "lutra");
  set_function<set_random_state>(L, state, "set_random_state", "lutra");
}

}  // namespace lutra
