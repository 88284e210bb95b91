"""The report of a model as one HTML page that needs nothing else."""

from dimco.reports.page.collect import ModelReport, collect_report
from dimco.reports.page.page import report_page

__all__ = ["ModelReport", "collect_report", "report_page"]
