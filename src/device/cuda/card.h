// What all objects on one card share: the driver, the card's context, and whether the card was lost. Used by one thread
// at a time; every Runtime has its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/log.h"
#include "device/cuda/architectures.h"
#include "device/cuda/driver.h"

namespace lutra::cuda {

class Card;
class Communicators;
class Convolutions;
class Products;

// Which addresses are whose, among cards that exchange data.
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

class Card {
 public:
  // The log, if there is one, hears of what the card does without.
  Card(const Driver& card_driver, DeviceHandle handle, int number, std::shared_ptr<AddressMap> map,
       const Log* log = nullptr);
  ~Card();
  Card(const Card&) = delete;

  // Makes the card's context exist. False when the driver gives none, and then why_closed() is the reason; asked again,
  // it tries again. Fails (FailedPrecondition) in a forked child, and (Internal) when the card is lost.
  bool open();
  const std::string& why_closed() const { return why_closed_; }
  // Makes the context this thread's, and makes it exist the first time. Fails as open() does, and (Internal) where that
  // is false.
  void use();
  // The same where nothing may be thrown; false where use() would fail.
  bool try_use();
  bool is_forked() const;

  // Internal, with the driver's words, unless the call went well; what a card does not survive is remembered.
  void require(Result result, const char* what);
  // Remembers that the card answers no more.
  void lose(Result result, const char* what);
  bool is_lost() const { return !lost_.empty(); }
  // Fails (Internal) when it is.
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
  // Null until the first of each; made and used in the card's context.
  std::unique_ptr<Products> products;
  std::unique_ptr<Convolutions> convolutions;
  bool without_convolutions = false;  // cuDNN was asked for, and is not to be had
  // With other cards, this the first of them; null where NCCL is not to be had for them.
  std::map<std::vector<DeviceHandle>, std::unique_ptr<Communicators>> communicators;

 private:
  std::shared_ptr<AddressMap> addresses_;
  const Log* log_;
  Context context_ = nullptr;
  uint64_t born_;  // forks of the process by then
  std::string lost_, why_closed_;
};

inline Address address_of(const std::byte* at) { return reinterpret_cast<Address>(at); }

}  // namespace lutra::cuda
