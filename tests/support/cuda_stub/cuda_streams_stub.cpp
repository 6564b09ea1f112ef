// The driver's stub: copies, streams and events.
#include <cstring>
#include <memory>

#include "core/clock.h"
#include "support/cuda_stub/driver_state.h"

using namespace lutra::cuda;
using lutra::now_ns;

extern "C" {

Result cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, StreamHandle stream) {
  ENTER_CONTEXT(cuMemcpyHtoDAsync, bytes);
  return s.queue(stream, [=] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); });
}
Result cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, StreamHandle stream) {
  ENTER_CONTEXT(cuMemcpyDtoHAsync, bytes);
  return s.queue(stream, [=] { std::memcpy(to, reinterpret_cast<void*>(from), bytes); });
}
Result cuMemcpyDtoDAsync_v2(Address to, Address from, std::size_t bytes, StreamHandle stream) {
  ENTER_CONTEXT(cuMemcpyDtoDAsync, bytes);
  return s.queue(stream, [=] { std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes); });
}
Result cuMemcpyPeerAsync(Address to, Context, Address from, Context, std::size_t bytes, StreamHandle stream) {
  ENTER_CONTEXT(cuMemcpyPeerAsync, bytes);
  return s.queue(stream, [=] { std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes); });
}
Result cuStreamCreate(StreamHandle* stream, unsigned) {
  ENTER_CONTEXT(cuStreamCreate, 0);
  *stream = new CUstream_st{s.current->card, {}};
  s.streams.insert(*stream);
  return kSuccess;
}
Result cuStreamDestroy_v2(StreamHandle stream) {
  ENTER_CONTEXT(cuStreamDestroy, 0);
  if (s.streams.count(stream) == 0 || !stream->queue.empty()) return kInvalidValue;
  s.streams.erase(stream);
  delete stream;
  return kSuccess;
}
Result cuStreamSynchronize(StreamHandle stream) {
  ENTER_CONTEXT(cuStreamSynchronize, 0);
  s.until([stream] { return stream->queue.empty(); });
  return s.answer();
}
Result cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned) {
  ENTER_CONTEXT(cuStreamWaitEvent, 0);
  return s.queue(
      stream, [] {}, event->moment, false);
}
Result cuLaunchHostFunc(StreamHandle stream, HostFunction function, void* user) {
  ENTER_CONTEXT(cuLaunchHostFunc, 0);
  return s.queue(stream, [=] { function(user); });
}
Result cuEventCreate(EventHandle* event, unsigned) {
  ENTER_CONTEXT(cuEventCreate, 0);
  *event = new CUevent_st;
  s.events.insert(*event);
  return kSuccess;
}
Result cuEventDestroy_v2(EventHandle event) {
  ENTER_CONTEXT(cuEventDestroy, 0);
  if (s.events.erase(event) == 0) return kInvalidValue;
  delete event;
  return kSuccess;
}
Result cuEventRecord(EventHandle event, StreamHandle stream) {
  ENTER_CONTEXT(cuEventRecord, 0);
  auto moment = std::make_shared<bool>(false);
  auto ns = std::make_shared<int64_t>(0);
  event->ns = ns;
  event->moment = moment;
  event->stream = stream;
  return s.queue(
      stream,
      [moment, ns] {
        *moment = true;
        *ns = now_ns();
      },
      nullptr, false);
}
Result cuEventElapsedTime(float* milliseconds, EventHandle begin, EventHandle end) {
  ENTER_CONTEXT(cuEventElapsedTime, 0);
  if (begin->moment == nullptr || end->moment == nullptr) return kInvalidValue;
  if (!*begin->moment || !*end->moment) return kNotReady;
  *milliseconds = static_cast<float>(static_cast<double>(*end->ns - *begin->ns) / 1e6);
  return kSuccess;
}
Result cuEventQuery(EventHandle event) {
  ENTER_CONTEXT(cuEventQuery, 0);
  s.some();
  return event->moment == nullptr || *event->moment ? s.answer() : kNotReady;
}
Result cuEventSynchronize(EventHandle event) {
  ENTER_CONTEXT(cuEventSynchronize, 0);
  s.until([event] { return event->moment == nullptr || *event->moment; });
  return s.answer();
}
}
