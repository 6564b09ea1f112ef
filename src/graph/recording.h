// Makes a Program of what a Context does until finish(). A tensor is identified by its Storage, and each Storage is a
// cell; see docs/decisions/graphs-record-launches.md.
#pragma once

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "eager/observer.h"
#include "graph/program.h"

namespace lutra::graph {

class Recording final : public Observer {
 public:
  explicit Recording(Context& context);
  ~Recording();
  Recording(const Recording&) = delete;

  // The variables that the function may use: each gets a Storage that nothing else holds. Before anything is recorded.
  void begin(std::span<TensorRep* const> variables);
  void op_ends(const Call& call, const Prepared& prepared, TensorRep* const* outs, bool ok) override;
  // Makes `out` a tensor with the bytes of `given`, in memory that nothing else holds: argument `index`.
  void add_argument(const TensorRep& given, TensorRep* out);
  // What a tensor that the function returned is in the program.
  struct Returned {
    enum class Kind : uint8_t { Result, Constant } kind;
    int index;  // of the result
  };
  Returned add_result(const TensorRep& tensor);
  // Ends the recording. The identities of the variables that are used are in the program.
  Program finish();
  // Why it cannot be replayed; "" if it can.
  const std::string& refused() const { return refused_; }
  bool made_variables() const { return made_variables_; }
  // If set, a variable must not be made: the function makes one at each call.
  bool refuses_variables = false;

  void launched(const Launched& launched) override;
  void freed(const Storage& storage) override {
    cells_.erase(&storage);
    first_storages_.erase(&storage);
  }
  void mirrored(const TensorRep& tensor, Storage& copy) override;
  void assigned(const TensorRep& variable, const TensorRep& value) override;
  void makes_variable() override;
  void reads_value() override;
  void seeded() override;
  void cannot_repeat(const char* reason) override { refuse(reason); }
  void takes_numbers(const OpDef* op, int source) override {
    stepping_ = op;
    numbers_ = source;
  }

 private:
  struct Known {  // a variable
    const TensorRep* rep;
    int cell = -1;  // what it held at the start
    int used = -1;  // its place in the program
    int now = -1;   // the cell that it holds
  };
  int add_cell(Cell::Kind kind, Storage& storage, const LogicalDevice& device);
  int add_scratch(std::size_t bytes, const LogicalDevice& device);
  int cell_of(Storage& storage);
  int written(Storage& storage, const LogicalDevice& device);
  bool finds(const Storage& storage);
  int number(const Storage& storage) const { return cells_.at(&storage); }
  void use(Known& variable);
  void refuse(const char* reason);
  CellPlace place_of_input(Step& step, const Array& array, Storage* storage, bool reads_scratch);
  static StepArray described(const Array& array, CellPlace place);
  void read_random(Step& step);
  uint32_t line();
  void push_step(Step step);
  void note_bytes();
  void stop();

  Context& context_;
  Program program_;
  std::unordered_map<const Storage*, int> cells_;                // of the storages that live
  std::unordered_map<uint64_t, Known> variables_;                // by identity
  std::unordered_map<const Storage*, uint64_t> first_storages_;  // of the variables at the start, while they live
  std::vector<Storage*> held_;  // of arguments and constants, so that nothing is written over them
  // Memory of casts within an op that is going on: by address, its cell.
  std::vector<std::pair<const std::byte*, int>> scratch_;
  // Results that a cast within the op is yet to write.
  std::vector<Storage*> rounded_;
  std::unordered_map<std::string, uint32_t> lines_;
  Context::RandomPlace random_;
  std::size_t bytes_at_start_ = 0;
  std::string refused_;
  const OpDef* stepping_ = nullptr;
  int numbers_ = -1;
  int arguments_ = 0;
  bool made_variables_ = false;
  bool is_running_ = false;
};

}  // namespace lutra::graph
