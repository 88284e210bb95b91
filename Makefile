PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
COMPARED := dimco-infomax,dimco-positions,dimco-decoder,pq,sq,opq,rq,lda-pq,itq,sign,int8

.PHONY: demo test browser lint results docs clean

demo: $(READY)  ## Compress, search and draw the bundled digits; the report goes to dimco-demo/
	$(BIN)/dimco demo -o dimco-demo

test: lint  ## Everything that must hold before a change lands
	$(BIN)/pytest -n 2 --dist worksteal

browser:  ## What drives the page in the tests, which skip that without it
	@command -v chromium || { apt-get update && apt-get install -y --no-install-recommends chromium; } || \
		{ echo "error: expected leave to install chromium; got none: ask for it, or put one on the path"; exit 1; }

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

results: $(READY)  ## Measure the tables again, where they are not yet; needs the data folder (DIMCO_DATA)
	$(BIN)/dimco reproduce compression --dataset cifar100 --methods $(COMPARED)
	$(BIN)/dimco reproduce compression --dataset cifar10 --methods $(COMPARED)
	$(BIN)/dimco reproduce codes --dataset cifar100
	$(BIN)/dimco reproduce bound
	$(BIN)/dimco reproduce retrieval --dataset cub --frozen
	$(BIN)/dimco reproduce scale
	$(BIN)/dimco bound -o docs/images/bound
	$(BIN)/dimco bench search
	$(MAKE) docs

docs: $(READY)  ## Render the tables of the docs from results/
	$(BIN)/python -m dimco.experiments.docs

clean:
	rm -rf .venv dimco-demo

$(READY): pyproject.toml constraints.txt $(wildcard native/*)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "error: expected Python 3.11 or newer; got $$($(PYTHON) --version). Name one: make PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(READY)
