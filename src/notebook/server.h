// xeus' server with the shell on the main thread, and interrupts by message: xeus 2 answers interrupt_request, but
// stops nothing.
#pragma once

#include <memory>
#include <xeus/xserver_shell_main.hpp>

namespace lutra::notebook {

std::unique_ptr<xeus::xserver> make_server(xeus::xcontext& context, const xeus::xconfiguration& configuration,
                                           nlohmann::json::error_handler_t errors);

}  // namespace lutra::notebook
