#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <thread>

#include "core/error.h"
#include "kernels/remote/lender.h"
#include "kernels/remote/remote.h"
#include "kernels/remote/tables.h"

namespace lutra {

void lend_devices(const std::string& address, int count, const SimOptions& each, const std::string& token) {
  std::string bound;
  const int listening = listen_at(address, &bound);
  remote_tables();
  std::fprintf(stderr, "lutra: serve: %d simulated %s at %s\n", count, count == 1 ? "GPU" : "GPUs", bound.c_str());
  if (token.empty()) std::fprintf(stderr, "lutra: serve: without --token, every program that reaches it may use it\n");
  for (;;) {
    const int socket = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) {
      // A connection that ended at once, or too many.
      if (errno != EINTR && errno != ECONNABORTED) std::fprintf(stderr, "lutra: serve: %s\n", std::strerror(errno));
      if (errno == EMFILE || errno == ENFILE || errno == ENOMEM) std::this_thread::sleep_for(std::chrono::seconds(1));
      continue;
    }
    set_up_socket(socket);
    auto lend = [socket, count, each, token] {
      try {
        Lender(socket, count, each, token).run();
      } catch (const std::exception& error) {
        std::fprintf(stderr, "lutra: serve: a program's connection has ended: %s\n", error.what());
      }
    };
    try {
      std::thread(lend).detach();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "lutra: serve: no thread for a program: %s\n", error.what());
      close(socket);
    }
  }
}

}  // namespace lutra
