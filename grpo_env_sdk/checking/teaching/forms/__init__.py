"""Whether right answers in the form that is asked for count, and whether that form is asked for."""
