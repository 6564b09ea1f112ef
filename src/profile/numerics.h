// Finds the op that first made a nan or an inf: an observer that looks at the results of every op. It waits for each
// op, so everything is slower while it is attached.
#pragma once

#include <string>
#include <vector>

#include "eager/context.h"
#include "eager/observer.h"

namespace lutra {

class NumericsCheck final : public Observer {
 public:
  explicit NumericsCheck(Context& context) : context_(&context) { context.attach(*this); }
  ~NumericsCheck() override;

  // Fails (InvalidArgument) if a floating result has a nan, or an inf, and no input has one.
  void check(const Call& call, const Prepared& prepared, TensorRep* const* outs) override;
  bool checks() const override { return true; }
  // Of an op that overwrites its input, what the input was.
  void op_begins(const Call& call, const Prepared& prepared) override;
  void context_closes() override { context_ = nullptr; }

 private:
  struct Values {
    int64_t count = 0, nan = 0, inf = 0;
    double least = 0, most = 0;  // of those that are finite
  };
  Values look(const TensorRep& tensor);
  std::vector<Values> inputs_of(const Call& call);
  [[noreturn]] void fail_op(const Call& call, const Prepared& prepared, const TensorRep& result, const Values& values,
                            const std::vector<Values>& inputs) const;

  Context* context_;
  std::vector<Values> before_;  // the inputs of an op that overwrites one
  const Call* overwriting_ = nullptr;
  // The last op that was checked.
  std::string last_op_;
  ScriptPosition last_line_{{}, 0};
};

}  // namespace lutra
