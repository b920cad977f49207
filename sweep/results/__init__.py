"""What a user gets: labelled datasets, single points, traces, and their JSON."""
