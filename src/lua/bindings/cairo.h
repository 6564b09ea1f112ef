// The part of cairo that draws plots, opened at run time: only writing a plot as PNG needs the library, and it costs
// nothing at start. Its names and types are those of cairo's C interface, which has been stable since 1.10.
#pragma once

namespace lutra {

// Opaque types of cairo.
struct CairoSurface;
struct CairoContext;

struct Cairo {
  struct TextExtents {
    double x_bearing, y_bearing, width, height, x_advance, y_advance;
  };
  using WriteFunction = int (*)(void* closure, const unsigned char* data, unsigned length);

  CairoSurface* (*image_surface_create)(int format, int width, int height);
  CairoSurface* (*image_surface_create_for_data)(unsigned char* data, int format, int width, int height, int stride);
  int (*surface_status)(CairoSurface*);
  int (*surface_write_to_png_stream)(CairoSurface*, WriteFunction, void* closure);
  void (*surface_destroy)(CairoSurface*);
  CairoContext* (*create)(CairoSurface*);
  void (*destroy)(CairoContext*);
  int (*status)(CairoContext*);
  const char* (*status_to_string)(int);
  void (*save)(CairoContext*);
  void (*restore)(CairoContext*);
  void (*scale)(CairoContext*, double, double);
  void (*translate)(CairoContext*, double, double);
  void (*rotate)(CairoContext*, double);
  void (*set_source_rgba)(CairoContext*, double, double, double, double);
  void (*set_source_surface)(CairoContext*, CairoSurface*, double, double);
  void* (*get_source)(CairoContext*);
  void (*pattern_set_filter)(void* pattern, int);
  void (*pattern_set_extend)(void* pattern, int);
  void (*set_line_width)(CairoContext*, double);
  void (*set_line_join)(CairoContext*, int);
  void (*set_line_cap)(CairoContext*, int);
  void (*set_dash)(CairoContext*, const double*, int, double);
  void (*move_to)(CairoContext*, double, double);
  void (*line_to)(CairoContext*, double, double);
  void (*arc)(CairoContext*, double, double, double, double, double);
  void (*close_path)(CairoContext*);
  void (*new_path)(CairoContext*);
  void (*stroke)(CairoContext*);
  void (*fill)(CairoContext*);
  void (*paint)(CairoContext*);
  void (*select_font_face)(CairoContext*, const char*, int slant, int weight);
  void (*set_font_size)(CairoContext*, double);
  void (*text_extents)(CairoContext*, const char*, TextExtents*);
  void (*show_text)(CairoContext*, const char*);
};

// Opened on first use. Fails (FailedPrecondition) with the name of Debian's package if the library is not there.
const Cairo& cairo(const char* who);

}  // namespace lutra
