// What each thread keeps for its next call: made when it first asks, destroyed when the thread ends. A thread_local
// with a destructor would end the process where there is no memory to note that there is one.
#pragma once

#include <pthread.h>

#include <new>

namespace lutra {

// One lives as long as the process.
template <class T> class ThreadOwned {
 public:
  ThreadOwned() {
    has_key_ = pthread_key_create(&key_, [](void* mine) { delete static_cast<T*>(mine); }) == 0;
  }
  ThreadOwned(const ThreadOwned&) = delete;

  // The calling thread's. Null: there is no memory.
  T* get() {
    if (!has_key_) return nullptr;
    if (void* mine = pthread_getspecific(key_)) return static_cast<T*>(mine);
    T* made = new (std::nothrow) T;
    if (made == nullptr || pthread_setspecific(key_, made) == 0) return made;
    delete made;
    return nullptr;
  }

 private:
  pthread_key_t key_{};
  bool has_key_ = false;
};

}  // namespace lutra
