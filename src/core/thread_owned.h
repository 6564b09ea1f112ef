// An object per thread, created at the thread's first use and destroyed when the thread ends. A thread_local with a
// destructor would end the process if there is no memory to register the destructor.
#pragma once

#include <pthread.h>

#include <new>

namespace lutra {

// An instance must live as long as the process.
template <class T> class ThreadOwned {
 public:
  ThreadOwned() {
    has_key_ = pthread_key_create(&key_, [](void* mine) { delete static_cast<T*>(mine); }) == 0;
  }
  ThreadOwned(const ThreadOwned&) = delete;

  // The calling thread's object. Null if there is no memory.
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
