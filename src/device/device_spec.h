// The name of a device, perhaps partial.
//
//   name = "" | ["/"] part {"/" part}
//   part = "job:" (J | "*") | "replica:" (N | "*") | "task:" (N | "*") | TYPE [":" (N | "*")]
//        | "device:" (T | "*") [":" (N | "*")]
//
//   /job:localhost/replica:0/task:0/device:GPU:1    complete
//   /GPU:0  gpu:0  /device:GPU:0                    job, replica and task unset
//   /gpu:*  GPU                                     any GPU
//
// J and T are [A-Za-z][A-Za-z0-9_]*, TYPE is cpu or gpu in any case, N is decimal up to 2147483647. Each part may occur
// once, in any order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lutra {

enum class DeviceType : uint8_t { CPU, GPU };
inline constexpr int kDeviceTypes = 2;
const char* name(DeviceType type);

struct DeviceSpec {
  std::string job;          // "" is unset
  std::string device_type;  // upper case for CPU and GPU, else as written, compared in any case; "" is unset
  int replica = -1;         // -1 is unset
  int task = -1;
  int index = -1;

  // Fails (InvalidArgument), quoting the wrong part.
  static DeviceSpec parse(std::string_view name);
  // A complete name: /job:localhost/replica:0/task:0/device:TYPE:index, or of another job's task.
  static DeviceSpec complete(DeviceType type, int index, std::string_view job = "localhost", int task = 0);

  bool empty() const { return job.empty() && device_type.empty() && replica < 0 && task < 0 && index < 0; }
  // This scope opened inside `outer`: unset parts come from `outer`. The outer index is dropped if the two types
  // differ.
  DeviceSpec inside(const DeviceSpec& outer) const;
  // Whether `device`, a complete name, is one that this name allows.
  bool matches(const DeviceSpec& device) const;
  bool operator==(const DeviceSpec&) const = default;

  // In canonical order, without unset parts; a set type without an index gets *, and the type is in capitals.
  std::string to_string() const;
  // "/device:GPU:1", as in list_logical_devices.
  std::string local_name() const;
};

// A name in quotes for an error message: at most 60 characters, with unprintable bytes as \xNN.
std::string quoted_name(std::string_view name);

}  // namespace lutra
