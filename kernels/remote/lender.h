// The process' end of one connection: devices of its own, whose streams do what the program's messages say.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "device/remote/wire.h"
#include "device/sim/sim_device.h"
#include "kernels/remote/launch_message.h"

namespace lutra {

class Lender {
 public:
  // Takes over the socket. `token`: what the program must have; "": nothing.
  Lender(int socket, int count, const SimOptions& each, std::string token = "");
  ~Lender();
  Lender(const Lender&) = delete;

  // Until the program ends the connection. What no program of this build sends ends it too, with a reason.
  void run();

  // For the streams' threads: sends an answer.
  void answer(MessageKind kind, uint16_t stream, std::span<const std::byte> body, std::span<const std::byte> rest = {});

 private:
  struct Region {
    std::size_t bytes;
    uint64_t base;  // the program's address
    std::byte* here;
    SimDevice* device;
    std::map<uint64_t, uint64_t> mapped;  // begin and end of ranges with memory, by the program's addresses
  };

  bool greet();
  void obey(const MessageHead& head, std::span<const std::byte> body);
  void change_memory(const MessageHead& head, const RangeBody& range);
  void copy(const MessageHead& head, std::span<const std::byte> body);
  void launch(const MessageHead& head, std::span<const std::byte> body);
  Stream& stream(uint64_t number);
  SimDevice& device(uint64_t number);
  // The region that has all of the range.
  Region& region_of(uint64_t at, std::size_t bytes);
  // Where it is here; fails if a part of it has no memory.
  std::byte* translate(uint64_t at, std::size_t bytes);

  const int socket_;
  const std::string token_;
  MessageReader reader_;
  std::mutex send_mutex_;
  std::vector<std::unique_ptr<SimDevice>> devices_;
  std::map<uint64_t, Region> regions_;  // by the program's addresses
  std::vector<std::unique_ptr<Stream>> streams_;
  ReadLaunch read_;
};

}  // namespace lutra
