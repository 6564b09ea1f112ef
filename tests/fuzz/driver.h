// Makes a fuzz target a program of its own: `fuzz_x -seconds=20 [-seed=7]` feeds it random bytes, and on a
// crash prints what it was doing. Linked with libFuzzer instead (scripts/dev fuzz), that brings
// its own main.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <signal.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);

namespace lutra::fuzz {

// Decisions drawn from bytes; zeros when they have run out.
class Choices {
 public:
  Choices(const uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}
  bool is_empty() const { return at_ == end_; }
  unsigned byte() { return at_ == end_ ? 0 : *at_++; }
  // One of 0 .. n - 1.
  std::size_t below(std::size_t n) { return n <= 256 ? byte() % n : (byte() * 256 + byte()) % n; }
  template <class List> auto& pick(List& list) { return list[below(std::size(list))]; }
  bool one_in(std::size_t n) { return below(n) == 0; }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

// The current input, for the report of a crash.
inline std::string& current() {
  static std::string text;
  return text;
}
inline void print_current() { std::fprintf(stderr, "\nwhile trying:\n%s\n", current().c_str()); }

[[noreturn]] inline void give_up(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  print_current();
  std::abort();
}

}  // namespace lutra::fuzz

#ifndef LUTRA_LIBFUZZER
int main(int count, char** words) {
  double seconds = 10;
  uint64_t seed = std::random_device{}();
  for (int i = 1; i < count; ++i) {
    if (std::strncmp(words[i], "-seconds=", 9) == 0) seconds = std::atof(words[i] + 9);
    else if (std::strncmp(words[i], "-seed=", 6) == 0) seed = std::strtoull(words[i] + 6, nullptr, 10);
    else return std::fprintf(stderr, "%s [-seconds=N] [-seed=N]\n", words[0]), 2;
  }
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_set_death_callback(lutra::fuzz::print_current);
#endif
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  signal(SIGALRM, [](int) { lutra::fuzz::give_up("an input takes more than a minute"); });
  std::mt19937_64 random(seed);
  auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  long tried = 0;
  do {
    std::vector<uint8_t> bytes(64 + random() % 1024);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    alarm(60);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    ++tried;
  } while (std::chrono::steady_clock::now() < end);
  std::printf("tried %ld inputs\n", tried);
  return 0;
}
#endif
