// Functions for Dataset:prefetch: batches of rows that a thread gathers ahead (io/row_thread.h).

#include <cstring>
#include <deque>

#include "eager/constant.h"
#include "io/row_thread.h"
#include "lua/bindings/file_rows.h"
#include "lua/border/held.h"
#include "lua/border/modules.h"
#include "lua/border/variable_box.h"

namespace lutra {
namespace {

constexpr RegistryKey kPrefetchMeta{};

// The tensors whose rows are gathered, and the batches in progress, which Lua owns, too. Holds everything that the
// thread reads or writes until the thread has ended.
struct Gatherer {
  struct Column {
    Tensor tensor;                     // in the host's memory, or
    std::shared_ptr<FileReader> file;  // of one entry
    DType dtype;
    Shape shape;
  };
  std::vector<Column> columns;
  std::deque<std::vector<Tensor>> batches;
  std::unique_ptr<RowThread> thread;  // destroyed first

  std::size_t row_bytes(std::size_t k) const {
    const Column& column = columns[k];
    std::size_t rows = static_cast<std::size_t>(column.shape[0]);
    return rows == 0 ? 0 : static_cast<std::size_t>(column.shape.size()) * size_of(column.dtype) / rows;
  }
};

Gatherer& gatherer_at(Args& args) { return Held<Gatherer>::at(args, 1, "a gatherer"); }

// gatherer(tensors, most): nil if one of them is not an immutable tensor in host memory.
int make_gatherer(Args& args) {
  lua_State* L = args.L;
  if (args.state.is_sandbox) return lua_pushnil(L), 1;  // whose scripts could start any number of threads
  Gatherer made;
  std::vector<RowThread::Column> columns;
  lua_Integer count = static_cast<lua_Integer>(lua_rawlen(L, 1));
  Context& context = args.state.context();
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_settop(L, 2);
    lua_rawgeti(L, 1, i);
    if (std::shared_ptr<FileReader> file = file_rows_at(L, 3)) {
      const FileEntry& entry = file->entries()[0];
      made.columns.push_back({{}, file, entry.dtype, entry.shape});
      columns.push_back({nullptr, made.row_bytes(made.columns.size() - 1), file.get()});
      continue;
    }
    Box* box = to_live_box(L, 3);
    if (box == nullptr || to_variable(L, 3) != nullptr || box->tensor.is_inline()) return lua_pushnil(L), 1;
    if (!context.runtime().device(box->tensor.device).is_host()) return lua_pushnil(L), 1;
    // Whatever still writes it has come to its end then, and was right.
    std::byte first;
    context.runtime().transfer().read(context, box->tensor, &first, 0, 1);
    Tensor tensor;
    share(tensor.rep(), box->tensor);
    tensor.rep().value = 0;
    made.columns.push_back({std::move(tensor), nullptr, box->tensor.dtype, box->tensor.shape()});
    columns.push_back({box->tensor.address(), made.row_bytes(made.columns.size() - 1)});
  }
  int64_t most = args.integer(2, "most");
  made.thread = std::make_unique<RowThread>(std::move(columns), static_cast<std::size_t>(most));
  Held<Gatherer>::push_new(args, kPrefetchMeta, std::move(made));
  return 1;
}

// Row indices, from 0.
std::vector<int64_t> places_of(Args& args, int64_t rows) {
  const TensorRep& list = args.tensor(2, "places").tensor;
  require(list.dtype == DType::Int64, args.who(), ": places are ", list.dtype, ", expected int64");
  std::vector<int64_t> places(static_cast<std::size_t>(list.size));
  if (places.empty()) return places;
  args.state.runtime().transfer().read(args.state.context(), list, reinterpret_cast<std::byte*>(places.data()), 0,
                                       list.nbytes());
  for (int64_t& place : places) {
    if (place < 1 || place > rows) fail(ErrorCode::OutOfRange, args.who(), ": there is no row ", place, " of ", rows);
    --place;
  }
  return places;
}

// Pushes a tensor for the given rows of column k. Returns where the thread must write them, or null if they have been
// written already.
std::byte* push_batch(Args& args, Gatherer& gatherer, std::size_t k, const std::vector<int64_t>& places, Tensor* out) {
  args.state.context().cannot_repeat("it reads rows of a dataset");
  const Gatherer::Column& column = gatherer.columns[k];
  Shape shape = column.shape;
  shape[0] = static_cast<int64_t>(places.size());
  bool is_inline = args.state.keeps_inline(static_cast<std::size_t>(shape.size()) * size_of(column.dtype));
  Box* box = nullptr;
  protect(args.L, 1, [&](lua_State* inner) {
    box = args.state.push_box(inner, is_inline);
    return 1;
  });
  TensorRep& rep = out->rep();
  make_host_tensor(args.state.enter(args.L), column.dtype, shape, &rep);
  std::byte* to = rep.storage != nullptr ? rep.data : nullptr;
  if (is_inline) {
    // The bytes are in Lua's own block, which the thread must not write to.
    std::size_t row = gatherer.row_bytes(k);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (column.file != nullptr) column.file->read_range(places[i], 1, rep.bytes + i * row);
      else std::memcpy(rep.bytes + i * row, column.tensor.rep().data + static_cast<std::size_t>(places[i]) * row, row);
    }
  }
  share(box->tensor, rep);
  lua_pushvalue(args.L, -1);
  protect_with(args.L, 1, [&](lua_State* inner) { args.state.own(inner, box); });
  return to;
}

// submit_rows(gatherer, places): returns a list of tensors, to be read only after wait_for_rows.
int submit_rows(Args& args) {
  lua_State* L = args.L;
  Gatherer& gatherer = gatherer_at(args);
  std::vector<int64_t> places = places_of(args, gatherer.columns[0].shape[0]);
  require(!gatherer.thread->is_full(), args.who(), ": too many batches are under way");
  std::vector<Tensor> batch(gatherer.columns.size());
  std::vector<std::byte*> to(batch.size());
  protect(L, 1, [](lua_State* inner) {
    lua_newtable(inner);
    return 1;
  });
  for (std::size_t k = 0; k < batch.size(); ++k) {
    to[k] = push_batch(args, gatherer, k, places, &batch[k]);
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    protect_with(L, 2, [&](lua_State* inner) { lua_rawseti(inner, -2, static_cast<lua_Integer>(k + 1)); });
  }
  // Stored before the thread gets it, so that the memory outlives the writes.
  gatherer.batches.push_back(std::move(batch));
  try {
    gatherer.thread->submit(std::move(places), std::move(to));
  } catch (...) {
    gatherer.batches.pop_back();
    throw;
  }
  return 1;
}

// wait_for_rows(gatherer): waits for the oldest submitted batch.
int wait_for_rows(Args& args) {
  Gatherer& gatherer = gatherer_at(args);
  require(!gatherer.thread->is_empty(), args.who(), ": no batch is under way");
  std::vector<Tensor> batch = std::move(gatherer.batches.front());
  gatherer.batches.pop_front();
  gatherer.thread->wait();
  return 0;
}

}  // namespace

void open_prefetch(lua_State* L, State& state) {
  lua_createtable(L, 0, 2);
  Held<Gatherer>::set_finalizer(L, "__gc");
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  State::set(L, kPrefetchMeta);
  set_function<make_gatherer>(L, state, "gatherer", "prefetch");
  set_function<submit_rows>(L, state, "submit_rows", "prefetch");
  set_function<wait_for_rows>(L, state, "wait_for_rows", "prefetch");
}

}  // namespace lutra
