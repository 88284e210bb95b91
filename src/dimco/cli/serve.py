"""dimco serve: a page on which to explore what a code means."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dimco.backbones.pretrained import PRETRAINED
from dimco.cli import options
from dimco.cli.engine import Address, Engine, Replicas, opened_pair
from dimco.cli.output import note, show
from dimco.training.loop import pick_device


def serve(
    model: options.ModelFile,
    index: Annotated[Path, typer.Argument(metavar="INDEX", help="An index; with --engine ray, a folder of shards.")],
    data: Annotated[
        Path | None, typer.Option(help="The features that the index was built from: for probabilities.")
    ] = None,
    images: Annotated[
        Path | None, typer.Option(help="Images of the same items: a folder as given to dimco embed, .npz or .npy.")
    ] = None,
    pixels: Annotated[
        str | None, typer.Option(help='Where the features of --data are grey pixels: rows x columns, as "8x8".')
    ] = None,
    backbone: Annotated[
        str | None, typer.Option(help=f"The network that made the features of pictures: {', '.join(PRETRAINED)}.")
    ] = None,
    weights: Annotated[Path | None, typer.Option(help="Its weights, as for `dimco embed`.")] = None,
    engine: Engine = "local",
    address: Address = None,
    replicas: Replicas = 1,
    host: Annotated[str, typer.Option(help="Address to listen on; others than this machine's need --api-key.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(help="0 takes a free one.", min=0, max=65_535)] = 8_000,
    api_key: Annotated[
        str | None, typer.Option(envvar="DIMCO_API_KEY", help="What requests must carry in X-API-Key.")
    ] = None,
    device: options.Device = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Open a page that shows what each symbol means and why items are near; Ctrl-C stops it.

    An item's id is its row in --data and its place among --images, as `dimco index build` numbers them.

    Example: dimco serve model.safetensors codes.index --data train.npz --images photos

    Example: dimco serve model.safetensors shards --engine ray --replicas 2
    """
    from dimco.web.app import create_app
    from dimco.web.keys import check_key
    from dimco.web.opening import Sources, open_collection
    from dimco.web.server import listen, url_of
    from dimco.web.server import serve as run_server

    check_key(host, api_key)
    bound = listen(host, port)
    with bound:
        note("reading the model and the items", quiet)
        sources = Sources(model, index, data, images, pixels, backbone, weights)
        with opened_pair(model, index, engine, address, replicas) as pair:
            collection = open_collection(sources, pick_device(device), pair)
            app = create_app(collection, api_key)
            bound.listen()
            show({"explorer": url_of(bound), "items": len(collection), "code": str(collection.codebook.spec)}, json)
            note("open that address in a browser; Ctrl-C stops the server", quiet)
            run_server(app, bound)
    note("stopped", quiet)
