"""Figure 3 of the paper and its appendix: how the information of a code goes along with other metrics."""
