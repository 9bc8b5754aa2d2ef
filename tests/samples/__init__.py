"""Surveys, designs and reports that tests of several rooms use."""
