"""DLPack through ctypes: tensors of other libraries, and flyc.Array for them."""
import ctypes

CPU, CUDA, CUDA_HOST, ROCM, ROCM_HOST, CUDA_MANAGED = 1, 2, 3, 10, 11, 13


class _Tensor(ctypes.Structure):  # DLTensor
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):  # DLManagedTensor
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]


class _Versioned(ctypes.Structure):  # DLManagedTensorVersioned
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    ]


_READ_ONLY = 1
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes, _is_valid.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_int
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.argtypes, _pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
_new = ctypes.pythonapi.PyCapsule_New
_new.argtypes, _new.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p], ctypes.py_object
_Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_raw_is_valid = ctypes.pythonapi["PyCapsule_IsValid"]  # of an object that is being destroyed: by address
_raw_is_valid.argtypes, _raw_is_valid.restype = [ctypes.c_void_p, ctypes.c_char_p], ctypes.c_int
_raw_pointer = ctypes.pythonapi["PyCapsule_GetPointer"]
_raw_pointer.argtypes, _raw_pointer.restype = [ctypes.c_void_p, ctypes.c_char_p], ctypes.c_void_p


def request(tensor, stream):
    """The capsule of an object with `__dlpack__`. `stream` is that of the launch, for producers on a device, else None."""
    words = {} if stream is None else {"stream": stream}
    try:
        return tensor.__dlpack__(max_version=(1, 0), **words)
    except TypeError:  # from before versions
        return tensor.__dlpack__(**words)


def read(capsule):
    """(address, device type, device, (code, bits), shape, strides in elements or None, read-only). The memory is the
    capsule's: it must be kept until the launch is queued."""
    if _is_valid(capsule, b"dltensor_versioned"):
        versioned = _Versioned.from_address(_pointer(capsule, b"dltensor_versioned"))
        if versioned.major != 1:
            raise TypeError(f"version {versioned.major} of DLPack is not supported")
        tensor, read_only = versioned.tensor, bool(versioned.flags & _READ_ONLY)
    else:
        tensor, read_only = _Managed.from_address(_pointer(capsule, b"dltensor")).tensor, False
    rank = tensor.ndim
    shape = tuple(tensor.shape[:rank]) if rank else ()
    strides = tuple(tensor.strides[:rank]) if rank and tensor.strides else None
    return (
        (tensor.data or 0) + tensor.byte_offset,
        tensor.device_type,
        tensor.device_id,
        (tensor.code, tensor.bits * tensor.lanes),
        shape,
        strides,
        read_only,
    )


_exported = {}  # what a consumer holds: address of the managed tensor -> (it, its arrays, the owner)


@_Deleter
def _delete(managed):
    _exported.pop(ctypes.addressof(managed.contents), None)


@_Destructor
def _destroy(capsule):
    if _raw_is_valid(capsule, b"dltensor"):  # else it was consumed, and its consumer calls the deleter
        _exported.pop(_raw_pointer(capsule, b"dltensor"), None)


def export(owner, address, device, dlpack, shape):
    """A capsule of `owner`'s device memory, in C order. `dlpack` is (code, bits)."""
    extents = (ctypes.c_int64 * max(1, len(shape)))(*shape)
    tensor = _Tensor(address, ROCM, device, len(shape), dlpack[0], dlpack[1], 1, extents, None, 0)
    managed = _Managed(tensor, None, _delete)
    _exported[ctypes.addressof(managed)] = managed, extents, owner
    return _new(ctypes.addressof(managed), b"dltensor", ctypes.cast(_destroy, ctypes.c_void_p))
