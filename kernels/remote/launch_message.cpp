#include "kernels/remote/launch_message.h"

#include <cstring>

#include "kernels/remote/tables.h"

namespace lutra {
namespace {

struct LaunchHead {
  uint16_t op;
  uint8_t key, precision;
  uint8_t checks_values;
  uint8_t unused[3];
  uint32_t n_in, n_out;
  uint64_t attr_bytes;
  uint64_t scratch;
};
struct ArrayHead {
  uint64_t data;
  int64_t size;
  uint8_t dtype, rank, immediate;
  uint8_t unused[5];
};

constexpr uint32_t kMostArrays = 65536;
constexpr int64_t kMostElements = int64_t{1} << 48;  // of which the bytes are a number, too

void put(std::vector<std::byte>& out, const void* from, std::size_t bytes) {
  const auto* at = static_cast<const std::byte*>(from);
  out.insert(out.end(), at, at + bytes);
}

void put_array(std::vector<std::byte>& out, const Array& array) {
  const ArrayHead head{reinterpret_cast<uintptr_t>(array.data), array.size,
                       static_cast<uint8_t>(array.dtype),       array.rank,
                       static_cast<uint8_t>(array.immediate),   {}};
  put(out, &head, sizeof head);
  if (array.rank > 0) put(out, array.dims, array.rank * sizeof(int64_t));
  if (!array.immediate) return;
  std::byte element[kMostElementBytes] = {};
  std::memcpy(element, array.data, size_of(array.dtype));
  put(out, element, sizeof element);
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> rest) : rest_(rest) {}
  const std::byte* take(std::size_t bytes) {
    require(bytes <= rest_.size(), "a launch is cut off");
    const std::byte* at = rest_.data();
    rest_ = rest_.subspan(bytes);
    return at;
  }
  template <class T> T take() {
    T value;
    std::memcpy(&value, take(sizeof(T)), sizeof(T));
    return value;
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
};

Array read_array(Reader& reader, const Translate& translate) {
  const ArrayHead head = reader.take<ArrayHead>();
  require(head.dtype < kDTypeCount && head.rank <= kMaxRank && head.size >= 0, "a launch has a malformed array");
  Array array{};
  array.dtype = static_cast<DType>(head.dtype);
  array.rank = head.rank;
  array.size = head.size;
  array.immediate = head.immediate != 0;
  array.dims = reinterpret_cast<const int64_t*>(reader.take(head.rank * sizeof(int64_t)));
  int64_t size = 1;
  for (int i = 0; i < head.rank; ++i) {
    require(array.dims[i] >= 0 && !__builtin_mul_overflow(size, array.dims[i], &size),
            "a launch has a malformed array");
  }
  require(size == head.size && size <= kMostElements, "a launch has a malformed array");
  if (array.immediate) {
    require(size == 1, "a launch has a malformed array");
    array.data = const_cast<std::byte*>(reader.take(kMostElementBytes));
  } else if (size > 0) {
    array.data = translate(head.data, static_cast<std::size_t>(size) * size_of(array.dtype));
  }
  return array;
}

}  // namespace

void describe_launch(std::vector<std::byte>& out, const KernelEntry& kernel, const KernelArgs& args) {
  const auto arrays = static_cast<uint32_t>(args.n_in + args.n_out);
  if (arrays > kMostArrays) {
    fail(ErrorCode::InvalidArgument, args.op->called(), ": ", arrays, " inputs and results, at most ", kMostArrays,
         " on a device of another process: join fewer tensors at once");
  }
  const std::size_t attr_bytes = args.op->attr_bytes(args.attrs);
  const LaunchHead head{args.op->id,
                        static_cast<uint8_t>(remote_tables().key_of(*args.op, kernel.run)),
                        static_cast<uint8_t>(args.precision),
                        static_cast<uint8_t>(args.fault != nullptr),
                        {},
                        static_cast<uint32_t>(args.n_in),
                        static_cast<uint32_t>(args.n_out),
                        attr_bytes,
                        reinterpret_cast<uintptr_t>(args.scratch)};
  put(out, &head, sizeof head);
  const std::size_t at = out.size();
  out.resize(at + attr_bytes);
  args.op->copy_attrs(out.data() + at, args.attrs);
  for (int i = 0; i < args.n_in; ++i) put_array(out, args.in[i]);
  for (int i = 0; i < args.n_out; ++i) put_array(out, args.out[i]);
}

void read_launch(std::span<const std::byte> described, const Translate& translate, ReadLaunch* launch) {
  const RemoteTables& tables = remote_tables();
  Reader reader(described);
  const LaunchHead head = reader.take<LaunchHead>();
  require(head.op < tables.ops.count() && head.key < kDTypeCount && head.n_in <= kMostArrays &&
              head.n_out <= kMostArrays - head.n_in && head.attr_bytes < described.size() && head.precision <= 2,
          "a launch is malformed");
  const OpDef& op = tables.ops.at(head.op);
  launch->kernel = &tables.kernels.find(DeviceType::GPU, op, static_cast<DType>(head.key));
  require(launch->kernel->run != nullptr, "a launch has an operation without a kernel: ", op.name);
  launch->checks_values = head.checks_values != 0;
  // The attributes, with room for a list that a struct may say it has.
  const std::byte* sent = reader.take(head.attr_bytes);
  const std::size_t own_bytes = op.attrs.defaults.size();
  // In steps of 16 bytes (OpDef::attr_bytes), so that what follows lies aligned.
  require(head.attr_bytes >= own_bytes && head.attr_bytes % 16 == 0, "a launch is malformed");
  launch->attrs.assign((head.attr_bytes + 15) / 16 * 2 + 2, 0);
  auto* attrs = reinterpret_cast<std::byte*>(launch->attrs.data());
  std::memcpy(attrs, sent, head.attr_bytes);
  if (Ints* list = op.list_in(attrs)) {
    const std::size_t entries = (own_bytes + 15) / 16 * 16;
    require(list->count >= 0 && entries <= head.attr_bytes &&
                static_cast<uint64_t>(list->count) <= (head.attr_bytes - entries) / sizeof(int64_t),
            "a launch has a malformed list");
    list->v = reinterpret_cast<const int64_t*>(attrs + entries);
  }
  launch->arrays.clear();
  for (uint32_t i = 0; i < head.n_in + head.n_out; ++i) launch->arrays.push_back(read_array(reader, translate));
  require(reader.is_at_end(), "a launch is too long");
  KernelArgs& args = launch->args;
  args = {};
  args.op = &op;
  args.attrs = attrs;
  args.in = launch->arrays.data();
  args.out = launch->arrays.data() + head.n_in;
  args.n_in = static_cast<int>(head.n_in);
  args.n_out = static_cast<int>(head.n_out);
  args.precision = static_cast<MatmulPrecision>(head.precision);
  const std::size_t scratch = launch->kernel->scratch != nullptr ? launch->kernel->scratch(args) : 0;
  if (scratch > 0) args.scratch = translate(head.scratch, scratch);
}

}  // namespace lutra
