#include "kernels/cuda/plugin_file.h"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string_view>

#include "core/text.h"
#include "kernels/cuda/libraries/library_search.h"
#include "kernels/cuda/plugin_host.h"
#include "kernels/cuda_border.h"

namespace lutra::cuda {
namespace {

constexpr const char* kFile = "liblutra_cuda.so";

std::string real_path(const char* path) {
  char* real = realpath(path, nullptr);
  std::string result = real != nullptr ? real : "";
  std::free(real);
  return result;
}

// The folder of the file this code was loaded from.
std::string own_folder() {
  Dl_info info;
  std::string file;
  if (dladdr(reinterpret_cast<void*>(&plugin_files), &info) != 0 && info.dli_fname != nullptr) file = info.dli_fname;
  // A program started by its bare name was found in PATH: do not look in the working folder for it.
  file = real_path(file.find('/') == std::string::npos ? "/proc/self/exe" : file.c_str());
  return file.substr(0, file.rfind('/'));
}

}  // namespace

std::vector<std::string> plugin_files(const char* name) {
  if (const char* folder = std::getenv("LUTRA_PLUGIN_PATH"); folder != nullptr && *folder != '\0') {
    return {text(folder, "/", name)};
  }
  std::string own = own_folder();
  if (own.empty()) return {};
  std::vector<std::string> files;
  for (const char* place : {"", "/../lib", "/..", "/../../lib", "/../lib/x86_64-linux-gnu", "/../lib64",
                            "/../../../lib", "/../../x86_64-linux-gnu"}) {
    files.push_back(text(own, place, "/", name));
  }
  return files;
}

std::string plugin_file() {
  for (const std::string& file : plugin_files(kFile)) {
    if (access(file.c_str(), F_OK) == 0) return real_path(file.c_str());
  }
  return "";
}

std::string plugin_folder() {
  std::string file = plugin_file();
  return file.substr(0, file.find_last_of('/') + 1);
}

std::string cublas_lt_file(int driver_version) {
  return search_library("cublasLt", cublas_lt_majors(driver_version), plugin_folder(), own_system()).file;
}

std::string cudnn_file() {
  System system = own_system();
  return is_cudnn_wanted(system) ? search_library("cudnn", kCudnnMajors, plugin_folder(), system).file : "";
}

std::string nccl_file() {
  System system = own_system();
  return is_nccl_wanted(system) ? search_library("nccl", kNcclMajors, plugin_folder(), system).file : "";
}

const CudaPlugin* open_plugin(std::string* why) {
  std::string file = plugin_file();
  if (file.empty()) {
    std::string searched;
    for (const std::string& each : plugin_files(kFile)) searched += text(searched.empty() ? "" : ", ", each);
    *why = text("this Lutra came without ", kFile, ", which is built where nvcc is (looked for ", searched, ")");
    return nullptr;
  }
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle == nullptr) {
    const char* reason = dlerror();
    *why = text("WARNING: GPUs are not used: the plugin cannot be opened: ", reason != nullptr ? reason : file);
    return nullptr;
  }
  auto* entry = reinterpret_cast<CudaPluginEntry*>(dlsym(handle, "lutra_cuda_plugin"));
  const CudaPlugin* plugin = entry != nullptr ? entry(&cuda_host()) : nullptr;
  if (plugin == nullptr || plugin->bytes != sizeof(CudaPlugin) || std::string_view(plugin->build) != kBorderId) {
    *why = text("WARNING: GPUs are not used: ", file, " is of another build of Lutra: build both together");
    return nullptr;
  }
  return plugin;
}

void add_plugin_kernels(KernelRegistry& kernels, const CudaPlugin& plugin, bool has_cublas) {
  for (std::size_t i = 0; i < plugin.count; ++i) {
    const CudaKernel& kernel = plugin.kernels[i];
    if (kernel.needs_cublas && !has_cublas) continue;
    kernels.add(kernel.op, DeviceType::GPU, kernel.keys, kernel.entry);
  }
}

}  // namespace lutra::cuda
