"""A Python program that loads liblutra.so by ctypes and passes NumPy and PyTorch arrays both ways by DLPack.

    python3 arrays.py PATH/liblutra.so

Nothing is copied: what one side sees at an address, the other sees there too. Without NumPy it says so and ends with 77."""
import ctypes
import gc
import sys

try:
    import numpy
except ImportError:
    print("skipped: no NumPy here")
    sys.exit(77)
try:
    import torch
except ImportError:
    torch = None

lib = ctypes.CDLL(sys.argv[1])
pointer, text, size, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int
lib.lutra_open.restype = pointer
lib.lutra_error.restype = text
lib.lutra_tensor_data.restype = pointer
for name, arguments in {
    "lutra_open": [pointer], "lutra_close": [pointer], "lutra_error": [pointer],
    "lutra_run_string": [pointer, text, text], "lutra_trim": [pointer],
    "lutra_set_global": [pointer, text, pointer], "lutra_get_global": [pointer, text, pointer],
    "lutra_tensor_to_dlpack": [pointer, number, pointer], "lutra_tensor_from_dlpack": [pointer, pointer, number, pointer],
    "lutra_tensor_data": [pointer], "lutra_tensor_retain": [pointer], "lutra_tensor_release": [pointer],
    "lutra_value_clear": [pointer],
}.items():
    getattr(lib, name).argtypes = arguments

# Of Python's C interface, by which DLPack's structs travel.
python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [pointer, text, pointer]
python.PyCapsule_IsValid.argtypes = [ctypes.py_object, text]
python.PyCapsule_GetPointer.restype = pointer
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, text]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, text]

OLD, TENSOR = 1, 5
# PyCapsule_SetName keeps the address of the name.
USED_VERSIONED, USED_OLD = ctypes.create_string_buffer(b"used_dltensor_versioned"), ctypes.create_string_buffer(b"used_dltensor")


class Union(ctypes.Union):
    _fields_ = [("tensor", pointer), ("words", ctypes.c_int64 * 2)]


class Value(ctypes.Structure):
    _fields_ = [("size", size), ("type", number), ("owned", number), ("of", Union)]

    def __init__(self, tensor=None):
        super().__init__(ctypes.sizeof(Value), TENSOR if tensor else 0, 0)
        self.of.tensor = tensor


def check(status):
    if status != 0:
        raise RuntimeError(lib.lutra_error(None).decode())


class Tensor:
    """A lutra_tensor that other libraries can take: numpy.from_dlpack(t), torch.from_dlpack(t)."""

    def __init__(self, handle):
        self.handle = handle

    def __del__(self):
        lib.lutra_tensor_release(self.handle)

    def address(self):
        return lib.lutra_tensor_data(self.handle)

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        is_old = max_version is None or max_version[0] < 1
        managed = pointer()
        check(lib.lutra_tensor_to_dlpack(self.handle, OLD if is_old else 0, ctypes.byref(managed)))
        return python.PyCapsule_New(managed, b"dltensor" if is_old else b"dltensor_versioned", None)


class Session:
    def __init__(self):
        self.lutra = lib.lutra_open(None)
        if not self.lutra:
            raise RuntimeError(lib.lutra_error(None).decode())

    def close(self):
        lib.lutra_close(self.lutra)

    def run(self, script):
        check(lib.lutra_run_string(self.lutra, script.encode(), b"arrays.lua"))

    def tensor(self, array):
        """Takes any array that speaks DLPack."""
        try:
            capsule = array.__dlpack__(max_version=(1, 0))
        except TypeError:
            capsule = array.__dlpack__()
        is_old = not python.PyCapsule_IsValid(capsule, b"dltensor_versioned")
        managed = python.PyCapsule_GetPointer(capsule, b"dltensor" if is_old else b"dltensor_versioned")
        handle = pointer()
        check(lib.lutra_tensor_from_dlpack(self.lutra, managed, OLD if is_old else 0, ctypes.byref(handle)))
        python.PyCapsule_SetName(capsule, USED_OLD if is_old else USED_VERSIONED)
        return Tensor(handle.value)

    def set(self, name, tensor):
        check(lib.lutra_set_global(self.lutra, name.encode(), ctypes.byref(Value(tensor.handle))))

    def get(self, name):
        value = Value()
        check(lib.lutra_get_global(self.lutra, name.encode(), ctypes.byref(value)))
        assert value.type == TENSOR
        return Tensor(value.of.tensor)


def exchange(session, make, address, back, is_close):
    """An array into Lua and a result back, without a copy."""
    array = make()
    tensor = session.tensor(array)
    assert tensor.address() == address(array)
    session.set("x", tensor)
    session.run("assert(x.shape[1] == 30 and x.shape[2] == 40) y = x * 2 + 1 x = nil")
    result = session.get("y")
    taken = back(result)
    assert address(taken) == result.address()
    assert is_close(taken, array * 2 + 1)
    del tensor, result
    gc.collect()
    session.run("y = nil collectgarbage() collectgarbage()")
    assert is_close(taken, array * 2 + 1)  # it keeps the memory


session = Session()
for dtype in ("float32", "float64", "int32", "int64", "complex64", "complex128"):
    exchange(session, lambda: numpy.arange(1200, dtype=dtype).reshape(30, 40), lambda a: a.ctypes.data, numpy.from_dlpack,
             lambda a, b: bool((a == b).all()))
    if torch is not None:
        exchange(session, lambda: torch.arange(1200, dtype=getattr(torch, dtype)).reshape(30, 40), lambda a: a.data_ptr(),
                 torch.from_dlpack, lambda a, b: bool((a == b).all()))

for array, message in (
    (numpy.zeros((30, 40))[:, ::2], "not row-major and contiguous"),
    (numpy.zeros((30, 40)).T, "not row-major and contiguous"),
    (numpy.zeros(4, dtype="uint16"), "uint16"),
    (numpy.zeros((1,) * 9), "9 axes"),
):
    try:
        session.tensor(array)
        raise AssertionError(message)
    except RuntimeError as error:
        assert message in str(error), error
read_only = numpy.ones(100)
read_only.flags.writeable = False
assert session.tensor(read_only).address() == read_only.ctypes.data
assert numpy.from_dlpack(session.tensor(numpy.zeros((0, 3)))).shape == (0, 3)
assert numpy.from_dlpack(session.tensor(numpy.array(7, dtype="float32"))) == 7
assert not numpy.from_dlpack(session.tensor(numpy.ones(100))).flags.writeable

kept = numpy.from_dlpack(session.tensor(numpy.full(1000, 3.0)))
session.close()
assert kept.sum() == 3000  # an array outlives the interpreter
del kept
print("NumPy", numpy.__version__, "and", f"PyTorch {torch.__version__}" if torch else "no PyTorch here", "crossed both ways")
