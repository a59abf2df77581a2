"""The benchmark from end to end: shapes of work, those who do it, clocks, and the table."""
