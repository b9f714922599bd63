"""Whether amounts, budgets and limits hold: less than nothing, too often, and what is paid back."""
