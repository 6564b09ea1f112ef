// The device scopes open in one coroutine, innermost last. A scope is named by the id its merged DeviceSpec has in the
// Context; id 0 names nothing, so every device matches.
#pragma once

#include <cstdint>
#include <vector>

namespace lutra {

class ScopeStack {
 public:
  struct Scope {
    uint32_t spec;
    uint64_t serial;
  };

  uint32_t spec() const { return scopes_.empty() ? base_spec_ : scopes_.back().spec; }
  // What the open scope with this serial means; 0 when there is none.
  uint32_t spec_of(uint64_t serial) const {
    for (const Scope& scope : scopes_) {
      if (scope.serial == serial) return scope.spec;
    }
    return 0;
  }
  // In what scope the coroutine starts: its creator's.
  void start_in(uint32_t base_spec) { base_spec_ = base_spec; }
  uint64_t push(uint32_t spec) {
    scopes_.push_back({spec, ++last_serial_});
    return last_serial_;
  }
  bool is_innermost(uint64_t serial) const { return !scopes_.empty() && scopes_.back().serial == serial; }
  // Ends that scope wherever it stands; a scope that has ended already is no matter.
  void remove(uint64_t serial) {
    std::erase_if(scopes_, [serial](const Scope& scope) { return scope.serial == serial; });
  }
  // The ids it refers to.
  template <class Visit> void for_each_spec(const Visit& visit) const {
    visit(base_spec_);
    for (const Scope& scope : scopes_) visit(scope.spec);
  }

 private:
  std::vector<Scope> scopes_;
  uint64_t last_serial_ = 0;
  uint32_t base_spec_ = 0;
};

}  // namespace lutra
