-- One of NVIDIA's libraries that is found by its name and is none: it has no function of it. Gives the `env` words by which a
-- program finds it beside the plugin, and a function that ends it.
--   local environment, remove = dofile("tests/support/false_library.lua")("libcudnn.so.9")
return function(name)
  local folder, plugin = os.tmpname(), os.getenv("LUTRA_PLUGIN_PATH")
  os.remove(folder)
  assert(os.execute(("mkdir '%s' && cp '%s/liblutra_cuda.so' '%s/libcublasLt.so.13' '%s/' && cp '%s' '%s/%s'"):format(
    folder, plugin, plugin, folder, os.getenv("LUTRA_CUDA_DRIVER"), folder, name)))
  return "LUTRA_PLUGIN_PATH=" .. folder, function() os.execute(("rm -r '%s'"):format(folder)) end, folder
end
