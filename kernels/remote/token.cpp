#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/error.h"
#include "core/text.h"
#include "kernels/remote/remote.h"

namespace lutra {

std::string read_token(const std::string& path) {
  constexpr std::size_t kMost = 1000;
  std::ifstream file(path, std::ios::binary);
  std::string token(kMost + 1, '\0');
  if (file) file.read(token.data(), static_cast<std::streamsize>(token.size()));
  if (!file.is_open() || file.bad()) {
    const int problem = errno;
    fail(problem == ENOENT ? ErrorCode::NotFound : ErrorCode::FailedPrecondition, "the token file ", path,
         " cannot be read: ", std::strerror(problem));
  }
  token.resize(static_cast<std::size_t>(file.gcount()));
  require(token.size() <= kMost, "the token file ", path, " has more than ", kMost, " bytes");
  constexpr const char* kWhite = " \t\r\n";
  const std::size_t first = token.find_first_not_of(kWhite);
  require(first != std::string::npos, "the token file ", path, " is empty");
  token = token.substr(first, token.find_last_not_of(kWhite) + 1 - first);
  require(token.find('\n') == std::string::npos, "the token file ", path, " has several lines, expected one");
  return token;
}

}  // namespace lutra
