// What a host may ask of an interpreter from outside: to stop, how much memory it holds, to give some back.
#include <cstring>

#include "embed/host.h"

using namespace lutra;
using namespace lutra::embed;

namespace {

// A device by name, or the first CPU.
LogicalDevice& device_named(lutra_t& lutra, const char* device) {
  Context& context = lutra.state->enter(lutra.L);
  context.devices();  // initialises them
  return device != nullptr ? context.runtime().find(device) : context.runtime().cpu();
}

void fill(lutra_t& lutra, const LogicalDevice& device, lutra_memory_info* info) {
  info->device = device.full_name.c_str();
  if (device.heap != nullptr) {
    ArenaStats stats = device.heap->stats();
    info->bytes_in_use = stats.bytes_in_use;
    info->peak_bytes = stats.peak_bytes_in_use;
    info->reserved_bytes = stats.reserved_bytes;
    info->limit_bytes = stats.limit_bytes;
  } else {
    HostPoolStats stats = lutra.state->runtime().pool().stats();
    info->bytes_in_use = stats.bytes_in_use;
    info->peak_bytes = stats.peak_bytes_in_use;
    info->reserved_bytes = stats.reserved_bytes;
    info->limit_bytes = stats.limit_bytes;
  }
  info->lua_bytes =
      static_cast<uint64_t>(lua_gc(lutra.L, LUA_GCCOUNT)) * 1024 + static_cast<uint64_t>(lua_gc(lutra.L, LUA_GCCOUNTB));
}

}  // namespace

extern "C" {

int lutra_interrupt(lutra_t* lutra) {
  if (lutra == nullptr) return refuse("lutra_interrupt", "the lutra_t is NULL");
  lutra->interrupts->request_from_outside();
  return LUTRA_OK;
}

int lutra_memory(lutra_t* lutra, const char* device, lutra_memory_info* info) {
  return attempt_on(lutra, "lutra_memory", true, [&] {
    require(info != nullptr, "lutra_memory: info is NULL");
    constexpr size_t kFirst = offsetof(lutra_memory_info, lua_bytes) + sizeof(info->lua_bytes);
    require(info->size >= kFirst && info->size <= 4096, "lutra_memory: info->size is ", info->size,
            "; start from LUTRA_MEMORY_INFO_INIT");
    fill(*lutra, device_named(*lutra, device), info);
  });
}

const char* lutra_device_name(lutra_t* lutra, int index) {
  const char* name = nullptr;
  attempt_on(lutra, "lutra_device_name", true, [&] {
    auto devices = lutra->state->enter(lutra->L).devices();
    if (index >= 0 && static_cast<size_t>(index) < devices.size())
      name = devices[static_cast<size_t>(index)]->full_name.c_str();
  });
  return name;
}

int lutra_trim(lutra_t* lutra) {
  return attempt_on(lutra, "lutra_trim", false, [&] {
    lua_gc(lutra->L, LUA_GCCOLLECT);
    lutra->state->enter(lutra->L);
    lutra->state->runtime().release_memory(nullptr);
  });
}

}  // extern "C"
