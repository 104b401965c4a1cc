"""Charts: functions from tables to Altair charts, one file per topic; theme and saving are in `theme`."""
