"""Quoted figures."""

from dimco.experiments.fewshot.job import BACKBONES, DATASETS
from dimco.experiments.fewshot.paper import GOALS, PAPER, QUOTED


def test_every_quoted_row_has_its_source_and_stands_once():
    assert all(quoted.source for quoted in QUOTED)
    assert all(quoted.dataset in DATASETS and quoted.backbone in BACKBONES for quoted in QUOTED)
    assert len({quoted[:3] for quoted in QUOTED}) == len(QUOTED)
    assert all(20 < quoted.one_shot < quoted.five_shot < 100 for quoted in QUOTED)


def test_goals_of_the_paper_are_the_papers_figures():
    of_paper = {(goal.dataset, goal.backbone, goal.code): goal for goal in GOALS if goal.whose == "the paper"}
    for cell, figures in PAPER.items():
        assert (of_paper[cell].one_shot, of_paper[cell].five_shot) == figures
