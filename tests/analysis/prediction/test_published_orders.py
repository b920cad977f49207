"""Orders and thresholds that others measured, as predictions give them."""

import analysis

GB200 = {"gpu": "gb200", "element_type": "fp16", "m": 8192, "n": 8192}
B200 = {"gpu": "b200", "element_type": "fp16"}


def rate(**parameters):
    return analysis.predict("gemm", **parameters).tflops.item()


def test_occupancy_of_serial_kernels():
    """Three and four CTAs of 128x128 per SM beat one of twice the depth (Gluon tutorial 06)."""
    tiles = ["128x128x64", "128x128x128", "128x128x256"]
    ds = analysis.predict("gemm", **GB200, k=16384, schedule="serial", tile=tiles)
    assert ds.ctas_per_sm.values.tolist() == [4, 3, 1]
    assert ds.tflops[2] < ds.tflops[:2].min()


def test_an_epilogue_beside_the_next_tile_is_worth_it():
    """gau-nernst v6 over v5, B200, 4096^3."""
    pair = B200 | {"m": 4096, "n": 4096, "k": 4096, "cta_pair": 2, "stages": 7}
    plain = rate(**pair, schedule="ws", epilogue="naive")
    beside = rate(**pair, schedule="persistent", epilogue="overlap")
    assert beside > 1.05 * plain


def test_pair_over_persistent_over_one_tile_per_cta():
    """The last steps of tilus on B200, 8192^3."""
    size = B200 | {"m": 8192, "n": 8192, "k": 8192, "stages": 4}
    pair = rate(**size | {"stages": 6}, schedule="persistent", epilogue="overlap", cta_pair=2)
    persistent = rate(**size, schedule="persistent", epilogue="overlap")
    single = rate(**size, schedule="ws", epilogue="naive")
    assert pair > persistent > single


def test_a_larger_tile_is_the_largest_step_of_a_compiler():
    """K = 16384 in fp16: 393, 395, 572, 632 TFLOP/s (arXiv 2510.14719).

    The last step, persistence, gains nothing here: at 256 k-tiles an epilogue is 1 % of a tile.
    """
    size = {"gpu": "h100_sxm", "element_type": "fp16", "m": 8192, "n": 8192, "k": 16384}
    small = {"tile": "128x128x64", "stages": 2, "schedule": "ws"}
    large = {"tile": "128x256x64", "stages": 3, "consumer_warpgroups": 2}
    one = rate(**size, **small, consumer_warpgroups=1)
    wide = rate(**size, **large, schedule="ws")
    persistent = rate(**size, **large, schedule="persistent")
    assert wide > 1.3 * one
    assert abs(persistent / wide - 1) < 0.01


def test_pingpong_with_half_the_tile_loses():
    """K = 2048: cooperative 160 against ping-pong 134 TFLOP/s (grouped_gemm PR 37), the order."""
    size = {"gpu": "h100_sxm", "m": 8192, "n": 8192, "k": 2048}
    cooperative = rate(**size, schedule="cooperative", tile="128x256x64", epilogue="async")
    pingpong = rate(**size, schedule="pingpong", tile="64x256x64", epilogue="async")
    assert cooperative > pingpong


def test_a_heavy_epilogue_is_hidden_only_while_it_is_the_shorter():
    """CUTLASS issue 3007: slow where K is small."""
    size = B200 | {"m": 8192, "n": 8192, "schedule": "persistent", "epilogue": "overlap"}
    ds = analysis.predict("gemm", **size, k=[64, 4096])
    assert ds.binding.attrs["flag_meanings"].split()[int(ds.binding[0])] == "epilogue"
    assert ds.binding.attrs["flag_meanings"].split()[int(ds.binding[1])] != "epilogue"


def test_share_of_the_fp8_peak_in_attention():
    """About 1.2 of 1.979 PFLOP/s at head dimension 256 (FlashAttention-3)."""
    ds = analysis.predict(
        "attention", gpu="h100_sxm", element_type="fp8", seq_q=16896, heads=8, batch=1, head_dim=256
    )
    assert abs(100 * float(ds.utilization) - 61) < 5


def test_the_full_ablation_kernel():
    """661 TFLOP/s at 8,448 keys (FlashAttention-3)."""
    ds = analysis.predict(
        "attention", gpu="h100_sxm", element_type="fp16", seq_q=8448, heads=16, batch=4,
        head_dim=128,
    )  # fmt: skip
    assert float(ds.tflops_low) < 661 < float(ds.tflops_high)
