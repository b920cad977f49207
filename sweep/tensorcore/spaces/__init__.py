"""The same over whole spaces, as labelled datasets."""
