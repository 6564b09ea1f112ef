-- The placement log: one line on stderr for each op, in order with what the script prints.
lt.debugging.set_log_device_placement(true)
local a = lt.constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})
local b = lt.constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}})
print(lt.matmul(a, b))
--> Executing op _EagerConst in device /job:localhost/replica:0/task:0/device:GPU:0   (twice)
--> Executing op MatMul in device /job:localhost/replica:0/task:0/device:GPU:0
--> lutra.Tensor(
--> [[22. 28.]
-->  [49. 64.]], shape=(2, 2), dtype=float32)
