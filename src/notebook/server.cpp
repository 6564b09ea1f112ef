#include "notebook/server.h"

#include "notebook/interrupts.h"

namespace lutra::notebook {
namespace {

class Server final : public xeus::xserver_shell_main {
 public:
  using xserver_shell_main::xserver_shell_main;

 private:
  // On the thread of the control channel, which is free while an entry runs.
  void send_control_impl(xeus::xmessage message) override {
    if (message.header().value("msg_type", "") == "interrupt_reply") interrupt();
    xserver_zmq_split::send_control_impl(std::move(message));
  }

  void publish_impl(xeus::xpub_message message, xeus::channel channel) override {
    if (channel == xeus::channel::SHELL && message.content().value("execution_state", "") == "busy") {
      forget_interrupts();
    }
    xserver_zmq_split::publish_impl(std::move(message), channel);
  }
};

}  // namespace

std::unique_ptr<xeus::xserver> make_server(xeus::xcontext& context, const xeus::xconfiguration& configuration,
                                           nlohmann::json::error_handler_t errors) {
  return std::make_unique<Server>(context.get_wrapped_context<zmq::context_t>(), configuration, errors);
}

}  // namespace lutra::notebook
