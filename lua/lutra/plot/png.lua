-- A scene as the bytes of a PNG file, drawn by cairo with two pixels for each of the scene's, enough for print.
local lutra, tools = ...

return function(scene) return tools.draw_picture(scene.width, scene.height, 2, scene.items) end
