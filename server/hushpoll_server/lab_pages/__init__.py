"""The public pages of the lab: attacks on invented people, run for whoever reads.

The rule here: no page reads the data of the instance or takes data from its readers, and no run takes long.
"""
