"""Reports as one self-contained HTML file: text, tables and plots."""
