"""Codes: N codewords, bit-packed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from dimco.errors import InputError
from dimco.packing import gather_symbols, pack_symbols, packed_size, unpack_symbols
from dimco.spec import CodeSpec

_CHUNK_SYMBOLS = 1 << 22

Labels = NDArray[Any]


class Codes:
    """N codewords of one `CodeSpec`, packed at exactly ``spec.bits`` bits an item.

    Parameters
    ----------
    symbols : array-like of shape (N, d)
        Integers from 0 to k - 1.
    spec : CodeSpec
        The shape of the code.

    Attributes
    ----------
    packed : ndarray of shape (ceil(N * spec.bits / 8),), uint8
        The bit stream, most significant bit first, items one after another.

    Examples
    --------
    >>> codes = Codes([[3, 15], [0, 7], [9, 9]], CodeSpec(k=16, d=2))
    >>> len(codes), codes.nbytes
    (3, 3)
    >>> codes[1:].unpack()
    array([[0, 7],
           [9, 9]], dtype=uint8)
    """

    __slots__ = ("_length", "packed", "spec")

    packed: NDArray[np.uint8]
    spec: CodeSpec

    def __init__(self, symbols: ArrayLike, spec: CodeSpec) -> None:
        array = checked_symbols(np.asarray(symbols), spec)
        chunk = _items_a_chunk(spec)
        parts = [
            pack_symbols(array[start : start + chunk].reshape(-1), spec.bits_per_symbol)
            for start in range(0, len(array), chunk)
        ]
        self.packed = np.concatenate(parts) if parts else np.empty(0, dtype=np.uint8)
        self.spec = spec
        self._length = len(array)

    @classmethod
    def from_packed(cls, packed: NDArray[np.uint8], length: int, spec: CodeSpec) -> Codes:
        """Codes over an existing bit stream, which is used and not copied."""
        expected = packed_size(length * spec.d, spec.bits_per_symbol)
        if packed.dtype != np.uint8 or packed.shape != (expected,):
            raise InputError(
                f"expected {expected} bytes for {length} codes of {spec}; got {packed.dtype} of shape {packed.shape}"
            )
        codes = cls.__new__(cls)
        codes.packed, codes.spec, codes._length = packed, spec, length
        return codes

    @classmethod
    def concatenate(cls, parts: Sequence[Codes]) -> Codes:
        """One `Codes` of the items of all `parts`, in order."""
        if not parts:
            raise InputError("expected at least one Codes to concatenate; got none")
        spec = parts[0].spec
        for part in parts:
            if part.spec != spec:
                raise InputError(f"expected codes of {spec}, as in the first part; got {part.spec}")
        return cls(np.concatenate([part.unpack() for part in parts]), spec)

    def unpack(self) -> NDArray[np.unsignedinteger]:
        """The symbols as an array of shape (N, d)."""
        symbols = np.empty((self._length, self.spec.d), dtype=self.spec.dtype)
        chunk, width = _items_a_chunk(self.spec), self.spec.bits_per_symbol
        for start in range(0, self._length, chunk):
            stop = min(start + chunk, self._length)
            stream = self.packed[start * self.spec.bits // 8 :]
            flat = unpack_symbols(stream, (stop - start) * self.spec.d, width)
            symbols[start:stop] = flat.reshape(-1, self.spec.d)
        return symbols

    @property
    def nbytes(self) -> int:
        """Bytes the packed items take."""
        return self.packed.nbytes

    def save(self, path: str | Path, labels: ArrayLike | None = None) -> None:
        """Write the codes, and their labels if given, to one file, atomically."""
        from dimco.codes_file import write_codes

        write_codes(path, self, labels)

    @classmethod
    def load(cls, path: str | Path) -> Codes:
        """Read the codes of a file written by `save`."""
        from dimco.codes_file import read_codes

        return read_codes(path).codes

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[NDArray[np.unsignedinteger]]:
        return iter(self.unpack())

    @overload
    def __getitem__(self, key: int) -> NDArray[np.unsignedinteger]: ...
    @overload
    def __getitem__(self, key: slice | ArrayLike) -> Codes: ...
    def __getitem__(self, key: Any) -> Codes | NDArray[np.unsignedinteger]:
        """An integer gives one codeword of shape (d,); a slice, mask or list of places gives `Codes`."""
        if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
            index = int(key)
            if not -self._length <= index < self._length:
                raise IndexError(f"item {index} is out of range for {self._length} codes")
            codeword: NDArray[np.unsignedinteger] = self._gather(np.array([index % self._length]))[0]
            return codeword
        if isinstance(key, slice):
            start, stop, step = key.indices(self._length)
            if step == 1 and start * self.spec.bits % 8 == 0:
                return self._view(start, max(start, stop))
            return Codes(self._gather(np.arange(start, stop, step)), self.spec)
        return Codes(self._gather(self._places(np.asarray(key))), self.spec)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Codes):
            return NotImplemented
        same_shape = self.spec == other.spec and len(self) == len(other)
        return same_shape and np.array_equal(self.unpack(), other.unpack())

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("unpacking codes makes a new array; a view of them is not possible")
        symbols = self.unpack()
        return symbols if dtype is None else symbols.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"Codes({len(self)} items of {self.spec}, {self.nbytes} bytes)"

    def _view(self, start: int, stop: int) -> Codes:
        first = start * self.spec.bits // 8
        size = packed_size((stop - start) * self.spec.d, self.spec.bits_per_symbol)
        return Codes.from_packed(self.packed[first : first + size], stop - start, self.spec)

    def _places(self, key: NDArray[Any]) -> NDArray[np.int64]:
        if key.dtype == bool:
            if key.shape != (self._length,):
                raise IndexError(f"expected a mask of shape ({self._length},); got {key.shape}")
            return np.flatnonzero(key)
        if key.ndim != 1 or (key.size and not np.issubdtype(key.dtype, np.integer)):
            raise IndexError(f"expected a slice, a mask or a list of places; got {key.dtype} of shape {key.shape}")
        places = key.astype(np.int64)
        if places.size and not (-self._length <= places.min() and places.max() < self._length):
            raise IndexError(f"places from {places.min()} to {places.max()} are out of range for {self._length} codes")
        return np.where(places < 0, places + self._length, places)

    def _gather(self, items: NDArray[np.int64]) -> NDArray[np.unsignedinteger]:
        symbols = np.empty((len(items), self.spec.d), dtype=self.spec.dtype)
        chunk = _items_a_chunk(self.spec)
        for start in range(0, len(items), chunk):
            rows = items[start : start + chunk]
            where = rows[:, None] * self.spec.d + np.arange(self.spec.d)
            symbols[start : start + chunk] = gather_symbols(self.packed, where, self.spec.bits_per_symbol)
        return symbols


def checked_symbols(symbols: NDArray[Any], spec: CodeSpec) -> NDArray[Any]:
    """Raise `InputError` unless the symbols are integers below k, of shape (N, d)."""
    if symbols.size == 0 and symbols.ndim <= 2 and len(symbols) == 0:
        return np.empty((0, spec.d), dtype=spec.dtype)
    if symbols.ndim != 2 or symbols.shape[1] != spec.d:
        raise InputError(f"expected symbols of shape (N, {spec.d}) for {spec}; got {symbols.shape}")
    if not np.issubdtype(symbols.dtype, np.integer):
        raise InputError(f"expected integer symbols; got {symbols.dtype}")
    if symbols.min() < 0 or symbols.max() >= spec.k:
        raise InputError(f"expected symbols from 0 to {spec.k - 1}; got {symbols.min()} to {symbols.max()}")
    return symbols


def _items_a_chunk(spec: CodeSpec) -> int:
    """Items handled at once: bounded memory, and a multiple of 8 so that every chunk starts on a byte."""
    return max(8, _CHUNK_SYMBOLS // spec.d // 8 * 8)
