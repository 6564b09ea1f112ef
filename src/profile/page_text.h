// page.html as text, which the build writes (scripts/cmake/embed_text.cmake).
#pragma once

namespace lutra {

extern const char kPageText[];

}  // namespace lutra
