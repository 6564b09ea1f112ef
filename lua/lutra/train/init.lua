-- lutra.train: the state of training loops of the program's own, in files. Documented in _meta/train.lua.
local lutra, tools, use = ...

return {
  Checkpoint = use "train.checkpoint", CheckpointManager = use "train.checkpoint_manager",
  SummaryWriter = use "train.summary_writer",
}
