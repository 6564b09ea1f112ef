---@meta

---@class lutra.nn
local nn = {}

--- Makes ids of texts: 0 is padding, 1 an unknown token, the vocabulary begins at 2, as in Keras. As the first layer of a
--- model it takes the rows given to fit, evaluate, predict or a call: a table of strings, {"a text", "another"} or
--- {{"a text"}, {"another"}}, or batches of a dataset of them; in the functional form it is called with
--- `lt.nn.Input({1}, {dtype = "string"})`. Called without a model it takes a string, or a table of them. A model's file keeps
--- the vocabulary. `adapt(texts)` learns it from a table of strings or a dataset of them; `get_vocabulary()`, `set_vocabulary(list or path[, idf_weights])`
--- and `vocabulary_size()` are those of Keras. `save_vocabulary(path)` writes the vocabulary to a file, one token a line, which
--- `vocabulary = path` reads; `get_idf_weights()` gives the weights of "tf_idf", a number for each token.
---@param options? table {max_tokens; standardize = "lower_and_strip_punctuation", "lower", "strip_punctuation", false or a function; split = "whitespace", "character", false or a function; ngrams; output_mode = "int", "multi_hot", "count" or "tf_idf"; output_sequence_length; vocabulary = list of strings, or the path of a file of lines; idf_weights = list of numbers}
---@return lutra.nn.Layer # gives int64 ids or float32 rows
--- Errors: InvalidArgument for an option that is not valid, a value that is no string, or in a model behind a layer that gives
---   numbers; NotFound for a file that is not there.
--- Example:
---     local v = lt.nn.TextVectorization():adapt {"a good film", "a bad film"}
---     print(v {"a film", "what a film"})
---     --> lutra.Tensor(
---     --> [[3 2 0]
---     -->  [1 3 2]], shape=(2, 3), dtype=int64)
---     local model = lt.nn.Sequential {v, lt.nn.Embedding(v:vocabulary_size(), 4, {mask_zero = true}),
---       lt.nn.GlobalAveragePooling1D(), lt.nn.Dense(1)}
---     print(model:predict({"a film", "what a film"}).shape)  --> (2, 1)
--- Source: keras.layers.TextVectorization
function nn.TextVectorization(options) end

--- Makes ids of strings: 0 for the empty string, 1 for an unknown one, the vocabulary from 2 on, as in Keras; with invert
--- strings of ids. As the first layer of a model it takes tables of strings, as TextVectorization does; "one_hot" gives a row
--- for each string, and drops a last axis of size 1; "multi_hot" and "count" add up the strings of a row. Called without a
--- model it takes a string, or a table of them. `adapt(strings)` learns the vocabulary; `save_vocabulary(path)` writes it to a file, one token a line, which `vocabulary = path` reads.
---@param options? table {vocabulary = list of strings, or the path of a file of lines; max_tokens; output_mode = "int", "one_hot", "multi_hot" or "count"; invert = false}
---@return lutra.nn.Layer # gives int64 ids or float32 rows
--- Errors: InvalidArgument for an option that is not valid, a value that is no string, or in a model behind a layer that gives
---   numbers; NotFound for a file that is not there.
--- Example:
---     print(lt.nn.StringLookup {vocabulary = {"a", "b"}} {"b", "z"})  --> lutra.Tensor([3 1], shape=(2,), dtype=int64)
--- Source: keras.layers.StringLookup
function nn.StringLookup(options) end

--- Makes ids of whole numbers: 1 for an unknown one, the vocabulary from 2 on, in Keras' order; 0 for mask_token, if there is
--- one. With invert it gives numbers of ids, -1 of an unknown one. `adapt(numbers)` learns the vocabulary from a tensor, a
--- table or a dataset of them; `get_vocabulary()` lists it in the order of ids.
---@param options? table {vocabulary = whole numbers; max_tokens; mask_token: the number that is padding; output_mode = "int", "one_hot", "multi_hot" or "count"; invert = false}
---@return lutra.nn.Layer # takes whole numbers, also in a model, and gives int64 ids or float32 rows
--- Errors: InvalidArgument for an option that is not valid, or other values.
--- Example:
---     print(lt.nn.IntegerLookup {vocabulary = {12, 36}} {36, 12, 5})  --> lutra.Tensor([3 2 1], shape=(3,), dtype=int64)
--- Source: keras.layers.IntegerLookup
function nn.IntegerLookup(options) end

--- Makes ids from 1 to num_bins of strings and whole numbers without a vocabulary, by FNV-1a; Keras' hash is another one.
---@param num_bins integer
---@param options? table {salt = 0: another one gives other ids}
---@return lutra.nn.Layer # takes strings or whole numbers, also in a model, and gives int64 ids
--- Errors: InvalidArgument for other values.
--- Example:
---     print(lt.nn.Hashing(1) {"a", "b"})  --> lutra.Tensor([1 1], shape=(2,), dtype=int64)
--- Source: keras.layers.Hashing
function nn.Hashing(num_bins, options) end
