"""The benchmark of planning: made-up clusters, the loop to compare with, the rows, the table."""
