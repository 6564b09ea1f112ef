// lutra.load and lutra.save: read files of tensors (src/io) into tensors on the scope's device, and write tensors of
// any device.

#include <algorithm>
#include <span>

#include "eager/constant.h"
#include "io/tensor_file.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"
#include "lua/border/own_entries.h"
#include "lua/ops/constants.h"
#include "lua/ops/elements.h"

namespace lutra {
namespace {

char delimiter_of(const char* who, std::string_view word) {
  // Characters of numbers and comments would change the file's meaning.
  constexpr std::string_view kTaken = "+-.#\"\r\n\\";
  char c = word.size() == 1 ? word[0] : '\0';
  bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  bool is_plain = c == '\t' || (c >= ' ' && c < 0x7f);
  require(is_plain && !is_letter && kTaken.find(c) == std::string_view::npos, who, ": delimiter is ", quote(word),
          ", expected one character such as ',', ';' or a tab");
  return c;
}

struct FormatOption {
  const char* name;
  FileFormat format;
};
constexpr FormatOption kLoadOptions[] = {{"header", FileFormat::Csv},
                                         {"delimiter", FileFormat::Csv},
                                         {"dtype", FileFormat::Csv},
                                         {"missing", FileFormat::Csv}};
constexpr FormatOption kSaveOptions[] = {{"header", FileFormat::Csv},
                                         {"delimiter", FileFormat::Csv},
                                         {"compress", FileFormat::Npz},
                                         {"metadata", FileFormat::Safetensors}};

// Fails if the options table at `index` has an option for another file format.
void refuse_options_of_others(Args& args, int index, FileFormat format, std::span<const FormatOption> options) {
  lua_State* L = args.L;
  if (lua_type(L, index) != LUA_TTABLE) return;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) continue;
    std::string_view key = lua_tostring(L, -2);
    for (const FormatOption& option : options) {
      require(key != option.name || option.format == format, args.who(), ": option '", key, "' is for .",
              name(option.format), " files, and ", quote(args.string(1, "path")), " is none",
              key == "dtype" ? "; cast what is loaded: t:cast(dtype)" : "");
    }
  }
}

// Pushes one tensor of the file, placed as a constant.
void push_loaded(Args& args, FileReader& reader, std::size_t i) {
  lua_State* L = args.L;
  State& state = args.state;
  const FileEntry& entry = reader.entries()[i];
  Placement placement = constant_placement(state.enter(L), entry.dtype);
  bool is_inline = placement.device->keeps_inline(entry.nbytes());
  Box* box = nullptr;
  protect(L, 1, [&](lua_State* inner) {
    box = state.push_box(inner, is_inline);
    return 1;
  });
  Context& context = state.enter(L);
  Tensor host;
  make_host_tensor(context, entry.dtype, entry.shape, &host.rep());
  TensorRep& rep = host.rep();
  reader.read(i, rep.storage != nullptr ? rep.data : rep.bytes);
  place_constant(context, &rep);
  report_constant(context, rep);
  if (is_inline && rep.storage != nullptr) {
    fail(ErrorCode::FailedPrecondition, "load: a finalizer changed the devices while a tensor was being made");
  }
  box->tensor = rep;
  rep.storage = nullptr;
  lua_pushvalue(L, -1);
  protect_with(L, 1, [&](lua_State* inner) { state.own(inner, box); });
}

void push_metadata(lua_State* L, const FileMetadata& metadata) {
  protect(L, 1, [&](lua_State* inner) {
    lua_newtable(inner);
    for (const auto& [name, value] : metadata) {
      lua_pushlstring(inner, name.data(), name.size());
      lua_pushlstring(inner, value.data(), value.size());
      lua_rawset(inner, -3);
    }
    return 1;
  });
}

// load(path[, {header, delimiter, dtype, missing}])
int load(Args& args) {
  constexpr int kMissing = 3;
  args.at_most(2);
  lua_State* L = args.L;
  lua_settop(L, kMissing);
  std::string path(args.string(1, "path"));
  FileFormat format = file_format(args.who(), path);
  ReadOptions options;
  std::string_view delimiter = ",";
  refuse_options_of_others(args, 2, format, kLoadOptions);
  if (format == FileFormat::Csv) {
    args.options(2, {{"header", &options.header},
                     {"delimiter", &delimiter},
                     {"dtype", &options.dtype},
                     {"missing", StackSlot{kMissing}}});
    if (args.has(kMissing)) {
      if (lua_type(L, kMissing) != LUA_TNUMBER) args.wrong(kMissing, "missing", "a number");
      options.missing = number_at(L, kMissing);
    }
    options.delimiter = delimiter_of(args.who(), delimiter);
  } else {
    args.options(2, {});
  }
  args.state.context().cannot_repeat("it reads a file");
  std::unique_ptr<FileReader> reader =
      open_reader(format, open_file(args.who(), path, args.state.allowed_paths.get()), options);
  if (!is_named(format)) {
    push_loaded(args, *reader, 0);
    if (!options.header) return 1;
    protect(L, 1, [&](lua_State* inner) {
      lua_newtable(inner);
      for (std::size_t i = 0; i < reader->columns().size(); ++i) {
        const std::string& name = reader->columns()[i];
        lua_pushlstring(inner, name.data(), name.size());
        lua_rawseti(inner, -2, static_cast<lua_Integer>(i + 1));
      }
      return 1;
    });
    return 2;
  }
  protect(L, 1, [](lua_State* inner) {
    lua_newtable(inner);
    return 1;
  });
  int all = lua_gettop(L);
  if (!reader->metadata().empty()) push_metadata(L, reader->metadata());
  for (std::size_t i = 0; i < reader->entries().size(); ++i) {
    lua_pushvalue(L, all);
    push_loaded(args, *reader, i);
    protect_with(L, 2, [&](lua_State* inner) {
      const std::string& name = reader->entries()[i].name;
      lua_pushlstring(inner, name.data(), name.size());
      lua_insert(inner, -2);
      lua_rawset(inner, -3);
    });
  }
  return reader->metadata().empty() ? 1 : 2;
}

// Tensors on any device, read when they are written out.
class Saved final : public FileContents {
 public:
  explicit Saved(Args& args) : args_(args) {}
  // The tensor at `index` of the stack, which keeps it alive.
  void add(std::string name, int index) {
    const TensorRep& tensor = args_.tensor(index, name.empty() ? "value" : name.c_str()).tensor;
    entries_.push_back({std::move(name), tensor.dtype, tensor.shape()});
    tensors_.push_back(&tensor);
  }
  void read(std::size_t entry, std::size_t offset, std::byte* to, std::size_t bytes) override {
    args_.state.runtime().transfer().read(args_.state.context(), *tensors_[entry], to, offset, bytes);
  }
  void sort_by_name() {
    std::vector<std::size_t> order(entries_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return entries_[a].name < entries_[b].name; });
    std::vector<FileEntry> entries;
    std::vector<const TensorRep*> tensors;
    for (std::size_t i : order) {
      entries.push_back(std::move(entries_[i]));
      tensors.push_back(tensors_[i]);
    }
    entries_ = std::move(entries);
    tensors_ = std::move(tensors);
  }

 private:
  Args& args_;
  std::vector<const TensorRep*> tensors_;
};

constexpr int kPath = 1, kValue = 2, kOptions = 3, kHeader = 4;

// Sorted by name, so that the same metadata make the same file.
void read_metadata(Args& args, FileMetadata* metadata) {
  lua_State* L = args.L;
  args.options(kOptions, {{"metadata", StackSlot{kHeader}}});
  if (!args.has(kHeader)) return;
  if (lua_type(L, kHeader) != LUA_TTABLE) args.wrong(kHeader, "metadata", "a table of texts by name");
  for (lua_pushnil(L); lua_next(L, kHeader) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING || lua_type(L, -1) != LUA_TSTRING) {
      args.wrong(lua_gettop(L), "an entry of metadata", "a text with a name");
    }
    std::size_t length = 0, value_length = 0;
    const char *name = lua_tolstring(L, -2, &length), *value = lua_tolstring(L, -1, &value_length);
    metadata->emplace_back(std::string(name, length), std::string(value, value_length));
  }
  std::sort(metadata->begin(), metadata->end());
}

void read_options(Args& args, FileFormat format, WriteOptions* options) {
  refuse_options_of_others(args, kOptions, format, kSaveOptions);
  if (format == FileFormat::Npz) return args.options(kOptions, {{"compress", &options->compress}});
  if (format == FileFormat::Safetensors) return read_metadata(args, &options->metadata);
  if (format != FileFormat::Csv) return args.options(kOptions, {});
  std::string_view delimiter = ",";
  args.options(kOptions, {{"header", StackSlot{kHeader}}, {"delimiter", &delimiter}});
  options->delimiter = delimiter_of(args.who(), delimiter);
  if (!args.has(kHeader)) return;
  if (lua_type(args.L, kHeader) != LUA_TTABLE) args.wrong(kHeader, "header", "a list of the columns' names");
  std::size_t count = lua_rawlen(args.L, kHeader);
  require_own_entries(args.L, kHeader, count, args.who(), "header");
  require(count > 0, args.who(), ": header is empty, expected a list of the columns' names");
  for (std::size_t i = 1; i <= count; ++i) {
    lua_rawgeti(args.L, kHeader, static_cast<lua_Integer>(i));
    options->columns.emplace_back(args.string(lua_gettop(args.L), "an entry of header"));
    lua_pop(args.L, 1);
  }
}

// Whether the table at `index` has a string key; if so, pushes one.
bool push_name(lua_State* L, int index) {
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) continue;
    lua_pop(L, 1);
    return true;
  }
  return false;
}

// Replaces the table of tensors by name by a copy of our own that has only tensors. May raise a Lua error.
void collect_named(lua_State* L, State& state) {
  luaL_checkstack(L, 8, nullptr);
  lua_newtable(L);
  int out = lua_gettop(L);
  bool any = false;
  for (lua_pushnil(L); lua_next(L, kValue) != 0; any = true) {
    read_phase(L, state, "save", [&](Args& args) {
      if (lua_type(L, -2) != LUA_TSTRING) {
        fail(ErrorCode::InvalidArgument, "save: value has the key ", what_is(L, -2),
             ", expected names: {weights = tensor, ...}");
      }
      int value = lua_gettop(L);
      if (lua_type(L, value) == LUA_TTABLE && push_name(L, value)) {
        std::string outer = lua_tostring(L, value - 1), inner = lua_tostring(L, -1);
        fail(ErrorCode::InvalidArgument, "save: value.", outer, " is a table with the name ", what_is(L, -1),
             "; names cannot nest, write {[", quote(outer + "." + inner), "] = tensor}");
      }
      // A tensor that is released in the meantime is detected when it is written.
      if (to_box(L, -1) == nullptr && !is_literal(L, -1)) args.wrong(lua_gettop(L), lua_tostring(L, -2), "a tensor");
    });
    if (is_literal(L, -1) && !make_constant(L, state, -1, {"save", lua_tostring(L, -2)}, kNoDType)) state.raise(L);
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, out);
  }
  read_phase(L, state, "save", [&](Args&) { require_own_entries(L, kValue, any ? 1 : 0, "save", "value"); });
  lua_replace(L, kValue);
}

// save(path, value[, {compress, header, delimiter}])
int save(lua_State* L) {
  State& state = state_of(L);
  FileFormat format = FileFormat::Npy;
  read_phase(L, state, "save", [&](Args& args) {
    args.at_most(3);
    format = file_format("save", args.string(kPath, "path"));
    bool is_table = lua_type(L, kValue) == LUA_TTABLE;
    if (is_named(format) && !is_table) args.wrong(kValue, "value", "a table of tensors by name: {weights = tensor}");
    if (!is_named(format) && is_table && push_name(L, kValue)) {
      std::string_view path = args.string(kPath, "path");
      fail(ErrorCode::InvalidArgument, "save: value has the name ", what_is(L, -1), ", and ",
           path.substr(std::min(path.rfind('.'), path.size())),
           " holds one tensor; use .npz or .safetensors for tensors by name");
    }
    if (!is_named(format) && !is_literal(L, kValue)) args.tensor(kValue, "value");
    lua_settop(L, kHeader);
    WriteOptions options;
    read_options(args, format, &options);
  });
  if (is_named(format)) collect_named(L, state);
  else if (is_literal(L, kValue) && !make_constant(L, state, kValue, {"save", "value"}, kNoDType)) state.raise(L);
  // From here on no Lua code runs, so the values on the stack do not change.
  read_phase(L, state, "save", [&](Args& args) {
    WriteOptions options;
    read_options(args, format, &options);
    Saved saved(args);
    if (is_named(format)) {
      for (lua_pushnil(L); lua_next(L, kValue) != 0; lua_pop(L, 1)) {
        std::size_t length = 0;
        const char* key = lua_tolstring(L, -2, &length);
        saved.add(std::string(key, length), lua_gettop(L));
      }
      saved.sort_by_name();
    } else {
      saved.add("", kValue);
    }
    AtomicFile file(args.who(), std::string(args.string(kPath, "path")), args.state.allowed_paths.get());
    write_tensors(format, saved, file, options);
    file.commit();
  });
  return 0;
}

}  // namespace

void open_files(lua_State* L, State& state) {
  set_function<load>(L, state, "load", "load");
  set_unguarded(L, state, "save", save);
}

}  // namespace lutra
