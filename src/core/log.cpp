#include "core/log.h"

#include <unistd.h>
#include <cstdio>
#include <string>

namespace lutra {

void Log::line(std::string_view line) const {
  if (sink_ != nullptr) {
    sink_(user_, line);
    return;
  }
  std::fflush(stdout);
  std::string whole(line);
  whole += '\n';
  std::string_view left = whole;
  while (!left.empty()) {
    ssize_t written = ::write(STDERR_FILENO, left.data(), left.size());
    if (written <= 0) return;  // there is nowhere to report this
    left.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace lutra
