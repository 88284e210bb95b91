"""Work: what is asked for must fit the collection and the model."""

import pytest

from dimco.cluster.encoding.work import plan_work
from dimco.errors import InputError


def test_columns_of_pictures_and_networks_of_parquet_are_wrong_use(photos, collection, model, tmp_path):
    with pytest.raises(InputError, match=r"expected parquet, whose columns are named; .*photos holds none"):
        plan_work(photos[1], photos[0], ids="key")
    with pytest.raises(InputError, match=r"expected pictures for --backbone to take; .*collection is parquet"):
        plan_work(tmp_path / "model", collection[0], backbone="resnet50", weights=tmp_path / "model")
    with pytest.raises(InputError, match="this model takes no pictures; name the network"):
        plan_work(tmp_path / "model", photos[0])
    with pytest.raises(InputError, match="expected --backbone and --weights together"):
        plan_work(tmp_path / "model", photos[0], backbone="resnet50")
    with pytest.raises(InputError, match=r"expected pictures, for --skip-damaged to pass over some; .* is parquet"):
        plan_work(tmp_path / "model", collection[0], skip_damaged=True)
    with pytest.raises(InputError, match=r"expected a pretrained backbone of .*; got 'resnet99'"):
        plan_work(tmp_path / "model", photos[0], backbone="resnet99", weights=tmp_path / "model")


def test_the_record_is_that_of_the_model_the_code_and_the_collection(collection, model, tmp_path):
    columns = {"features": ["embedding"], "ids": "key"}
    work = plan_work(tmp_path / "model", collection[0], **columns)
    assert work.record == plan_work(tmp_path / "model", collection[0], **columns).record
    assert (work.record["code"], work.record["items"], work.record["parts"]) == ("8x5", 221, 3)
    assert [file["name"] for file in work.record["source"]["files"]] == ["a.parquet", "b.parquet", "below/c.parquet"]
    assert plan_work(tmp_path / "model", collection[0], features=["embedding"]).record != work.record
