---@meta

---@class lutra.nn
local nn = {}

--- Makes ids of texts: 0 is padding, 1 an unknown token, the vocabulary begins at 2, as in Keras. It is called with a string or
--- a table of strings, which no tensor holds, so it stands before a model: in a dataset's map. `adapt(texts)` learns the
--- vocabulary from a table of strings or a dataset of them; `get_vocabulary()`, `set_vocabulary(list or path[, idf_weights])`
--- and `vocabulary_size()` are those of Keras. `save_vocabulary(path)` writes the vocabulary to a file, one token a line, which
--- `vocabulary = path` reads; `get_idf_weights()` gives the weights of "tf_idf", a number for each token.
---@param options? table {max_tokens; standardize = "lower_and_strip_punctuation", "lower", "strip_punctuation", false or a function; split = "whitespace", "character", false or a function; ngrams; output_mode = "int", "multi_hot", "count" or "tf_idf"; output_sequence_length; vocabulary = list of strings, or the path of a file of lines; idf_weights = list of numbers}
---@return table # called with texts, gives int64 ids or float32 rows
--- Errors: InvalidArgument for an option that is not valid, or a value that is no string; NotFound for a file that is not there.
--- Example:
---     local v = lt.nn.TextVectorization():adapt {"a good film", "a bad film"}
---     print(v {"a film", "what a film"})
---     --> lutra.Tensor(
---     --> [[3 2 0]
---     -->  [1 3 2]], shape=(2, 3), dtype=int64)
--- Source: keras.layers.TextVectorization
function nn.TextVectorization(options) end

--- Makes ids of strings: 0 for the empty string, 1 for an unknown one, the vocabulary from 2 on, as in Keras; with invert
--- strings of ids. It is called with a string or a table of strings; `adapt(strings)` learns the vocabulary;
--- `save_vocabulary(path)` writes it to a file, one token a line, which `vocabulary = path` reads.
---@param options? table {vocabulary = list of strings, or the path of a file of lines; max_tokens; output_mode = "int", "one_hot", "multi_hot" or "count"; invert = false}
---@return table # called with strings, gives int64 ids or float32 rows
--- Errors: InvalidArgument for an option that is not valid, or a value that is no string; NotFound for a file that is not there.
--- Example:
---     print(lt.nn.StringLookup {vocabulary = {"a", "b"}} {"b", "z"})  --> lutra.Tensor([3 1], shape=(2,), dtype=int64)
--- Source: keras.layers.StringLookup
function nn.StringLookup(options) end

--- Makes ids from 1 to num_bins of strings and whole numbers without a vocabulary, by FNV-1a; Keras' hash is another one.
---@param num_bins integer
---@param options? table {salt = 0: another one gives other ids}
---@return table # called with strings or whole numbers, gives int64 ids
--- Errors: InvalidArgument for other values.
--- Example:
---     print(lt.nn.Hashing(1) {"a", "b"})  --> lutra.Tensor([1 1], shape=(2,), dtype=int64)
--- Source: keras.layers.Hashing
function nn.Hashing(num_bins, options) end
