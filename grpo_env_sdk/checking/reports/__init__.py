"""A report as text, HTML, JUnit XML and GitHub annotations; waivers and the history of tests."""
