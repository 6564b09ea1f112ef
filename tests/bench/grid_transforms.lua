-- The part of grid.lua about complex numbers and Fourier transforms. Real parts are compared.
return function(add)
  local real = {lutra = "lt.real(r)", torch = "r.real", numpy = "r.real"}
  local function op(name, lutra, torch, numpy, options)
    local entry = {
      name = name, inputs = "x y", lutra = "r = " .. lutra, torch = "r = " .. torch, numpy = "r = " .. numpy, tolerance = 1e-3,
      setup = {lutra = "local z, w = lt.complex(x, y), lt.complex(y, x)", torch = "z = torch.complex(x, y); w = torch.complex(y, x)",
        numpy = "z = x + np.complex64(1j) * y; w = y + np.complex64(1j) * x"},
      check = real, read = 8, write = 8,
    }
    for key, value in pairs(options or {}) do entry[key] = value or nil end
    add(entry)
  end
  op("complex add", "z + w", "z + w", "z + w", {read = 16})
  op("complex mul", "z * w", "z * w", "z * w", {read = 16})
  op("complex abs", "lt.abs(z)", "torch.abs(z)", "np.abs(z)", {write = 4, check = false})
  op("complex sum", "lt.sum(z)", "torch.sum(z)", "np.sum(z)", {write = 0})
  op("fft", "lt.fft.fft(z)", "torch.fft.fft(z)", "np.fft.fft(z)")
  op("ifft", "lt.fft.ifft(z)", "torch.fft.ifft(z)", "np.fft.ifft(z)")
  op("rfft", "lt.fft.rfft(x)", "torch.fft.rfft(x)", "np.fft.rfft(x)", {read = 4, write = 4})
  op("irfft", "lt.fft.irfft(z)", "torch.fft.irfft(z)", "np.fft.irfft(z)", {check = false})
  op("fft rows", "lt.fft.fft(z:reshape {$R, $C})", "torch.fft.fft(z.reshape($R, $C))", "np.fft.fft(z.reshape($R, $C))")
  op("fft columns", "lt.fft.fft(z:reshape {$R, $C}, {axis = 1})", "torch.fft.fft(z.reshape($R, $C), dim=0)",
    "np.fft.fft(z.reshape($R, $C), axis=0)")
  op("rfft rows", "lt.fft.rfft(x:reshape {$R, $C})", "torch.fft.rfft(x.reshape($R, $C))", "np.fft.rfft(x.reshape($R, $C))",
    {read = 4, write = 4})
  op("fft2", "lt.fft.fft2(z:reshape {$R, $C})", "torch.fft.fft2(z.reshape($R, $C))", "np.fft.fft2(z.reshape($R, $C))",
    {read = 16, write = 16})
end
