"""The sections of a report, one file each: `build(study)` computes what it needs and returns a `Section`."""
