"""The terms of a predicted time, one a file, over arrays that broadcast."""
