"""What cannot be opened is one line that names the address, and nothing is made of it."""

import pytest

from dimco import CodeSpec
from dimco.adapters.opening import open_collection
from dimco.errors import DatabaseError, InputError

from .conftest import address_of

SPEC = CodeSpec(2, 3)
CLOSED = "127.0.0.1:9"


@pytest.mark.parametrize("engine", ["qdrant folder", "milvus"])
def test_an_embedded_collection_is_there_when_opened_again_and_keeps_its_spec(engine, tmp_path):
    at, name = address_of(engine, tmp_path), engine.split()[0]
    open_collection(name, at, "codes", SPEC).close()
    again = open_collection(name, at, "codes")
    assert again.spec == SPEC
    again.close()
    with pytest.raises(InputError, match=r"expected a collection of codes of 4x3; codes at .* is of 2x3"):
        open_collection(name, at, "codes", CodeSpec(4, 3))


@pytest.mark.parametrize("engine", ["qdrant folder", "milvus"])
def test_a_folder_or_collection_that_is_not_there_is_not_made(engine, tmp_path):
    at, name = address_of(engine, tmp_path), engine.split()[0]
    with pytest.raises(DatabaseError, match=r"expected a collection codes at .*there is none"):
        open_collection(name, at, "codes")
    beyond = str(tmp_path / "none" / "codes.db")
    with pytest.raises(DatabaseError, match=f"cannot reach {name} at {beyond}"):
        open_collection(name, beyond, "codes", SPEC)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("engine", "client", "at", "shown"),
    [
        ("qdrant", "qdrant_client", f"http://{CLOSED}", f"http://{CLOSED}"),
        ("milvus", "pymilvus", f"http://{CLOSED}", f"http://{CLOSED}"),
        ("postgres", "psycopg", f"postgresql://me:secret@{CLOSED}/db", f"postgresql://me@{CLOSED}/db"),
    ],
)
def test_a_server_out_of_reach_is_one_line_with_its_address_and_no_password(engine, client, at, shown):
    pytest.importorskip(client, reason=f"needs {client}: pip install 'dimco[{engine}]'")
    with pytest.raises(DatabaseError) as raised:
        open_collection(engine, at, "codes", SPEC)
    assert f"{engine} at {shown} failed: " in str(raised.value)
    assert "\n" not in str(raised.value)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("engine", "spec"), [("qdrant folder", "65536x17"), ("milvus", "65536x17"), ("postgres", "16x1001")]
)
def test_codes_of_more_dimensions_than_a_database_takes_are_refused(engine, spec, tmp_path):
    at = address_of(engine, tmp_path)
    with pytest.raises(InputError, match=f"expected a code of k \\* d up to .* for {engine.split()[0]}"):
        open_collection(engine.split()[0], at, "codes", CodeSpec.parse(spec))


def test_names_that_some_database_would_refuse_are_refused_for_all(tmp_path):
    for name in ("no/name", "", "1st", "x" * 64, "a-b"):
        with pytest.raises(InputError, match="letters, digits and underscores"):
            open_collection("qdrant", str(tmp_path), name, SPEC)


def test_a_foreign_collection_is_refused(tmp_path):
    edge = pytest.importorskip("qdrant_edge", reason="needs qdrant-edge-py: pip install 'dimco[qdrant]'")
    (tmp_path / "codes").mkdir()
    sparse = {"words": edge.EdgeSparseVectorParams()}
    edge.EdgeShard.create(str(tmp_path / "codes"), edge.EdgeConfig(sparse_vectors=sparse)).close()
    with pytest.raises(InputError, match=r"expected a collection of dimco codes; codes at .* is another one"):
        open_collection("qdrant", str(tmp_path), "codes")
