// The driver's stub: copies, streams, events and graphs.
#include <cstring>
#include <functional>
#include <memory>
#include <utility>

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
  if (stream->captured != nullptr) return kCaptureUnsupported;
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
Result cuStreamBeginCapture_v2(StreamHandle stream, int) {
  ENTER_CONTEXT(cuStreamBeginCapture, 0);
  if (stream->captured != nullptr) return kInvalidValue;
  stream->captured = new CUgraph_st;
  return kSuccess;
}
Result cuStreamEndCapture(StreamHandle stream, GraphHandle* graph) {
  std::unique_ptr<CUgraph_st> captured(std::exchange(stream->captured, nullptr));
  ENTER_CONTEXT(cuStreamEndCapture, 0);
  if (captured == nullptr) return kInvalidValue;
  *graph = captured.release();
  s.graphs.insert(*graph);
  return kSuccess;
}
Result cuGraphDestroy(GraphHandle graph) {
  ENTER_CONTEXT(cuGraphDestroy, 0);
  if (s.graphs.erase(graph) == 0) return kInvalidValue;
  delete graph;
  return kSuccess;
}
Result cuGraphInstantiateWithFlags(GraphExecHandle* exec, GraphHandle graph, unsigned long long) {
  ENTER_CONTEXT(cuGraphInstantiate, graph->commands.size());
  *exec = new CUgraphExec_st{graph->commands, s.current->card};
  s.execs.insert(*exec);
  return kSuccess;
}
Result cuGraphExecUpdate_v2(GraphExecHandle exec, GraphHandle graph, GraphUpdate*) {
  ENTER_CONTEXT(cuGraphExecUpdate, graph->commands.size());
  if (exec->commands.size() != graph->commands.size()) return kUpdateFailure;
  exec->commands = graph->commands;
  return kSuccess;
}
Result cuGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
  ENTER_CONTEXT(cuGraphLaunch, exec->commands.size());
  return s.queue(stream, [&s, commands = exec->commands, card = exec->card] {
    for (CUstream_st::Command command : commands) s.run(command, card);
  });
}
Result cuGraphExecDestroy(GraphExecHandle exec) {
  ENTER_CONTEXT(cuGraphExecDestroy, 0);
  if (s.execs.erase(exec) == 0) return kInvalidValue;
  delete exec;
  return kSuccess;
}
Result cuda_stub_kernel(StreamHandle stream, const std::function<void()>& kernel) {
  ENTER_CONTEXT(cuLaunchKernel, 0);
  return s.queue(stream, kernel);
}
}
