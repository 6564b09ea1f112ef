// Pictures in a terminal: the test is the terminal, and answers or does not answer the program's question.
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "support/catch.h"

using namespace lutra;

namespace {

constexpr const char* kQuestion = "\33_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\33\\\33[c";

struct Answer {
  const char* text;               // null: the terminal says nothing
  const char* typed_before = "";  // what the user has typed when the program starts
  std::vector<std::pair<const char*, const char*>> environment = {};
};

struct Session {
  std::string output;
  int status = -1;
  bool is_restored = false;  // the terminal has the settings that it had before
};

// Runs `lutra -e script` on a terminal of 60 by 20 characters.
Session run(const char* script, const Answer& answer) {
  const char* program = std::getenv("LUTRA");
  REQUIRE(program != nullptr);
  winsize size{20, 60, 480, 320};
  int terminal = -1, other = -1;
  REQUIRE(openpty(&terminal, &other, nullptr, nullptr, &size) == 0);
  termios before{}, after{};
  tcgetattr(other, &before);
  before.c_lflag &= ~static_cast<tcflag_t>(ECHO);
  tcsetattr(other, TCSANOW, &before);
  if (*answer.typed_before != '\0') {
    REQUIRE(write(terminal, answer.typed_before, strlen(answer.typed_before)) > 0);
  }
  pid_t child = fork();
  if (child == 0) {
    close(terminal);
    login_tty(other);
    for (const char* name : {"NO_COLOR", "COLUMNS"}) unsetenv(name);
    setenv("TERM", "xterm-256color", 1);
    for (auto [name, value] : answer.environment) setenv(name, value, 1);
    execl(program, program, "-e", script, static_cast<char*>(nullptr));
    _exit(127);
  }
  Session session;
  bool is_answered = false, has_ended = false;
  for (int64_t end = now_ns() + 60'000'000'000; now_ns() < end;) {
    pollfd ready{terminal, POLLIN, 0};
    if (poll(&ready, 1, 20) > 0) {
      char bytes[4096];
      ssize_t count = read(terminal, bytes, sizeof bytes);
      if (count > 0) session.output.append(bytes, static_cast<std::size_t>(count));
      if (!is_answered && answer.text != nullptr && session.output.find(kQuestion) != std::string::npos) {
        is_answered = write(terminal, answer.text, strlen(answer.text)) > 0;
      }
      continue;
    }
    if (has_ended) break;
    has_ended = waitpid(child, &session.status, WNOHANG) == child;
  }
  tcgetattr(other, &after);
  session.is_restored = after.c_lflag == before.c_lflag && after.c_cc[VMIN] == before.c_cc[VMIN];
  close(terminal);
  close(other);
  return session;
}

constexpr const char* kPicture = "print(lt.plot.image(lt.ones {3, 4, 3}, {title = 'white'})) print 'end'";

bool has(const Session& session, const char* words) { return session.output.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("a terminal that speaks kitty's protocol gets a PNG", "[plot]") {
  Session session = run(kPicture, {"\33_Gi=31;OK\33\\\33[?62;c"});
  CHECK(has(session, "\33_Ga=T,f=100,q=2,c="));
  CHECK(has(session, "m=0;iVBORw0KGgo"));  // base64 of PNG's first bytes
  CHECK(has(session, "white"));
  CHECK(has(session, "end"));
  CHECK_FALSE(has(session, "▀"));
  CHECK(session.is_restored);
  CHECK(session.status == 0);
}

TEST_CASE("one that lists sixel among its features gets sixels", "[plot]") {
  Session session = run(kPicture, {"\33[?62;4;22c"});
  CHECK(has(session, "\33Pq\"1;1;"));
  CHECK(has(session, "#215!"));  // white, repeated
  CHECK(has(session, "\33\\"));
  CHECK(session.is_restored);
  // 40 and 14 are other features.
  CHECK(has(run(kPicture, {"\33[?62;40;14c"}), "▀"));
}

TEST_CASE("others get half blocks, whether they answer or not", "[plot]") {
  for (const char* answer :
       {"\33[?1;2c", "\33_Gi=31;ENOTSUPPORTED:no\33\\\33[?6c", static_cast<const char*>(nullptr)}) {
    Session session = run(kPicture, {answer});
    CHECK(has(session, kQuestion));
    CHECK(has(session, "\33[38;2;255;255;255m\33[48;2;255;255;255m▀"));
    CHECK(has(session, "end"));
    CHECK(session.is_restored);
    CHECK(session.status == 0);
  }
}

TEST_CASE("the terminal is asked once", "[plot]") {
  Session session = run("for i = 1, 3 do print(lt.plot.image(lt.ones {3, 4, 3})) end", {"\33[?1;2c"});
  CHECK(session.output.find(kQuestion) == session.output.rfind(kQuestion));
}

TEST_CASE("nothing is asked where no answer can come, or where it would eat what was typed", "[plot]") {
  for (auto variable : {std::pair{"TERM", "dumb"}, std::pair{"TERM", "linux"}, std::pair{"NO_COLOR", "1"}}) {
    CHECK_FALSE(has(run(kPicture, {"\33[?62;4c", "", {variable}}), kQuestion));
  }
  Session session = run("print(lt.plot.image(lt.ones {3, 4, 3})) print('read ' .. io.read())", {"", "typed\n"});
  CHECK_FALSE(has(session, kQuestion));
  CHECK(has(session, "read typed"));
  CHECK_FALSE(has(run("print(lt.plot.line {1, 2})", {""}), kQuestion));
}

TEST_CASE("plots on a terminal have its width and colours", "[plot]") {
  constexpr const char* kLines = "print(lt.plot.line {a = {1, 2}, b = {2, 1}})";
  Session session = run(kLines, {""});
  CHECK(has(session, "\33[36m"));
  std::size_t rows = 0;
  for (char c : session.output) rows += c == '\n';
  CHECK(rows == 15);  // a quarter of the columns
  for (auto variable : {std::pair{"TERM", "dumb"}, std::pair{"NO_COLOR", "1"}}) {
    CHECK_FALSE(has(run(kLines, {"", "", {variable}}), "\33["));
  }
}
