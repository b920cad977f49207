"""Bounds, rules and closed forms, each tested against simulation."""
