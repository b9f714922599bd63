"""Reports as one HTML file that loads nothing: text, tables and plots."""
