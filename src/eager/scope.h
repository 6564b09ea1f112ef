// The open device scopes of one coroutine, innermost last. A scope is given by the id of its merged DeviceSpec in the
// Context; id 0 is the empty spec, which every device matches.
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
  // The spec of the open scope with this serial; 0 if there is none.
  uint32_t spec_of(uint64_t serial) const {
    for (const Scope& scope : scopes_) {
      if (scope.serial == serial) return scope.spec;
    }
    return 0;
  }
  // Sets the scope that the coroutine starts in: its creator's.
  void start_in(uint32_t base_spec) { base_spec_ = base_spec; }
  uint64_t push(uint32_t spec) {
    scopes_.push_back({spec, ++last_serial_});
    return last_serial_;
  }
  bool is_innermost(uint64_t serial) const { return !scopes_.empty() && scopes_.back().serial == serial; }
  // Ends the scope, also if it is not the innermost. Does nothing if it has ended already.
  void remove(uint64_t serial) {
    std::erase_if(scopes_, [serial](const Scope& scope) { return scope.serial == serial; });
  }
  // Visits the ids it refers to.
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
