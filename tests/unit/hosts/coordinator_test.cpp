#include "hosts/coordinator.h"

#include "support/catch.h"

using namespace lutra;

namespace {

Message arrive(uint64_t sequence, uint64_t hash, const char* what = "barrier", const char* where = "a.lua:1") {
  Message message;
  message.kind = Message::Arrive;
  message.sequence = sequence;
  message.hash = hash;
  message.what = what;
  message.where = where;
  return message;
}

Message final_message(bool has_failed, const char* what = "") {
  Message message;
  message.kind = Message::Final;
  message.has_failed = has_failed;
  message.what = what;
  message.where = "a.lua:9";
  return message;
}

std::vector<std::string> texts(Coordinator& coordinator) {
  std::vector<std::string> list;
  for (const auto& [to, message] : coordinator.answers()) {
    constexpr const char* kNames[] = {"arrive", "give up", "final", "beat", "go", "verdict", "bye"};
    list.push_back(std::to_string(to) + " " + kNames[message.kind] + (message.code.empty() ? "" : " " + message.code));
  }
  return list;
}

}  // namespace

TEST_CASE("ranks go on when all have arrived, in any order", "[hosts]") {
  Coordinator coordinator(3);
  for (uint64_t sequence = 1; sequence < 4; ++sequence) {
    coordinator.hear(static_cast<int>(sequence % 3), arrive(sequence, 7));
    coordinator.hear(static_cast<int>((sequence + 1) % 3), arrive(sequence, 7));
    CHECK(texts(coordinator).empty());
    coordinator.hear(static_cast<int>((sequence + 2) % 3), arrive(sequence, 7));
    CHECK(texts(coordinator) == std::vector<std::string>{"0 go", "1 go", "2 go"});
  }
}

TEST_CASE("rank 0's note and the common flag come back", "[hosts]") {
  Coordinator coordinator(2);
  Message first = arrive(1, 7), second = arrive(1, 7);
  first.note = 42;
  second.note = 43;
  second.is_complete = false;
  coordinator.hear(1, second);
  coordinator.hear(0, first);
  for (const auto& [to, message] : coordinator.answers()) {
    CHECK(message.note == 42);
    CHECK_FALSE(message.is_complete);
  }
}

TEST_CASE("ranks that differ get an error that names both, and stay in step", "[hosts]") {
  Coordinator coordinator(3);
  coordinator.hear(0, arrive(1, 7, "barrier", "a.lua:1"));
  coordinator.hear(1, arrive(1, 7, "barrier", "a.lua:1"));
  coordinator.hear(2, arrive(1, 8, "a sum", "a.lua:2"));
  auto answers = coordinator.answers();
  REQUIRE(answers.size() == 3);
  CHECK(answers[1].second.code == "InvalidArgument");
  CHECK(answers[1].second.rank == 2);
  CHECK(answers[1].second.what.find("rank 0 calls barrier (a.lua:1), and rank 2 calls a sum (a.lua:2)") !=
        std::string::npos);
  for (int r = 0; r < 3; ++r) coordinator.hear(r, arrive(2, 9));
  CHECK(texts(coordinator) == std::vector<std::string>{"0 go", "1 go", "2 go"});
}

TEST_CASE("a check of 0 is equal to all", "[hosts]") {
  Coordinator coordinator(3);
  const uint64_t checks[][3] = {{0, 5, 5}, {0, 5, 6}, {5, 0, 5}, {5, 0, 0}, {6, 0, 5}};
  const bool agree[] = {true, false, true, true, false};
  for (uint64_t i = 0; i < 5; ++i) {
    for (int r = 0; r < 3; ++r) {
      Message message = arrive(i + 1, 7);
      message.check = checks[i][r];
      coordinator.hear(r, message);
    }
    auto answers = coordinator.answers();
    REQUIRE(answers.size() == 3);
    CHECK((answers[0].second.kind == Message::Go) == agree[i]);
  }
}

TEST_CASE("a rank that fails or ends frees those that wait, and those that come later", "[hosts]") {
  for (bool has_failed : {true, false}) {
    Coordinator coordinator(3);
    coordinator.hear(0, arrive(1, 7));
    coordinator.hear(2, final_message(has_failed, has_failed ? "no" : ""));
    CHECK(texts(coordinator) == std::vector<std::string>{"0 verdict Aborted"});
    CHECK(coordinator.is_ending() == has_failed);
    coordinator.hear(1, arrive(1, 7));
    auto answers = coordinator.answers();
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].second.rank == 2);
    CHECK(answers[0].second.what.find(has_failed ? "rank 2 has failed (a.lua:9): no; rank 1 calls"
                                                 : "rank 2 has ended (a.lua:9), while rank 1 calls") == 0);
    // Those that fail in turn are not the cause.
    coordinator.hear(0, final_message(true, "because of another"));
    coordinator.hear(1, arrive(2, 7));
    answers = coordinator.answers();
    REQUIRE(answers.size() == 1);
    CHECK(answers[0].second.rank == 2);
    coordinator.hear(1, final_message(true));
    CHECK(texts(coordinator) == std::vector<std::string>{"0 bye", "1 bye", "2 bye"});
    CHECK(coordinator.is_over());
    CHECK_FALSE(coordinator.is_ending());
  }
}

TEST_CASE("ranks that wait for an interrupted one tell the same as if they had been interrupted first", "[hosts]") {
  Message interrupted = final_message(true, "a.lua:3: interrupted!");
  interrupted.was_interrupted = true;
  Coordinator coordinator(3);
  coordinator.hear(0, arrive(1, 7));
  coordinator.hear(1, interrupted);
  auto answers = coordinator.answers();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].second.code == "Cancelled");
  CHECK(answers[0].second.rank == 1);
  CHECK(
      answers[0].second.what ==
      "interrupted! Rank 0 waited in barrier (a.lua:1) for rank 2 (it has called nothing yet); rank 1 was interrupted "
      "(its last call was at a.lua:9)");
  coordinator.hear(2, arrive(1, 7, "a sum", "a.lua:2"));
  answers = coordinator.answers();
  REQUIRE(answers.size() == 1);
  CHECK(
      answers[0].second.what ==
      "interrupted! Rank 2 waited in a sum (a.lua:2) for rank 1, which was interrupted (its last call was at a.lua:9)");
}

TEST_CASE("a time limit fails the collective for all, also for the late", "[hosts]") {
  Coordinator coordinator(3);
  coordinator.hear(0, arrive(1, 7));
  coordinator.hear(1, arrive(1, 7));
  Message give_up;
  give_up.kind = Message::GiveUp;
  give_up.sequence = 1;
  give_up.what = "5";
  coordinator.hear(1, give_up);
  auto answers = coordinator.answers();
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].second.code == "DeadlineExceeded");
  CHECK(answers[0].second.what == "barrier: rank 1 (a.lua:1) has waited 5 s for rank 2 (it has called nothing yet)");
  coordinator.hear(2, arrive(1, 7));
  CHECK(texts(coordinator) == std::vector<std::string>{"2 verdict DeadlineExceeded"});
  for (int r = 0; r < 3; ++r) coordinator.hear(r, arrive(2, 7));
  CHECK(texts(coordinator).size() == 3);
}

TEST_CASE("a late rank is told of the time limit also when those who waited have ended", "[hosts]") {
  Coordinator coordinator(2);
  coordinator.hear(0, arrive(1, 7));
  Message give_up;
  give_up.kind = Message::GiveUp;
  give_up.sequence = 1;
  give_up.what = "5";
  coordinator.hear(0, give_up);
  coordinator.hear(0, final_message(true));
  coordinator.answers();
  coordinator.hear(1, arrive(1, 7));
  CHECK(texts(coordinator) == std::vector<std::string>{"1 verdict DeadlineExceeded"});
  coordinator.hear(1, arrive(2, 7));
  CHECK(texts(coordinator) == std::vector<std::string>{"1 verdict Aborted"});
}

TEST_CASE("hosts are named where there are several", "[hosts]") {
  Coordinator coordinator(2);
  coordinator.set_hosts({"a", "a"});
  CHECK(coordinator.name(1) == "rank 1");
  coordinator.set_hosts({"a", "b"});
  CHECK(coordinator.name(1) == "rank 1 (host b)");
}

TEST_CASE("messages survive packing, and other bytes are refused", "[hosts]") {
  Message message = final_message(true, "what");
  message.was_interrupted = true;
  message.rank = 3;
  message.check = 17;
  message.code = "Aborted";
  Message read;
  const std::string bytes = packed(message);
  REQUIRE(unpack(bytes, &read));
  CHECK(read.kind == Message::Final);
  CHECK(read.has_failed);
  CHECK(read.was_interrupted);
  CHECK(read.rank == 3);
  CHECK(read.check == 17);
  CHECK(read.code == "Aborted");
  CHECK(read.what == "what");
  CHECK(read.where == "a.lua:9");
  CHECK_FALSE(unpack(bytes.substr(0, bytes.size() - 1), &read));
  CHECK_FALSE(unpack("", &read));
}
