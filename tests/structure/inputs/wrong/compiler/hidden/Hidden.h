// Without a row.
