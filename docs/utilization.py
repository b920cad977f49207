"""Draw the README's picture: ``python docs/utilization.py``."""

from pathlib import Path

import sweep
from figures.utilization_against_stages import utilization_against_stages

ds = sweep.run(
    ["multistage", "warp_specialized"],
    stages=range(1, 9),
    t_latency=[300, 700, 1500, 3000],
    k_tiles=64,
)
utilization_against_stages(ds).savefig(Path(__file__).with_name("utilization.png"), dpi=150)
