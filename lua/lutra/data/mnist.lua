-- Loads MNIST, or another data set in its format, from a folder. Nothing is downloaded.
local lutra, tools, use = ...
local options = use "options"

-- Finds a file whose name has a dash or a dot there, plain or compressed.
local function find(folder, part, kind)
  for _, mark in ipairs { "-", "." } do
    for _, ending in ipairs { "", ".gz" } do
      local path = ("%s/%s%s%s%s"):format(folder, part, mark, kind, ending)
      local file <close> = io.open(path, "rb")
      if file then return path end
    end
  end
  tools.fail("NotFound",
    ("mnist: %s has no %s-%s, plain or .gz; nothing is downloaded: put MNIST's four files there"):format(folder,
    part, kind))
end

local function load_set(folder, name, read)
  local image_path = find(folder, name .. "-images", "idx3-ubyte")
  local label_path = find(folder, name .. "-labels", "idx1-ubyte")
  local images, labels = lutra.load(image_path), lutra.load(label_path)
  for path, tensor in pairs { [image_path] = images, [label_path] = labels } do
    local rank = tensor == images and 3 or 1
    if tensor.dtype ~= "uint8" or tensor.rank ~= rank then
      tools.fail("InvalidArgument", ("mnist: %s holds %s %s, expected uint8 with %d axes"):format(path, tensor.dtype,
        tostring(tensor.shape), rank))
    end
  end
  if #images ~= #labels then
    tools.fail("InvalidArgument",
      ("mnist: %s has %d images, and %s %d labels"):format(image_path, #images, label_path, #labels))
  end
  return images, read.raw and labels or lutra.cast(labels, "int64") + 1
end

-- mnist(folder[, {raw}]): training images and labels, test images and labels.
return function(folder, given)
  if type(folder) ~= "string" then
    tools.fail("InvalidArgument", "mnist: folder is " .. tools.what_is(folder) .. ", expected the path of a folder")
  end
  local read = options.read("mnist", given, { raw = false })
  local x_train, y_train = load_set(folder, "train", read)
  return x_train, y_train, load_set(folder, "t10k", read)
end
