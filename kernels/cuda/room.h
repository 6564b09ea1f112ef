// An op's scratch memory, allocated block by block. The same steps without memory count how much the op needs.
#pragma once

#include "kernels/cuda/elementwise.h"
#include "kernels/element/element.h"

namespace lutra::cuda {

class Room {
 public:
  // `on` null: only counts.
  Room(const CudaLaunch* on, std::byte* memory) : on_(on), memory_(memory) {}

  bool counts() const { return on_ == nullptr; }
  const CudaLaunch& on() const { return *on_; }
  std::size_t bytes() const { return used_; }
  // Where the next block begins, for a callee that allocates its own scratch memory.
  std::byte* rest() const { return memory_ != nullptr ? memory_ + used_ : nullptr; }

  std::byte* take(std::size_t bytes) {
    constexpr std::size_t kStep = 256;
    std::byte* piece = rest();
    used_ += (bytes + kStep - 1) / kStep * kStep;
    return piece;
  }
  template <class T> T* take(int64_t count) {
    return reinterpret_cast<T*>(take(static_cast<std::size_t>(count) * sizeof(T)));
  }

  // An input's elements in the card's memory; a number that is passed by value is written there first.
  template <class T> const T* input(const Array& array);

 private:
  const CudaLaunch* on_;
  std::byte* memory_;
  std::size_t used_ = 0;
};

template <class E> LUTRA_GLOBAL void put_down(E number, E* to) {
  if (thread_index() == 0) *to = number;
}

// Every input of one element gets room: whether it is passed by value may be known only when the op runs.
template <class T> const T* Room::input(const Array& array) {
  if (array.size != 1) return array.as<T>();
  T* place = take<T>(1);
  if (counts() || !array.immediate) return array.as<T>();
  if (on().error != 0) return place;
  by_size(sizeof(T), [&]<class E>(TypeTag<E>) {
    launch(on(), Grid{1, 1}, put_down<E>, input_of<E>(array).number, reinterpret_cast<E*>(place));
  });
  return place;
}

// A kernel of a function that takes its scratch memory from a Room. The function runs twice: to count, then with
// memory.
template <void (*kRun)(const KernelArgs& args, Room& room)> KernelEntry in_room() {
  return {.run =
              [](const KernelArgs& args) {
                Room room(static_cast<const CudaLaunch*>(&args), args.scratch);
                kRun(args, room);
              },
          .scratch =
              [](const KernelArgs& args) {
                Room room(nullptr, nullptr);
                kRun(args, room);
                return room.bytes();
              }};
}

}  // namespace lutra::cuda
