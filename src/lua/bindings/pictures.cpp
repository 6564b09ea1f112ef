// Files of plots, for lutra.plot: draws its scene (lua/lutra/plot/scene.lua) as PNG by cairo, packs pixels as PNG, and
// writes a file whole or not at all.
//
// A scene's item is a list: its kind, then its numbers and strings, in the order in which `draw_item` reads them.

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "io/formats.h"
#include "io/tensor_file.h"
#include "lua/bindings/cairo.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

// Reads the fields of the item on top of the stack in order; those it lacks are 0 or "".
class Item {
 public:
  explicit Item(lua_State* L) : L_(L), table_(lua_gettop(L)) {}
  double number() {
    next();
    double value = lua_isnumber(L_, -1) != 0 ? lua_tonumber(L_, -1) : 0;
    lua_pop(L_, 1);
    return std::isfinite(value) ? value : 0;
  }
  // The string stays alive in the item.
  std::string_view string() {
    next();
    std::size_t length = 0;
    const char* bytes = lua_type(L_, -1) == LUA_TSTRING ? lua_tolstring(L_, -1, &length) : nullptr;
    lua_pop(L_, 1);
    return bytes == nullptr ? std::string_view("") : std::string_view(bytes, length);
  }
  std::vector<double> numbers() {
    next();
    std::vector<double> list;
    if (lua_type(L_, -1) == LUA_TTABLE) {
      const auto count = static_cast<lua_Integer>(lua_rawlen(L_, -1));
      list.reserve(static_cast<std::size_t>(count));
      for (lua_Integer i = 1; i <= count; ++i) {
        lua_rawgeti(L_, -1, i);
        list.push_back(lua_tonumber(L_, -1));
        lua_pop(L_, 1);
      }
    }
    lua_pop(L_, 1);
    return list;
  }

 private:
  void next() { lua_rawgeti(L_, table_, ++at_); }

  lua_State* L_;
  int table_;
  lua_Integer at_ = 0;
};

class Drawing {
 public:
  Drawing(const Cairo& cairo, int width, int height, double scale)
      : c_(cairo), surface_(cairo.image_surface_create(kArgb32, width, height)), context_(cairo.create(surface_)) {
    c_.scale(context_, scale, scale);
    c_.set_source_rgba(context_, 1, 1, 1, 1);
    c_.paint(context_);
    c_.set_line_join(context_, kRoundJoin);
  }
  ~Drawing() {
    c_.destroy(context_);
    c_.surface_destroy(surface_);
  }
  Drawing(const Drawing&) = delete;

  void draw(Item item) {
    const std::string_view kind = item.string();
    if (kind == "line") line(item);
    if (kind == "shape") shape(item);
    if (kind == "circle") circle(item);
    if (kind == "text") words(item);
    if (kind == "raster") raster(item);
  }

  std::string png(const char* who) {
    struct Out {
      std::string bytes;
      static int write(void* closure, const unsigned char* data, unsigned length) {
        try {
          static_cast<Out*>(closure)->bytes.append(reinterpret_cast<const char*>(data), length);
        } catch (const std::bad_alloc&) {
          return kNoMemory;  // no exception may pass through cairo
        }
        return 0;
      }
    } out;
    int status = c_.status(context_);
    if (status == 0) status = c_.surface_write_to_png_stream(surface_, Out::write, &out);
    if (status != 0) {
      fail(status == kNoMemory ? ErrorCode::ResourceExhausted : ErrorCode::Internal, who,
           ": cairo cannot draw the picture: ", c_.status_to_string(status));
    }
    return std::move(out.bytes);
  }

 private:
  // Constants of cairo.h.
  static constexpr int kArgb32 = 0, kRoundJoin = 1, kNearest = 3, kGood = 1, kPad = 3, kBold = 1, kNoMemory = 1;

  void color(Item& item) {
    const double r = item.number(), g = item.number(), b = item.number(), a = item.number();
    c_.set_source_rgba(context_, r, g, b, a);
  }
  void path(const std::vector<double>& points) {
    c_.new_path(context_);
    for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
      if (i == 0) c_.move_to(context_, points[i], points[i + 1]);
      else c_.line_to(context_, points[i], points[i + 1]);
    }
  }
  // points, r, g, b, a, width, dash
  void line(Item& item) {
    const std::vector<double> points = item.numbers();
    color(item);
    c_.set_line_width(context_, item.number());
    const std::vector<double> dash = item.numbers();
    c_.set_dash(context_, dash.data(), static_cast<int>(dash.size()), 0);
    path(points);
    c_.stroke(context_);
  }
  // points, r, g, b, a
  void shape(Item& item) {
    const std::vector<double> points = item.numbers();
    color(item);
    path(points);
    c_.close_path(context_);
    c_.fill(context_);
  }
  // x, y, radius, r, g, b, a
  void circle(Item& item) {
    const double x = item.number(), y = item.number(), radius = item.number();
    color(item);
    c_.new_path(context_);
    c_.arc(context_, x, y, radius, 0, 2 * std::numbers::pi);
    c_.fill(context_);
  }
  // x, y, text, size, anchor (0 left, 0.5 middle, 1 right), degrees, bold
  void words(Item& item) {
    const double x = item.number(), y = item.number();
    const std::string shown(item.string());
    const double size = item.number(), anchor = item.number(), degrees = item.number();
    c_.select_font_face(context_, "DejaVu Sans", 0, item.number() != 0 ? kBold : 0);
    c_.set_font_size(context_, size);
    c_.set_source_rgba(context_, 0.1, 0.1, 0.1, 1);
    Cairo::TextExtents extents{};
    c_.text_extents(context_, shown.c_str(), &extents);
    c_.save(context_);
    c_.translate(context_, x, y);
    c_.rotate(context_, degrees * std::numbers::pi / 180);
    c_.move_to(context_, -anchor * extents.x_advance, 0);
    c_.show_text(context_, shown.c_str());
    c_.restore(context_);
  }
  // x, y, width, height, RGB bytes, columns, rows, smooth
  void raster(Item& item) {
    const double x = item.number(), y = item.number(), width = item.number(), height = item.number();
    const std::string_view bytes = item.string();
    const int columns = static_cast<int>(item.number()), rows = static_cast<int>(item.number());
    const bool smooth = item.number() != 0;
    const auto count = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
    if (columns < 1 || rows < 1 || bytes.size() != count * 3) return;
    std::vector<uint32_t> pixels(count);
    for (std::size_t i = 0; i < count; ++i) {
      auto part = [&](std::size_t k) { return static_cast<uint32_t>(static_cast<unsigned char>(bytes[i * 3 + k])); };
      pixels[i] = 0xff000000u | part(0) << 16 | part(1) << 8 | part(2);
    }
    CairoSurface* source = c_.image_surface_create_for_data(reinterpret_cast<unsigned char*>(pixels.data()), kArgb32,
                                                            columns, rows, columns * 4);
    c_.save(context_);
    c_.translate(context_, x, y);
    c_.scale(context_, width / columns, height / rows);
    c_.set_source_surface(context_, source, 0, 0);
    c_.pattern_set_filter(c_.get_source(context_), smooth ? kGood : kNearest);
    c_.pattern_set_extend(c_.get_source(context_), kPad);  // no transparent border is mixed in
    path({0, 0, static_cast<double>(columns), 0, static_cast<double>(columns), static_cast<double>(rows), 0,
          static_cast<double>(rows)});
    c_.fill(context_);
    c_.restore(context_);
    c_.surface_destroy(source);
  }

  const Cairo& c_;
  CairoSurface* surface_;
  CairoContext* context_;
};

// draw_picture(width, height, scale, items): the bytes of a PNG file with scale * width by scale * height pixels.
int draw_picture(Args& args) {
  lua_State* L = args.L;
  const double width = args.number(1, "width"), height = args.number(2, "height"), scale = args.number(3, "scale");
  Drawing drawing(cairo(args.who()), static_cast<int>(std::lround(width * scale)),
                  static_cast<int>(std::lround(height * scale)), scale);
  require(lua_checkstack(L, 8) != 0, args.who(), ": too many values on the stack");
  const auto count = static_cast<lua_Integer>(lua_rawlen(L, 4));
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, 4, i);
    drawing.draw(Item(L));
    lua_pop(L, 1);
  }
  push_text(args, drawing.png(args.who()));
  return 1;
}

class Pixels final : public FileContents {
 public:
  Pixels(std::string_view bytes, const Shape& shape) : bytes_(bytes) {
    entries_.push_back({"", DType::UInt8, shape});
    require(entries_[0].nbytes() == bytes.size(), "png_of: ", bytes.size(), " bytes for ", shape);
  }
  void read(std::size_t, std::size_t offset, std::byte* to, std::size_t bytes) override {
    bytes_.copy(reinterpret_cast<char*>(to), bytes, offset);
  }

 private:
  std::string_view bytes_;
};

// png_of(bytes, height, width): the bytes of a PNG file of RGB pixels.
int png_of(Args& args) {
  const std::string_view bytes = args.string(1, "bytes");
  const int64_t sizes[] = {args.integer(2, "height"), args.integer(3, "width"), 3};
  Pixels pixels(bytes, Shape(std::span<const int64_t>(sizes)));
  MemorySink sink("a picture");
  write_png(pixels, sink);
  push_text(args, std::string_view(reinterpret_cast<const char*>(sink.bytes().data()), sink.bytes().size()));
  return 1;
}

// base64(bytes): RFC 4648, section 4.
int base64(Args& args) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string_view bytes = args.string(1, "bytes");
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(bytes.size() - at, 3);
    uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8 | (i < count ? static_cast<unsigned char>(bytes[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i) out += i <= count ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
  push_text(args, out);
  return 1;
}

// write_file(path, bytes, who): whole or not at all. who: for errors.
int write_file(Args& args) {
  args.at_most(3);
  const std::string who(args.string(3, "who"));
  AtomicFile file(who.c_str(), std::string(args.string(1, "file")), args.state.allowed_paths.get());
  file.write(args.string(2, "bytes"));
  file.commit();
  return 0;
}

}  // namespace

void open_pictures(lua_State* L, State& state) {
  set_function<draw_picture>(L, state, "draw_picture", "plot");
  set_function<png_of>(L, state, "png_of", "plot");
  set_function<base64>(L, state, "base64", "plot");
  set_function<write_file>(L, state, "write_file", "plot");
}

}  // namespace lutra
