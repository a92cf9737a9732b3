"""The type and shape of a tensor."""
import dataclasses
from typing import Optional


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor of a network or an executable; `real()` converts stored values."""
    name: str
    shape: tuple
    dtype: str                        #: NumPy's name of the stored type
    scale: Optional[float] = None     #: None: real numbers are stored
    zero_point: Optional[int] = None
    layer: str = ""                   #: the layer that computes it
    layer_type: str = ""
    model_names: tuple = ()           #: in the imported model
    model_dtype: Optional[str] = None #: in the imported model, if it is not quantized

    def real(self, stored):
        """Stored values as real numbers, float32: (stored + zero_point) / scale."""
        import numpy as np
        if self.scale is None:
            return np.asarray(stored, dtype=np.float32)
        wide = np.asarray(stored, dtype=np.int64) + self.zero_point
        return wide.astype(np.float32) * (np.float32(1) / np.float32(self.scale))


def tensor_of(json):
    """From the library's JSON."""
    names = {field.name for field in dataclasses.fields(Tensor)}
    known = {k: v for k, v in json.items() if k in names}
    known["shape"] = tuple(known["shape"])
    known["model_names"] = tuple(known.get("model_names", ()))
    return Tensor(**known)
