"""The exercises that go with the model, worked with the project's own functions.

1. Little's law for the whole GPU
---------------------------------
How many bytes must be in flight so that 3.35 TB/s of DRAM with 700 cycles of latency at 1.83 GHz is
used fully, and how much is that per SM?

>>> from analysis.memory.littles_law import bytes_in_flight, in_flight
>>> print(f"{float(bytes_in_flight(3.35e12, 700 / 1.83e9)) / 1e6:.2f} MB")
1.28 MB
>>> dram = next(row for row in in_flight("lecture") if row.level == "dram")
>>> f"{dram.sm_bytes / 1e3:.1f} kB per SM, {dram.stages:.2f} stages of 48 KiB", dram.covered
('9.7 kB per SM, 0.20 stages of 48 KiB', True)

Depth is not what DRAM asks for: a fifth of one stage covers it. The copy path into the SM is faster
(64 B/cycle) and asks for 44.8 kB, nine tenths of a stage; the other stages cover the transfer and
the MMA, during which a slot is taken too (``littles_law.ring_bandwidth``).

2. Stages at a latency of 1,500 cycles
--------------------------------------
>>> from analysis.rings.stages import corrected_stages, textbook_stages
>>> copy = dict(t_issue=100, t_transfer=768, t_latency=1500, t_mma=1024)
>>> float(textbook_stages(**copy)), float(corrected_stages("multistage", **copy))
(4.0, 4.0)

Here both rules agree; at 300 cycles the textbook asks for 3 and 2 saturate the period. The
simulation, transients included, needs as many to come within one point of the best:

>>> from analysis.rings.design_space import fewest_stages
>>> fewest_stages("multistage", t_latency=[300, 1500], k_tiles=64).values.tolist()
[2, 4]

And 3,000 cycles would need five, 240 KiB, which do not fit the 227 KiB of a block.

3. Registers of three consumers
-------------------------------
One producer at 24 registers per thread and three consumers, 512 threads:

>>> from analysis.budgets.registers import most_consumer_registers, register_split
>>> most_consumer_registers(24, consumers=3)
160
>>> print(register_split(24, 160, consumers=3))
1 x 24 + 3 x 160 registers per thread: 64,512 of 65,536 registers, fits
>>> register_split(24, 168, consumers=3).fits
False

4. Why 73.7 % is not 76.2 %
---------------------------
A persistent kernel with 4 k-tiles per output tile exposes every epilogue, so its bound is main loop
over main loop and epilogue. The rest is the first copy: issue, transfer and latency, 1,478 cycles,
paid once.

>>> import sweep
>>> from analysis.memory.roofline import exposed_epilogue_utilization
>>> one = sweep.simulate("persistent", k_tiles=4, output_tiles=8, stages=4)
>>> bound = float(exposed_epilogue_utilization(one.k_tiles * one.t_mma, one.t_epilogue))
>>> f"{one.tc_utilization:.1%} of {bound:.1%}"
'73.7% of 76.2%'
>>> one.cycles - one.output_tiles * (one.k_tiles * one.t_mma + one.t_epilogue)
1478.0
>>> many = sweep.simulate("persistent", k_tiles=4, output_tiles=4096, stages=4)
>>> f"{many.tc_utilization:.1%}"
'76.2%'

5. Why 49.6 % is not 50 %
-------------------------
On a B200 the GEMMs of a block take 256 cycles each, its softmax still 768. With the overlap inside
one warpgroup the period is max(256, 768) + 256 = 1,024 cycles, 512 of them on the Tensor Core. The
first GEMM has nothing to hide behind: 256 cycles, paid once.

>>> b200 = sweep.simulate("attention_overlap", t_gemm=256, kv_blocks=32)
>>> f"{b200.tc_utilization:.1%} of {b200.steady_tc_utilization:.1%}"
'49.6% of 50.0%'
>>> b200.cycles - b200.kv_blocks * b200.period
256.0

6. A producer slower than the MMA
---------------------------------
An issue of 1,500 cycles is longer than the MMA's 1,024 and sets the period, however deep the ring:

>>> slow = sweep.simulate("warp_specialized", t_issue=1500)
>>> slow.period, str(slow.bottleneck), f"{slow.steady_tc_utilization:.1%}"
(1500.0, 'copy_issue', '68.3%')
>>> sweep.simulate("warp_specialized", t_issue=1500, stages=8).period
1500.0

At 800 cycles the producer keeps up, and only the start is longer:

>>> f"{sweep.simulate('warp_specialized', t_issue=800).tc_utilization:.1%}"
'94.9%'

7. FP8's 61 %
-------------
FlashAttention-3 reports about 1.2 of 1.979 PFLOP/s in FP8, and 75 % of the peak in FP16. FP8 halves
the GEMMs and leaves the exponentials: the two take equally long, so any gap in either shows.

>>> takes = sweep.simulate("attention_serial", gpu="h100_sxm", element_type="fp8")
>>> takes.t_exp / (takes.t_gemm0 + takes.t_gemm1)
1.0
>>> for schedule, blocks in (("attention_serial", 32), ("attention_overlap", 32),
...                          ("attention_pingpong", 16), ("attention_pingpong_overlap", 16)):
...     point = sweep.simulate(schedule, gpu="h100_sxm", element_type="fp8", kv_blocks=blocks)
...     print(f"{schedule:26} {point.tc_utilization:6.1%}  {point.bottleneck}")
attention_serial            40.0%  serial_chain
attention_overlap           49.6%  serial_chain
attention_pingpong          78.0%  serial_chain
attention_pingpong_overlap  95.5%  tensor_core

Measured, 61 % lies between one warpgroup's overlap and ping-pong. The model's ceiling with both is
95.5 %: what is lost beyond it (layout changes of V, quantisation, scheduling of the exponentials
themselves) is not in the model, and one may not read 61 % off it.
"""
