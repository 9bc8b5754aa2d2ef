"""What an operator does with an instance: check it, back it up, restore it, purge reports."""
