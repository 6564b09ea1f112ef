// Devices of other processes: how a program gets them, and the process that lends them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/sim/sim_options.h"

namespace lutra {

// The devices that `lutra serve` lends at "host:port". Fails as Connection does.
std::vector<std::unique_ptr<Device>> borrow_devices(const std::string& address, double seconds);

// Listens at the address and lends simulated GPUs to every program that connects, each its own, until the process
// ends. Says on stderr where. Fails (FailedPrecondition) if it cannot listen.
[[noreturn]] void lend_devices(const std::string& address, int count, const SimOptions& each);

}  // namespace lutra
