"""dissensus from where you are: ir_measures, PyTerrier, pandas. Nothing here is imported unless you ask for it."""
