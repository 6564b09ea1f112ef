// lutra-kernel: the kernel that Jupyter starts. `lutra kernel install` tells Jupyter how.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <xeus/xkernel.hpp>
#include <zmq.hpp>

#include "core/error.h"
#include "core/version.h"
#include "notebook/interrupts.h"
#include "notebook/kernel.h"
#include "notebook/server.h"

namespace {

// Jupyter's server may die without a word to its kernels: then nobody would ever end this one.
void end_with_parent() {
  if (std::getenv("JPY_PARENT_PID") == nullptr) return;
  std::thread([parent = getppid()] {
    while (getppid() == parent) std::this_thread::sleep_for(std::chrono::seconds(1));
    std::_Exit(EXIT_FAILURE);
  }).detach();
}

int run(const std::string& connection_file) {
  using namespace lutra;
  notebook::begin_interrupts();  // before xeus starts its threads
  end_with_parent();
  xeus::xkernel kernel(xeus::load_configuration(connection_file), xeus::get_user_name(),
                       xeus::make_context<zmq::context_t>(), std::make_unique<notebook::Kernel>(),
                       notebook::make_server, xeus::make_in_memory_history_manager(), nullptr, xeus::make_null_debugger,
                       nlohmann::json::object(), nlohmann::json::error_handler_t::replace);
  kernel.start();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--version") {
    std::puts("lutra-kernel " LUTRA_VERSION);
    return EXIT_SUCCESS;
  }
  if (argc != 3 || first != "-f") {
    std::fputs("usage: lutra-kernel -f CONNECTION_FILE\nJupyter starts it; `lutra kernel install` tells Jupyter how\n",
               stderr);
    return EXIT_FAILURE;
  }
  try {
    return run(argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lutra-kernel: %s\n", error.what());
  }
  return EXIT_FAILURE;
}
