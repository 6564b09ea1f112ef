// All copies between devices, and the rules that order them with other work:
//   idle     a copy into a reused block waits for the last compute command that may touch the block
//   tail     a copy out of a device waits for the commands queued on it, and for the copy that writes its source
//   ready    a command waits once for the copy that writes its input
//   reading  memory that a copy still reads is not handed out before (DeviceHeap::free, HostPool::free)
// A copy made for an op is kept as a mirror of its source, so a constant used in a loop on another device is copied
// once. Mirrors are a cache: of limited size, least recently used first out, dropped before any out-of-memory error.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <string>
#include <unordered_map>

#include "eager/logical_device.h"
#include "eager/observer.h"
#include "tensor/tensor.h"

namespace lutra {

class Context;
class FaultSets;

struct Mirror {
  Storage* source;       // null: made from the bytes of a small tensor
  std::string contents;  // those bytes
  std::size_t offset;    // of the mirrored range within the source
  std::size_t bytes;
  Storage* copy;  // one counted reference
  Mirror* next;   // in the list of the source's mirrors, or of the forgotten ones
  Mirror** link;  // the pointer to it in the list of the source's mirrors
  std::list<Mirror*>::iterator place;
};

class Transfer {
 public:
  explicit Transfer(FaultSets& faults) : faults_(faults) {}
  ~Transfer() { drop_mirrors(nullptr); }
  // Sets the function that returns a device's memory limit in bytes.
  void set_limits(std::function<std::size_t(uint16_t)> limit_of) { limit_of_ = std::move(limit_of); }

  // A mirror of the tensor on `to`, which must be a different memory; made now if there is none. The caller gets one
  // counted reference. Sets *was_copied to whether bytes were copied. `why`: for observers.
  Storage* fetch(Context& context, const TensorRep& tensor, LogicalDevice& to, bool* was_copied,
                 CopyReason why = CopyReason::Input);
  // Copies `bytes` of the tensor, from byte `offset` on, to host memory. Waits, and raises the error of a failed launch
  // that the tensor depends on. Fails (FailedPrecondition) if launches are being recorded: a replay reads nothing.
  void read(Context& context, const TensorRep& tensor, std::byte* to, std::size_t offset, std::size_t bytes);
  // Copies several whole tensors one after the other to host memory, from `to` on. Waits once for all GPU tensors.
  void read_all(Context& context, std::span<const TensorRep* const> tensors, std::byte* to);
  // Queues a copy of the host tensor into a fresh storage. Its memory may be overwritten on return.
  void write(Context& context, const TensorRep& from, LogicalDevice& to, Storage& storage, CopyReason why);
  // Makes later commands of `device` wait for the copy that writes `storage`.
  void make_ready(LogicalDevice& device, Storage& storage);
  // Call it before a command of `device`, where the storage is, overwrites the storage. Drops its mirrors, and makes
  // the command wait for copies that write or still read it.
  void before_overwrite(LogicalDevice& device, Storage& storage);

  // Drops all mirrors on `device` (null: on all devices). Returns whether there were any.
  bool drop_mirrors(const LogicalDevice* device);
  // Drops a storage's mirrors, when it is freed.
  void drop_mirrors_of(Storage* storage);

 private:
  void read_as(Context& context, const TensorRep& tensor, std::byte* to, std::size_t offset, std::size_t bytes,
               CopyReason why);
  Storage* fetch_mirror(Context& context, const TensorRep& tensor, LogicalDevice& to, bool* was_copied, CopyReason why);
  Mirror* find(const TensorRep& tensor, const LogicalDevice& to);
  void remember(const TensorRep& tensor, Storage* copy);
  void forget(Mirror* mirror);
  void release_forgotten();

  FaultSets& faults_;
  std::function<std::size_t(uint16_t)> limit_of_;
  std::list<Mirror*> recent_;  // most recently used first
  std::unordered_multimap<std::string, Mirror*> small_;
  std::unordered_multimap<const std::byte*, Mirror*> parts_;  // by start address: a source may have thousands
  std::unordered_map<uint16_t, std::size_t> bytes_;           // of mirrors, by device
  Mirror* forgotten_ = nullptr;                               // whose copies are about to be released
  bool releasing_ = false;
};

}  // namespace lutra
