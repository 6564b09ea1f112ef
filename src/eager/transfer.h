// Every copy between devices, and the rules that order it with what else runs:
//   idle     a copy into a reused block waits for the last compute command that may touch the block
//   tail     a copy out of a device waits for the commands queued there, and for the copy that writes its source
//   ready    a command waits once for the copy that writes its input
//   reading  memory that a copy still reads is not handed out before (DeviceHeap::free, HostPool::free)
// A copy made for an op is kept as a mirror of its source, so a constant used in a loop elsewhere crosses once. Mirrors
// are a cache: counted, least recently used first out, dropped before any out-of-memory error.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <string>
#include <unordered_map>

#include "eager/logical_device.h"
#include "tensor/tensor.h"

namespace lutra {

class Context;
class FaultSets;

struct Mirror {
  Storage* source;       // null: made from the bytes of a small tensor
  std::string contents;  // those bytes
  std::size_t offset;    // of the mirrored part within the source
  std::size_t bytes;
  Storage* copy;  // one counted reference
  Mirror* next;   // of the same source, or of those that are forgotten
  Mirror** link;  // what points to it among them
  std::list<Mirror*>::iterator place;
};

class Transfer {
 public:
  explicit Transfer(FaultSets& faults) : faults_(faults) {}
  ~Transfer() { drop_mirrors(nullptr); }
  // How a device's memory limit is found, in bytes.
  void set_limits(std::function<std::size_t(uint16_t)> limit_of) { limit_of_ = std::move(limit_of); }

  // The tensor's bytes on `to`, another memory than its own: a mirror, made now if there is none. One counted
  // reference. Sets *made when bytes had to cross.
  Storage* fetch(Context& context, const TensorRep& tensor, LogicalDevice& to, bool* made);
  // Copies `bytes` of the tensor from byte `offset` on to host memory; waits, and raises what a launch it depends on
  // has found wrong.
  void read(Context& context, const TensorRep& tensor, std::byte* to, std::size_t offset, std::size_t bytes);
  // All of several tensors, one after the other from `to` on. What lies on GPUs is waited for together, once.
  void read_all(Context& context, std::span<const TensorRep* const> tensors, std::byte* to);
  // Queues a copy of host bytes into a fresh storage. The bytes may change on return.
  void write(LogicalDevice& to, Storage& storage, const std::byte* from, std::size_t bytes);
  // Makes what is queued on `device` from now on wait for the copy that writes `storage`.
  void make_ready(LogicalDevice& device, Storage& storage);
  // The storage's bytes are about to be written over by a command of `device`, where it lies: its mirrors go, and
  // copies that still read it come first.
  void before_overwrite(LogicalDevice& device, Storage& storage);

  // All mirrors that live on `device` (null: all there are). Returns whether there were any.
  bool drop_mirrors(const LogicalDevice* device);
  // A storage's mirrors, when it is freed.
  void drop_mirrors_of(Storage* storage);

 private:
  Mirror* find(const TensorRep& tensor, const LogicalDevice& to);
  void remember(const TensorRep& tensor, Storage* copy);
  void forget(Mirror* mirror);
  void release_forgotten();

  FaultSets& faults_;
  std::function<std::size_t(uint16_t)> limit_of_;
  std::list<Mirror*> recent_;  // most recently used first
  std::unordered_multimap<std::string, Mirror*> small_;
  std::unordered_multimap<const std::byte*, Mirror*>
      parts_;                                        // by where the mirrored part begins: a source may have thousands
  std::unordered_map<uint16_t, std::size_t> bytes_;  // of mirrors, by device
  Mirror* forgotten_ = nullptr;                      // whose copies are about to be released
  bool releasing_ = false;
};

}  // namespace lutra
