"""Reports as one self-contained HTML file: text, tables and plots; and a progress line for calls from Python."""
