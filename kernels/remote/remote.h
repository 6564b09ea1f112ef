// Devices of other processes: how a program gets them, and the process that lends them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/sim/sim_options.h"

namespace lutra {

// The devices that `lutra serve` lends at "host:port". `token`: what it asks for, or "". Fails as Connection does.
std::vector<std::unique_ptr<Device>> borrow_devices(const std::string& address, double seconds,
                                                    const std::string& token);

// Listens at the address and lends simulated GPUs to every program that connects, each its own, until the process
// ends: if `token` is not "", only to those that have it. Says on stderr where. Fails (FailedPrecondition) if it cannot
// listen.
[[noreturn]] void lend_devices(const std::string& address, int count, const SimOptions& each, const std::string& token);

// The text in the file, without white space at its ends: what programs and `lutra serve` both have, so that no other
// program connects. Fails (NotFound, FailedPrecondition) if the file cannot be read, (InvalidArgument) if it is empty,
// has several lines or more than 1000 bytes.
std::string read_token(const std::string& path);

}  // namespace lutra
