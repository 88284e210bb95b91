"""The web explorer: a page that shows what a code means, and the interface behind it. Needs the extra `web`."""

from dimco.extras import require

for _package in ("fastapi", "uvicorn", "PIL"):
    require(_package)
