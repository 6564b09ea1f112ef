#include "device/device_spec.h"

#include <string>
#include <vector>

#include "core/error.h"
#include "support/catch.h"

using lutra::DeviceSpec;
using lutra::DeviceType;

namespace {

// What the name means, or the error's text.
std::string meaning(std::string_view name) {
  try {
    return DeviceSpec::parse(name).to_string();
  } catch (const lutra::Error& error) {
    CHECK(error.code() == lutra::ErrorCode::InvalidArgument);
    return error.message();
  }
}

const std::string kAdvice = "; write /GPU:0, /device:GPU:0 or /job:localhost/replica:0/task:0/device:GPU:0";

// The error for `name`.
std::string malformed(const std::string& name, const std::string& why) {
  return "malformed device name '" + name + "': " + why + kAdvice;
}

std::string merged(std::string_view inner, std::string_view outer) {
  return DeviceSpec::parse(inner).inside(DeviceSpec::parse(outer)).to_string();
}

bool matches(std::string_view name, DeviceType type, int index) {
  return DeviceSpec::parse(name).matches(DeviceSpec::complete(type, index));
}

}  // namespace

TEST_CASE("every way to write a device means the same", "[device_spec]") {
  for (const char* name : {"/GPU:1", "/gpu:1", "/Gpu:1", "GPU:1", "gpu:1", "/device:GPU:1", "device:gpu:1",
                           "/device:gPu:1", "/gpu:01", "/job:*/gpu:1/task:*/replica:*"}) {
    CAPTURE(name);
    CHECK(meaning(name) == "/device:GPU:1");
  }
  CHECK(meaning("cpu") == "/device:CPU:*");
  CHECK(meaning("/gpu:*") == "/device:GPU:*");
  CHECK(meaning("/device:GPU") == "/device:GPU:*");
  CHECK(meaning("/job:localhost/replica:0/task:0/device:GPU:1") == "/job:localhost/replica:0/task:0/device:GPU:1");
}

TEST_CASE("parts stand in any order and print in one", "[device_spec]") {
  CHECK(meaning("gpu:2/task:3/job:worker_1/replica:4") == "/job:worker_1/replica:4/task:3/device:GPU:2");
  CHECK(meaning("/task:3") == "/task:3");
}

TEST_CASE("a star and an empty name leave unset", "[device_spec]") {
  for (const char* name : {"", "/job:*", "replica:*", "/task:*", "/device:*", "device:*:*"}) {
    CAPTURE(name);
    CHECK(DeviceSpec::parse(name).empty());
    CHECK(meaning(name) == "");
  }
  DeviceSpec second = DeviceSpec::parse("/device:*:2");
  CHECK(second.device_type == "");
  CHECK(second.index == 2);
  CHECK(second.to_string() == "/device:*:2");
}

TEST_CASE("a device of an unknown type is well formed", "[device_spec]") {
  CHECK(meaning("/device:TPU:0") == "/device:TPU:0");
  CHECK(DeviceSpec::parse("/device:xla_2:0").device_type == "xla_2");
  CHECK(meaning("/device:xla_2:0") == "/device:XLA_2:0");
}

TEST_CASE("numbers end at 2147483647", "[device_spec]") {
  CHECK(DeviceSpec::parse("/gpu:2147483647").index == 2147483647);
  CHECK(meaning("/gpu:2147483648") ==
        malformed("/gpu:2147483648", "'gpu:2147483648' has a device number past 2147483647"));
  CHECK(meaning("/gpu:4294967296") ==
        malformed("/gpu:4294967296", "'gpu:4294967296' has a device number past 2147483647"));
  CHECK(meaning("/task:18446744073709551616") ==
        malformed("/task:18446744073709551616", "'task:18446744073709551616' has a task number past 2147483647"));
}

TEST_CASE("a malformed name quotes the part that is wrong, and says what stands there", "[device_spec]") {
  struct Case {
    const char *name, *why;
  };
  const std::string number = ", expected decimal digits from 0 on, or *";
  const std::string word = ", expected a letter, then letters, digits and _";
  const std::string unknown = " is none of job:NAME, replica:N, task:N, device:TYPE:N, cpu:N and gpu:N";
  auto check = [](const std::string& tail, const std::vector<Case>& cases) {
    for (const Case& c : cases) {
      CAPTURE(c.name);
      CHECK(meaning(c.name) == malformed(c.name, c.why + tail));
    }
  };
  check(number, {{"/gpu:x", "'x' in 'gpu:x' is no device number"},
                 {"/gpu:", "'gpu:' has no device number"},
                 {"gpu:-1", "'-1' in 'gpu:-1' is no device number"},
                 {"/gpu:+1", "'+1' in 'gpu:+1' is no device number"},
                 {"/gpu: 1", "' 1' in 'gpu: 1' is no device number"},
                 {"/gpu:1.0", "'1.0' in 'gpu:1.0' is no device number"},
                 {"/gpu:**", "'**' in 'gpu:**' is no device number"},
                 {"/device:GPU:", "'device:GPU:' has no device number"},
                 {"/device:GPU:-1", "'-1' in 'device:GPU:-1' is no device number"},
                 {"/replica:x", "'x' in 'replica:x' is no replica number"},
                 {"/replica", "'replica' has no replica number"},
                 {"/task:", "'task:' has no task number"}});
  check(word, {{"/device", "'device' has no device type"},
               {"/device:", "'device:' has no device type"},
               {"/device:1PU:0", "'1PU' in 'device:1PU:0' is no device type"},
               {"/device::0", "'device::0' has no device type"},
               {"/device:G-PU", "'G-PU' in 'device:G-PU' is no device type"},
               {"/job", "'job' has no job name"},
               {"/job:", "'job:' has no job name"},
               {"/job:1/gpu:0", "'1' in 'job:1' is no job name"},
               {"/job:a:b", "'a:b' in 'job:a:b' is no job name"}});
  check(unknown, {{"TPU:0", "'TPU:0'"}, {"/foo:1", "'foo:1'"}, {"/JOB:a", "'JOB:a'"}, {" /gpu:0", "' '"}});
  check("", {{"/gpu:0:1", "'gpu:0:1' has a ':' too many"},
             {"/device:GPU:0:1", "'device:GPU:0:1' has a ':' too many"},
             {"/", "it has a '/' too many"},
             {"//gpu:1", "it has a '/' too many"},
             {"/gpu:1/", "it has a '/' too many"},
             {"/job:a//gpu:1", "it has a '/' too many"},
             {"/gpu:1/cpu:0", "'cpu:0' is a second device part"},
             {"/gpu:*/device:GPU:1", "'device:GPU:1' is a second device part"},
             {"/job:a/job:b", "'job:b' is a second job part"},
             {"/job:*/job:b", "'job:b' is a second job part"},
             {"/replica:0/replica:0", "'replica:0' is a second replica part"},
             {"/task:0/task:1", "'task:1' is a second task part"},
             {"/physical_device:GPU:0", "'physical_device:GPU:0' is a physical device, and ops run on logical ones"}});
  CHECK(meaning("gpu0") == malformed("gpu0", "'gpu0'" + unknown + " (did you mean 'gpu'?)"));
  CHECK(meaning("/Device:GPU:0") ==
        malformed("/Device:GPU:0", "'Device:GPU:0'" + unknown + " (did you mean 'device'?)"));
}

TEST_CASE("a hostile name is quoted briefly and printably", "[device_spec]") {
  using namespace std::string_literals;
  CHECK(meaning("/gpu:0\0"s) ==
        malformed("/gpu:0\\x00",
                  "'0\\x00' in 'gpu:0\\x00' is no device number, expected decimal digits from 0 on, or *"));
  CHECK(meaning("/\xff\xfe\x1b[2J") ==
        malformed("/\\xFF\\xFE\\x1B[2J",
                  "'\\xFF\\xFE\\x1B[2J' is none of job:NAME, replica:N, task:N, device:TYPE:N, cpu:N and gpu:N"));
  CHECK(lutra::quoted_name(std::string(60, 'a')) == "'" + std::string(60, 'a') + "'");
  CHECK(lutra::quoted_name(std::string(61, 'a')) == "'" + std::string(60, 'a') + "...'");
  CHECK(lutra::quoted_name(std::string(58, 'a') + "\n") == "'" + std::string(58, 'a') + "...'");
  for (const std::string& name : {std::string(3 << 20, 'x'), std::string(3 << 20, '/'), std::string(3 << 20, '\0'),
                                  "/gpu:" + std::string(3 << 20, '9'), "/gpu:0/" + std::string(3 << 20, ':'),
                                  "/gpu:" + std::string(3 << 20, 'x')}) {
    CHECK(meaning(name).size() < 400);
  }
  CHECK(meaning("/gpu:" + std::string(1 << 20, '0') + "7") == "/device:GPU:7");
}

TEST_CASE("a scope takes what it leaves unset from the scope around it", "[device_spec]") {
  CHECK(merged("", "/gpu:1") == "/device:GPU:1");
  CHECK(merged("/gpu:0", "") == "/device:GPU:0");
  CHECK(merged("/gpu:*", "/gpu:1") == "/device:GPU:1");
  CHECK(merged("/gpu:0", "/gpu:1") == "/device:GPU:0");
  CHECK(merged("/device:*:2", "gpu") == "/device:GPU:2");
  CHECK(merged("gpu", "/device:*:2") == "/device:GPU:2");
  CHECK(merged("/device:*:2", "/cpu:1") == "/device:CPU:2");
  CHECK(merged("/task:1", "/job:a/gpu:3") == "/job:a/task:1/device:GPU:3");
  CHECK(merged("/job:b/gpu:0", "/job:a/replica:1/task:2") == "/job:b/replica:1/task:2/device:GPU:0");
}

TEST_CASE("another type than the outer one's drops the outer index", "[device_spec]") {
  CHECK(merged("/cpu:*", "/gpu:1") == "/device:CPU:*");
  CHECK(merged("CPU", "/job:a/gpu:1") == "/job:a/device:CPU:*");
  CHECK(merged("/cpu:0", "/gpu:1") == "/device:CPU:0");
  CHECK(merged("/device:tpu:*", "/device:TPU:3") == "/device:TPU:3");
  CHECK(merged("/device:TPU:*", "/gpu:3") == "/device:TPU:*");
}

TEST_CASE("a name matches the devices it may mean", "[device_spec]") {
  CHECK(matches("", DeviceType::GPU, 3));
  CHECK(matches("/gpu:*", DeviceType::GPU, 3));
  CHECK(matches("/device:*:3", DeviceType::GPU, 3));
  CHECK(matches("/job:localhost/replica:0/task:0/device:gpu:3", DeviceType::GPU, 3));
  CHECK_FALSE(matches("/gpu:2", DeviceType::GPU, 3));
  CHECK_FALSE(matches("/cpu:*", DeviceType::GPU, 3));
  CHECK_FALSE(matches("/job:worker", DeviceType::GPU, 3));
  CHECK_FALSE(matches("/replica:1", DeviceType::GPU, 3));
  CHECK_FALSE(matches("/task:1", DeviceType::GPU, 3));
  CHECK_FALSE(matches("/device:TPU:3", DeviceType::GPU, 3));
  CHECK(DeviceSpec::parse("/device:tpu:1").matches(DeviceSpec::parse("/device:TPU:1")));
}

TEST_CASE("a complete local name", "[device_spec]") {
  DeviceSpec spec = DeviceSpec::complete(DeviceType::GPU, 1);
  CHECK(spec.to_string() == "/job:localhost/replica:0/task:0/device:GPU:1");
  CHECK(spec.local_name() == "/device:GPU:1");
  CHECK(DeviceSpec::parse(spec.to_string()) == spec);
  CHECK(DeviceSpec::parse(spec.local_name()) == DeviceSpec::parse("gpu:1"));
  CHECK(std::string(lutra::name(DeviceType::CPU)) == "CPU");
}
