// Commands that a device gets together, as one: on NVIDIA's cards a CUDA graph. The host then spends less time on each.
#pragma once

#include <cstdint>
#include <memory>

namespace lutra {

// What a stream keeps of a batch: a later one of the same commands, on other memory perhaps, costs less.
class CommandBatch {
 public:
  virtual ~CommandBatch() = default;
};

// optional: what a Stream may be beside.
class BatchingStream {
 public:
  virtual ~BatchingStream() = default;

  // From here on commands are collected. `kept` is empty, or what an earlier batch left. A copy from or to the host, a
  // wait for another stream, and a question about a collected command end this early: the stream then queues what it
  // has collected, and the commands that follow one by one.
  virtual void begin_batch(std::unique_ptr<CommandBatch>& kept) = 0;
  // Queues what was collected. True if it is all that came since begin_batch: then `kept` is the whole batch. Fails if
  // the device has no memory for it; none of the commands runs then.
  virtual bool end_batch() = 0;
  // Queues a whole batch once more, its commands and their memory unchanged.
  virtual void repeat_batch(CommandBatch& kept) = 0;
};

}  // namespace lutra
