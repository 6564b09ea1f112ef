#include "lua/bindings/cairo.h"

#include <dlfcn.h>

#include <string>
#include <type_traits>

#include "core/blocked_signals.h"
#include "core/error.h"

namespace lutra {
namespace {

constexpr const char* kLibrary = "libcairo.so.2";

struct Opened {
  Cairo functions;
  std::string problem;
};

Opened open_library() {
  Opened opened{};
  BlockedSignals blocked;  // signals are for the program's threads, not for any that the library may start
  void* handle = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* reason = dlerror();
    opened.problem = reason != nullptr ? reason : kLibrary;
    return opened;
  }
  Cairo& f = opened.functions;
  auto find = [&](auto& function, const char* name) {
    void* found = dlsym(handle, name);
    if (found == nullptr && opened.problem.empty()) opened.problem = text(kLibrary, " has no ", name);
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(found);
  };
  find(f.image_surface_create, "cairo_image_surface_create");
  find(f.image_surface_create_for_data, "cairo_image_surface_create_for_data");
  find(f.surface_status, "cairo_surface_status");
  find(f.surface_write_to_png_stream, "cairo_surface_write_to_png_stream");
  find(f.surface_destroy, "cairo_surface_destroy");
  find(f.create, "cairo_create");
  find(f.destroy, "cairo_destroy");
  find(f.status, "cairo_status");
  find(f.status_to_string, "cairo_status_to_string");
  find(f.save, "cairo_save");
  find(f.restore, "cairo_restore");
  find(f.scale, "cairo_scale");
  find(f.translate, "cairo_translate");
  find(f.rotate, "cairo_rotate");
  find(f.set_source_rgba, "cairo_set_source_rgba");
  find(f.set_source_surface, "cairo_set_source_surface");
  find(f.get_source, "cairo_get_source");
  find(f.pattern_set_filter, "cairo_pattern_set_filter");
  find(f.pattern_set_extend, "cairo_pattern_set_extend");
  find(f.set_line_width, "cairo_set_line_width");
  find(f.set_line_join, "cairo_set_line_join");
  find(f.set_line_cap, "cairo_set_line_cap");
  find(f.set_dash, "cairo_set_dash");
  find(f.move_to, "cairo_move_to");
  find(f.line_to, "cairo_line_to");
  find(f.arc, "cairo_arc");
  find(f.close_path, "cairo_close_path");
  find(f.new_path, "cairo_new_path");
  find(f.stroke, "cairo_stroke");
  find(f.fill, "cairo_fill");
  find(f.paint, "cairo_paint");
  find(f.select_font_face, "cairo_select_font_face");
  find(f.set_font_size, "cairo_set_font_size");
  find(f.text_extents, "cairo_text_extents");
  find(f.show_text, "cairo_show_text");
  return opened;
}

}  // namespace

const Cairo& cairo(const char* who) {
  static const Opened opened = open_library();
  if (!opened.problem.empty()) {
    fail(ErrorCode::FailedPrecondition, who, ": PNG files of plots are drawn by cairo, which cannot be opened (",
         opened.problem, "). Install it, on Debian with `apt install libcairo2`, or write an .svg");
  }
  return opened.functions;
}

}  // namespace lutra
