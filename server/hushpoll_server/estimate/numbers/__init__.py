"""Numbers: means, distributions and what is read off them, with limits that hold at every n."""
