// A graph of lutra.graph as its userdata holds it, and what a call of it is made of. For graph*.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/recording.h"
#include "graph/replay.h"
#include "lua/border/held.h"

namespace lutra {

// Note [Calls of a graph]
// A call's signature is a string of bytes: the scope, then each argument: dtype, shape and device of a tensor, any
// other value itself, or its address if it is an object, which the record then keeps alive. Tables without a metatable
// are read entry by entry. The same signature gives the same record. While a function is recorded it gets its arguments
// in memory of their own, so that the recording can tell them from other tensors, and tables as copies. C++ objects
// that must live across Lua calls belong to the Graph; a to-be-closed value ends a recording that leaves by an error.

inline constexpr int kMostTableDepth = 32;  // of arguments and results

// How to make a result at each replay.
struct ResultNode {
  enum class Kind : uint8_t { Tensor, Argument, Kept, Table } kind;
  int index;  // of the program's result, the argument, or the value kept; a table's metatable's, or 0
  int count;  // of a table's entries, which follow: a key, which is kept, and a value
  bool operator==(const ResultNode&) const = default;
};

struct GraphRecord {
  std::string key;
  std::unique_ptr<graph::Replay> replay;             // null: not yet, or refused
  std::string refused;                               // why it runs eagerly
  std::vector<ResultNode> results, checked_results;  // the latter: of `checked`
  int values = 0;                                    // results at the outermost level
  int refs = 0;                                      // the index in kRefs of the list of kept values
  int kept = 0;                                      // their number
  int variables = 0;                                 // of them, the program's variables, which come first
  bool made_variables = false;
  std::string effects;                     // what the function did that replays do not, a clause for users
  std::unique_ptr<graph::Replay> checked;  // while the function runs again: what it is compared with
  int since_check = 0;                     // calls
  std::string difference;                  // what that has found, a clause for users
  std::unique_ptr<graph::Program> trial;   // the last recording, while more are wanted that do the same
  int alike = 0;
  uint64_t used = 0;
  int64_t replays = 0;
};

struct Graph {
  std::vector<std::unique_ptr<GraphRecord>> records;
  GraphRecord* last = nullptr;
  std::unique_ptr<graph::Recording> recording;
  // Of the call in progress.
  std::string key;
  std::vector<const TensorRep*> leaves;
  std::vector<TensorRep*> outs;
  bool has_tables = false;  // among the arguments
  uint64_t epoch = 0;       // of the Runtime when they were read
  uint64_t clock = 0;
  int wanted = 1;  // how many recordings must do the same before the first replay
  int next_ref = 0;
  bool was_told = false;
  bool told_effects = false;
  bool is_of_fit = false;
  int check = 0;  // after so many replays the function runs again and is compared; 0: never
};

// User values of a graph's userdata.
struct GraphValues {
  enum : int { kFunction = 1, kRefs, kName, kCount = kName };
};

// ---- graph_signature.cpp ----

// Whether a table is read entry by entry: one without a metatable whose keys are a list's or strings.
bool is_plain_table(lua_State* L, int index);
// Reads the arguments at first..last into graph.key and graph.leaves. By Lua calls that cannot raise.
void read_signature(lua_State* L, Graph& graph, Context& context, int first, int last);
// Pushes the argument at `index`, or the entry of it, whose tensor is `leaf`. False: there is none.
bool push_leaf(lua_State* L, const TensorRep* leaf, int index, int depth);

// ---- graph_recording.cpp ----

// Calls the function of the graph at 1 with the arguments behind it and records it. Upvalue 2 of the running function
// is the metatable of what ends a recording. Returns the number of results, on top of the stack.
int record_call(lua_State* L, State& state, Graph& graph, GraphRecord* record);
// Pushes that metatable.
void push_guard_meta(lua_State* L, State& state);

// ---- graph_replay.cpp ----

// Does what was recorded. Returns the number of results, on top of the stack, or -1: it must be recorded anew.
int replay_call(lua_State* L, State& state, Graph& graph, GraphRecord& record);

}  // namespace lutra
