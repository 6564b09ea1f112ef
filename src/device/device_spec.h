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
// J and T are [A-Za-z][A-Za-z0-9_]*, TYPE is cpu or gpu in any case, N is decimal up to 2147483647. Each part stands at
// most once, in any order.
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

  // Fails (InvalidArgument), quoting the part that is wrong.
  static DeviceSpec parse(std::string_view name);
  // A complete local name: /job:localhost/replica:0/task:0/device:TYPE:index
  static DeviceSpec local(DeviceType type, int index);

  bool empty() const { return job.empty() && device_type.empty() && replica < 0 && task < 0 && index < 0; }
  // This scope opened inside `outer`: what it leaves unset comes from there; another type than the outer one's drops
  // the outer index.
  DeviceSpec inside(const DeviceSpec& outer) const;
  // Whether the complete name `device` is one of those this one may mean.
  bool matches(const DeviceSpec& device) const;
  bool operator==(const DeviceSpec&) const = default;

  // Canonical order, unset parts left out, an unset index of a set type as *, the type in capitals.
  std::string to_string() const;
  // "/device:GPU:1": what list_logical_devices calls it.
  std::string local_name() const;
};

// A name in quotes for an error text: at most 60 characters of it, what does not print as \xNN.
std::string quoted_name(std::string_view name);

}  // namespace lutra
