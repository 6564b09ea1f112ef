// The messages of `lutra attach`, as bytes.
#include "repl/attach/frames.h"
#include "support/catch.h"

using namespace lutra::attach;

TEST_CASE("frames come out of bytes however these are cut", "[attach]") {
  std::string bytes;
  append_frame(bytes, Kind::Run, "x = 1");
  append_frame(bytes, Kind::Interrupt, "");
  append_frame(bytes, Kind::Output, std::string(300, 'y'));
  CHECK(bytes.substr(0, 10) == std::string("R\x05\0\0\0x = 1", 10));
  for (const std::size_t part : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
    FrameReader reader;
    std::vector<Frame> frames;
    for (std::size_t i = 0; i < bytes.size(); i += part) {
      reader.add(std::string_view(bytes).substr(i, part));
      while (auto frame = reader.next()) frames.push_back(*frame);
    }
    REQUIRE(frames.size() == 3);
    CHECK((frames[0].kind == Kind::Run && frames[0].payload == "x = 1"));
    CHECK((frames[1].kind == Kind::Interrupt && frames[1].payload.empty()));
    CHECK((frames[2].kind == Kind::Output && frames[2].payload == std::string(300, 'y')));
    CHECK_FALSE(reader.is_damaged());
  }
}

TEST_CASE("what is no frame damages the reader for good", "[attach]") {
  for (const std::string& bytes :
       {std::string("GET / HTTP/1.1"), std::string("H\xff\xff\xff\xff", 5), std::string(5, '\0')}) {
    FrameReader reader;
    reader.add(bytes);
    CHECK_FALSE(reader.next());
    CHECK(reader.is_damaged());
    std::string good;
    append_frame(good, Kind::Run, "");
    reader.add(good);
    CHECK_FALSE(reader.next());
  }
  FrameReader small(10);
  std::string bytes;
  append_frame(bytes, Kind::Hello, std::string(11, 'x'));
  small.add(bytes);
  CHECK_FALSE(small.next());
  CHECK(small.is_damaged());
}

TEST_CASE("numbers and greetings", "[attach]") {
  std::string text;
  append_number(text, 0);
  append_number(text, 18446744073709551615u);
  std::string_view rest = text += "rest 5";
  CHECK(take_number(rest) == 0u);
  CHECK(take_number(rest) == 18446744073709551615u);
  CHECK_FALSE(take_number(rest));
  CHECK(rest == "rest 5");
  for (std::string_view wrong : {"", "5", " 5 ", "-1 ", "18446744073709551616 "}) CHECK_FALSE(take_number(wrong));
  const std::string greeting = std::string(kGreeting) + "columns=80\ncolumns2=5\nlast=x=y";
  CHECK(greeting_value(greeting, "columns") == "80");
  CHECK(greeting_value(greeting, "last") == "x=y");
  CHECK(greeting_value(greeting, "column") == "");
}
