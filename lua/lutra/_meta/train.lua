---@meta

--- The state of training loops that a program writes itself, in files: see [checkpoints.md](../checkpoints.md). Loaded
--- on first use.
---@class lutra.train
local train = {}

--- Models, layers, optimizers, Variables, numbers, strings, booleans, and objects with get_state and set_state, or
--- tables of them, which `save` writes to one file and `restore` reads. `checkpoint.step` is the object of that name; it
--- can be set. The file also has the position in the random sequence of lt.random.set_seed.
---@param objects table the objects by name
---@return lutra.train.Checkpoint
--- Errors: InvalidArgument for an object of another kind, or one whose name is that of a method.
--- Example:
---     local model, optimizer = lt.nn.Dense(1), lt.optim.Adam()
---     local checkpoint = lt.train.Checkpoint {model = model, optimizer = optimizer, step = 0}
---     print(checkpoint)  --> <lutra.train.Checkpoint of model, optimizer, step>
--- Source: tf.train.Checkpoint
function train.Checkpoint(objects) end

--- Numbered files of a Checkpoint in one folder, which is made if it is not there: NAME-1.safetensors and so on, and NAME.json, which
--- lists them. `latest_checkpoint` is the path of the last file, or nil.
---@param checkpoint lutra.train.Checkpoint
---@param folder string
---@param options? table {max_to_keep = 5; name = "checkpoint"}
---@return lutra.train.CheckpointManager
--- Errors: InvalidArgument for an option that is not valid, or a list that no manager wrote; FailedPrecondition in a sandbox.
--- Example:
---     local checkpoint = lt.train.Checkpoint {step = 0}
---     print(lt.train.CheckpointManager(checkpoint, "/tmp").latest_checkpoint)  --> nil
--- Source: tf.train.CheckpointManager
function train.CheckpointManager(checkpoint, folder, options) end

--- Numbers of a training loop in a folder, which TensorBoard shows: `tensorboard --logdir FOLDER`. The folder is made.
---@param folder string
---@param options? table {filename_suffix = ""}
---@return lutra.train.SummaryWriter
--- Errors: FailedPrecondition if the folder or the file cannot be made.
--- Example:
---     local folder = os.tmpname() .. ".logs"
---     local writer = lt.train.SummaryWriter(folder)
---     writer:add_scalar("loss", 0.5, 1)
---     writer:close()
---     print(os.remove(writer.path), os.remove(folder))  --> true	true
--- Source: torch.utils.tensorboard.SummaryWriter
function train.SummaryWriter(folder, options) end

--- A file of events in a folder.
---@class lutra.train.SummaryWriter
---@field path string of the file
local SummaryWriter = {}

--- Writes a number.
---@param tag string its name; "/" makes groups
---@param value number|lutra.Tensor
---@param step? integer 0 by default
--- Errors: InvalidArgument for a value that is not one number, or a tag that is not UTF-8;
---   FailedPrecondition if the file is closed or full.
--- Example:
---     local writer = lt.train.SummaryWriter "/tmp/lutra-example-logs"
---     writer:add_scalar("loss", lt.constant(0.5), 1)
---     writer:close()
---     print(os.remove(writer.path), os.remove "/tmp/lutra-example-logs")  --> true	true
--- Source: torch.utils.tensorboard.SummaryWriter.add_scalar
function SummaryWriter:add_scalar(tag, value, step) end

--- Writes how often a tensor's elements lie in equal intervals. nan and inf are left out.
---@param tag string
---@param values lutra.Tensor|table
---@param step? integer 0 by default
---@param options? table {bins = 30}
--- Errors: InvalidArgument for values that are no numbers; FailedPrecondition if the file is closed or full.
--- Example:
---     local writer = lt.train.SummaryWriter "/tmp/lutra-example-logs"
---     writer:add_histogram("weights", lt.random.normal {100}, 1)
---     writer:close()
---     print(os.remove(writer.path), os.remove "/tmp/lutra-example-logs")  --> true	true
--- Source: torch.utils.tensorboard.SummaryWriter.add_histogram
function SummaryWriter:add_histogram(tag, values, step, options) end

--- Hands what was written to the system, so that TensorBoard shows it.
--- Errors: none.
--- Example:
---     local writer = lt.train.SummaryWriter "/tmp/lutra-example-logs"
---     writer:flush()
---     writer:close()
---     print(os.remove(writer.path), os.remove "/tmp/lutra-example-logs")  --> true	true
--- Source: torch.utils.tensorboard.SummaryWriter.flush
function SummaryWriter:flush() end

--- Ends the file.
--- Errors: none.
--- Example:
---     local writer = lt.train.SummaryWriter "/tmp/lutra-example-logs"
---     writer:close()
---     print(os.remove(writer.path), os.remove "/tmp/lutra-example-logs")  --> true	true
--- Source: torch.utils.tensorboard.SummaryWriter.close
function SummaryWriter:close() end

--- The objects of a training loop, as one that can be saved and restored.
---@class lutra.train.Checkpoint
local Checkpoint = {}

--- Writes all objects to a file, completely or not at all.
---@param path string ends in .safetensors
---@return string path
--- Errors: InvalidArgument for a path of another kind; FailedPrecondition if the file cannot be written.
--- Example:
---     local path = os.tmpname() .. ".safetensors"
---     lt.train.Checkpoint {w = lt.Variable {1.0, 2.0}}:save(path)
---     print(lt.load(path).w)  --> lutra.Tensor([1. 2.], shape=(2,), dtype=float32)
---     os.remove(path)
--- Source: tf.train.Checkpoint.write
function Checkpoint:save(path) end

--- Reads all objects from a file. A model without weights gets them here, in the shapes of the file, and an optimizer
--- that has taken no step its slots: so a loop restores before its first step. With {partial = true} only what the file
--- and the Checkpoint both hold is read. Without a path nothing happens, and the result is false.
---@param path? string
---@param options? table {partial = false}
---@return boolean restored
--- Errors: NotFound for a missing file; InvalidArgument for a file of other objects, other shapes or another optimizer.
---   Then nothing is changed.
--- Example:
---     local path = os.tmpname() .. ".safetensors"
---     lt.train.Checkpoint {step = 7}:save(path)
---     local checkpoint = lt.train.Checkpoint {step = 0}
---     print(checkpoint:restore(path), checkpoint.step)  --> true	7
---     os.remove(path)
--- Source: tf.train.Checkpoint.read
function Checkpoint:restore(path, options) end

--- A folder's checkpoints.
---@class lutra.train.CheckpointManager
---@field latest_checkpoint string|nil the path of the last file
local CheckpointManager = {}

--- Writes the next file, and removes the oldest ones beyond max_to_keep. Processes of a MultiWorkerMirroredStrategy
--- call it together: rank 0 writes, and then all have the same latest_checkpoint.
---@param number? integer instead of the last one's plus 1
---@return string path
--- Errors: as Checkpoint:save; InvalidArgument for a number above 2^53; FailedPrecondition if the list cannot be written.
--- Example:
---     local manager = lt.train.CheckpointManager(lt.train.Checkpoint {step = 7}, "/tmp", {name = "example"})
---     print(manager:save(7))  --> /tmp/example-7.safetensors
---     os.remove "/tmp/example-7.safetensors"
---     os.remove "/tmp/example.json"
--- Source: tf.train.CheckpointManager.save
function CheckpointManager:save(number) end

--- Restores the last file, if there is one. Processes of a MultiWorkerMirroredStrategy call it together, and get rank
--- 0's file.
---@return string|nil path of the file
--- Errors: as Checkpoint:restore.
--- Example:
---     local manager = lt.train.CheckpointManager(lt.train.Checkpoint {step = 7}, "/tmp", {name = "other"})
---     print(manager:restore_or_initialize())  --> nil
--- Source: tf.train.CheckpointManager.restore_or_initialize
function CheckpointManager:restore_or_initialize() end

--- The paths of the files that are kept, the oldest first.
---@return string[]
--- Errors: none.
--- Example:
---     print(#lt.train.CheckpointManager(lt.train.Checkpoint {step = 7}, "/tmp", {name = "other"}):checkpoints())  --> 0
--- Source: tf.train.CheckpointManager.checkpoints
function CheckpointManager:checkpoints() end
