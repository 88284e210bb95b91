"""What a report is made from."""


def test_a_report_is_about_the_queries(make_report):
    report = make_report()
    assert (len(report.codebook), report.evaluation.query_items, report.evaluation.support_items) == (45, 45, 15)
    assert sorted(report.codebook.classes) == sorted(report.answers.names)
    assert report.facts["command"] == "dimco x"
    again = make_report(pictured=False)
    assert again.images is None
    assert again.evaluation.top1 == report.evaluation.top1
