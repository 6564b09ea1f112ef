// What ops run on: /job:localhost/replica:0/task:0/device:GPU:1. All of a physical device or a slice of one, with its
// own memory limit and its own streams.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "device/device.h"
#include "device/stream_times.h"
#include "memory/device_heap.h"
#include "memory/host_pool.h"
#include "ops/backend.h"
#include "tensor/tensor.h"

namespace lutra {

struct LogicalDevice {
  uint16_t id = 0;  // never reused, so a tensor can outlive a reset
  DeviceType type = DeviceType::CPU;
  DeviceSpec spec;
  std::string full_name;
  Device* physical = nullptr;
  const Backend* backend = nullptr;  // null: the CPU
  HostPool* pool = nullptr;          // the CPU's memory
  std::unique_ptr<Stream> compute;   // null on the CPU, where work runs at once
  std::unique_ptr<Stream> copy;
  std::unique_ptr<DeviceHeap> heap;  // null on the CPU
  // Tensors of fewer bytes are stored inline: none on a GPU, and none while launches are observed (Context::observe).
  std::size_t inline_below = 0;
  uint64_t fail_at = 0;   // the launch that a simulated GPU fails, counted from 1; 0: none
  uint64_t launches = 0;  // so far
  bool retired = false;   // by a reset: tensors may still refer to it, but ops run on others

  // Whether another process has it: it takes part only where a name has a job or a task.
  bool is_remote() const { return physical != nullptr && physical->process() != nullptr; }
  bool is_host() const { return type == DeviceType::CPU; }
  // Whether each device can read the other's memory: all logical CPUs share the host's.
  bool shares_memory_with(const LogicalDevice& other) const { return this == &other || (is_host() && other.is_host()); }
  // Whether a tensor of so many bytes stores them inline on this device, and needs no Storage.
  bool keeps_inline(std::size_t bytes) const { return bytes < inline_below; }
  // Null when full.
  Storage* allocate(std::size_t bytes) {
    if (heap != nullptr) return heap->allocate(bytes);
    Storage* storage = pool->allocate(bytes);
    if (storage != nullptr) storage->device = id;
    return storage;
  }
  // Gives free pages back to the card, after waiting for its queued work, or to the system. Returns how many bytes.
  std::size_t trim() {
    if (heap == nullptr) return pool->trim();
    host_wait(copy->tail_ticket(), "memory");
    return heap->trim();
  }
};

}  // namespace lutra
