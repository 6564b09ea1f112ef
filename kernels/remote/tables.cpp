#include "kernels/remote/tables.h"

#include "core/version.h"

namespace lutra {

const Backend& sim_backend();  // kernels/sim

namespace {

std::string fingerprint_of(const OpRegistry& ops) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  auto add = [&](std::string_view word) {
    for (unsigned char c : word) hash = (hash ^ c) * 1099511628211u;
    hash = (hash ^ 0xff) * 1099511628211u;
  };
  for (int id = 0; id < ops.count(); ++id) {
    const OpDef& op = ops.at(id);
    add(op.name);
    add(text(op.attrs.defaults.size(), " ", op.outputs));
    for (const AttrDef& attr : op.attrs.defs) add(text(attr.name, " ", attr.offset));
  }
  return text(LUTRA_VERSION, " ", hash);
}

}  // namespace

RemoteTables::RemoteTables() : kernels(ops), cards(sim_backend()), fingerprint(fingerprint_of(ops)) {
  register_all_cpu_kernels(kernels);
  cards.register_kernels(kernels);
}

DType RemoteTables::key_of(const OpDef& op, void (*run)(const KernelArgs&)) const {
  for (int i = 0; op.id < ops.count() && i < kDTypeCount; ++i) {
    const DType key = static_cast<DType>(i);
    if (kernels.find(DeviceType::GPU, ops.at(op.id), key).run == run) return key;
  }
  fail(ErrorCode::Unimplemented, op.called(),
       ": the program's own operations cannot run on a device of another process");
}

const RemoteTables& remote_tables() {
  static const RemoteTables tables;
  return tables;
}

}  // namespace lutra
