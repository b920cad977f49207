"""Why a point takes the time it takes: critical path and idle time by cause."""
