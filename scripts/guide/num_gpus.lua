-- How many GPUs there are. Without one, try: scripts/run --sim-gpus 4 scripts/guide/num_gpus.lua
print("Num GPUs Available: ", #lt.config.list_physical_devices("GPU"))      --> Num GPUs Available: 	4
