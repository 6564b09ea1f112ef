// Values and tensors for lutra.hpp, which is the header to include. Header-only, C++17.
#ifndef LUTRA_VALUES_HPP
#define LUTRA_VALUES_HPP

#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "lutra.h"

namespace lutra {

// A failure. what() is the text of lutra_error(): the message, and the traceback of an error in a script.
class ScriptError : public std::runtime_error {
 public:
  explicit ScriptError(const std::string& text, int status = LUTRA_ERROR)
      : std::runtime_error(text), message_(text), status_(status) {}
  // The last failure of this thread.
  static ScriptError last(int status = LUTRA_ERROR) {
    ScriptError error(lutra_error(nullptr), status);
    error.message_ = lutra_error_message(nullptr);
    error.code_ = lutra_error_code(nullptr);
    error.traceback_ = lutra_error_traceback(nullptr);
    return error;
  }
  int status() const { return status_; }  // LUTRA_ERROR, LUTRA_LIMIT or LUTRA_INTERRUPTED
  const std::string& message() const { return message_; }
  const std::string& code() const { return code_; }  // "InvalidArgument", or "" for an error that is not Lutra's own
  const std::string& traceback() const { return traceback_; }

 private:
  std::string message_, code_, traceback_;
  int status_;
};

enum class DType : int {
  Bool = LUTRA_BOOL,
  Int8 = LUTRA_INT8,
  UInt8 = LUTRA_UINT8,
  Int16 = LUTRA_INT16,
  Int32 = LUTRA_INT32,
  Int64 = LUTRA_INT64,
  Float16 = LUTRA_FLOAT16,
  BFloat16 = LUTRA_BFLOAT16,
  Float32 = LUTRA_FLOAT32,
  Float64 = LUTRA_FLOAT64,
  Complex64 = LUTRA_COMPLEX64,
  Complex128 = LUTRA_COMPLEX128
};

namespace detail {
template <class T> constexpr DType dtype_of() {
  using U = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<U, bool>) return DType::Bool;
  else if constexpr (std::is_same_v<U, float>) return DType::Float32;
  else if constexpr (std::is_same_v<U, double>) return DType::Float64;
  else if constexpr (std::is_same_v<U, std::complex<float>>) return DType::Complex64;
  else if constexpr (std::is_same_v<U, std::complex<double>>) return DType::Complex128;
  else if constexpr (std::is_same_v<U, uint8_t>) return DType::UInt8;
  else {
    static_assert(std::is_integral_v<U> && std::is_signed_v<U>, "Lutra has no dtype for this element type");
    return sizeof(U) == 1 ? DType::Int8 : sizeof(U) == 2 ? DType::Int16 : sizeof(U) == 4 ? DType::Int32 : DType::Int64;
  }
}
inline const char* name_of(DType dtype) {
  constexpr const char* kNames[] = {"bool",    "int8",     "uint8",   "int16",   "int32",     "int64",
                                    "float16", "bfloat16", "float32", "float64", "complex64", "complex128"};
  return kNames[static_cast<int>(dtype)];
}
inline const char* name_of(int type) {
  constexpr const char* kNames[] = {"nil",      "a boolean", "an integer", "a number",
                                    "a string", "a tensor",  "a list",     "an object"};
  return type >= 0 && type <= LUTRA_OBJECT ? kNames[type] : "an unknown value";
}
}  // namespace detail

// Elements in memory that somebody else owns.
template <class T> class Span {
 public:
  Span() = default;
  Span(T* data, std::size_t size) : data_(data), size_(size) {}
  template <class C, class = decltype(std::declval<const C&>().data(), std::declval<const C&>().size())>
  Span(const C& container) : data_(container.data()), size_(container.size()) {}  // NOLINT: vectors, arrays, std::span
  Span(std::initializer_list<std::remove_const_t<T>> list) : data_(list.begin()), size_(list.size()) {}
  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  T& operator[](std::size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

using Shape = std::vector<int64_t>;

// A tensor: a counted handle, cheap to copy. Its values never change. It outlives its session; only a tensor on a GPU
// cannot be read after that.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(lutra_tensor* taken) : handle_(taken) {}  // takes over one reference
  Tensor(const Tensor& other) : handle_(lutra_tensor_retain(other.handle_)) {}
  Tensor(Tensor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Tensor& operator=(Tensor other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Tensor() { lutra_tensor_release(handle_); }

  explicit operator bool() const { return handle_ != nullptr; }  // whether there is one
  lutra_tensor* handle() const { return handle_; }
  lutra_t* owner() const { return lutra_tensor_owner(handle_); }

  DType dtype() const { return static_cast<DType>(lutra_tensor_dtype(handle_)); }
  int rank() const { return lutra_tensor_rank(handle_); }
  Shape shape() const {
    const int64_t* sizes = lutra_tensor_shape(handle_);
    return sizes != nullptr ? Shape(sizes, sizes + rank()) : Shape();
  }
  std::size_t size() const { return lutra_tensor_size(handle_); }
  std::size_t nbytes() const { return lutra_tensor_bytes(handle_); }
  std::string device() const { return handle_ != nullptr ? lutra_tensor_device(handle_) : ""; }

  // A copy of the elements, whose type must be the dtype's. Waits for them.
  template <class T> std::vector<T> to_vector() const {
    static_assert(!std::is_same_v<T, bool>, "read bools as uint8_t");
    require<T>();
    std::vector<T> out(size());
    if (lutra_tensor_read(handle_, out.data(), nbytes()) != LUTRA_OK) throw ScriptError::last();
    return out;
  }
  // The elements where they are, while this tensor lives. Only on a CPU.
  template <class T> Span<const T> span() const {
    require<T>();
    const void* data = lutra_tensor_data(handle_);
    if (data == nullptr && size() > 0)
      throw ScriptError("span: the tensor is on " + device() + "; copy it: t.to(\"CPU:0\")");
    return {static_cast<const T*>(data), size()};
  }
  // The one element of a tensor that has one, as any number.
  template <class T = double> T item() const {
    if (size() != 1) throw ScriptError("item: the tensor has " + std::to_string(size()) + " elements, expected one");
    switch (dtype()) {
      case DType::Bool:
      case DType::UInt8: return static_cast<T>(read_one<uint8_t>());
      case DType::Int8: return static_cast<T>(read_one<int8_t>());
      case DType::Int16: return static_cast<T>(read_one<int16_t>());
      case DType::Int32: return static_cast<T>(read_one<int32_t>());
      case DType::Int64: return static_cast<T>(read_one<int64_t>());
      case DType::Float32: return static_cast<T>(read_one<float>());
      case DType::Float64: return static_cast<T>(read_one<double>());
      case DType::Complex64:
      case DType::Complex128: throw ScriptError("item: the element is complex; read span<std::complex<float>>()");
      default: throw ScriptError("item: cast a float16 or bfloat16 tensor first: cast(t, \"float32\")");
    }
  }
  Tensor to(std::string_view device) const;

 private:
  template <class T> void require() const {
    if (handle_ == nullptr) throw ScriptError("there is no tensor");
    const DType wanted = detail::dtype_of<T>();
    if (dtype() == wanted || (dtype() == DType::Bool && wanted == DType::UInt8)) return;
    throw ScriptError("the tensor's dtype is not the type of the elements asked for");
  }
  template <class T> T read_one() const {
    T one;
    if (lutra_tensor_read(handle_, &one, sizeof one) != LUTRA_OK) throw ScriptError::last();
    return one;
  }
  lutra_tensor* handle_ = nullptr;
};

// Any other value of Lua: a function, a table, a model, a variable. It belongs to its session.
class Object {
 public:
  Object() = default;
  explicit Object(lutra_object* taken, lutra_t* owner) : handle_(taken), owner_(owner) {}
  Object(const Object& other) : handle_(lutra_object_retain(other.handle_)), owner_(other.owner_) {}
  Object(Object&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), owner_(other.owner_) {}
  Object& operator=(Object other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(owner_, other.owner_);
    return *this;
  }
  ~Object() { lutra_object_release(handle_); }
  explicit operator bool() const { return handle_ != nullptr; }
  lutra_object* handle() const { return handle_; }

  // object:method(args...), and object(args...).
  template <class R = void, class... Args> R call(const char* method, const Args&... args) const;
  template <class R = void, class... Args> R operator()(const Args&... args) const { return call<R>(nullptr, args...); }

 private:
  lutra_object* handle_ = nullptr;
  lutra_t* owner_ = nullptr;
};

// A value with what it holds. Made from numbers, booleans, strings, tensors, objects and vectors of these.
class Value {
 public:
  Value() = default;
  Value(std::nullptr_t) {}                               // NOLINT: conversions
  Value(bool is_true) : raw_(lutra_boolean(is_true)) {}  // NOLINT
  template <class T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  Value(T integer) : raw_(lutra_integer(static_cast<int64_t>(integer))) {}  // NOLINT
  template <class T, std::enable_if_t<std::is_floating_point_v<T>, int> = 0>
  Value(T number) : raw_(lutra_number(static_cast<double>(number))) {}  // NOLINT
  Value(std::string_view text) : raw_(copy_of(text)) {}                 // NOLINT
  Value(const std::string& text) : Value(std::string_view(text)) {}     // NOLINT
  Value(const char* text) : Value(std::string_view(text)) {}            // NOLINT
  Value(DType dtype) : Value(detail::name_of(dtype)) {}                 // NOLINT
  Value(const Tensor& tensor) {                                         // NOLINT
    if (!tensor) return;
    raw_ = lutra_tensor_value(lutra_tensor_retain(tensor.handle()));
    raw_.owned = 1;
  }
  Value(const Object& object) {  // NOLINT
    if (!object) return;
    raw_ = lutra_object_value(lutra_object_retain(object.handle()));
    raw_.owned = 1;
  }
  template <class T> Value(const std::vector<T>& list) {  // NOLINT
    make_list(list.begin(), list.end(), list.size());
  }
  template <class T, class = std::enable_if_t<std::is_convertible_v<T, Value>>>
  Value(std::initializer_list<T> list) {  // NOLINT
    make_list(list.begin(), list.end(), list.size());
  }
  Value(Value&& other) noexcept : raw_(std::exchange(other.raw_, lutra_nil())) {}
  Value& operator=(Value&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  Value(const Value&) = delete;
  ~Value() { lutra_value_clear(&raw_); }

  int type() const { return raw_.type; }  // of lutra_type
  bool is_nil() const { return raw_.type == LUTRA_NIL; }
  const lutra_value& raw() const { return raw_; }
  lutra_value* out() { return &raw_; }  // for functions that fill a value in
  // Hands over what it holds.
  lutra_value* move_to(lutra_value* to) && {
    *to = std::exchange(raw_, lutra_nil());
    return to;
  }
  // The same, lent.
  lutra_value lent() const {
    lutra_value value = raw_;
    value.owned = 0;
    return value;
  }

  // As a C++ type; throws if it is something else. Numbers convert where nothing is lost.
  template <class T> T as(lutra_t* owner = nullptr) const {
    if constexpr (std::is_same_v<T, bool>) {
      expect(LUTRA_BOOLEAN, "a boolean");
      return raw_.as.boolean != 0;
    } else if constexpr (std::is_integral_v<T>) {
      return whole<T>();
    } else if constexpr (std::is_floating_point_v<T>) {
      if (raw_.type == LUTRA_INTEGER) return static_cast<T>(raw_.as.integer);
      expect(LUTRA_NUMBER, "a number");
      return static_cast<T>(raw_.as.number);
    } else if constexpr (std::is_same_v<T, std::string>) {
      expect(LUTRA_STRING, "a string");
      return std::string(raw_.as.string.bytes, raw_.as.string.length);
    } else if constexpr (std::is_same_v<T, Tensor>) {
      // Lists have false where a gradient is missing.
      if (is_nil() || (raw_.type == LUTRA_BOOLEAN && raw_.as.boolean == 0)) return Tensor();
      expect(LUTRA_TENSOR, "a tensor");
      return Tensor(lutra_tensor_retain(raw_.as.tensor));
    } else if constexpr (std::is_same_v<T, Object>) {
      if (is_nil()) return Object();
      expect(LUTRA_OBJECT, "an object");
      return Object(lutra_object_retain(raw_.as.object), owner);
    } else {
      return list<T>(owner);
    }
  }
  // A value that Lutra lends, for the time of a call.
  static Value borrow(const lutra_value& lent) {
    Value value;
    value.raw_ = lent;
    value.raw_.owned = 0;
    return value;
  }

 private:
  static lutra_value copy_of(std::string_view text) {
    auto* bytes = static_cast<char*>(std::malloc(text.size() + 1));
    if (bytes == nullptr) throw std::bad_alloc();
    std::memcpy(bytes, text.data(), text.size());
    bytes[text.size()] = '\0';
    lutra_value value = lutra_string(bytes, text.size());
    value.owned = 1;
    return value;
  }
  template <class I> void make_list(I from, I to, std::size_t count) {
    auto* items = static_cast<lutra_value*>(std::malloc(count * sizeof(lutra_value) + 1));
    if (items == nullptr) throw std::bad_alloc();
    raw_ = lutra_list(items, 0);
    raw_.owned = 1;
    for (; from != to; ++from, ++raw_.as.list.count) {
      Value item(*from);
      items[raw_.as.list.count] = std::exchange(item.raw_, lutra_nil());
    }
  }
  void expect(int type, const char* wanted) const {
    if (raw_.type != type) throw ScriptError(std::string("expected ") + wanted + ", got " + detail::name_of(raw_.type));
  }
  template <class T> T whole() const {
    if (raw_.type == LUTRA_NUMBER && raw_.as.number == static_cast<double>(static_cast<T>(raw_.as.number))) {
      return static_cast<T>(raw_.as.number);
    }
    expect(LUTRA_INTEGER, "an integer");
    const T value = static_cast<T>(raw_.as.integer);
    if (static_cast<int64_t>(value) != raw_.as.integer) throw ScriptError("an integer does not fit the type asked for");
    return value;
  }
  template <class T> T list(lutra_t* owner) const {
    T out;
    if (raw_.type == LUTRA_OBJECT || is_nil()) return out;  // an empty table is an object
    expect(LUTRA_LIST, "a list");
    for (std::size_t i = 0; i < raw_.as.list.count; ++i) {
      out.push_back(borrow(raw_.as.list.items[i]).as<typename T::value_type>(owner));
    }
    return out;
  }
  lutra_value raw_ = LUTRA_VALUE_INIT;
};

// A named option of an op: {"axis", 1}.
struct Option {
  const char* name;
  Value value;
};
using OpOptions = std::initializer_list<Option>;

namespace detail {

constexpr std::size_t kMostOut = 16;

// Converts what a call has returned: nothing, one value, or a tuple of values.
template <class R> struct Results {
  static constexpr std::size_t kCount = 1;
  static R convert(Value* values, lutra_t* owner) {
    if constexpr (std::is_same_v<R, Value>) return std::move(values[0]);
    else return values[0].as<R>(owner);
  }
};
template <> struct Results<void> {
  static constexpr std::size_t kCount = 0;
  static void convert(Value*, lutra_t*) {}
};
template <class... Rs> struct Results<std::tuple<Rs...>> {
  static constexpr std::size_t kCount = sizeof...(Rs);
  static std::tuple<Rs...> convert(Value* values, lutra_t* owner) {
    return convert_each(values, owner, std::index_sequence_for<Rs...>());
  }
  template <std::size_t... I>
  static std::tuple<Rs...> convert_each(Value* values, lutra_t* owner, std::index_sequence<I...>) {
    return std::tuple<Rs...>{Results<Rs>::convert(&values[I], owner)...};
  }
};

inline Value make_value(const Value& value) { return Value::borrow(value.raw()); }
template <class T> Value make_value(const T& value) { return Value(value); }

// Runs call(in, n_in, out, max_out), and throws if it fails.
template <class R, class Call, class... Args> R call_with(lutra_t* lutra, const Call& call, const Args&... args) {
  constexpr std::size_t kIn = sizeof...(Args), kOut = Results<R>::kCount;
  const Value values[kIn + 1] = {make_value(args)..., Value()};
  lutra_value in[kIn + 1], out[kOut + 1];
  for (std::size_t i = 0; i < kIn; ++i) in[i] = values[i].lent();
  const int status = call(in, kIn, out, kOut);
  if (status != LUTRA_OK) throw ScriptError::last(status);
  Value results[kOut + 1];
  for (std::size_t i = 0; i < kOut; ++i) *results[i].out() = out[i];
  return Results<R>::convert(results, lutra);
}

// An op with arguments that may be nil at the end.
inline void run_op(lutra_t* lutra, const char* name, const Value* arguments, std::size_t count, OpOptions options,
                   Value* results, std::size_t most) {
  lutra_value in[kMostOut], out[kMostOut];
  lutra_option named[kMostOut];
  if (count > kMostOut || options.size() > kMostOut || most > kMostOut)
    throw ScriptError("too many arguments of an op");
  for (std::size_t i = 0; i < count; ++i) in[i] = arguments[i].lent();
  std::size_t n = 0;
  for (const Option& option : options) named[n++] = {sizeof(lutra_option), option.name, option.value.lent()};
  while (count > 0 && in[count - 1].type == LUTRA_NIL) --count;
  if (lutra == nullptr)
    throw ScriptError(std::string(name) + ": the session of its tensors was closed, or there are none");
  const int status = lutra_op(lutra, name, in, count, named, n, out, most, nullptr);
  if (status != LUTRA_OK) throw ScriptError::last(status);
  for (std::size_t i = 0; i < most; ++i) *results[i].out() = out[i];
}

// The interpreter of the first tensor among the arguments, in lists too.
inline lutra_t* owner_of(const lutra_value& value) {
  if (value.type == LUTRA_TENSOR) return lutra_tensor_owner(value.as.tensor);
  for (std::size_t i = 0; value.type == LUTRA_LIST && i < value.as.list.count; ++i) {
    if (lutra_t* found = owner_of(value.as.list.items[i])) return found;
  }
  return nullptr;
}
inline lutra_t* owner_of(const Value* arguments, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (lutra_t* found = owner_of(arguments[i].raw())) return found;
  }
  return nullptr;
}

}  // namespace detail

template <class R, class... Args> R Object::call(const char* method, const Args&... args) const {
  const lutra_value target = lutra_object_value(handle_);
  return detail::call_with<R>(
      owner_,
      [&](const lutra_value* in, std::size_t n_in, lutra_value* out, std::size_t max_out) {
        return lutra_call_method(owner_, &target, method, in, n_in, out, max_out, nullptr);
      },
      args...);
}

namespace detail {
template <class A, class B>
using IfTensors = std::enable_if_t<(std::is_same_v<A, Tensor> || std::is_arithmetic_v<A>)&&(
                                       std::is_same_v<B, Tensor> ||
                                       std::is_arithmetic_v<B>)&&!(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>),
                                   Tensor>;
template <class A, class B> Tensor binary(const char* op, const A& a, const B& b) {
  const Value in[] = {Value(a), Value(b)};
  Value out;
  run_op(owner_of(in, 2), op, in, 2, {}, &out, 1);
  return out.as<Tensor>();
}
}  // namespace detail

// Of two tensors, or a tensor and a number.
template <class A, class B> detail::IfTensors<A, B> operator+(const A& a, const B& b) {
  return detail::binary("add", a, b);
}
template <class A, class B> detail::IfTensors<A, B> operator-(const A& a, const B& b) {
  return detail::binary("sub", a, b);
}
template <class A, class B> detail::IfTensors<A, B> operator*(const A& a, const B& b) {
  return detail::binary("mul", a, b);
}
template <class A, class B> detail::IfTensors<A, B> operator/(const A& a, const B& b) {
  return detail::binary("div", a, b);
}
inline Tensor operator-(const Tensor& a) {
  const Value in[] = {Value(a)};
  Value out;
  detail::run_op(a.owner(), "neg", in, 1, {}, &out, 1);
  return out.as<Tensor>();
}

inline Tensor Tensor::to(std::string_view device) const {
  const lutra_value target = lutra_tensor_value(handle_);
  return detail::call_with<Tensor>(
      owner(),
      [&](const lutra_value* in, std::size_t n_in, lutra_value* out, std::size_t max_out) {
        return lutra_call_method(owner(), &target, "to", in, n_in, out, max_out, nullptr);
      },
      device);
}

}  // namespace lutra

#endif  // LUTRA_VALUES_HPP
