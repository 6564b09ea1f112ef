-- luarocks make builds Lutra's module for lua5.4 from this tree. scripts/dev release writes the rockspec of a release
-- from this one.
rockspec_format = "3.0"
package = "lutra"
version = "dev-1"
source = { url = "git+file://." }
description = {
  summary = "An eager tensor runtime: operations on CPUs and GPUs, gradients, layers, training",
  license = "Apache-2.0",
}
supported_platforms = { "linux" }
dependencies = { "lua >= 5.4, < 5.5" }
external_dependencies = {
  DNNL = { header = "oneapi/dnnl/dnnl.h" },
  JSON = { header = "nlohmann/json.hpp" },
  PNG = { header = "png.h" },
  ZLIB = { header = "zlib.h" },
}
build = {
  type = "command",
  build_command = "bash scripts/lib/rock.sh build",
  install_command = 'bash scripts/lib/rock.sh install "$(LIBDIR)"',
}
