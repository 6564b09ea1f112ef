-- The page of a trace in a browser without a screen: it loads without the network and without errors, its tables hold
-- the program's operations and lines, its lanes are drawn, and the wheel zooms. Skipped without Chromium (Debian's
-- chromium-headless-shell or chromium). `SCREENSHOT=FILE` keeps a picture, for docs/trace-page.png.
local lt = require "lutra"
local folder = dofile("tests/support/folder.lua")

local function first_line(command)
  local pipe <close> = assert(io.popen(command))
  return pipe:read "l"
end
local browser = first_line "command -v chromium-headless-shell || command -v chromium || command -v google-chrome"
if not browser then
  print "skipped: there is no chromium-headless-shell, chromium or google-chrome here"
  folder.remove()
  os.exit(77)
end

lt.config.set_simulated_gpus(2, { gflops = 2, gbps = 4, link_gbps = 1, link_latency_us = 20 })
local strategy = lt.distribute.MirroredStrategy { "GPU:0", "GPU:1" }
local model = strategy:scope(function()
  local made = lt.nn.Sequential { lt.nn.Dense(64, { activation = "relu" }), lt.nn.Dense(10) }
  made:compile { loss = "mse", optimizer = "adam" }
  return made
end)
local x, y = lt.random.normal { 256, 100 }, lt.random.normal { 256, 10 }
model:fit(x, y, { epochs = 1, batch_size = 64, verbose = 0 })
local p = lt.profiler.run(function() model:fit(x, y, { epochs = 1, batch_size = 64, verbose = 0 }) end)
local page = folder.at "trace.html"
p:save(page)

-- What the page's own script cannot tell: errors, and what a wheel and a pointer do.
local html = folder.read(page)
html = html:gsub("<script>", [[<script>window.onerror = (m, f, l) => { document.title = "failed: " + m + ":" + l; };</script><script>]], 1)
html = html:gsub("</body>", function()
  return [[<script>
    const whole = document.getElementById("range").textContent;
    chart.dispatchEvent(new WheelEvent("wheel", {deltaY: -400, clientX: 600, clientY: 200}));
    document.body.dataset.zoomed = String(document.getElementById("range").textContent !== whole);
    const place = layout.find(p => p.row && p.row.some(e => kind(e) === 1)), some = place.row.find(e => kind(e) === 1);
    show(begin(some) - 1000, end(some) + 1000);
    const box = chart.getBoundingClientRect();
    chart.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + width / 2, clientY: box.top + place.y + 5}));
    document.body.dataset.tip = tip.textContent;
    show(0, trace.length);
    tip.style.display = "none";
    const pixels = draw.getImageData(0, 0, chart.width, chart.height).data, seen = new Set();
    for (let i = 0; i < pixels.length; i += 4) seen.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
    document.body.dataset.colors = seen.size;
  </script></body>]]
end, 1)
folder.write(folder.at "checked.html", html)

local function headless(options)
  local command = ("'%s' --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --host-resolver-rules='MAP * ~NOTFOUND' --user-data-dir='%s' --window-size=1100,1120 %s 2>'%s'")
    :format(browser, folder.at "profile", options, folder.at "errors")
  local pipe = assert(io.popen(command))
  local output = pipe:read "a"
  local ok = pipe:close()
  if not ok and output == "" then
    print("skipped: the browser does not start here: " .. folder.read(folder.at "errors"):sub(1, 300))
    folder.remove()
    os.exit(77)
  end
  return output
end

local dom = headless("--virtual-time-budget=5000 --dump-dom 'file://" .. folder.at "checked.html" .. "'")
local function has(words, what) assert(dom:find(words, 1, true), ("%s: no %q in the page"):format(what, words)) end
has('data-ready="yes"', "the script ran to its end")
has("<title>Lutra trace</title>", "no error")
has('data-zoomed="true"', "the wheel zooms")
for _, title in ipairs { "Hottest operations", "Hottest lines", "Copies that cost most", "Devices", "Gaps: a device had nothing to do" } do
  has("<h2>" .. title .. "</h2>", "a table")
end
has("MatMul on GPU", "operations")
has("trace_page.lua:", "lines")
has("as simulated", "limits")
local tip = dom:match 'data%-tip="([^"]*)"'
assert(tip and tip:find("(kernel)", 1, true) and tip:find("GFLOP/s", 1, true) and tip:find("why there", 1, true), "the hover tells: " .. tostring(tip))
assert(tonumber(dom:match 'data%-colors="(%d+)"') > 12, "lanes are drawn in colours")

local picture = os.getenv "SCREENSHOT" or folder.at "page.png"
headless(("--virtual-time-budget=5000 --hide-scrollbars --screenshot='%s' 'file://%s'"):format(picture, page))
local pixels = lt.device("/CPU:0", lt.load, picture)
assert(pixels.shape[1] == 1120 and pixels.shape[2] == 1100, tostring(pixels.shape))
folder.remove()
print "ok"
