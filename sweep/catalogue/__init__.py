"""Every schedule by name: found, checked, built in or a user's own."""
