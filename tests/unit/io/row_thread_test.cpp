#include "io/row_thread.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <random>

#include "support/catch.h"

using namespace lutra;

namespace {

// Row i of `count` is `width` bytes of value i % 251.
std::vector<std::byte> counted(int64_t count, std::size_t width) {
  std::vector<std::byte> rows(static_cast<std::size_t>(count) * width);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::byte>(i / width % 251);
  return rows;
}

struct Batch {
  std::vector<int64_t> places;
  std::vector<std::byte> first, second;
};

bool is_right(const Batch& batch, std::size_t width, std::size_t other_width) {
  bool right = true;
  for (std::size_t i = 0; i < batch.places.size(); ++i) {
    std::byte wanted = static_cast<std::byte>(batch.places[i] % 251);
    for (std::size_t k = 0; k < width; ++k) right &= batch.first[i * width + k] == wanted;
    for (std::size_t k = 0; k < other_width; ++k) right &= batch.second[i * other_width + k] == wanted;
  }
  return right;
}

// The frame of a thread's first function, and what lies below it.
void* write_over_stack(void*) {
  volatile char bytes[65536];
  for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[i] = '\x5a';
  return nullptr;
}

}  // namespace

TEST_CASE("rows are gathered in the order in which they were asked for", "[row_thread]") {
  constexpr int64_t kRows = 1000;
  std::vector<std::byte> first = counted(kRows, 64), second = counted(kRows, 4);
  std::mt19937 random(5);
  for (std::size_t most : {std::size_t{1}, std::size_t{3}, std::size_t{8}}) {
    RowThread thread({{first.data(), 64}, {second.data(), 4}}, most);
    CHECK(thread.is_empty());
    std::vector<Batch> batches(100);
    std::size_t taken = 0;
    bool all_right = true;
    auto take = [&] {
      thread.wait();
      all_right &= is_right(batches[taken++], 64, 4);
    };
    for (Batch& batch : batches) {
      if (thread.is_full()) take();
      batch.places.resize(random() % 50);
      for (int64_t& place : batch.places) place = static_cast<int64_t>(random() % kRows);
      batch.first.resize(batch.places.size() * 64);
      batch.second.resize(batch.places.size() * 4);
      thread.submit(batch.places, {batch.first.data(), batch.second.data()});
    }
    while (!thread.is_empty()) take();
    CHECK(taken == batches.size());
    CHECK(all_right);
  }
}

TEST_CASE("a column that is not wanted is left alone", "[row_thread]") {
  std::vector<std::byte> rows = counted(10, 8), to(16);
  RowThread thread({{rows.data(), 8}, {rows.data(), 8}}, 2);
  thread.submit({3, 4}, {nullptr, to.data()});
  thread.wait();
  CHECK(to[0] == std::byte{3});
  CHECK(to[8] == std::byte{4});
}

TEST_CASE("rows of a file, and what reading them raises", "[row_thread]") {
  // int16 {3, 2}, big-endian: 0 .. 5.
  std::string file = {0, 0, 0x0b, 2, 0, 0, 0, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5};
  std::unique_ptr<FileReader> reader =
      open_reader(FileFormat::Idx, open_memory("load: it", std::as_bytes(std::span(file))), {});
  REQUIRE(reader->has_rows());
  RowThread thread({{nullptr, 4, reader.get()}}, 2);
  int16_t rows[4] = {};
  for (int again = 0; again < 2; ++again) {
    // A row past the end is the caller's mistake; here it stands for a file that was cut.
    thread.submit({2, 0}, {reinterpret_cast<std::byte*>(rows)});
    thread.submit({7}, {reinterpret_cast<std::byte*>(rows + 2)});
    thread.wait();
    CHECK(rows[0] == 4);
    CHECK(rows[1] == 5);
    CHECK_THROWS_WITH(thread.wait(), Catch::Matchers::Contains("the file ends at byte 24"));
  }
}

TEST_CASE("a thread ends with jobs that nobody waited for, or with none", "[row_thread]") {
  std::vector<std::byte> rows = counted(1000, 1000);
  std::vector<std::byte> to(1000 * 1000);
  std::vector<int64_t> places(1000);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int64_t>(999 - i);
  for (int jobs = 0; jobs < 20; ++jobs) {
    RowThread thread({{rows.data(), 1000}}, 4);
    for (int i = 0; i < jobs % 5; ++i) thread.submit(places, {to.data()});
    if (jobs % 5 > 1) thread.wait();
  }
  SUCCEED();
}

#if !defined(__SANITIZE_THREAD__)
TEST_CASE("a forked child does the jobs itself", "[row_thread]") {
  std::vector<std::byte> rows = counted(1000, 64), to(64 * 3);
  RowThread thread({{rows.data(), 64}}, 4);
  std::vector<std::byte> large(64 * 1000);
  std::vector<int64_t> all(1000);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  thread.submit(all, {large.data()});
  pid_t child = fork();
  if (child == 0) {
    thread.wait();
    thread.submit({7, 8, 9}, {to.data()});
    thread.wait();
    bool right = large == rows && to[0] == std::byte{7} && to[128] == std::byte{9};
    _exit(right ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  thread.wait();
  CHECK(large == rows);
}

// Threads of a forked child get the stacks of the parent's threads.
TEST_CASE("a forked child writes over the stack of the thread that it does not have", "[row_thread]") {
  std::vector<std::byte> rows = counted(10, 64), to(64);
  RowThread thread({{rows.data(), 64}}, 4);
  thread.submit({3}, {to.data()});
  thread.wait();
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    std::vector<pthread_t> others(4);
    for (pthread_t& other : others) pthread_create(&other, nullptr, write_over_stack, nullptr);
    for (pthread_t& other : others) pthread_join(other, nullptr);
    pid_t grandchild = fork();
    if (grandchild == 0) _exit(0);
    int status = -1;
    bool right = waitpid(grandchild, &status, 0) == grandchild && status == 0;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
#endif
