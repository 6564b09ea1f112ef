// Sums over the replicas of several processes, with the same bits as if all were in one.
#pragma once

#include <string>
#include <vector>

#include "distribute/all_reduce.h"
#include "hosts/cluster.h"

namespace lutra {

struct RankReplicas {
  Cluster& cluster;
  std::vector<std::size_t> firsts;  // the first replica of each rank, from 0, and the number of all
  std::string what, where;          // for errors: what calls it, and the script's line
  std::string equal;                // what else must be equal on all ranks
  Interrupted interrupted;
  double seconds = 0;  // the most to wait for the other ranks; 0: no limit
  // By entry of the lists: the rank that gets its sum, alone. Empty: all ranks get all sums.
  std::vector<std::size_t> owners = {};
};

// As all_reduce, over the replicas of all ranks; `lists` and `devices` are those of this one. All ranks call it. Each
// adds one slice of the elements, in the order of sum_tree.h, on its CPU. Fails (Unimplemented) if a tape watches one
// of the tensors, (InvalidArgument) if ranks differ in dtypes or shapes, and as Cluster::meet.
std::vector<ReplicaTensors> all_reduce_over_ranks(Context& context, std::span<const ReplicaTensors> lists,
                                                  std::span<LogicalDevice* const> devices, Reduction how,
                                                  const RankReplicas& ranks);

// The tensors of their owners on all ranks: lists by local replica, on its device; nullopt for this rank's own. `mine`
// has a tensor of the same dtype and shape for each of other ranks as well. *agrees: whether it is so on all ranks.
std::vector<ReplicaTensors> gather_from_owners(Context& context, std::span<const Tensor> mine,
                                               std::span<LogicalDevice* const> devices, const RankReplicas& ranks,
                                               bool* agrees);

}  // namespace lutra
