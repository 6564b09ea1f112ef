// Devices of other processes (src/device/remote). A launch becomes a message that names the op and the dtype; the other
// process, which is of the same build, has the kernel.

#include "device/remote/remote_device.h"
#include "kernels/remote/launch_message.h"
#include "kernels/remote/remote.h"
#include "kernels/remote/tables.h"

namespace lutra {
namespace {

void take_fault(void* target, uint32_t code, int64_t value, int64_t limit) {
  static_cast<Fault*>(target)->raise(static_cast<FaultCode>(code), value, limit);
}

class RemoteBackend final : public Backend {
 public:
  const char* name() const override { return "remote"; }
  // They are those of simulated GPUs, which the Runtime registers.
  void register_kernels(KernelRegistry&) const override {}

  Ticket submit(Stream& stream, const KernelEntry& kernel, const KernelArgs& args) const override {
    thread_local std::vector<std::byte> described;
    described.clear();
    describe_launch(described, kernel, args);
    return static_cast<RemoteStream&>(stream).launch(described, args.fault, take_fault);
  }
};

}  // namespace

const Backend& remote_backend() {
  static const RemoteBackend backend;
  return backend;
}

std::vector<std::unique_ptr<Device>> borrow_devices(const std::string& address, double seconds,
                                                    const std::string& token) {
  const std::string& own = remote_tables().fingerprint;
  auto connection = std::make_shared<Connection>(address, seconds, token.empty() ? own : text(own, "\n", token));
  std::vector<std::unique_ptr<Device>> devices;
  for (std::size_t i = 0; i < connection->memories().size(); ++i)
    devices.push_back(std::make_unique<RemoteDevice>(connection, static_cast<uint16_t>(i)));
  return devices;
}

}  // namespace lutra
