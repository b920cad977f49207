"""What a prediction takes: a problem and a kernel, and the machine they run on, as arrays."""

from __future__ import annotations

from typing import NamedTuple

from sweep.quantities.arrays import Array

SCHEDULES = ("serial", "lookahead", "multistage", "warp_specialized", "pingpong")
"""Their order gives the codes of ``Kernel.schedule``."""
SCHEDULE_NAMES = {
    **{name: name for name in SCHEDULES},
    "sync": "serial",
    "ws": "warp_specialized",
    "persistent": "warp_specialized",
    "cooperative": "warp_specialized",
}
"""What a schedule may be called."""
EPILOGUES = ("naive", "tma", "async", "overlap")
"""Direct stores, stores by TMA, TMA stores that are not waited for, beside the next main loop."""
BARRIERS = ("ptx", "library")
SERIAL, LOOKAHEAD, MULTISTAGE, WARP_SPECIALIZED, PINGPONG = range(len(SCHEDULES))
NAIVE, TMA, ASYNC, OVERLAP = range(len(EPILOGUES))


class Kernel(NamedTuple):
    """A GEMM and the kernel that computes it; every field an array, all of them broadcast.

    Attributes
    ----------
    m, n, k : Array
        The problem.
    tile_m, tile_n, tile_k : Array
        Of a CTA.
    stages, schedule, cluster_m, cluster_n : Array
        Ring slots; a code of ``SCHEDULES``; CTAs of a cluster along M and N.
    cta_pair : Array
        2 where two CTAs share an MMA and hold half of B each, else 1.
    consumer_warpgroups, threads, mma_in_flight : Array
        Warpgroups that multiply; threads of a CTA; MMAs that stay in flight (0 or 1).
    persistent, epilogue, half_sectors : Array
        Whether a CTA runs over many tiles; a code of ``EPILOGUES``; whether its stores fill half
        of each 32-byte sector.
    raster_group, sms_used, output_bytes : Array
        Rows of tiles that are taken together; SMs that get a CTA; bytes of an output element.
    ctas_per_sm, clock_hz : Array
        NaN where it is to be worked out.
    library_barriers, copy_issue : Array
        Whether barriers are library objects; cycles that issuing a copy takes (10 for TMA, 100 for
        ``cp.async``).
    """

    m: Array
    n: Array
    k: Array
    tile_m: Array
    tile_n: Array
    tile_k: Array
    stages: Array
    schedule: Array
    cluster_m: Array
    cluster_n: Array
    cta_pair: Array
    consumer_warpgroups: Array
    threads: Array
    mma_in_flight: Array
    persistent: Array
    epilogue: Array
    half_sectors: Array
    raster_group: Array
    sms_used: Array
    output_bytes: Array
    ctas_per_sm: Array
    clock_hz: Array
    library_barriers: Array
    copy_issue: Array


class Machine(NamedTuple):
    """What runs it: a GPU, an element type, and the constants of its architecture, as arrays.

    Attributes
    ----------
    blackwell : Array
        Whether the architecture is Blackwell, Hopper otherwise.
    sm_count, flop_per_cycle, peak_hz : Array
        Of the GPU; FLOP per cycle and SM at this element type; clock of the nominal peak.
    l2_bytes, smem_bytes, registers : Array
        L2; shared memory and 32-bit registers of an SM.
    element_bytes, element_power : Array
        Bytes of an element; power of its MMAs relative to bf16.
    unit : Array
        Factor of this unit's clock under load, 1 for a typical one.
    fmax : Array
        GHz without load.
    dram : Array
        GB/s as measured.
    l2_rate, clock, l2_latency, mma_latency, miss_latency, power_mma, power_data, warpgroup : Array
        Constants (``analysis.prediction.constants``): byte/cycle and SM at fmax; GHz; cycles;
        cycles; cycles; 1; cycle/byte; cycles.
    port, sync, library_sync, store_base, handover, prologue, launch, coverage : Array
        byte/cycle into shared memory; cycles of a barrier, more of a library's; cycles of an
        epilogue's start and of handing over the accumulator; cycles before a tile's first copy;
        microseconds before the first tile; how much the L2 rate depends on what the L2 holds.
    """

    blackwell: Array
    sm_count: Array
    flop_per_cycle: Array
    peak_hz: Array
    l2_bytes: Array
    smem_bytes: Array
    registers: Array
    element_bytes: Array
    element_power: Array
    unit: Array
    fmax: Array
    dram: Array
    l2_rate: Array
    clock: Array
    l2_latency: Array
    mma_latency: Array
    miss_latency: Array
    power_mma: Array
    power_data: Array
    warpgroup: Array
    port: Array
    sync: Array
    library_sync: Array
    store_base: Array
    handover: Array
    prologue: Array
    launch: Array
    coverage: Array
