// Whether the user has pressed Ctrl-C at the prompt while the calling thread computes. A long computation whose result
// is then thrown away may ask, and return early: Lua raises "interrupted!" before anything sees the result.
#pragma once

namespace lutra {

class StopRequest {
 public:
  // Whether requests are for the calling thread, from now on.
  static void watch(bool on);
  static bool is_watching();
  // A signal handler on the watching thread may call it.
  static void ask();
  // It has been raised.
  static void answer();
  static bool is_wanted();
};

}  // namespace lutra
