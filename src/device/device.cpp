#include "device/device.h"

#include "core/text.h"

namespace lutra {

std::string Device::name() const { return text("/physical_device:", lutra::name(type_), ":", number_); }

}  // namespace lutra
