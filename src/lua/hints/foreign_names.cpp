#include "lua/hints/foreign_names.h"

namespace lutra {
namespace {

// A name in NumPy, PyTorch or TensorFlow, and what to write instead, for a function and for a tensor's method. Without
// a text for the method, the function's is used.
struct Foreign {
  std::string_view name;
  std::string_view function;
  std::string_view method = "";
};

constexpr std::string_view kConstant = "lutra.constant(value)";
constexpr std::string_view kConcat = "lutra.concat({a, b, ...}, axis)";
constexpr std::string_view kCopy = "t itself: tensors never change";
constexpr std::string_view kRecipe = "it as docs/porting-from-tensorflow.md does";
constexpr std::string_view kTranspose = "lutra.transpose(x, perm)", kTransposed = "t:transpose(perm)";
constexpr std::string_view kLinalg = "lutra.svd, lutra.inv and the like, which are in lutra itself";

constexpr Foreign kForeign[] = {
    {"T", "", "t:transpose()"},
    {"absolute", "lutra.abs(x)", "t:abs()"},
    {"allclose", "lutra.all(lutra.isclose(a, b))", "t:isclose(other):all()"},
    {"amax", "lutra.max(x, axis)", "t:max(axis)"},
    {"amin", "lutra.min(x, axis)", "t:min(axis)"},
    {"arange", "lutra.range(start, limit, step)"},
    {"arccos", "lutra.acos(x)", "t:acos()"},
    {"arcsin", "lutra.asin(x)", "t:asin()"},
    {"arctan", "lutra.atan(x)", "t:atan()"},
    {"arctan2", "lutra.atan2(y, x)", "t:atan2(x)"},
    {"argwhere", "lutra.nonzero(x)", "t:nonzero()"},
    {"array", kConstant},
    {"as_tensor", kConstant},
    {"asarray", kConstant},
    {"astype", "lutra.cast(x, dtype)", "t:cast(dtype)"},
    {"average", "lutra.mean(x, axis)", "t:mean(axis)"},
    {"avg_pool", "lutra.avg_pool2d(x, size)"},
    {"backward", "", "tape:gradient(loss, variables), of a lutra.GradientTape"},
    {"batch_normalization", "lutra.batch_norm(x, mean, var, scale, offset)"},
    {"bmm", "lutra.matmul(a, b)", "t:matmul(other)"},
    {"boolean_mask", "x[mask]", "t[mask]"},
    {"bucketize", "lutra.searchsorted(sorted, values)"},
    {"byte", "", "t:uint8()"},
    {"cat", kConcat},
    {"chunk", "lutra.split(x, n, axis)", "t:split(n, axis)"},
    {"clamp", "lutra.clip(x, min, max)", "t:clip(min, max)"},
    {"clip_by_value", "lutra.clip(x, min, max)", "t:clip(min, max)"},
    {"clone", "", kCopy},
    {"concatenate", kConcat},
    {"contiguous", "", kCopy},
    {"convert_to_tensor", kConstant},
    {"copy", "", kCopy},
    {"count_nonzero", "lutra.sum(lutra.ne(x, 0))", "t:ne(0):sum()"},
    {"cpu", "", "t:to(\"CPU:0\")"},
    {"cuda", "", "t:to(\"GPU:0\")"},
    {"det", "the product of the diagonal of lutra.qr's r, which is it up to its sign"},
    {"detach", "lutra.stop_gradient(x)", "lutra.stop_gradient(t)"},
    {"diag_part", "lutra.diag(x)", "t:diag()"},
    {"diagonal", "lutra.diag(x)", "t:diag()"},
    {"digitize", "lutra.searchsorted(sorted, values)"},
    {"dim", "", "t.rank"},
    {"divide", "lutra.div(a, b)", "t:div(other)"},
    {"double", "", "t:float64()"},
    {"ediff1d", "lutra.diff(x)", "t:diff()"},
    {"embedding_lookup", "lutra.embedding(table, ids)"},
    {"empty", "lutra.zeros(shape)"},
    {"empty_like", "lutra.zeros_like(x)"},
    {"equal", "lutra.eq(a, b)", "t:eq(other)"},
    {"expand", "lutra.broadcast_to(x, shape)", "t:broadcast_to(shape)"},
    {"fliplr", "lutra.flip(x, 2)", "t:flip(2)"},
    {"flipud", "lutra.flip(x, 1)", "t:flip(1)"},
    {"float", "", "t:float32()"},
    {"floor_divide", "lutra.floordiv(a, b)", "t:floordiv(other)"},
    {"floormod", "lutra.mod(a, b)", "t:mod(other)"},
    {"from_numpy", kConstant},
    {"full", "lutra.fill(shape, value)"},
    {"full_like", "lutra.fill(x.shape, value)"},
    {"gpu", "", "t:to(\"GPU:0\")"},
    {"grad", "tape:gradient(loss, variables), of a lutra.GradientTape"},
    {"gradient", "tape:gradient(loss, variables), of a lutra.GradientTape"},
    {"gradients", "tape:gradient(loss, variables), of a lutra.GradientTape"},
    {"greater", "lutra.gt(a, b)", "t:gt(other)"},
    {"greater_equal", "lutra.ge(a, b)", "t:ge(other)"},
    {"half", "", "t:float16()"},
    {"histogram", kRecipe},
    {"hstack", "lutra.concat({a, b, ...}, 2)"},
    {"index_select", "lutra.gather(x, indices, axis)", "t:gather(indices, axis)"},
    {"inner", "lutra.dot(a, b)", "t:dot(other)"},
    {"int", "", "t:int32()"},
    {"inverse", "lutra.inv(x)", "t:inv()"},
    {"invert", "lutra.bitwise_not(x)", "t:bitwise_not()"},
    {"keras", "lutra.nn and lutra.optim"},
    {"len", "", "#t"},
    {"less", "lutra.lt(a, b)", "t:lt(other)"},
    {"less_equal", "lutra.le(a, b)", "t:le(other)"},
    {"linalg", kLinalg},
    {"log10", "lutra.log(x) / math.log(10)", "t:log() / math.log(10)"},
    {"log2", "lutra.log(x) / math.log(2)", "t:log() / math.log(2)"},
    {"long", "", "t:int64()"},
    {"manual_seed", "lutra.random.set_seed(seed)"},
    {"masked_fill", "lutra.where(mask, value, x)", "lutra.where(mask, value, t)"},
    {"masked_select", "x[mask]", "t[mask]"},
    {"math", "lutra.exp, lutra.log and the like, which are in lutra itself"},
    {"max_pool", "lutra.max_pool2d(x, size)"},
    {"meshgrid", kRecipe},
    {"mm", "lutra.matmul(a, b)", "t:matmul(other)"},
    {"moveaxis", kTranspose, kTransposed},
    {"multiply", "lutra.mul(a, b)", "t:mul(other)"},
    {"ndim", "x.rank", "t.rank"},
    {"negative", "lutra.neg(x)", "t:neg()"},
    {"nn.functional", "lutra.relu, lutra.softmax and the like, which are in lutra itself"},
    {"no_grad", "lutra.stop_gradient(x), or compute where no lutra.GradientTape is open"},
    {"normalize", "lutra.l2_normalize(x, axis)", "t:l2_normalize(axis)"},
    {"not_equal", "lutra.ne(a, b)", "t:ne(other)"},
    {"numel", "x.size", "t.size"},
    {"numpy", "x:totable()", "t:totable(), or t:item() of one element"},
    {"percentile", kRecipe},
    {"permute", kTranspose, kTransposed},
    {"power", "lutra.pow(a, b)", "t:pow(other)"},
    {"quantile", kRecipe},
    {"rand", "lutra.random.uniform(shape)"},
    {"randint", "lutra.random.randint(shape, low, high)"},
    {"randn", "lutra.random.normal(shape)"},
    {"random.choice", kRecipe},
    {"random.manual_seed", "lutra.random.set_seed(seed)"},
    {"random.rand", "lutra.random.uniform(shape)"},
    {"random.randn", "lutra.random.normal(shape)"},
    {"random.random", "lutra.random.uniform(shape)"},
    {"random.seed", "lutra.random.set_seed(seed)"},
    {"random.standard_normal", "lutra.random.normal(shape)"},
    {"randperm", "lutra.random.permutation(n)"},
    {"rank", "x.rank"},
    {"ravel", "lutra.flatten(x)", "t:flatten()"},
    {"reduce_variance", "lutra.var(x, axis)"},
    {"remainder", "lutra.mod(a, b)", "t:mod(other)"},
    {"requires_grad", "", "lutra.Variable(t)"},
    {"requires_grad_", "", "lutra.Variable(t)"},
    {"reverse", "lutra.flip(x, axis)", "t:flip(axis)"},
    {"rint", "lutra.round(x)", "t:round()"},
    {"shape", "x.shape"},
    {"short", "", "t:int16()"},
    {"size", "x.size"},
    {"softmax_cross_entropy_with_logits", "lutra.softmax_cross_entropy(labels, logits)"},
    {"sparse_softmax_cross_entropy_with_logits", "lutra.cross_entropy(labels, logits)"},
    {"subtract", "lutra.sub(a, b)", "t:sub(other)"},
    {"swapaxes", kTranspose, kTransposed},
    {"t", "lutra.transpose(x)", "t:transpose()"},
    {"take", "lutra.gather(x, indices, axis)", "t:gather(indices, axis)"},
    {"tensor", kConstant},
    {"tensordot", "lutra.einsum(spec, a, b)"},
    {"tolist", "x:totable()", "t:totable()"},
    {"topk", "lutra.top_k(x, k)", "t:top_k(k)"},
    {"true_divide", "lutra.div(a, b)", "t:div(other)"},
    {"truediv", "lutra.div(a, b)", "t:div(other)"},
    {"unbind", "lutra.unstack(x)", "t:unstack()"},
    {"unsqueeze", "lutra.expand_dims(x, axis)", "t:expand_dims(axis)"},
    {"view", "lutra.reshape(x, shape)", "t:reshape(shape)"},
    {"vstack", "lutra.concat({a, b, ...}, 1)"},
};

struct Pair {
  std::string_view theirs, ours;
};

constexpr Pair kDTypes[] = {
    {"byte", "uint8"}, {"char", "int8"},     {"double", "float64"}, {"float", "float32"}, {"half", "float16"},
    {"int", "int32"},  {"integer", "int32"}, {"long", "int64"},     {"short", "int16"},   {"boolean", "bool"},
};

constexpr Pair kOptions[] = {
    {"axes", "axis"},        {"axes", "perm"},          {"constant_values", "value"},
    {"correction", "ddof"},  {"dilations", "dilation"}, {"dim", "axis"},
    {"dims", "axis"},        {"dims", "perm"},          {"eps", "epsilon"},
    {"fill_value", "value"}, {"high", "maxval"},        {"keep_dims", "keepdims"},
    {"keepdim", "keepdims"}, {"ksize", "size"},         {"loc", "mean"},
    {"low", "minval"},       {"lr", "learning_rate"},   {"negative_slope", "alpha"},
    {"scale", "stddev"},     {"sep", "delimiter"},      {"std", "stddev"},
    {"strides", "stride"},   {"unbiased", "ddof"},
};

constexpr Pair kInstead[] = {
    {"device", "a scope says where: lutra.device(name, f)"},
    {"from_logits", "an operation takes logits; the losses of lutra.nn.losses take either"},
    {"minlength", "pad the result with lutra.pad, or count with lutra.one_hot(x, n):sum(1)"},
    {"name", "operations have no names"},
    {"out", "results are new tensors"},
    {"requires_grad", "what is trained is a lutra.Variable"},
    {"side", "the position is to the left of equal values; for integers, the one to the right is that of x + 1"},
};

const Foreign* find(std::string_view name) {
  for (const Foreign& foreign : kForeign) {
    if (foreign.name == name) return &foreign;
  }
  return nullptr;
}

}  // namespace

std::string_view foreign_function(std::string_view path) {
  const Foreign* foreign = find(path);
  return foreign != nullptr ? foreign->function : "";
}

std::string_view foreign_method(std::string_view name) {
  const Foreign* foreign = find(name);
  if (foreign == nullptr) return "";
  return foreign->method.empty() ? foreign->function : foreign->method;
}

std::string_view foreign_dtype(std::string_view name) {
  for (const Pair& pair : kDTypes) {
    if (pair.theirs == name) return pair.ours;
  }
  return "";
}

std::string_view foreign_option(std::string_view name, int index) {
  for (const Pair& pair : kOptions) {
    if (pair.theirs == name && index-- == 0) return pair.ours;
  }
  return "";
}

std::string_view instead_of_option(std::string_view name) {
  for (const Pair& pair : kInstead) {
    if (pair.theirs == name) return pair.ours;
  }
  return "";
}

}  // namespace lutra
