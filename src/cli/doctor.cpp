#include "cli/doctor.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/text.h"
#include "core/usable_cores.h"
#include "kernels/cpu_level.h"
#include "kernels/cuda/diagnosis/diagnosis.h"
#include "kernels/cuda/plugin_file.h"
#include "kernels/lapack/library.h"

namespace lutra {
namespace {

using cuda::PluginFacts;
using cuda::System;

Finding plugin_finding(PluginFacts* facts) {
  Finding finding{.check = "plugin"};
  std::string why;
  const cuda::CudaPlugin* plugin = cuda::open_plugin(&why);
  if (plugin == nullptr) {
    constexpr std::string_view kPrefix = "WARNING: GPUs are not used: ";
    finding.verdict = Verdict::Failed;
    finding.text = why.starts_with(kPrefix) ? why.substr(kPrefix.size()) : why;
    finding.advice =
        "build Lutra where nvcc 12 or later is, and keep liblutra_cuda.so with the program of the same build";
    return finding;
  }
  facts->architectures = plugin->for_architectures;
  facts->toolkit_version = plugin->toolkit_version;
  for (std::size_t i = 0; i < plugin->count; ++i) {
    facts->has_products = facts->has_products || plugin->kernels[i].needs_cublas;
  }
  std::string file = cuda::plugin_file();
  finding.text = text(file, " has ", plugin->count, " kernels, for ", facts->architectures);
  finding.details = {{"file", file}, {"architectures", facts->architectures}, {"kernels", text(plugin->count)}};
  return finding;
}

std::string detail_of(const Finding& finding, std::string_view name) {
  for (const auto& [key, value] : finding.details) {
    if (key == name) return value;
  }
  return "";
}

// Checks the cards, as far as possible: each step needs the ones before it.
void look_at_cards(const System& system, std::vector<Finding>* findings) {
  bool goes_on = true;
  if (system.value("LUTRA_CUDA_DRIVER").empty()) {
    for (Finding& finding : cuda::diagnose_system(system, &goes_on)) findings->push_back(std::move(finding));
    if (!goes_on) {
      // Also without a card: what is set, and what is looked for once there is one.
      Finding visible = cuda::diagnose_visible(system);
      visible.verdict = Verdict::Note;
      findings->push_back(std::move(visible));
      findings->push_back({.check = "libraries",
                           .verdict = Verdict::Note,
                           .text =
                               "with a card these are looked for: libcuda.so.1 of NVIDIA's driver, libcublasLt, and, "
                               "where they are, libcudnn and libnccl"});
      return;
    }
  }
  std::string library;
  findings->push_back(cuda::diagnose_driver_library(system, &library));
  if (findings->back().verdict == Verdict::Note) return;  // GPUs are turned off
  PluginFacts plugin;
  findings->push_back(plugin_finding(&plugin));
  std::string folder = cuda::plugin_folder();
  std::string why;
  const cuda::Driver* driver = library.empty() ? nullptr : cuda::open_driver(library.c_str(), &why);
  int driver_version = driver != nullptr ? driver->version() : 0;
  cuda::LibrarySearch cublas = cuda::search_library("cublasLt", cuda::cublas_lt_majors(driver_version), folder, system);
  findings->push_back(cuda::diagnose_cublas(cublas, plugin.has_products, driver_version));
  findings->push_back(cuda::diagnose_cudnn(system, folder));
  std::string cudnn = detail_of(findings->back(), "file");
  findings->push_back(cuda::diagnose_visible(system));
  if (library.empty() || findings->back().verdict == Verdict::Failed) return;
  if (driver == nullptr) {
    findings->push_back({.check = "cuda",
                         .verdict = Verdict::Failed,
                         .text = why,
                         .advice = "install NVIDIA's driver anew: its library and its kernel module go together"});
    return;
  }
  int count = 0;
  findings->push_back(cuda::diagnose_driver(*driver, plugin, system, &count));
  if (count > 1) findings->push_back(cuda::diagnose_nccl(system, folder));
  for (Finding& finding : cuda::diagnose_cards(*driver, count, plugin, system, cudnn)) {
    findings->push_back(std::move(finding));
  }
}

Finding processor_finding() {
  std::string levels;
  for (const CpuLevel& level : linked_cpu_levels()) append(levels, text(levels.empty() ? "" : ", ", level.name));
  return {.check = "processor",
          .text = text("CPU kernels for ", cpu_level().name, " run; this build has ", levels),
          .details = {{"level", cpu_level().name}, {"levels", levels}}};
}

Finding lapack_finding() {
  Finding finding{.check = "lapack"};
  const lapack::Found& found = lapack::find_library();
  if (found.library == nullptr) {
    finding.verdict = found.is_named ? Verdict::Failed : Verdict::Note;
    finding.text = text("factorisations of large matrices are Lutra's own, which are slower: ", found.why_not);
    if (found.is_wanted) finding.advice = "install OpenBLAS 0.3.21 or later (Debian: libopenblas0-pthread)";
    return finding;
  }
  finding.text = text(found.library->file, " computes factorisations of large matrices");
  finding.details.push_back({"file", found.library->file});
  if (!found.library->version.empty()) {
    append(finding.text, text(": ", found.library->version));
    finding.details.push_back({"version", found.library->version});
  }
  return finding;
}

void try_devices(const Options& options, std::vector<Finding>* findings) {
  findings->push_back(try_device(options, -1));
  int number = 0;
  for (const std::string& name : names_of_gpus(options)) {
    Finding trial = try_device(options, number++);
    trial.text = text(name, ": ", trial.text);
    findings->push_back(std::move(trial));
  }
}

}  // namespace

int run_doctor(const Options& options) {
  UsableCores cores = process_threads();
  std::vector<Finding> findings{processor_finding(),
                                {.check = "threads",
                                 .text = text(cores.threads, " for large loops: ", cores.why),
                                 .details = {{"threads", text(cores.threads)}}}};
  look_at_cards(cuda::own_system(), &findings);
  findings.push_back(lapack_finding());
  const bool has_lapack = findings.back().verdict != Verdict::Failed;
  findings.push_back(mpi_finding());
  // If the named library cannot be used, no interpreter starts.
  if (has_lapack) try_devices(options, &findings);
  std::string told = options.doctor == Doctor::Json ? doctor_json(findings) : doctor_text(findings);
  bool is_told = std::fputs(told.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  return is_told && all_well(findings) ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace lutra
