"""What the symbols of a code mean on a data set."""

from dimco.codebook.codebook import Codebook
from dimco.codebook.measures import TotalCorrelation
from dimco.codebook.pages import Combination, SymbolPage

__all__ = ["Codebook", "Combination", "SymbolPage", "TotalCorrelation"]
