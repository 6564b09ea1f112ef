#include "lua/bindings/file_rows.h"

#include "eager/constant.h"
#include "lua/border/held.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

constexpr RegistryKey kFileRowsMeta{};

using HeldReader = Held<std::shared_ptr<FileReader>>;

FileReader& reader_at(Args& args) { return *HeldReader::at(args, 1, "rows of a file"); }

// file_rows(path)
int make_file_rows(Args& args) {
  std::string path(args.string(1, "path"));
  FileFormat format = file_format(args.who(), path);
  require(!is_named(format), args.who(), ": ", path, " holds tensors by name; load it, or take .npy or idx files");
  std::shared_ptr<FileReader> reader =
      open_reader(format, open_file(args.who(), path, args.state.allowed_paths.get()), {});
  require(reader->has_rows(), args.who(), ": ", path, " holds ", reader->entries()[0].shape,
          " in a form whose rows cannot be read alone; npy in row order and plain idx can, lutra.load reads all");
  HeldReader::push_new(args, kFileRowsMeta, std::move(reader));
  return 1;
}

// Pushes a tensor on the CPU with `count` rows from `first` on; with is_row one row, without the first axis.
int push_rows(Args& args, FileReader& reader, int64_t first, int64_t count, bool is_row) {
  args.state.context().cannot_repeat("it reads rows of a dataset");
  const FileEntry& entry = reader.entries()[0];
  Shape shape;
  if (!is_row) shape.push(count);
  for (int axis = 1; axis < entry.shape.rank(); ++axis) shape.push(entry.shape[axis]);
  bool is_inline = args.state.keeps_inline(static_cast<std::size_t>(shape.size()) * size_of(entry.dtype));
  Box* box = nullptr;
  protect(args.L, 1, [&](lua_State* inner) {
    box = args.state.push_box(inner, is_inline);
    return 1;
  });
  Tensor host;
  make_host_tensor(args.state.enter(args.L), entry.dtype, shape, &host.rep());
  TensorRep& rep = host.rep();
  if (count > 0) reader.read_range(first, count, rep.storage != nullptr ? rep.data : rep.bytes);
  box->tensor = rep;
  rep.storage = nullptr;
  lua_pushvalue(args.L, -1);
  protect_with(args.L, 1, [&](lua_State* inner) { args.state.own(inner, box); });
  return 1;
}

int index(Args& args) {
  lua_State* L = args.L;
  FileReader& reader = reader_at(args);
  const FileEntry& entry = reader.entries()[0];
  int64_t rows = entry.shape[0];
  if (lua_type(L, 2) == LUA_TNUMBER) {
    int64_t place = args.integer(2, "row");
    if (place < 1 || place > rows) fail(ErrorCode::OutOfRange, args.who(), ": there is no row ", place, " of ", rows);
    return push_rows(args, reader, place - 1, 1, true);
  }
  if (lua_type(L, 2) == LUA_TTABLE) {
    int64_t range[2] = {1, 0};
    if (lua_rawgeti(L, 2, 1) == LUA_TTABLE) read_integers(L, lua_gettop(L), args.who(), "rows", range, 2);
    if (range[0] < 1 || range[1] > rows || range[1] < range[0] - 1) {
      fail(ErrorCode::OutOfRange, args.who(), ": there are no rows ", range[0], " to ", range[1], " of ", rows);
    }
    return push_rows(args, reader, range[0] - 1, range[1] - range[0] + 1, false);
  }
  std::string_view key = args.string(2, "field");
  if (key == "rank") {
    lua_pushinteger(L, entry.shape.rank());
  } else if (key == "dtype") {
    push_text(args, name(entry.dtype));
  } else if (key == "device") {
    args.state.enter(L).devices();
    push_text(args, args.state.runtime().cpu().full_name);
  } else if (key == "shape") {
    protect(L, 1, [&](lua_State* inner) {
      push_shape(inner, args.state, entry.shape);
      return 1;
    });
  } else {
    lua_pushnil(L);
  }
  return 1;
}

int row_count(Args& args) {
  lua_pushinteger(args.L, reader_at(args).entries()[0].shape[0]);
  return 1;
}

}  // namespace

std::shared_ptr<FileReader> file_rows_at(lua_State* L, int index) {
  HeldReader* held = HeldReader::find(L, index);
  return held != nullptr && held->object() != nullptr ? *held->object() : nullptr;
}

void open_file_rows(lua_State* L, State& state) {
  lua_createtable(L, 0, 4);
  HeldReader::set_finalizer(L, "__gc");
  set_function<index>(L, state, "__index", "from_file");
  set_function<row_count>(L, state, "__len", "from_file");
  lua_pushstring(L, "lutra.data.FileRows");
  lua_setfield(L, -2, "__metatable");
  State::set(L, kFileRowsMeta);
  set_function<make_file_rows>(L, state, "file_rows", "from_file");
}

}  // namespace lutra
