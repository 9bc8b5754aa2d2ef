"""Surveys: publishing, finding and closing them, and the publisher's keys."""
