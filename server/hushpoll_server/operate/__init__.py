"""What an operator does with an instance: check it, copy it, bring it back, let go of reports."""
