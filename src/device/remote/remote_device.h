// A device of another process, which runs `lutra serve`. The program keeps the books of its memory, and reserves
// addresses for it, behind which there is nothing here: the process has the memory, and translates.
#pragma once

#include <memory>
#include <mutex>

#include "device/device.h"
#include "device/remote/connection.h"

namespace lutra {

class RemotePages final : public PageSource {
 public:
  RemotePages(std::shared_ptr<Connection> connection, uint16_t device, std::size_t capacity_bytes)
      : connection_(std::move(connection)), device_(device), capacity_bytes_(capacity_bytes) {}
  std::byte* reserve(std::size_t bytes) override;
  void release(std::byte* base, std::size_t bytes) override;
  bool map(std::byte* at, std::size_t bytes) override;
  void unmap(std::byte* at, std::size_t bytes) override;
  std::size_t granularity() const override { return std::size_t{64} << 10; }
  std::string why() const override;
  MemoryInfo info() const { return {capacity_bytes_, capacity_bytes_ - mapped_bytes_}; }

 private:
  void tell(MessageKind kind, std::byte* at, std::size_t bytes) noexcept;

  std::shared_ptr<Connection> connection_;
  uint16_t device_;
  std::size_t capacity_bytes_;
  std::size_t mapped_bytes_ = 0, refused_bytes_ = 0;
};

// Commands are messages: none waits for an answer, except a copy to this process that somebody waits for.
class RemoteStream final : public Stream {
 public:
  RemoteStream(std::shared_ptr<Connection> connection, std::size_t device)
      : connection_(std::move(connection)), number_(connection_->open_stream(device)) {}

  // Functions of this process cannot run there: fails (Internal). See launch.
  Ticket submit(void (*run)(void*), const void* args, std::size_t bytes, void (*relocate)(void*, const void*)) override;
  // Queues the launch that these bytes describe. take(fault, ...) is called if it finds a wrong value; fault may be
  // null.
  Ticket launch(std::span<const std::byte> described, void* fault, Connection::TakeFault take);
  Ticket copy(const CopyRequest& request, bool carry) override;
  void wait_for(Ticket ticket) override;
  void host_wait(uint64_t seq) override;
  bool done(uint64_t seq) override;
  void check() const override { connection_->check(); }
  void check_arrived(const std::byte* at, std::size_t bytes) override;
  void abandon() override { is_abandoned_ = true; }
  uint64_t tail() const override { return tail_; }

 private:
  bool reached(uint64_t seq) const {
    return is_abandoned_ || connection_->is_lost() || connection_->done(number_) >= seq;
  }
  void upload(const CopyRequest& request);

  std::shared_ptr<Connection> connection_;
  uint16_t number_;
  uint64_t tail_ = 0;
  bool is_abandoned_ = false;
};

class RemoteDevice final : public Device {
 public:
  RemoteDevice(std::shared_ptr<Connection> connection, uint16_t number)
      : Device(DeviceType::GPU, number),
        connection_(std::move(connection)),
        pages_(connection_, number, connection_->memories()[number]) {}
  MemoryInfo memory() const override { return pages_.info(); }
  PageSource* pages() override { return &pages_; }
  std::unique_ptr<Stream> new_stream() override {
    return std::make_unique<RemoteStream>(connection_, static_cast<std::size_t>(number()));
  }
  const void* process() const override { return connection_.get(); }
  std::vector<std::pair<std::string, std::string>> details() const override;

 private:
  std::shared_ptr<Connection> connection_;
  RemotePages pages_;
};

}  // namespace lutra
