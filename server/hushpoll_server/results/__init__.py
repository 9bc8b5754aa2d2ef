"""The results of a survey, computed once from its counters, with the warnings that go with them."""
