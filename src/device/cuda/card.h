// What all objects on one card share: the driver, the card's context, and whether the card was lost. Used by one thread
// at a time. Every Runtime has its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/log.h"
#include "device/cuda/architectures.h"
#include "device/cuda/driver.h"

namespace lutra::cuda {

class Card;

// Which card each address belongs to, among cards that exchange data.
class AddressMap {
 public:
  void add(const std::byte* begin, std::size_t bytes, Card* card) { ranges_.push_back({begin, bytes, card}); }
  void remove(const std::byte* begin);
  // Null: host memory.
  Card* find(const std::byte* at) const;

 private:
  struct Range {
    const std::byte* begin;
    std::size_t bytes;
    Card* card;
  };
  std::vector<Range> ranges_;
};

// Handles of NVIDIA's libraries on one card, which kernels open and the card owns. Destroyed in the card's context.
struct CardLibraries {
  virtual ~CardLibraries() = default;
  // Called before the destructor when the card was lost or this is a forked child: neither calls the driver then.
  virtual void abandon() = 0;
};

class Card {
 public:
  // Warnings about features that the card has to do without go to the log, if there is one.
  Card(const Driver& card_driver, DeviceHandle handle, int number, std::shared_ptr<AddressMap> map,
       const Log* log = nullptr);
  ~Card();
  Card(const Card&) = delete;

  // Creates the card's context. Returns false if the driver refuses; why_closed() then gives the reason, and the next
  // call tries again. Fails (FailedPrecondition) in a forked child, and (Internal) if the card is lost.
  bool open();
  const std::string& why_closed() const { return why_closed_; }
  // Makes the context current in this thread, creating it at the first call. Fails as open() does, and (Internal) if
  // that returns false.
  void use();
  // The same where exceptions are not allowed: returns false where use() would fail. It creates no context.
  bool try_use();
  bool is_forked() const;

  // Fails (Internal), quoting the driver, if the call failed. Remembers errors that the card does not survive.
  void require(Result result, const char* what);
  // Remembers that the card no longer works.
  void lose(Result result, const char* what);
  bool is_lost() const { return !lost_.empty(); }
  // Fails (Internal) if the card was lost.
  void require_alive() const;

  void warn(std::string_view sentence) const;

  int attribute(int which) const;
  Capability capability() const;
  std::string name() const;  // "GPU:0"
  Context context() const { return context_; }
  AddressMap& addresses() { return *addresses_; }

  const Driver& driver;
  const DeviceHandle device;
  const int number;
  const int multiprocessors;
  std::vector<DeviceHandle> peers;  // other cards that can reach its memory
  // Null until the first use of a library.
  std::unique_ptr<CardLibraries> libraries;

 private:
  std::shared_ptr<AddressMap> addresses_;
  const Log* log_;
  Context context_ = nullptr;
  uint64_t born_;  // the number of forks at creation
  std::string lost_, why_closed_;
};

inline Address address_of(const std::byte* at) { return reinterpret_cast<Address>(at); }

}  // namespace lutra::cuda
