"""The shapes of what the interface answers; its OpenAPI description is made from them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel


class Problem(BaseModel):
    """An error, in one line: what was expected and what came."""

    error: str


class ClassShare(BaseModel):
    """A class among some items; `lift` is how many times more frequent it is there than among all items."""

    name: str
    items: int
    share: float
    lift: float


class Item(BaseModel):
    """A stored item; `values` are its first features where there are no pictures."""

    id: int
    label: str | None
    code: list[int]
    values: list[float] | None


class Example(Item):
    """An item beside the symbols asked for: their probability, if known, and whether its code meets them all."""

    probability: float | None
    matches: bool


class About(BaseModel):
    """What is explored, and what can be asked."""

    version: str
    items: int
    k: int
    d: int
    bits: int
    features: int | None
    feature_bits: int | None
    codewords: int
    classes: list[str]
    classes_in_all: int
    label_bits: float | None
    has_pictures: bool
    has_probabilities: bool
    picture_route: str | None
    example: Item


class Cell(BaseModel):
    """One symbol of one position: its items, its information about the label in bits, its most frequent classes.

    `best` is the id of the item that shows it best.
    """

    symbol: int
    items: int
    information: float | None
    top: list[ClassShare]
    best: int | None


class Position(BaseModel):
    """The symbols of one position; of very many, the most used are listed."""

    position: int
    information: float | None
    cells: list[Cell]
    not_listed: int


class CodeMap(BaseModel):
    """Some positions, and the one to ask for next."""

    positions: list[Position]
    next: int | None


class Items(BaseModel):
    """Some items, how many there are, and where to go on."""

    items: list[Item]
    total: int
    next: int | None


class SymbolAnswer(BaseModel):
    """One symbol: who has it, of which classes they are, and the items that show it best."""

    position: int
    symbol: int
    items: int
    of: int
    information: float | None
    classes: list[ClassShare]
    classes_in_all: int
    examples: list[Example]


class CombinationAnswer(BaseModel):
    """Symbols together: how many items match, how pure they are, and the items that show them best."""

    matches: int
    of: int
    purity: float | None
    classes: list[ClassShare]
    classes_in_all: int
    examples: list[Example]


class StripPosition(BaseModel):
    """One position of a code, with its probability and the second most likely symbol, where they are known."""

    position: int
    symbol: int
    probability: float | None
    runner_up: int | None
    runner_up_probability: float | None
    top: list[ClassShare]


class Share(BaseModel):
    """What a position adds to the distance: -log2 of the probability the query gives to the stored symbol.

    Without probabilities it is 1 where the symbols differ. It is null where the symbol is impossible.
    """

    symbol: int
    agrees: bool
    probability: float | None
    cost: float | None


class Neighbour(BaseModel):
    """A codeword near the query, with the items that have it; `cost` is the sum over positions."""

    code: list[int]
    cost: float | None
    agreeing: int
    positions: list[Share]
    items: int
    classes: list[ClassShare]
    examples: list[Item]


class QueryAnswer(BaseModel):
    """The code of what was asked for, and the stored codewords nearest to it."""

    item: Item | None
    note: str | None
    strip: list[StripPosition]
    best_cost: float
    neighbours: list[Neighbour]


class AccuracyPoint(BaseModel):
    """Accuracy of the vote with the first positions only."""

    positions: int
    bits: int
    accuracy: float


class AccuracyAnswer(BaseModel):
    """Bits against accuracy, once it is computed."""

    state: Literal["computing", "ready", "unavailable"]
    order: list[int]
    points: list[AccuracyPoint]
    majority: float | None
    asked: int
    stored: int
    neighbours: int
