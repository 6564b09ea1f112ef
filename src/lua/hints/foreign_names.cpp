#include "lua/hints/foreign_names.h"

namespace lutra {
namespace {

// A name in NumPy, PyTorch or TensorFlow, and what to write instead, for a function and for a tensor's method. Without
// a text for the method, the function's is used. Names of one library alone are in lua/lutra/foreign_names.lua.
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
    {"SparseTensor", "lutra.sparse.coo{indices = , values = , shape = }"},
    {"T", "", "t:transpose()"},
    {"Tensor", "lutra.zeros(shape), or lutra.constant(value) of a table"},
    {"absolute", "lutra.abs(x)", "t:abs()"},
    {"amax", "lutra.max(x, axis)", "t:max(axis)"},
    {"amin", "lutra.min(x, axis)", "t:min(axis)"},
    {"arange", "lutra.range(start, limit, step)"},
    {"arccos", "lutra.acos(x)", "t:acos()"},
    {"arccosh", "lutra.acosh(x)", "t:acosh()"},
    {"arcsin", "lutra.asin(x)", "t:asin()"},
    {"arcsinh", "lutra.asinh(x)", "t:asinh()"},
    {"arctan", "lutra.atan(x)", "t:atan()"},
    {"arctan2", "lutra.atan2(y, x)", "t:atan2(x)"},
    {"arctanh", "lutra.atanh(x)", "t:atanh()"},
    {"argwhere", "lutra.nonzero(x)", "t:nonzero()"},
    {"array", kConstant},
    {"as_tensor", kConstant},
    {"asarray", kConstant},
    {"astype", "lutra.cast(x, dtype)", "t:cast(dtype)"},
    {"average", "", "t:mean(axis)"},
    {"avg_pool", "lutra.avg_pool2d(x, size)"},
    {"backward", "", "tape:gradient(loss, variables), of a lutra.GradientTape"},
    {"batch_normalization", "lutra.batch_norm(x, mean, var, scale, offset)"},
    {"bmm", "lutra.matmul(a, b)", "t:matmul(other)"},
    {"boolean_mask", "x[mask]", "t[mask]"},
    {"bucketize", "lutra.digitize(x, bins)"},
    {"byte", "", "t:uint8()"},
    {"cat", kConcat},
    {"cdiv", "lutra.div(a, b)", "t:div(other)"},
    {"cho_solve", "lutra.cholesky_solve(l, b)", "t:cholesky_solve(b)"},
    {"chunk", "lutra.split(x, n, axis)", "t:split(n, axis)"},
    {"cinv", "lutra.reciprocal(x)", "t:reciprocal()"},
    {"clamp", "lutra.clip(x, min, max)", "t:clip(min, max)"},
    {"clip_by_value", "lutra.clip(x, min, max)", "t:clip(min, max)"},
    {"clip_grad_norm_", "lutra.clip_by_global_norm(gradients, norm)"},
    {"clone", "", kCopy},
    {"cmax", "lutra.maximum(a, b)", "t:maximum(other)"},
    {"cmin", "lutra.minimum(a, b)", "t:minimum(other)"},
    {"cmul", "lutra.mul(a, b)", "t:mul(other)"},
    {"concatenate", kConcat},
    {"conjugate", "lutra.conj(x)", "t:conj()"},
    {"contiguous", "", kCopy},
    {"convert_to_tensor", kConstant},
    {"coo_array", "lutra.sparse.coo{indices = , values = , shape = }"},
    {"coo_matrix", "lutra.sparse.coo{indices = , values = , shape = }"},
    {"copy", "", kCopy},
    {"count_nonzero", "", "t:ne(0):sum()"},
    {"cpow", "lutra.pow(a, b)", "t:pow(other)"},
    {"cpu", "", "t:to(\"CPU:0\")"},
    {"csr_array", "lutra.sparse.csr{row_pointers = , columns = , values = , shape = }"},
    {"csr_matrix", "lutra.sparse.csr{row_pointers = , columns = , values = , shape = }"},
    {"csub", "lutra.sub(a, b)", "t:sub(other)"},
    {"cuda", "", "t:to(\"GPU:0\")"},
    {"detach", "lutra.stop_gradient(x)", "lutra.stop_gradient(t)"},
    {"diag_part", "lutra.diag(x)", "t:diag()"},
    {"diagonal", "lutra.diag(x)", "t:diag()"},
    {"dim", "", "t.rank"},
    {"divide", "lutra.div(a, b)", "t:div(other)"},
    {"double", "", "t:float64()"},
    {"ediff1d", "lutra.diff(x)", "t:diff()"},
    {"embedding_lookup", "lutra.embedding(table, ids)"},
    {"empty", "lutra.zeros(shape)"},
    {"empty_like", "lutra.zeros_like(x)"},
    {"equal", "lutra.eq(a, b)", "t:eq(other)"},
    {"expand", "lutra.broadcast_to(x, shape)", "t:broadcast_to(shape)"},
    {"expandAs", "lutra.broadcast_to(x, y.shape)", "t:broadcast_to(other.shape)"},
    {"extract_patches", "lutra.unfold(x, size)"},
    {"flatnonzero", "lutra.nonzero(lutra.flatten(x))", "t:flatten():nonzero()"},
    {"fliplr", "lutra.flip(x, 2)", "t:flip(2)"},
    {"flipud", "lutra.flip(x, 1)", "t:flip(1)"},
    {"float", "", "t:float32()"},
    {"floor_divide", "lutra.floordiv(a, b)", "t:floordiv(other)"},
    {"floormod", "lutra.mod(a, b)", "t:mod(other)"},
    {"from_numpy", kConstant},
    {"full", "lutra.fill(shape, value)"},
    {"full_like", "lutra.fill(x.shape, value)"},
    {"gammaln", "lutra.lgamma(x)", "t:lgamma()"},
    {"gpu", "", "t:to(\"GPU:0\")"},
    {"grad", "tape:gradient(loss, variables), of a lutra.GradientTape"},
    {"gradient", "", "tape:gradient(loss, variables), of a lutra.GradientTape"},
    {"gradients", "tape:gradient(loss, variables), of a lutra.GradientTape"},
    {"greater", "lutra.gt(a, b)", "t:gt(other)"},
    {"greater_equal", "lutra.ge(a, b)", "t:ge(other)"},
    {"half", "", "t:float16()"},
    {"hard_sigmoid", "lutra.hardsigmoid(x)", "t:hardsigmoid()"},
    {"hard_swish", "lutra.hardswish(x)", "t:hardswish()"},
    {"histc", "lutra.histogram(x, bins, {min = , max = })", "t:histogram(bins, {min = , max = })"},
    {"histogram_fixed_width", "lutra.histogram(x, bins, {min = , max = })"},
    {"hstack", "lutra.concat({a, b, ...}, 2)"},
    {"in1d", "lutra.isin(x, values)", "t:isin(values)"},
    {"indexAdd", "lutra.index_add(x, indices, updates, axis)", "t:index_add(indices, updates, axis)"},
    {"indexCopy", "lutra.index_put(x, index, values)", "t:index_put(index, values)"},
    {"indexFill", "lutra.index_put(x, index, value)", "t:index_put(index, value)"},
    {"index_copy", "lutra.index_put(x, index, values)", "t:index_put(index, values)"},
    {"index_fill", "lutra.index_put(x, index, value)", "t:index_put(index, value)"},
    {"index_select", "lutra.gather(x, indices, axis)", "t:gather(indices, axis)"},
    {"inner", "", "t:dot(other)"},
    {"int", "", "t:int32()"},
    {"interpolate", "lutra.image.resize(image, size)"},
    {"inverse", "lutra.inv(x)", "t:inv()"},
    {"inverse_stft", "lutra.istft(y, frame_length, frame_step)"},
    {"invert", "lutra.bitwise_not(x)", "t:bitwise_not()"},
    {"keras", "lutra.nn and lutra.optim"},
    {"len", "", "#t"},
    {"less", "lutra.lt(a, b)", "t:lt(other)"},
    {"less_equal", "lutra.le(a, b)", "t:le(other)"},
    {"linalg", kLinalg},
    {"logdet", "", "t:slogdet()"},
    {"logsigmoid", "lutra.log_sigmoid(x)", "t:log_sigmoid()"},
    {"long", "", "t:int64()"},
    {"manual_seed", "lutra.random.set_seed(seed)"},
    {"maskedCopy", "lutra.index_put(x, mask, values)", "t:index_put(mask, values)"},
    {"maskedFill", "lutra.masked_fill(x, mask, value)", "t:masked_fill(mask, value)"},
    {"maskedSelect", "lutra.masked_select(x, mask)", "t:masked_select(mask)"},
    {"math", "lutra.exp, lutra.log and the like, which are in lutra itself"},
    {"matrix_exp", "lutra.expm(x)", "t:expm()"},
    {"max_pool", "lutra.max_pool2d(x, size)"},
    {"mm", "lutra.matmul(a, b)", "t:matmul(other)"},
    {"moveaxis", "", kTransposed},
    {"multinomial", "lutra.random.choice(n, count, {p = weights}), or lutra.random.multinomial(n, p), which counts"},
    {"multiply", "lutra.mul(a, b)", "t:mul(other)"},
    {"nDimension", "x.rank", "t.rank"},
    {"nElement", "x.size", "t.size"},
    {"narrow", "x[{ {first, last} }]", "t[{ {first, last} }]"},
    {"ndim", "x.rank", "t.rank"},
    {"negative", "lutra.neg(x)", "t:neg()"},
    {"nn.functional", "lutra.relu, lutra.softmax and the like, which are in lutra itself"},
    {"no_grad", "lutra.stop_gradient(x), or compute where no lutra.GradientTape is open"},
    {"normalize", "lutra.l2_normalize(x, axis)", "t:l2_normalize(axis)"},
    {"not_equal", "lutra.ne(a, b)", "t:ne(other)"},
    {"numel", "x.size", "t.size"},
    {"numpy", "x:totable()", "t:totable(), or t:item() of one element"},
    {"permute", kTranspose, kTransposed},
    {"polar", "lutra.complex(r * lutra.cos(angle), r * lutra.sin(angle))"},
    {"power", "lutra.pow(a, b)", "t:pow(other)"},
    {"psi", "lutra.digamma(x)", "t:digamma()"},
    {"put", "lutra.index_put(x, index, values)", "t:index_put(index, values)"},
    {"put_along_axis", "lutra.scatter(x, indices, updates, axis)", "t:scatter(indices, updates, axis)"},
    {"rand", "lutra.random.uniform(shape)"},
    {"randint", "lutra.random.randint(shape, low, high)"},
    {"randn", "lutra.random.normal(shape)"},
    {"random.manual_seed", "lutra.random.set_seed(seed)"},
    {"random.rand", "lutra.random.uniform(shape)"},
    {"random.randn", "lutra.random.normal(shape)"},
    {"random.random", "lutra.random.uniform(shape)"},
    {"random.seed", "lutra.random.set_seed(seed)"},
    {"random.standard_gamma", "lutra.random.gamma(shape, alpha)"},
    {"random.standard_normal", "lutra.random.normal(shape)"},
    {"randperm", "lutra.random.permutation(n)"},
    {"rank", "x.rank"},
    {"ravel", "lutra.flatten(x)", "t:flatten()"},
    {"reduce_variance", "lutra.var(x, axis)"},
    {"remainder", "lutra.mod(a, b)", "t:mod(other)"},
    {"repeatTensor", "lutra.tile(x, counts)", "t:tile(counts)"},
    {"requires_grad", "", "lutra.Variable(t)"},
    {"requires_grad_", "", "lutra.Variable(t)"},
    {"resize", "lutra.reshape(x, shape)", "t:reshape(shape)"},
    {"reverse", "lutra.flip(x, axis)", "t:flip(axis)"},
    {"rint", "lutra.round(x)", "t:round()"},
    {"scatter_update", "lutra.tensor_scatter_nd_update(x, indices, updates), or v[indices] = updates of a variable"},
    {"select", "x[i]", "t[{...}], with one entry per axis"},
    {"shape", "x.shape"},
    {"short", "", "t:int16()"},
    {"size", "x.size"},
    {"softmax_cross_entropy_with_logits", "lutra.softmax_cross_entropy(labels, logits)"},
    {"solve_triangular", "lutra.triangular_solve(a, b)", "t:triangular_solve(b)"},
    {"sparse_coo_tensor", "lutra.sparse.coo{indices = , values = , shape = }"},
    {"sparse_csr_tensor", "lutra.sparse.csr{row_pointers = , columns = , values = , shape = }"},
    {"sparse_softmax_cross_entropy_with_logits", "lutra.cross_entropy(labels, logits)"},
    {"subtract", "lutra.sub(a, b)", "t:sub(other)"},
    {"svdvals", "lutra.svd(x), whose second result it is", "t:svd()"},
    {"swapaxes", "", kTransposed},
    {"swapdims", "lutra.swapaxes(x, a, b)", kTransposed},
    {"t", "lutra.transpose(x)", "t:transpose()"},
    {"take", "lutra.gather(x, indices, axis)", "t:gather(indices, axis)"},
    {"tensor", kConstant},
    {"tolist", "x:totable()", "t:totable()"},
    {"topk", "lutra.top_k(x, k)", "t:top_k(k)"},
    {"trapz", "lutra.trapezoid(y)", "t:trapezoid()"},
    {"true_divide", "lutra.div(a, b)", "t:div(other)"},
    {"truediv", "lutra.div(a, b)", "t:div(other)"},
    {"typeAs", "lutra.cast(x, y.dtype)", "t:cast(other.dtype)"},
    {"type_as", "lutra.cast(x, y.dtype)", "t:cast(other.dtype)"},
    {"unbind", "lutra.unstack(x)", "t:unstack()"},
    {"unsqueeze", "lutra.expand_dims(x, axis)", "t:expand_dims(axis)"},
    {"view", "lutra.reshape(x, shape)", "t:reshape(shape)"},
    {"viewAs", "lutra.reshape(x, y.shape)", "t:reshape(other.shape)"},
    {"view_as_complex", "lutra.complex(x[{\"...\", 1}], x[{\"...\", 2}])"},
    {"view_as_real", "lutra.stack({lutra.real(x), lutra.imag(x)}, -1)"},
    {"vstack", "lutra.concat({a, b, ...}, 1)"},
};

struct NamePair {
  std::string_view theirs, ours;
};

constexpr NamePair kDTypes[] = {
    {"byte", "uint8"},         {"char", "int8"},    {"double", "float64"},   {"float", "float32"},
    {"half", "float16"},       {"int", "int32"},    {"integer", "int32"},    {"long", "int64"},
    {"short", "int16"},        {"boolean", "bool"}, {"cfloat", "complex64"}, {"cdouble", "complex128"},
    {"complex", "complex128"},
};

constexpr NamePair kOptionNames[] = {
    {"axes", "axis"},        {"axes", "perm"},          {"constant_values", "value"},
    {"correction", "ddof"},  {"dilations", "dilation"}, {"dim", "axis"},
    {"dims", "axis"},        {"dims", "perm"},          {"eps", "epsilon"},
    {"fill_value", "value"}, {"high", "maxval"},        {"keep_dims", "keepdims"},
    {"keepdim", "keepdims"}, {"ksize", "size"},         {"loc", "mean"},
    {"low", "minval"},       {"lr", "learning_rate"},   {"negative_slope", "alpha"},
    {"scale", "stddev"},     {"sep", "delimiter"},      {"std", "stddev"},
    {"strides", "stride"},   {"unbiased", "ddof"},
};

constexpr NamePair kInsteadOfOption[] = {
    {"device", "a scope says where: lutra.device(name, f)"},
    {"from_logits", "an operation takes logits; the losses of lutra.nn.losses take either"},
    {"name", "operations have no names"},
    {"out", "results are new tensors"},
    {"requires_grad", "what is trained is a lutra.Variable"},
    {"side", "right = true gives the position behind equal values"},
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
  for (const NamePair& pair : kDTypes) {
    if (pair.theirs == name) return pair.ours;
  }
  return "";
}

std::string_view foreign_option(std::string_view name, int index) {
  for (const NamePair& pair : kOptionNames) {
    if (pair.theirs == name && index-- == 0) return pair.ours;
  }
  return "";
}

std::string_view instead_of_option(std::string_view name) {
  for (const NamePair& pair : kInsteadOfOption) {
    if (pair.theirs == name) return pair.ours;
  }
  return "";
}

}  // namespace lutra
